"""One boat over HTTP from a server that shares PostgreSQL and Redis with others, against one that has all of its own.

Every server has the same release and the same keys. The engines run on the core of the load, as though on a machine of
their own; what PostgreSQL and Redis answer is on disk by then, but where Redis writes once a second only. What a
request waits for them is seen with one client, which no other delays; what it costs, with many.
"""

import contextlib
import os
import shutil
import statistics
from dataclasses import dataclass, field

from checks.base import run as do
from checks.bench.engines import engines
from checks.bench.get import boats_of, targets
from checks.bench.results import keep, middle
from checks.bench.surroundings import Data, machine
from checks.bench.table import in_turns, show
from checks.bench.wrk import CONNECTIONS, load, serving
from checks.processes import Serving

EMBEDDED = "embedded"
# One client that asks again as soon as it is answered.
LIGHT, FULL = 1, CONNECTIONS
# Before the first turn; bodies are looked at for the first time, and connections are made.
WARM_SECONDS = 2


@dataclass
class Side:
    """A server: the engines that it uses, and the most that was seen of what it holds."""

    postgres: bool = False
    # Its database, so that each server has windows of its own.
    redis: int | None = None
    redis_syncs: str = "always"
    server: Serving | None = None
    connections: dict = field(default_factory=lambda: {"postgres": 0, "redis": 0})
    mebibytes: float = 0

    def options(self, found):
        limits = "memory" if self.redis is None else found.redis_database(self.redis)
        return (*(("--store", found.postgres) if self.postgres else ()), "--limits", limits)

    def run_by(self, server, found):
        """Its server, which runs now."""
        uses = {"postgres": self.postgres, "redis": self.redis is not None}
        server.engines = found.processes(name for name, used in uses.items() if used)
        self.server = server

    def look(self, found):
        for name, count in found.connections(self.server).items():
            self.connections[name] = max(self.connections[name], count)
        self.mebibytes = max(self.mebibytes, self.server.status_kibibytes("VmRSS") / 1024)


def all_sides():
    return {
        EMBEDDED: Side(),
        "PostgreSQL and Redis": Side(postgres=True, redis=0),
        "  Redis syncs a second": Side(postgres=True, redis=1, redis_syncs="everysec"),
        "PostgreSQL": Side(postgres=True),
        "Redis": Side(redis=2),
    }


class Size:
    """All servers with so many boats."""

    def __init__(self, surroundings, boats, found, enter):
        self.boats, self.surroundings, self.found = boats, surroundings, found
        self.data = surroundings.data(boats)
        self.work = surroundings.work / f"servers-{boats}"
        self.work.mkdir()
        self.heads = self.data.write_heads(self.work / "heads")
        self.sides = all_sides()
        self.prepare()
        # No store is copied any more once a server uses it.
        commands = {name: (*surroundings.serve_command(self.directory(name)), *side.options(found))
                    for name, side in self.sides.items()}
        for name, command in commands.items():
            self.sides[name].run_by(enter(serving(*command, log=self.work / "server.log")), found)
        self.targets = targets(boats_of(boats))

    def prepare(self):
        """The keys in PostgreSQL, and databases in Redis."""
        catalogue, own = self.surroundings.catalogue, ("--data", self.data.directory)
        do(catalogue, *own, "--store", self.found.postgres, "store", "init")
        do(catalogue, *own, "store", "copy", "--to", self.found.postgres)
        for side in self.sides.values():
            if side.redis is not None:
                do(catalogue, "limits", "init", self.found.redis_database(side.redis))

    def directory(self, name):
        """Where a server has its release, by links for all but the first, and its keys if it has its own."""
        if name == EMBEDDED:
            return self.data
        linked = self.work / name
        shutil.copytree(self.data.directory, linked, copy_function=os.link,
                        ignore=shutil.ignore_patterns("keys.sqlite*", "*.lock"))
        do(self.surroundings.catalogue, "--data", self.data.directory, "store", "copy", "--to", linked / "keys.sqlite")
        return Data(linked, self.data.keys)

    def turn(self, name, connections, seconds):
        def turn(number):
            side = self.sides[name]
            self.found.sync_redis(side.redis_syncs)
            given = load(side.server, seconds, self.targets, self.heads, number + 1, connections)
            side.look(self.found)
            return given

        return turn

    def measure(self):
        """Turns of every side, with many clients and with one: by number of clients and side."""
        seconds = self.surroundings.seconds
        for name in self.sides:
            self.turn(name, FULL, WARM_SECONDS)(0)
        machine()
        return in_turns(self.surroundings.rounds, {
            (connections, name): self.turn(name, connections, seconds)
            for connections in (FULL, LIGHT) for name in self.sides})

    def report(self, given):
        figure = lambda connections, one: {name: [getattr(load, one) for load in given[connections, name]]
                                           for name in self.sides}
        show(f"get one of {self.boats} boats, {FULL} clients, {machine()}", "answers a second", figure(FULL, "rate"))
        show("  the same", "answers a second of the server's processor time", figure(FULL, "rate_of_processor"))
        show("  the same", "answers a second of the server's and the engines'", figure(FULL, "rate_of_all"))
        for connections, clients in ((FULL, f"{FULL} clients"), (LIGHT, "one client")):
            for one, share in (("median", "half"), ("slow", "99 %")):
                show(f"  {clients}", f"milliseconds, {share} of the answers", figure(connections, one), digits=3,
                     better="less")
        for name in self.sides:
            figures = self.figures(given, name)
            added, held = figures["added"], figures["connections"]
            print(f"  {name:<24} one client waits {added['median']:+.3f} ms at half, {added['slow']:+.3f} ms at 99 %; "
                  f"connections: PostgreSQL {held['postgres']}, Redis {held['redis']}; "
                  f"{figures['mebibytes']:,.0f} MiB resident", flush=True)

    def figures(self, given, name):
        """Medians of a side, and of what one client waits longer than at the embedded store in the same round."""
        full, light, first = given[FULL, name], given[LIGHT, name], given[LIGHT, EMBEDDED]
        added = lambda one: statistics.median(
            getattr(here, one) - getattr(there, one) for here, there in zip(light, first, strict=True))
        side = self.sides[name]
        return {
            "full": middle(full) | {"rate_of_all": statistics.median(one.rate_of_all for one in full)},
            "light": middle(light),
            "added": {one: added(one) for one in ("median", "slow")},
            "connections": side.connections,
            "mebibytes": side.mebibytes,
        }


def run_size(surroundings, boats):
    with contextlib.ExitStack() as stack:
        size = Size(surroundings, boats, stack.enter_context(engines()), stack.enter_context)
        given = size.measure()
        size.report(given)
        return {"boats": boats, "sides": {name: size.figures(given, name) for name in size.sides}}


def run(surroundings, sizes):
    keep("servers", {"sizes": [run_size(surroundings, boats) for boats in sizes]})
