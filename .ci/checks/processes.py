"""Processes that serve: where they listen, what they compute, and what memory they take."""

import contextlib
import os
import pathlib
import re
import select
import socket
import subprocess
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from checks.base import ENVIRONMENT, PATIENCE, Broken

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def last_words(log):
    return log.read_text(errors="replace")[-600:]


def address(process, log):
    """What a server says first: where it listens."""
    is_told, _, _ = select.select([process.stdout], [], [], PATIENCE)
    line = process.stdout.readline().strip() if is_told else ""
    said, _, base = line.partition("listening on ")
    if said or not base:
        raise Broken(f"a server starts with {line!r}; its log: {last_words(log)}")
    return base


@dataclass
class Serving:
    """A server process."""

    process: subprocess.Popen
    base: str
    # Seconds from the start of the process until it said that it listens.
    started: float = 0
    # Other processes that compute for it.
    engines: tuple = ()

    @property
    def host_and_port(self):
        parts = urlsplit(self.base)
        return parts.hostname, parts.port

    def connect(self):
        return socket.create_connection(self.host_and_port, PATIENCE)

    def status_kibibytes(self, name):
        """A figure of /proc, such as VmRSS."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+) kB", status)[1])

    def processor_seconds(self):
        """What it and its children have computed."""
        return family_seconds(self.process.pid)

    def engine_seconds(self):
        return sum(map(family_seconds, self.engines))


@contextlib.contextmanager
def serving(*command, log, environment=ENVIRONMENT):
    """A server that says where it listens."""
    started = time.monotonic()
    with log.open("ab") as log_file, subprocess.Popen(
            list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log_file, text=True,
            env=environment) as process:
        try:
            yield Serving(process, address(process, log), time.monotonic() - started)
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            process.kill()


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def family_seconds(pid):
    """What a process and its children have computed."""
    return sum(processor_seconds(one) for one in [pid, *children(pid)])


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND
