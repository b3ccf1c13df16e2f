"""The processes of a cluster: engines, servers, the load balancer and the proxy between them. Each can be killed and
brought back as it was, stopped and continued. Nothing here knows what they are asked for.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

from catalogue import PATIENCE, ROOT, Broken, Server, expect
from wall import WallClock

HERE = pathlib.Path(__file__).resolve().parent
BALANCER = ROOT / "server" / "deploy" / "haproxy.cfg"
# Names of the servers, as the example configuration of the load balancer has them.
SERVERS = ("catalogue-1", "catalogue-2", "catalogue-3")
ENGINES = ("postgres", "redis", "s3")
# Below those that Linux gives to connections.
PORTS = range(20_000, 32_000)
# The server whose clock can be set. Monotonic clocks cannot be set anywhere, so neither is its own.
SKEWED = SERVERS[-1]


def free_port():
    """One that is still free when whoever listens there was killed and comes back: no connection gets one of these."""
    for port in random.sample(PORTS, 100):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise Broken("no port is free")


async def listens(port):
    """Waits until something does."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
                continue
            writer.close()
            return


class Engine:
    """One of those that .ci/with-services started."""

    def __init__(self, name, port):
        self.name, self.port = name, port
        self.services = pathlib.Path(os.environ["SERVICES"])
        self.pid_file = self.services / f"{name}.pid"
        self.process = None

    @property
    def pid(self):
        return int(self.pid_file.read_text())

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)

    async def start(self):
        """Brings it back; returns once it listens. What was there before may take a moment to end."""
        async with asyncio.timeout(PATIENCE):
            while True:
                with (self.services / f"{self.name}.log").open("ab") as log:
                    self.process = subprocess.Popen([self.services / f"{self.name}.start"], stdin=subprocess.DEVNULL,
                                                    stdout=log, stderr=log)
                self.pid_file.write_text(str(self.process.pid))
                while self.process.poll() is None:
                    if await asyncio.to_thread(self.is_up):
                        return
                    await asyncio.sleep(0.02)

    def is_up(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 0.1).close()
        except OSError:
            return False
        return True

    def stand_still(self):
        """The process that accepts connections first, so that none is served by one that comes later."""
        for pid in (self.pid, *self.children()):
            os.kill(pid, signal.SIGSTOP)

    def go_on(self):
        for pid in (*self.children(), self.pid):
            os.kill(pid, signal.SIGCONT)

    def children(self):
        """PostgreSQL has a process for each connection."""
        return map(int, pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split())

    def pointer(self):
        """What the S3-compatible server keeps as the pointer to the active release: JSON, and a line that proves it."""
        return json.loads((self.services / "s3" / "tests" / "cluster" / "current").read_text().splitlines()[0])

    def lose_data(self):
        """What it has written down is gone."""
        for path in (self.services / self.name).iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


class Member(Server):
    """A server of the cluster, on ports of its own, which reaches the engines through links of its own."""

    def __init__(self, catalogue, name, environment, port, admin_port):
        super().__init__(catalogue, "live")
        self.name, self.settings, self.listen, self.admin = name, environment, port, f"127.0.0.1:{admin_port}"
        if name == SKEWED:
            self.clock = WallClock(catalogue.data.parent, name)
            self.settings = environment | self.clock.environment

    def set_clock(self, seconds):
        """Lets it be wrong by so many seconds."""
        self.clock.set(seconds)

    def command(self):
        command = super().command()
        command[command.index("127.0.0.1:0")] = f"127.0.0.1:{self.listen}"
        return command

    async def start(self):
        own, self.catalogue.environment = self.catalogue.environment, self.settings
        try:
            await super().start()
        finally:
            self.catalogue.environment = own

    async def start_again(self):
        """After it was killed."""
        await self.ended(-signal.SIGKILL)
        await self.start()

    def stand_still(self):
        self.signal(signal.SIGSTOP)

    def go_on(self):
        self.signal(signal.SIGCONT)

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Proxy:
    """The process with all links, and how to tell it what becomes of them."""

    def __init__(self, ports):
        command = [sys.executable, "-B", HERE / "proxy.py", *(f"{name}={port}" for name, port in ports.items())]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ports = json.loads(self.process.stdout.readline())

    def turn(self, link, state, seconds=None):
        line = f"{link} {state}" if seconds is None else f"{link} {state} {seconds}"
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def end(self):
        self.process.kill()
        self.process.wait()


class Balancer:
    """HAProxy with the example configuration, of which only addresses are others."""

    def __init__(self, work, members, ports):
        self.port, text = free_port(), BALANCER.read_text()
        text, bound = re.subn(r"(?m)^(\s*bind )\S+", rf"\g<1>127.0.0.1:{self.port}", text, count=1)
        expect(bound, f"{BALANCER.name} binds nothing")
        for member in members:
            text, found = re.subn(rf"(?m)^(\s*server {member.name} )\S+( .*?)port \d+",
                                  rf"\g<1>127.0.0.1:{ports[member.name]}\g<2>port {ports[f'{member.name}-admin']}", text)
            expect(found == 1, f"{BALANCER.name} has no server {member.name}")
        self.configuration = work / "haproxy.cfg"
        self.configuration.write_text(text)
        self.log = (work / "haproxy.log").open("ab")

    async def start(self):
        command = ["haproxy", "-db", "-f", self.configuration]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        await listens(self.port)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


async def until(true, seconds=PATIENCE):
    """How long it took until something was true."""
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        while not await true():
            await asyncio.sleep(0.02)
    return time.monotonic() - began
