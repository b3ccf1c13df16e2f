"""The processes of a cluster beside its engines: servers, the load balancer and the proxy between them. Each can be killed
and brought back as it was, stopped and continued. Nothing here knows what they are asked for.
"""

import asyncio
import json
import pathlib
import re
import signal
import subprocess
import sys
import time

from checks.base import PATIENCE, ROOT, expect
from checks.command import Server
from checks.services import free_port
from checks.wall_clock import WallClock

HERE = pathlib.Path(__file__).resolve().parent
BALANCER = ROOT / "server" / "deploy" / "haproxy.cfg"
# Names of the servers, as the example configuration of the load balancer has them.
SERVERS = ("catalogue-1", "catalogue-2", "catalogue-3")
ENGINES = ("postgres", "redis", "s3")
# Through which servers may reach the first of them, and all that they may reach.
POOLER = "pgbouncer"
REACHED = (*ENGINES, POOLER)
# The server whose clock can be set. Monotonic clocks cannot be set anywhere, so neither is its own.
SKEWED = SERVERS[-1]


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


class Member(Server):
    """A server of the cluster, on ports of its own, which reaches the engines through links of its own."""

    def __init__(self, catalogue, name, port, admin_port):
        super().__init__(catalogue, "live")
        self.name, self.listen, self.admin = name, port, f"127.0.0.1:{admin_port}"
        if name == SKEWED:
            self.clock = WallClock(catalogue.data.parent, name)
            catalogue.environment |= self.clock.environment

    def set_clock(self, seconds):
        """Lets it be wrong by so many seconds."""
        self.clock.set(seconds)

    def command(self):
        command = super().command()
        command[command.index("127.0.0.1:0")] = f"127.0.0.1:{self.listen}"
        return command

    async def start_again(self):
        """After it was killed."""
        await self.ended(-signal.SIGKILL)
        await self.start()

    def stand_still(self):
        self.signal(signal.SIGSTOP)

    def go_on(self):
        self.signal(signal.SIGCONT)


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
