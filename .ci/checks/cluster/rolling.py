"""An upgrade under load, as server/deploy/upgrade.md has it: the store is migrated with the new program while servers of the former one
go on, then one server after the other drains, ends and is started from the new program. No request fails or is refused,
every answer is of one release as a whole, and what was answered is charged.
"""

import asyncio
import collections
import os
import pathlib
import re
import time
from dataclasses import dataclass

from checks.base import expect
from checks.clients import request
from checks.cluster import promises
from checks.cluster.assembly import Cluster, ask
from checks.cluster.history import History, Span
from checks.cluster.load import EXPECTED, NOBODY, Load, Pool, open_requests
from checks.cluster.operating import OTHER_WEIGHT, Operator
from checks.cluster.processes import until

# How often each server is replaced. In the second round the program is the same: then it is a restart.
ROUNDS = 2
# How long a server goes on while it says that it is not ready: longer than the load balancer takes to notice, in seconds.
DRAIN = 3
# How long load goes on between two servers, and before the first and after the last, in seconds.
BETWEEN = 1.0
# A check that a busy machine answers too late takes from a server what it has not answered, which another then answers: both
# have charged it. So much is borne for each that is replaced.
ASKED_TWICE_MAX = 2
METRICS = request("metrics", "/metrics", 200)
ANSWERED = re.compile(rb"(?m)^catalogue_http_requests_total\{.*\} (\d+)$")
SHOWN = 10


def former(command):
    """FORMER, or the program that takes its place."""
    return pathlib.Path(os.environ["FORMER"]).resolve() if "FORMER" in os.environ else command


@dataclass(frozen=True)
class Replaced:
    """When a server was told to end, had ended, was started, and was sent requests again."""
    name: str
    told: float
    ended: float
    started: float
    asked: float


async def is_asked(member):
    """Whether a server was sent any request since it started. Those for readiness do not count."""
    answer = await ask(int(member.admin.rpartition(":")[2]), METRICS)
    expect(answer is not None and answer.status == 200, f"{member.name} has no metrics: {answer}")
    return any(map(int, ANSWERED.findall(answer.body)))


class Rolling:
    def __init__(self, found, command, work, random):
        self.command, self.pool = command, Pool(random)
        self.cluster = Cluster(found, former(command), work, {"CATALOGUE_DRAIN": f"{DRAIN}s"})
        self.history, self.replaced = History(work / "history.tsv"), []
        self.operator = Operator(self.cluster, self.pool, random)

    async def prepare(self):
        await self.cluster.prepare()
        await self.operator.prepare()
        for key in self.operator.tight:
            self.pool.drop(key.name)
        self.pool.put(NOBODY, open_requests(), OTHER_WEIGHT)
        await self.cluster.start()
        await self.cluster.learn()

    async def run(self):
        load = Load(self.cluster.balancer.port, self.pool, self.cluster.bodies, self.history).start()
        await asyncio.sleep(BETWEEN)
        began = time.monotonic()
        self.cluster.operator.command = self.command
        await self.cluster.operator.tell("store", "migrate")
        self.migrated = time.monotonic() - began
        for _ in range(ROUNDS):
            for member in self.cluster.members:
                await asyncio.sleep(BETWEEN)
                await self.replace(member)
        await asyncio.sleep(BETWEEN)
        await load.stop()
        # They give back what they hold of quotas.
        await asyncio.gather(*(member.stop() for member in self.cluster.members))

    async def replace(self, member):
        told = time.monotonic()
        await member.stop()
        ended = time.monotonic()
        member.catalogue.command = self.command
        await member.start()
        started = time.monotonic()
        await until(lambda: is_asked(member))
        self.replaced.append(Replaced(member.name, told, ended, started, time.monotonic()))
        self.history.tell(Span("replace", told, self.replaced[-1].asked, member.name))

    def meanwhile(self, entry):
        """What was done when a request was sent."""
        for one in self.replaced:
            for what, began, ended in (("was told to end", one.told, one.ended), ("started", one.ended, one.asked)):
                if began <= entry.sent < ended:
                    return f"{entry.sent - began:.2f} s after {one.name} {what}: {entry}"
        return f"while all servers were there: {entry}"

    async def check(self):
        entries, keys = self.history.entries(), self.operator.keys
        failed = [entry for entry in entries if entry.status != EXPECTED[entry.asked]]
        received = promises.received_200s(entries, {name: key.subscription for name, key in keys.items()})
        ample = self.operator.ample
        used = (await self.cluster.operator.used())[ample]
        self.show(entries, failed, received[ample], used)
        findings = [*map(self.meanwhile, failed), *promises.releases(entries),
                    *promises.ledger(received, {ample: used}, {ample: ASKED_TWICE_MAX * len(self.replaced)})]
        expect(not findings, "\n  ".join([f"{len(findings)} findings", *findings[:SHOWN]]))

    def show(self, entries, failed, received, used):
        print(f"{len(entries):,} requests, {len(failed)} failed; migrated in {self.migrated:.2f} s; "
              f"{received:,} answers of status 200, {used - received:,} more charged\n")
        print(f"{'SERVER':<14}{'ENDED AFTER, s':>15}{'LISTENS AFTER, s':>18}{'IS SENT REQUESTS AFTER, s':>27}")
        for one in self.replaced:
            print(f"{one.name:<14}{one.ended - one.told:>15.2f}{one.started - one.ended:>18.2f}"
                  f"{one.asked - one.ended:>27.2f}")
        counts = collections.Counter((entry.status, entry.code) for entry in entries)
        print(f"\n{'STATUS':<12}{'CODE':<24}{'ANSWERS':>9}")
        for (status, code), count in sorted(counts.items()):
            print(f"{status or 'broken off':<12}{code:<24}{count:>9,}")


async def run(found, command, work, random):
    rolling = Rolling(found, command, work, random)
    try:
        await rolling.prepare()
        await rolling.run()
        await rolling.check()
        rolling.cluster.check_logs()
    finally:
        rolling.cluster.end()
