"""The processes of a cluster beside its engines: servers, the load balancer and the proxy between them. Each can be killed
and brought back as it was, stopped and continued. Nothing here knows what they are asked for.
"""

import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

from checks.base import ROOT, expect, free_port, wait_until
from checks.command import Server
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
# How long a patient load balancer waits for a server to say whether it is ready.
PATIENT = "timeout check 10s"
# The header field in which the load balancer names the server that answered.
SERVER = "x-answered-by"


class Member(Server):
    """A server of the cluster, on ports of its own, which reaches the engines through links of its own. It logs too how it counts
    minutes."""
    level = "warn,server::limits=info"

    def __init__(self, catalogue, name):
        super().__init__(catalogue, "live")
        self.name, self.listen, self.admin_port = name, free_port(), free_port()
        self.admin, self.starts = f"127.0.0.1:{self.admin_port}", []
        if name == SKEWED:
            self.clock = WallClock(catalogue.data.parent, name)
            catalogue.environment |= self.clock.environment

    def command(self):
        command = super().command()
        command[command.index("127.0.0.1:0")] = f"127.0.0.1:{self.listen}"
        return command

    async def start(self):
        self.starts.append(time.monotonic())
        await super().start()

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
    """HAProxy with the example configuration, but for addresses and a header field that says which server answered. A patient
    one does not take a busy server for one that is gone: where that is not what is tried, it would be noise."""

    def __init__(self, work, members, ports, is_patient):
        self.port, text = free_port(), BALANCER.read_text()
        text, bound = re.subn(r"(?m)^(\s*bind )\S+", rf"\g<1>127.0.0.1:{self.port}", text, count=1)
        expect(bound, f"{BALANCER.name} binds nothing")
        text, found = re.subn(r"(?m)^backend servers$", rf"\g<0>\n    http-response set-header {SERVER} %s", text)
        expect(found == 1, f"{BALANCER.name} has no backend of that name")
        for member in members:
            text, found = re.subn(rf"(?m)^(\s*server {member.name} )\S+( .*?)port \d+",
                                  rf"\g<1>127.0.0.1:{ports[member.name]}\g<2>port {ports[f'{member.name}-admin']}", text)
            expect(found == 1, f"{BALANCER.name} has no server {member.name}")
        if is_patient:
            text, found = re.subn(r"timeout check \S+", PATIENT, text)
            expect(found == 1, f"{BALANCER.name} says nothing of checks")
        self.configuration, self.log = work / "haproxy.cfg", work / "haproxy.log"
        self.configuration.write_text(text)

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(["haproxy", "-db", "-f", self.configuration], stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)
        wait_until(self.listens, lambda: f"HAProxy does not listen: {self.log.read_text()}")

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def end(self):
        self.process.kill()
        self.process.wait()
