#!/usr/bin/env python3
"""Holds the units of systemd to what they say, without a systemd that runs.

    .ci/units

- systemd-analyze finds nothing wrong in the units as they are installed, and no more exposed than EXPOSURE_MAX;
- systemd-sysusers makes the user that the service runs as;
- the command line and the variables of the service are known to the command;
- what a server asks of the kernel is what the service may ask: from its start on a socket that is passed, over
  requests, an import and a revoked key that it follows, to its stop.

The exit status is 1 where that is not so. It needs systemd and strace, which root installs where they are missing
(apt-get). CATALOGUE is the binary; without it, .ci/cargo builds one.
"""

import asyncio
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys

# Nothing is to be left in the repository.
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "faults"))

from catalogue import PATIENCE, ROOT, SAMPLE, Broken, Catalogue, Server, binary, expect, work_directory
from clients import catalogue_requests, exchange

# In tenths, as systemd-analyze compares it; what it still wants would cost the network, or the host's C library.
EXPOSURE_MAX = 14
# What SQLite calls where root runs it, and the service is never run as root.
CALLED_AS_ROOT = {"fchown"} if os.geteuid() == 0 else set()
TOOLS = {"systemd-analyze": "systemd", "strace": "strace"}


def install_tools():
    missing = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    if missing and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-qq", "-y", "--no-install-recommends", *missing], check=True,
                       stdout=subprocess.DEVNULL)
    elif missing:
        sys.exit(f"units: install what is missing: apt-get install {' '.join(missing)}")


def run(*command):
    """What a command says; one that fails is a finding."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, env=os.environ | {"SYSTEMD_PAGER": "cat"})
    expect(done.returncode == 0, f"{' '.join(map(str, command))}: {done.stdout.strip()}")
    return done.stdout


class Unit:
    """A unit file. A setting may come several times."""

    def __init__(self, path):
        self.path, self.text = path, path.read_text()

    def values(self, setting):
        return re.findall(rf"^{setting}=(.*)$", self.text, re.MULTILINE)

    def value(self, setting):
        return self.values(setting)[-1]


def install(command, root):
    """The units, as `make install` puts them below `root`."""
    environment = os.environ | {"BINARY": str(command), "PREFIX": str(root), "DESTDIR": ""}
    subprocess.run([ROOT / ".ci" / "install"], check=True, env=environment, stdout=subprocess.DEVNULL)
    units = root / "lib" / "systemd" / "system"
    return Unit(units / "catalogue.service"), Unit(units / "catalogue.socket")


def check_analysis(service, listening, root):
    said = run("systemd-analyze", "verify", "--man=no", service.path, listening.path)
    expect(not said.strip(), f"systemd-analyze verify: {said}")
    said = run("systemd-analyze", "security", "--offline=yes", "--no-pager", f"--threshold={EXPOSURE_MAX}",
               service.path)
    print("units:", said.strip().splitlines()[-1].removeprefix("→ "))
    users = root / "lib" / "sysusers.d" / "catalogue.conf"
    said = run("systemd-sysusers", "--dry-run", f"--root={root}", users)
    expect(f"'{service.value('User')}'" in said, f"systemd-sysusers makes no user of the service: {said}")


def check_command(service, listening):
    """A setting that the command does not know would end it, or do nothing."""
    line = service.value("ExecStart").split()
    help_text = run(*line, "--help")
    for variable in set(re.findall(r"CATALOGUE_[A-Z_]+", service.text + listening.text)):
        expect(variable in help_text, f"{variable} is no setting of {' '.join(line)}")


class Traced(Server):
    """A server that is passed a socket and tells systemd, and whose calls are written down."""

    def __init__(self, catalogue, listener, calls):
        super().__init__(catalogue, "live")
        self.input, self.calls = listener, calls

    def command(self):
        strace = ["strace", "-f", "-qq", "-s", "0", "-o", self.calls]
        passed = ["sh", "-c", 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$0" "$@" 3<&0 </dev/null']
        return [*strace, *passed, self.catalogue.command, "--data", self.catalogue.data, "serve", "--log", "warn",
                "--admin", "off"]

    def signal(self, number):
        """strace, whose process this is, ends when the server does, and with its status."""
        os.kill(int(self.calls.read_text().split(maxsplit=1)[0]), number)

    def kill(self):
        with contextlib.suppress(OSError, IndexError):
            self.signal(signal.SIGKILL)
        super().kill()


async def ask(port, requests):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for asked in requests:
        answer = await exchange(reader, writer, asked)
        expect(answer.status == asked.status, f"{answer}, not {asked.status}")
    writer.close()


async def serve_traced(command, work):
    """What a server calls from its start to its end."""
    catalogue = await Catalogue.with_sample(command, work / "data")
    await catalogue.subscribe("tests", 1_000_000)
    key = await catalogue.issue("tests")
    calls, manager = work / "calls", work / "notify"
    catalogue.environment["NOTIFY_SOCKET"] = str(manager)
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(str(manager))
        told.settimeout(PATIENCE)
        server = Traced(catalogue, listener, calls)
        try:
            await server.start()
            expect(b"READY=1" in await asyncio.to_thread(told.recv, 4096), "the server does not say that it is ready")
            await ask(server.port, catalogue_requests(key))
            await catalogue.do("import", "--max-removals", "100", SAMPLE / "makers.ndjson", SAMPLE / "boats.ndjson")
            await catalogue.do("keys", "revoke", key["id"], "--wait")
            await server.stop()
            expect(b"STOPPING=1" in await asyncio.to_thread(told.recv, 4096), "the server does not say that it stops")
        finally:
            catalogue.end()
    text = calls.read_text()
    # What the shell called before it became the server is not the server's.
    return text[text.index(str(command)):]


def members(group):
    """The calls of a group of systemd's, or the one call."""
    if not group.startswith("@"):
        return {group}
    lines = (line.strip() for line in run("systemd-analyze", "syscall-filter", group).splitlines()[1:])
    return set().union(*(members(name) for name in lines if name and not name.startswith("#")))


def allowed_calls(service):
    allowed = set()
    for value in service.values("SystemCallFilter"):
        named = set().union(*(members(group) for group in value.lstrip("~").split()))
        allowed = allowed - named if value.startswith("~") else allowed | named
    return allowed


def check_calls(service, text):
    called = set(re.findall(r"^\d+ +(\w+)\(", text, re.MULTILINE))
    print(f"units: a server makes {len(called)} different calls")
    forbidden = called - allowed_calls(service) - CALLED_AS_ROOT
    expect(not forbidden, f"the service may not call {', '.join(sorted(forbidden))}, which the server does")
    families = set(re.findall(r"\bsocket\((AF_\w+)", text))
    forbidden = families - set(service.value("RestrictAddressFamilies").split())
    expect(not forbidden, f"the service may not open sockets of {', '.join(forbidden)}, which the server does")
    made = re.findall(r"^.*(?:PROT_WRITE\|PROT_EXEC|mprotect\(.*PROT_EXEC).*$", text, re.MULTILINE)
    expect(not made, f"the service may not make code at run time, which the server does: {made[:1]}")


def main():
    install_tools()
    command = binary()
    with work_directory() as work:
        try:
            service, listening = install(command, work / "installed")
            check_analysis(service, listening, work / "installed")
            check_command(service, listening)
            check_calls(service, asyncio.run(serve_traced(command, work)))
        except Broken as error:
            sys.exit(f"units: {error}")


main()
