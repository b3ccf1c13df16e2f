"""One boat over HTTP from a server that shares PostgreSQL and Redis with others, against one that has all of its own.

Every server has the same release and the same keys. The engines run on the core of the load, as though on a machine of
their own; what PostgreSQL and Redis answer is on disk by then, but where Redis writes once a second only. What a
request waits for them is seen with one client, which no other delays; what it costs, with many.
"""

import contextlib
import os
import shutil
import statistics
from dataclasses import dataclass

from checks.base import run as do
from checks.bench.get import boats_of, targets
from checks.bench.load import CONNECTIONS, LOAD_CORE, load, serving
from checks.bench.results import in_turns, keep, middle, show
from checks.bench.surroundings import Data
from checks.services import services
from checks.tools import of_debian

EMBEDDED = "embedded"
# One client that asks again as soon as it is answered.
LIGHT, FULL = 1, CONNECTIONS


@dataclass(frozen=True)
class Side:
    """The engines that a server uses."""

    postgres: bool = False
    # Its database, so that each server has windows of its own.
    redis: int | None = None
    # When what Redis counted reaches the disk: before it answers, or once a second.
    redis_syncs: str = "always"


SIDES = {
    EMBEDDED: Side(),
    "PostgreSQL and Redis": Side(postgres=True, redis=0),
    "PostgreSQL and Redis, which syncs once a second": Side(postgres=True, redis=1, redis_syncs="everysec"),
    "PostgreSQL": Side(postgres=True),
    "Redis": Side(redis=2),
}


@contextlib.contextmanager
def engines():
    """What is started here stays on the core of the load."""
    of_all = os.sched_getaffinity(0)
    with contextlib.ExitStack() as stack:
        os.sched_setaffinity(0, {LOAD_CORE})
        try:
            found = stack.enter_context(services())
        finally:
            os.sched_setaffinity(0, of_all)
        yield found


class Size:
    """All servers with so many boats."""

    def __init__(self, surroundings, boats, found, enter):
        self.surroundings, self.found, self.boats = surroundings, found, boats
        self.data = surroundings.data(boats)
        self.work = surroundings.work / f"servers-{boats}"
        self.work.mkdir()
        self.heads = self.data.write_heads(self.work / "heads")
        self.targets = targets(boats_of(boats))
        catalogue, own = surroundings.catalogue, ("--data", self.data.directory)
        do(catalogue, *own, "--store", found.addresses["postgres"], "store", "init")
        do(catalogue, *own, "store", "copy", "--to", found.addresses["postgres"])
        # No store is copied any more once a server uses it.
        commands = {name: self.command(name, side) for name, side in SIDES.items()}
        self.servers = {name: enter(serving(*command, log=self.work / "server.log")) for name, command in commands.items()}
        for name, side in SIDES.items():
            used = {"postgres": side.postgres, "redis": side.redis is not None}
            self.servers[name].engines = tuple(found.engines[engine].pid for engine, uses in used.items() if uses)

    def command(self, name, side):
        """The release by links for all but the first, and keys if it has its own."""
        options, limits = ("--store", self.found.addresses["postgres"]) if side.postgres else (), "memory"
        if side.redis is not None:
            limits = f"{self.found.addresses['redis'].rpartition('/')[0]}/{side.redis}"
        data = self.data
        if name != EMBEDDED:
            data = Data(self.work / name, self.data.keys)
            shutil.copytree(self.data.directory, data.directory, copy_function=os.link,
                            ignore=shutil.ignore_patterns("keys.sqlite*", "*.lock"))
            do(self.surroundings.catalogue, "--data", self.data.directory, "store", "copy", "--to",
               data.directory / "keys.sqlite")
        return *self.surroundings.serve_command(data), *options, "--limits", limits

    def turn(self, name, connections):
        def turn(number):
            do("redis-cli", "-u", self.found.addresses["redis"], "config", "set", "appendfsync", SIDES[name].redis_syncs)
            server = self.servers[name]
            given = load(server, self.surroundings.seconds, self.targets, self.heads, number + 1, connections)
            return given | {"mebibytes": server.status_kibibytes("VmRSS") / 1024}

        return turn

    def measure(self):
        """Turns of every side, with many clients and with one: by number of clients and side."""
        # Bodies are looked at for the first time, and connections are made.
        in_turns(1, {name: self.turn(name, FULL) for name in SIDES})
        turns = {(connections, name): self.turn(name, connections) for connections in (FULL, LIGHT) for name in SIDES}
        given = in_turns(self.surroundings.rounds, turns)
        return {connections: {name: given[connections, name] for name in SIDES} for connections in (FULL, LIGHT)}


def figures(given, name):
    """Medians of a side, and of what one client waits longer than at the embedded store in the same round."""
    full, light, first = given[FULL][name], given[LIGHT][name], given[LIGHT][EMBEDDED]
    added = lambda one: statistics.median(here[one] - there[one] for here, there in zip(light, first, strict=True))
    return {"full": middle(full), "light": middle(light), "added": {one: added(one) for one in ("median", "slow")},
            "mebibytes": max(turn["mebibytes"] for turn in full + light)}


def run_size(surroundings, boats):
    with contextlib.ExitStack() as stack:
        given = Size(surroundings, boats, stack.enter_context(engines()), stack.enter_context).measure()
    show(f"get one of {boats} boats, {FULL} clients", given[FULL],
         ("rate", "rate_of_processor", "rate_of_all", "median", "slow", "mebibytes"), by="rate_of_processor")
    show(f"get one of {boats} boats, one client", given[LIGHT], ("rate", "median", "slow"), by="median")
    sides = {name: figures(given, name) for name in SIDES}
    for name, found in sides.items():
        print(f"{name}: one client waits {found['added']['median']:+.3f} ms at half, {found['added']['slow']:+.3f} at 99 %")
    return {"boats": boats, "sides": sides}


def run(surroundings, sizes):
    of_debian(wrk="wrk")
    keep("servers", {"sizes": [run_size(surroundings, boats) for boats in sizes]})
