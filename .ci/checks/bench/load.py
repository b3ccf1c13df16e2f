"""Servers on one core, and the load of wrk from another."""

import contextlib
import json
import pathlib
import subprocess

from checks import processes
from checks.base import ENVIRONMENT, Broken, run, wait_until

SERVER_CORE, LOAD_CORE = 0, 1
CONNECTIONS = 64
# An answer that takes longer has failed: a list of a million boats that is not remembered may take seconds.
WAIT = "30s"
# Where more answers than this are refusals, something is wrong.
FAILED_SHARE_MAX = 0.01
LOAD_SCRIPT = pathlib.Path(__file__).with_name("load.lua")


def on_core(core, *command):
    return ["taskset", "--cpu-list", str(core), *map(str, command)]


@contextlib.contextmanager
def serving(*command, log):
    """A server that says where it listens, on one core."""
    with processes.serving(*on_core(SERVER_CORE, *command), log=log) as server:
        yield server


@contextlib.contextmanager
def listening(command, port, log, environment=ENVIRONMENT):
    """A server of others on one core, as soon as it listens."""
    with log.open("wb") as log_file, subprocess.Popen(
            on_core(SERVER_CORE, *command), stdin=subprocess.DEVNULL, stdout=log_file, stderr=log_file,
            env=environment) as process:
        server = processes.Serving(process, f"http://127.0.0.1:{port}")
        try:
            wait_until(lambda: process.poll() is not None or accepts(server),
                       lambda: f"{command[0]} does not listen: {processes.last_words(log)}")
            if process.poll() is not None:
                raise Broken(f"{command[0]} has ended: {processes.last_words(log)}")
            yield server
        finally:
            process.terminate()


def accepts(server):
    try:
        server.connect().close()
    except OSError:
        return False
    return True


def wrk(server, seconds, targets, heads, seed, connections=CONNECTIONS, delay=0):
    """What clients on another core received, as load.lua says it and takes what it is asked for."""
    said = run(*on_core(LOAD_CORE, "wrk", "--threads", 1, "--connections", connections, "--duration", f"{seconds}s",
                        "--timeout", WAIT, "--script", LOAD_SCRIPT, server.base, "--", targets, heads, seed, delay))
    return json.loads(said.splitlines()[-1])


def load(server, seconds, targets, heads, seed, connections=CONNECTIONS):
    """The figures of a turn of clients that each ask again as soon as they are answered.

    `rate_of_processor` is answers for each second that the server computed, which does not depend on who else uses the
    core; `rate_of_all` counts what its engines computed too."""
    before, before_engines = server.processor_seconds(), server.engine_seconds()
    said = wrk(server, seconds, targets, heads, seed, connections)
    computed = max(server.processor_seconds() - before, 1 / processes.TICKS_PER_SECOND)
    engines = server.engine_seconds() - before_engines
    right, failed = said["answers"] - said["refused"], said["refused"] + said["lost"]
    if right == 0 or FAILED_SHARE_MAX * right < failed:
        raise Broken(f"{failed} requests to {server.base} have no 200, and {right} have")
    return {"rate": right / said["seconds"], "rate_of_processor": right / computed,
            "rate_of_all": right / (computed + engines), "median": said["median"], "slow": said["slow"],
            "failed": failed}
