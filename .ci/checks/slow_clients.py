#!/usr/bin/env python3
"""Slow clients against the real server: thousands that hold connections, and one that is in a hurry.

    .ci/slow-clients [SECONDS]      so long for each attack; 30 unless told otherwise

slowhttptest attacks in its three modes with 2,000 connections (heads that never end, bodies that never end, answers
that are hardly taken), and once with more connections than one address may have. Meanwhile a probe asks 50 times a
second for a boat, half of the times on a new connection. Of its requests 99.9 % must be answered within 500 ms, and
every one with a 200. In the last attack the probe has another address.

An attack that does not hold the connections that it should proves nothing, and is a failure as well; so is one with
bodies whose connections the server does not all end, and one over the limit of an address of which it refuses nothing.

Needs slowhttptest (Debian has it). CATALOGUE is the binary; without it, .ci/cargo builds one.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 30
CONNECTIONS = 2_000
OF_ONE_ADDRESS = 2_500
OVER_ONE_ADDRESS = 3_000
# What of its connections an attack makes at least, and what the log says of those that the server refused.
SHARE_MADE = 0.95
REFUSED = "as many connections of one address as there may be"
CONNECTIONS_PER_SECOND = 500
PROBES_PER_SECOND = 50
MILLISECONDS_MAX = 500
SHARE_IN_TIME = 0.999
# Longer than any answer may take; what takes longer is a failure and not a figure.
PATIENCE_SECONDS = 10
ANOTHER_ADDRESS = "127.0.0.2"
BOAT = "/v1/boats?limit=1"
# As many answers of this as slowhttptest asks for on one connection are more than a slow one takes at once. It needs no
# key, which would be in the arguments of slowhttptest for everybody to see.
LARGE = "/openapi.json"
LARGE_TIMES = 10


def stop(message):
    sys.exit(f"slow-clients: {message}")


@dataclass(frozen=True)
class Attack:
    name: str
    path: str
    arguments: tuple
    connections: int = CONNECTIONS
    # How many it holds at a time, and how many the server ends.
    held: int = CONNECTIONS
    ended: int = 0
    is_refused: bool = False
    probe_address: str = "127.0.0.1"


HEADS = ("-H", "-i", "5", "-x", "24")
ATTACKS = [
    Attack("slow heads", BOAT, HEADS),
    # A body is refused before it begins.
    Attack("slow bodies", BOAT, ("-B", "-i", "5", "-s", "8192", "-x", "10"), held=0, ended=CONNECTIONS),
    Attack("slow readers", LARGE, ("-X", "-k", str(LARGE_TIMES), "-w", "512", "-y", "1024", "-n", "5", "-z", "32")),
    Attack("slow heads over the limit of one address", BOAT, HEADS, OVER_ONE_ADDRESS, OF_ONE_ADDRESS,
           is_refused=True, probe_address=ANOTHER_ADDRESS),
]


# --- the server -----------------------------------------------------------------------------------------------------


def run(binary, data, *arguments):
    command = [binary, "--data", data, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode:
        stop(f"catalogue {' '.join(map(str, arguments))} failed: {done.stderr.strip()}")
    return done.stdout


@contextlib.contextmanager
def server(binary, data, log):
    """A server on a free port; yields the port and the process."""
    command = [binary, "--data", data, "serve", "--env", "test", "--listen", "127.0.0.1:0", "--admin", "off", "--log",
               "warn", "--connections-per-address", str(OF_ONE_ADDRESS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=ENVIRONMENT) as process:
        found = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)\n", process.stdout.readline())
        if not found:
            stop("the server does not listen")
        try:
            yield int(found[1]), process
        finally:
            process.terminate()


def resident_mebibytes(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) // 1024


# --- the probe ------------------------------------------------------------------------------------------------------


class Probe:
    """Asks as often as told, in two threads: one keeps its connection, one makes a new one each time."""

    def __init__(self, port, key, address):
        self.port, self.key, self.address = port, key, address
        self.stopped, self.milliseconds, self.failures = threading.Event(), [], []

    def __enter__(self):
        self.threads = [threading.Thread(target=self.ask_on, args=[keeps]) for keeps in (True, False)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def ask_on(self, keeps):
        pause, connection = 2 / PROBES_PER_SECOND, None
        while not self.stopped.wait(pause):
            started = time.monotonic()
            try:
                connection = connection or http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=PATIENCE_SECONDS, source_address=(self.address, 0))
                connection.request("GET", BOAT, headers={"Authorization": f"Bearer {self.key}"})
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    raise http.client.HTTPException(f"status {answer.status}")
                self.milliseconds.append((time.monotonic() - started) * 1000)
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"{type(error).__name__}: {error}")
                keeps_this = False
            else:
                keeps_this = keeps
            if not keeps_this:
                connection.close()
                connection = None

    def report(self):
        """Prints the figures; whether they are good enough."""
        took = sorted(self.milliseconds)
        if not took:
            print(f"  no answer at all: {self.failures[:3]}")
            return False
        in_time = sum(one < MILLISECONDS_MAX for one in took) / (len(took) + len(self.failures))
        at = {share: took[min(int(len(took) * share), len(took) - 1)] for share in (0.5, 0.99, SHARE_IN_TIME)}
        print(f"  probe: {len(took)} answers, {len(self.failures)} failures, median {at[0.5]:.1f} ms, "
              f"99 % {at[0.99]:.1f} ms, 99.9 % {at[SHARE_IN_TIME]:.1f} ms, slowest {took[-1]:.1f} ms")
        for failure in sorted(set(self.failures))[:3]:
            print(f"  failure: {failure}")
        return SHARE_IN_TIME <= in_time and not self.failures


# --- the attack -----------------------------------------------------------------------------------------------------


def attack(port, which, seconds, work):
    """Attacks until the time is over, again where the server has closed every connection; prints how. Returns whether
    the attack was one."""
    until, rounds, most, closed = time.monotonic() + seconds, 0, 0, 0
    while 1 < (left := int(until - time.monotonic())):
        rows = attack_once(port, which, left, work / "figures")
        rounds += 1
        most = max(most, *(connected for _, connected in rows))
        closed += rows[-1][0]
    print(f"  attack: {rounds} rounds, at most {most} connections at a time, {closed} closed by the server")
    held, ended = which.held * SHARE_MADE, which.ended * SHARE_MADE
    is_attack = held <= most and ended <= closed
    if not is_attack:
        print(f"  that proves nothing: it should hold {held:.0f}, and the server end {ended:.0f}")
    return is_attack


def attack_once(port, which, seconds, prefix):
    """Runs slowhttptest; for each second, how many connections had been closed and how many were open."""
    command = ["slowhttptest", *which.arguments, "-c", str(which.connections), "-r", str(CONNECTIONS_PER_SECOND),
               "-l", str(seconds), "-p", "5", "-t", "POST" if "-B" in which.arguments else "GET",
               "-u", f"http://127.0.0.1:{port}{which.path}", "-g", "-o", prefix]
    figures = prefix.with_suffix(".csv")
    figures.unlink(missing_ok=True)
    done = subprocess.run(command, capture_output=True, text=True)
    rows = [row.split(",") for row in figures.read_text().splitlines()[1:]] if figures.exists() else []
    if not rows:
        stop(f"slowhttptest gave no figures: {done.stdout[-400:]}{done.stderr}")
    return [(int(row[1]), int(row[3])) for row in rows]


def slow_clients(binary, work, seconds):
    data = work / "data"
    run(binary, data, "import", ROOT / "fixtures" / "sample")
    run(binary, data, "subscriptions", "create", "slow", "--quota", "100000000")
    issued = run(binary, data, "keys", "issue", "--subscription", "slow", "--scope", "boats.read", "--env", "test",
                 "--rate-limit", "1000000", "--json")
    key = json.loads(issued)["key"]
    is_good = True
    with open(work / "log", "w+") as log, server(binary, data, log) as (port, process):
        for which in ATTACKS:
            print(f"{which.name}: {which.connections} connections, {seconds} s", flush=True)
            with Probe(port, key, which.probe_address) as probe:
                is_good &= attack(port, which, seconds, work)
            is_good &= probe.report()
            # A warning of one kind is logged once a minute, so only the first can be asked for.
            if which.is_refused and REFUSED not in (work / "log").read_text():
                print("  the server has refused no connection")
                is_good = False
            if process.poll() is not None:
                stop(f"the server has ended with {process.returncode}")
            print(f"  server: {resident_mebibytes(process)} MiB resident", flush=True)
        log.seek(0)
        print(f"server's warnings: {len(log.readlines())} lines")
    return is_good


def binary():
    if "CATALOGUE" in os.environ:
        return pathlib.Path(os.environ["CATALOGUE"]).resolve()
    subprocess.run([ROOT / ".ci" / "cargo", "build", "--quiet", "-p", "cli"], check=True, cwd=ROOT)
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    target = os.environ.get("CARGO_TARGET_DIR") or cache / "boat-catalogue" / "target"
    return pathlib.Path(target) / "debug" / "catalogue"


def main(arguments):
    match arguments:
        case []:
            seconds = SECONDS
        case [text] if text.isdecimal() and int(text):
            seconds = int(text)
        case _:
            stop(__doc__)
    if not shutil.which("slowhttptest"):
        stop("slowhttptest is missing; install it: apt-get install slowhttptest")
    # Every connection of the attack is an open file, there and here.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="catalogue-slow-") as work:
        return slow_clients(binary(), pathlib.Path(work), seconds)


ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("CATALOGUE_")}
if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
