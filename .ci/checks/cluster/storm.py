"""Faults at random under load, and what the history has to be afterwards. The engines are others in each part of the time: a
pooler before PostgreSQL, then a synchronous pair and sentinels before Redis, then an asynchronous pair. Each part has keys of
its own.

After each fault the cluster recovers by itself before the next begins. How soon, and how quickly anything is answered or
refused, nobody is held to: the machine may be busy.
"""

import asyncio
import collections
import contextlib
import time
from dataclasses import dataclass
from random import Random

from checks.base import expect
from checks.clients import Settled
from checks.cluster import disturbances, promises
from checks.cluster.counting import until_counting
from checks.cluster.disturbances import LASTS, Disturbance
from checks.cluster.failover import FailsOver
from checks.cluster.history import Span
from checks.cluster.operating import operated
from checks.cluster.processes import POOLER, SERVERS
from checks.cluster.refusals import Refusals, is_of_redis
from checks.cluster.traffic import CLIENTS
from checks.faults.kill import held_max
from checks.sentinels import sentinels
from checks.services import PAIRS, POSTGRES, add_pair

# How long all is well between two faults, and how long the load goes on after the last, in seconds.
BETWEEN, SETTLED = (1.0, 4.0), 3.0
# After so many answers in a row that are no refusal a cluster has recovered.
IN_A_ROW = 50
# A limit or quota from which on nothing comes over it.
MANY = 1_000_000
# How long after the last request a server may still take or give back leases, and how soon after one without an answer
# it may ask for another, in seconds: the patience of a lease, and the pause before a probe.
LATER, ASKED_AGAIN = 5.0, 0.35
# Findings of a kind that are shown.
SHOWN = 10
# What keeps the store.
STORES = (POOLER, *POSTGRES)


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
        return [*of_store, *of_redis]


PARTS = {part.store: part for part in (Part("pgbouncer", "redis"), Part("sync", "sentinels"), Part("async", "redis"))}


def may_lose_charges(fault):
    """Whether the ledger may be below what clients received, of what was used then."""
    return (fault.what, fault.on) == ("promote", PAIRS["async"][1])


def is_meanwhile(fault, began, ended):
    return fault.began <= ended + LATER and began <= fault.ended


def may_be_above(quota, times, faults):
    """By how much a ledger may be above what clients received: a request that was refused, broken off or asked twice by
    the balancer may have been charged; a server that is killed loses what it holds; an answer of PostgreSQL that does
    not arrive may have been a lease of each server, again and again where answers are only late. `times` are how many requests
    of the subscription had no answer, and from when to when it was used."""
    unanswered, began, ended = times
    above = unanswered
    for fault in faults:
        if not is_meanwhile(fault, began, ended):
            continue
        if fault.on in SERVERS:
            above += CLIENTS + (held_max(quota) if fault.what == "kill" else 0)
        elif fault.on.endswith(STORES):
            leases = 1 + int((fault.ended - fault.began) / ASKED_AGAIN) if fault.what == "delay" else 1
            above += held_max(quota) * leases * (len(SERVERS) if fault.on in STORES else 1)
    return above


class Storm:
    def __init__(self, operator, random):
        # Faults are the same for the same SEED, however many requests there are.
        self.operator, self.cluster, self.random = operator, operator.cluster, Random(random.random())
        self.traffic, self.settled, self.faults = self.cluster.traffic, Settled(), []
        self.refusals = Refusals(self.cluster)

    async def run(self, seconds, parts):
        for part in parts:
            await self.cluster.reach_store_through(part.store)
            await self.cluster.count_in(part.limits)
            await self.operator.prepare(has_tight_limits=True)
            operating = asyncio.create_task(self.operator.run())
            async with self.traffic.through(self.cluster.balancer.port, self.note):
                await self.recover()
                await self.disturb(part, time.monotonic() + seconds / len(parts))
                self.operator.is_stopping = True
                await asyncio.sleep(SETTLED)
            await operating
        for member in self.cluster.members:
            await member.stop()

    def note(self, answer):
        self.settled.note(answer)
        self.refusals.note(answer)

    async def recover(self):
        await self.settled.settle(False, IN_A_ROW)
        await until_counting(self.cluster.members, alone=False)

    async def disturb(self, part, until):
        for fault in disturbances.some(self.random, part.engines, part.failovers()):
            await asyncio.sleep(self.random.uniform(*BETWEEN))
            if until <= time.monotonic():
                return
            began = time.monotonic()
            async with fault.befall(self.cluster, self.random):
                await asyncio.sleep(self.random.uniform(*LASTS))
            ended = time.monotonic()
            if isinstance(fault, FailsOver):
                await fault.afterwards(self.cluster)
            await self.recover()
            if is_of_redis(fault):
                self.refusals.check(began)
            self.faults.append(Span(fault.what, began, ended, fault.on))
            recovered = time.monotonic() - ended
            print(f"{began:.1f} to {ended:.1f} s: {fault.what} {fault.on}, recovered {recovered:.1f} s later", flush=True)

    async def check(self):
        """All findings, by the promise that is broken."""
        entries, keys, limits, quotas = self.traffic.entries, self.operator.keys, self.operator.limits, self.operator.quotas
        may_be_limited = {(name, "RATE_LIMITED") for name, key in keys.items() if limits[key.window] < MANY}
        may_be_limited |= {(name, "QUOTA_EXCEEDED") for name, key in keys.items() if quotas[key.subscription] < MANY}
        received, used = promises.received_200s(entries, keys), await self.cluster.operator.used()
        starts = {member.name: member.starts for member in self.cluster.members}
        return {
            "minute limits": promises.minute_limits(entries, keys, limits, self.cluster.counting.alone(), starts),
            "quotas and the ledger": promises.ledger(received, quotas, used, self.explained()),
            "changed keys": promises.changed_keys(entries, keys),
            "statuses": promises.statuses(entries, keys, may_be_limited),
            "releases": promises.releases(entries),
        }

    def explained(self):
        """By how much each ledger may be above what was received, of those that had to keep all charges."""
        unanswered, first, last, never = collections.Counter(), {}, {}, float("inf")
        for entry in self.traffic.entries:
            if entry.key in self.operator.keys:
                name = self.operator.keys[entry.key].subscription
                unanswered[name] += entry.status in promises.AWAY
                first[name] = min(entry.sent, first.get(name, never))
                last[name] = max(entry.received, last.get(name, -never))
        times = {name: (first.get(name, never), last.get(name, -never)) for name in self.operator.quotas}
        lossy = [fault for fault in self.faults if may_lose_charges(fault)]
        return {name: may_be_above(quota, (unanswered[name], *times[name]), self.faults)
                for name, quota in self.operator.quotas.items() if not any(is_meanwhile(fault, *times[name]) for fault in lossy)}

    def show(self):
        entries = self.traffic.entries
        print(f"{len(entries)} requests; {len(self.faults)} faults; {self.operator.done} commands, {self.operator.failed} more "
              f"failed; {len(self.operator.quotas)} subscriptions, {len(self.operator.keys)} keys")
        for (status, code), count in sorted(collections.Counter((one.status, one.code) for one in entries).items()):
            print(f"{status or 'broken off':>12} {code:<24}{count:>9}")


async def run(found, command, work, random, seconds, names):
    parts = [PARTS[name] for name in names or PARTS]
    for part in parts:
        if part.store in PAIRS:
            add_pair(found, part.store)
    has_sentinels = any(part.limits == "sentinels" for part in parts)
    with sentinels(found.folder) if has_sentinels else contextlib.nullcontext() as watched:
        async with operated(found, command, work, random, watched=watched) as operator:
            storm = Storm(operator, random)
            await storm.run(seconds, parts)
            findings = {promise: list(found) for promise, found in (await storm.check()).items()}
    storm.show()
    for promise, found in findings.items():
        print(f"{promise:<26} {f'BROKEN {len(found)} times' if found else 'kept'}")
        for one in found[:SHOWN]:
            print(f"    {one}")
    expect(not any(findings.values()), "not every promise was kept")
