"""Servers on one core, and the load of wrk from another."""

import contextlib
import json
import pathlib
import resource
import socket
import subprocess
import time
from dataclasses import dataclass

from checks import processes
from checks.base import ENVIRONMENT, Broken, run
from checks.bench.quiet import quietest

SERVER_CORE, LOAD_CORE = 0, 1
CONNECTIONS = 64
# An answer that takes longer has failed: peers take seconds for a list of a million.
WAIT = "30s"
# Where more answers than this are refusals, something is wrong.
FAILED_SHARE_MAX = 0.01
# A seed with which paths are asked for in order.
IN_ORDER = -1
LOAD_SCRIPT = pathlib.Path(__file__).with_name("load.lua")


def on_core(core, *command):
    return ["taskset", "--cpu-list", str(core), *map(str, command)]


@contextlib.contextmanager
def serving(*command, log, core=SERVER_CORE):
    """A server that says where it listens, on one core, or on all with None."""
    with processes.serving(*(command if core is None else on_core(core, *command)), log=log) as server:
        yield server


@contextlib.contextmanager
def listening(command, port, log, environment=ENVIRONMENT):
    """A server of others on one core, as soon as it listens."""
    with log.open("wb") as log_file, subprocess.Popen(
            on_core(SERVER_CORE, *command), stdin=subprocess.DEVNULL, stdout=log_file, stderr=log_file,
            env=environment) as process:
        try:
            until = time.monotonic() + 60
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                if process.poll() is not None or until < time.monotonic():
                    raise Broken(f"{command[0]} does not listen: {processes.last_words(log)}")
                time.sleep(0.1)
            yield processes.Serving(process, f"http://127.0.0.1:{port}")
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
            raise Broken(f"{asked} answers of {server.base} where there are {count} different paths")
        return result

    return quietest(turn)


def attempt(server, seconds, targets, heads, seed, connections):
    """One turn: how much was answered, whatever it was, the figures of it, and the seconds that all of it computed."""
    before, before_engines, before_here = server.processor_seconds(), server.engine_seconds(), children_seconds()
    said = run(*on_core(LOAD_CORE, "wrk", "--threads", 1, "--connections", connections, "--duration",
                        f"{seconds}s", "--timeout", WAIT, "--script", LOAD_SCRIPT, server.base, "--", targets,
                        heads, seed))
    computed = max(server.processor_seconds() - before, 1 / processes.TICKS_PER_SECOND)
    of_all = computed + server.engine_seconds() - before_engines
    figures = json.loads(said.splitlines()[-1])
    right, failed = figures["answers"] - figures["refused"], figures["failed"]
    if right == 0 or FAILED_SHARE_MAX * right < failed:
        raise Broken(f"{failed} requests to {server.base} have no 200, and {right} have")
    one = Load(right / figures["seconds"], right / computed, right / of_all, figures["median"], figures["slow"],
               figures["bytes"] / figures["answers"], failed)
    return figures["answers"], one, of_all + children_seconds() - before_here


def children_seconds():
    """What the processes computed that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
