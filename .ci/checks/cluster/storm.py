"""Faults at random under load, and what the history has to be afterwards. The engines are others in each part of the time: a
pooler before PostgreSQL, then an asynchronous pair, then a synchronous one and sentinels before Redis.
"""

import asyncio
import collections
import contextlib
import time
from dataclasses import dataclass
from random import Random

from checks.base import expect
from checks.cluster import disturbances, promises
from checks.cluster.assembly import Cluster
from checks.cluster.disturbances import FULL_AFTER_FAILOVER, Disturbance
from checks.cluster.failover import FailsOver
from checks.cluster.history import History, Span
from checks.cluster.load import CLIENTS, EXPECTED, NOBODY, Load, Pool, open_requests
from checks.cluster.operating import OTHER_WEIGHT, Operator
from checks.cluster.processes import POOLER, SERVERS
from checks.faults.kill import held_max
from checks.sentinels import sentinels
from checks.services import PAIRS, POSTGRES, add_pair

# How long between two faults and before the first, how long the load goes on after the last, in seconds.
BETWEEN, SETTLED = (3.0, 6.0), 8.0
# How soon after a fault everything is answered again, in seconds.
RECOVERED_WITHIN = 5.0
# A disk that others keep busy may take longer for a commit than a request waits, without any fault of ours: as many requests
# as one in so many may be refused for that.
ONE_IN = 10_000
# How soon a 503 is there, and what a machine is allowed on which everything runs at once, in seconds.
REFUSED_WITHIN, ALLOWANCE = 0.3, 0.3
# A limit or quota from which on nothing comes over it.
MANY = 1_000_000
# How long after the last request a server may still take or give back leases, and how soon after one without an answer
# it may ask for another, in seconds: the patience of a lease, and the pause before a probe.
LATER, ASKED_AGAIN = 5.0, 0.35
# Findings of a kind that are shown.
SHOWN = 10
# What keeps the store.
STORES = (POOLER, *POSTGRES)
# How long windows are full in a Redis that is new to the servers, in seconds.
FULL_AFTER_MOVE = 60.0


@dataclass(frozen=True)
class Part:
    """Through which engine servers reach the store, or on which kind of pair it is, and where they count."""
    store: str
    limits: str

    @property
    def engines(self):
        """Those that something may befall."""
        return (*PAIRS.get(self.store, (self.store, "postgres")), self.limits, "s3")

    def failovers(self):
        of_redis = [Disturbance("failover", "sentinels")] if self.limits == "sentinels" else []
        of_store = [FailsOver(self.store)] if self.store in PAIRS else []
        return [*of_redis, *of_store]


PARTS = {part.store: part for part in (Part("pgbouncer", "redis"), Part("async", "redis"), Part("sync", "sentinels"))}


def of_server(fault):
    """Whether servers themselves stood still, were gone or could not be reached."""
    return fault.on in SERVERS


def lost_leases(fault):
    """How many leases may be committed of which a server never hears, for each subscription. It asks for one at a time,
    and after one without an answer nothing until it could connect again, which it can when answers are only late."""
    times = 1 + int((fault.ended - fault.began) / ASKED_AGAIN) if fault.what == "delay" else 1
    return times * (len(SERVERS) if fault.on in STORES else 1)


def reported_max(quota):
    """By how much a server's report after a failover may be above what was lost, as server/deploy/postgresql.md says."""
    return min(-(-quota // 128), 32_768)


def may_be_above(quota, times, faults):
    """By how much a ledger may be above what clients received: a request that was refused, broken off or asked twice by
    the balancer may have been charged; a server that is killed loses what it holds; an answer of PostgreSQL that does
    not arrive may have been a lease. `times` are how many requests of the subscription had no answer, and from when to
    when it was used."""
    unanswered, began, ended = times
    above = unanswered
    for fault in faults:
        if ended + LATER < fault.began or fault.ended < began:
            continue
        if of_server(fault):
            above += CLIENTS + (held_max(quota) if fault.what == "kill" else 0)
        elif fault.on.endswith(STORES):
            above += held_max(quota) * lost_leases(fault)
            if (fault.what, fault.on) == ("promote", PAIRS["async"][1]):
                above += reported_max(quota) * len(SERVERS)
    return above


class Storm:
    def __init__(self, found, watched, command, work, random):
        # Faults are the same for the same SEED, however many requests there are.
        self.random, self.pool = Random(random.random()), Pool(random)
        self.cluster = Cluster(found, command, work, watched=watched)
        self.history, self.faults, self.seconds = History(work / "history.tsv"), [], 0.0
        self.operator = Operator(self.cluster, self.pool, random)

    async def run(self, seconds, parts):
        await self.cluster.prepare()
        await self.operator.prepare()
        self.pool.put(NOBODY, open_requests(), OTHER_WEIGHT)
        await self.cluster.start()
        await self.cluster.learn()
        operating = asyncio.create_task(self.operator.run())
        for part in parts:
            await self.move_to(part)
            await self.under_load(part, seconds / len(parts), is_last=part is parts[-1])
        await operating
        for member in self.cluster.members:
            await member.stop()
        self.cluster.check_logs()

    async def move_to(self, part):
        """Whoever moves to a Redis that is new without telling it so waits until no window can miss a count."""
        began = time.monotonic()
        async with self.cluster.commanding:
            await self.cluster.reach_store_through(part.store)
        if await self.cluster.count_in(part.limits):
            self.note(Span("move", began, time.monotonic() + FULL_AFTER_MOVE, part.limits))
        await self.cluster.until_balanced()

    async def under_load(self, part, seconds, is_last):
        began = time.monotonic()
        load = Load(self.cluster.balancer.port, self.pool, self.cluster.bodies, self.history).start()
        await self.disturb(part, began + seconds - SETTLED)
        self.operator.is_stopping = is_last
        await asyncio.sleep(max(0.0, began + seconds - time.monotonic()))
        await load.stop()
        self.seconds += time.monotonic() - began

    def note(self, fault):
        self.faults.append(fault)
        self.history.tell(fault)

    async def disturb(self, part, until):
        for fault in disturbances.some(self.random, part.engines, part.failovers()):
            await asyncio.sleep(self.random.uniform(*BETWEEN))
            if until <= time.monotonic():
                return
            began = time.monotonic()
            async with fault.befall(self.cluster, self.random):
                await disturbances.lasting(self.random)
            full = FULL_AFTER_FAILOVER if fault.what == "failover" else 0.0
            self.note(Span(fault.what, began, time.monotonic() + full, fault.on))
            if isinstance(fault, FailsOver):
                await fault.afterwards(self.cluster)

    async def check(self):
        """All findings, by the promise that is broken."""
        entries, keys = self.history.entries(), self.operator.keys
        received = promises.received_200s(entries, {name: key.subscription for name, key in keys.items()})
        used = await self.cluster.operator.used()
        self.entries, self.received, self.used = entries, received, used
        self.above = self.explained(entries)
        limits, quotas = self.operator.limits, self.operator.quotas
        may_be_limited = {(name, "RATE_LIMITED") for name, key in keys.items() if limits[key.window] < MANY}
        may_be_limited |= {(name, "QUOTA_EXCEEDED") for name, key in keys.items() if quotas[key.subscription] < MANY}
        self.refusals = sorted(promises.refusal_seconds(entries, [one for one in self.faults if of_server(one)]))
        return {
            "minute limits": promises.minute_limits(entries, {name: key.window for name, key in keys.items()}, limits),
            "quotas": promises.quotas(received, quotas),
            "the ledger": promises.ledger(received, {name: used[name] for name in quotas}, self.above),
            "changed keys": promises.barred(entries, keys),
            "statuses": promises.statuses(entries, EXPECTED, keys, may_be_limited),
            "releases": promises.releases(entries),
            "refusals without a fault": promises.many(
                promises.away_without_reason(entries, self.faults, RECOVERED_WITHIN), len(entries) // ONE_IN),
            "slow refusals": (f"a 503 took {one:.3f} s" for one in self.refusals if REFUSED_WITHIN + ALLOWANCE < one),
        }

    def explained(self, entries):
        unanswered, first, last = collections.Counter(), {}, {}
        for entry in entries:
            if entry.key in self.operator.keys:
                name = self.operator.keys[entry.key].subscription
                unanswered[name] += entry.status in promises.AWAY
                first.setdefault(name, entry.sent)
                last[name] = entry.received
        never = float("inf")
        return {name: may_be_above(quota, (unanswered[name], first.get(name, never), last.get(name, -never)), self.faults)
                for name, quota in self.operator.quotas.items()}

    def show(self):
        entries, counts = self.entries, collections.Counter((one.status, one.code) for one in self.entries)
        print(f"{len(entries):,} requests in {self.seconds:.0f} s, {len(entries) / self.seconds:.0f} a second; "
              f"{len(self.faults)} faults; {self.operator.done} commands, {self.operator.failed} more failed")
        for (status, code), count in sorted(counts.items()):
            print(f"{status or 'broken off':>12} {code:<24}{count:>9,}")
        print(f"\n{'FAULT':<28}{'TIMES':>6}{'RECOVERY: MEDIAN':>18}{'LONGEST':>9}")
        by_kind = collections.defaultdict(list)
        for fault, seconds in promises.recoveries(entries, self.faults):
            by_kind[f"{fault.what} {fault.on}"].append(seconds)
        for kind, seconds in sorted(by_kind.items()):
            seconds.sort()
            print(f"{kind:<28}{len(seconds):>6}{promises.share(seconds, 0.5):>18.2f}{seconds[-1]:>9.2f}")
        shares = ", ".join(f"{name} {promises.share(self.refusals, part) * 1000:.0f}"
                           for name, part in (("median", 0.5), ("p99", 0.99), ("p99.9", 0.999), ("longest", 1)))
        print(f"\n503 while no server was disturbed: {len(self.refusals):,}, ms: {shares}")
        for kind, is_of_it in (("that nothing uses up", MANY.__le__), ("of at most a few thousand", MANY.__gt__)):
            names = [name for name, quota in self.operator.quotas.items() if is_of_it(quota)]
            received, charged, above = (sum(of[name] for name in names) for of in (self.received, self.used, self.above))
            print(f"{len(names)} quotas {kind}: {received:,} answers of status 200 received, "
                  f"{charged - received:,} more charged, of {above:,} that are explained")
        barred = sum(len(key.barred) for key in self.operator.keys.values())
        print(f"{len(self.operator.quotas)} subscriptions, {len(self.operator.keys)} keys, {barred} times one was "
              f"revoked, disabled or replaced; {len({one.release for one in entries if one.status == 200} - {NOBODY})} releases seen")


async def run(found, command, work, random, seconds, names):
    parts = [PARTS[name] for name in names or PARTS]
    for part in parts:
        if part.store in PAIRS:
            add_pair(found, part.store)
    has_sentinels = any(part.limits == "sentinels" for part in parts)
    with sentinels(found.folder) if has_sentinels else contextlib.nullcontext() as watched:
        storm = Storm(found, watched, command, work, random)
        try:
            await storm.run(seconds, parts)
            findings = await storm.check()
            storm.show()
        finally:
            storm.cluster.end()
    broken = [(promise, list(found)) for promise, found in findings.items()]
    for promise, found in broken:
        print(f"{promise:<26} {f'BROKEN {len(found)} times' if found else 'kept'}")
        for one in found[:SHOWN]:
            print(f"    {one}")
    expect(not any(found for _, found in broken), "not every promise was kept")
