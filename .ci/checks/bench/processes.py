"""Processes on cores: servers that say where they listen, their memory and processor time, and the load of wrk."""

import contextlib
import json
import os
import pathlib
import re
import resource
import subprocess
import time
from dataclasses import dataclass

from quiet import quietest

SERVER_CORE, LOAD_CORE = 0, 1
CONNECTIONS = 64
# An answer that takes longer has failed: peers take seconds for a list of a million.
WAIT = "30s"
# Where more answers than this are refusals, something is wrong.
FAILED_SHARE_MAX = 0.01
# A seed with which paths are asked for in order.
IN_ORDER = -1
LOAD_SCRIPT = pathlib.Path(__file__).with_name("load.lua")
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# Our own settings are those of the benchmark, not those of whoever runs it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("CATALOGUE_")}


class Failed(Exception):
    """Something that has to work does not."""


def run(*command, **options):
    """Runs a command that has to succeed; its standard output."""
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, **options)
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))[:200]} failed: {done.stderr.strip()[-800:]}")
    return done.stdout


def on_core(core, *command):
    return ["taskset", "--cpu-list", str(core), *map(str, command)]


@dataclass
class Server:
    """A running server process."""

    process: subprocess.Popen
    base: str
    # Seconds from the start of the process until it said that it listens.
    started: float
    # Other processes that compute for it.
    engines: tuple = ()

    def status_kibibytes(self, name):
        """A figure of /proc, such as VmRSS."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+) kB", status)[1])

    def processor_seconds(self):
        """What it and its children have computed."""
        return family_seconds(self.process.pid)

    def engine_seconds(self):
        return sum(map(family_seconds, self.engines))


def family_seconds(pid):
    """What a process and its children have computed."""
    return sum(processor_seconds(one) for one in [pid, *children(pid)])


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


@contextlib.contextmanager
def serving(*command, log, core=SERVER_CORE):
    """A server that says `listening on http://...` on standard output, on one core, or on all with None."""
    command = on_core(core, *command) if core is not None else list(map(str, command))
    started = time.monotonic()
    with log.open("ab") as log_file, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log_file, text=True,
            env=ENVIRONMENT) as process:
        try:
            said, _, base = process.stdout.readline().strip().partition("listening on ")
            if said or not base:
                raise Failed(f"{command} does not listen: {log.read_text(errors='replace')[-600:]}")
            yield Server(process, base, time.monotonic() - started)
        finally:
            process.terminate()


@dataclass
class Load:
    """What clients received in one turn."""

    # Answers with 200 a second.
    rate: float
    # Answers for each second that the server computed: what does not depend on who else uses the core.
    rate_of_processor: float
    # The same, with what its engines computed.
    rate_of_all: float
    # Milliseconds.
    median: float
    slow: float
    bytes_each: float
    failed: int


def load(server, seconds, targets, heads, seed, connections=CONNECTIONS):
    """Clients on another core, each asking for a random path of `targets`, which is what load.lua takes for that, with a
    random head of the file `heads`."""
    return quietest(lambda: attempt(server, seconds, targets, heads, seed, connections)[1:])


def load_once(server, seconds, others, heads, connections):
    """The same, but each path is asked for once: `others` gives each attempt a file of others, and their number."""
    def turn():
        targets, count = others()
        asked, *result = attempt(server, seconds, targets, heads, IN_ORDER, connections)
        # The program asks its script for a request once before it starts.
        if count < asked + connections + 1:
            raise Failed(f"{asked} answers of {server.base} where there are {count} different paths")
        return result

    return quietest(turn)


def attempt(server, seconds, targets, heads, seed, connections):
    """One turn: how much was answered, whatever it was, the figures of it, and the seconds that all of it computed."""
    before, before_engines, before_here = server.processor_seconds(), server.engine_seconds(), children_seconds()
    said = run(*on_core(LOAD_CORE, "wrk", "--threads", 1, "--connections", connections, "--duration",
                        f"{seconds}s", "--timeout", WAIT, "--script", LOAD_SCRIPT, server.base, "--", targets,
                        heads, seed))
    computed = max(server.processor_seconds() - before, 1 / TICKS_PER_SECOND)
    of_all = computed + server.engine_seconds() - before_engines
    figures = json.loads(said.splitlines()[-1])
    right, failed = figures["answers"] - figures["refused"], figures["failed"]
    if right == 0 or FAILED_SHARE_MAX * right < failed:
        raise Failed(f"{failed} requests to {server.base} have no 200, and {right} have")
    one = Load(right / figures["seconds"], right / computed, right / of_all, figures["median"], figures["slow"],
               figures["bytes"] / figures["answers"], failed)
    return figures["answers"], one, of_all + children_seconds() - before_here


def children_seconds():
    """What the processes computed that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
