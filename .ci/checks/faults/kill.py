"""Servers that are killed under load: the ledger never forgets a request that was answered, never counts more than a
lease and a half and the requests in flight besides, and no quota is exceeded.
"""

import asyncio
import collections
import signal
from dataclasses import dataclass

from checks.base import expect, until
from checks.clients import Tally, catalogue_requests, load
from checks.command import Catalogue

CLIENTS = 24
# How many answers there are before the end of a server, at most.
ANSWERS = 400
# A graceful stop takes half a second; a kill within it finds units given back, or about to be.
STOPPING = 0.7
ENDS = {"kill": 15, "stop": 3, "stop, then kill": 2}
# One whose leases are as large as they get, one in between, and some that are always nearly used up.
QUOTAS = {"large": 50_000_000, "middling": 40_000, "last-1": 150, "last-2": 40, "last-3": 1}
SHARES = {"large": 10, "middling": 5, "last-1": 2, "last-2": 2, "last-3": 2}
# The units by which a quota that was used up is raised.
RAISES = (1, 2, 7, 100, 700)
# How large leases are: one in so many of the units left, and at most so many. Those of at least AHEAD_MIN are asked
# for when half of one is left.
LEASE_SHARE, LEASE_MAX, AHEAD_MIN = 256, 16_384, 64
# In so many rounds everything that is counted has happened.
ROUNDS_VARIED = 50


def held_max(left):
    """The most units that a server has leased and not charged, of a quota of which so much is left."""
    lease = max(1, min(LEASE_MAX, left // LEASE_SHARE))
    return lease + lease // 2 if AHEAD_MIN <= lease else lease


@dataclass
class Counts:
    """One subscription in a round: answers of status 200 that were received, requests for one that got no whole
    answer, and refusals because the quota was used up."""
    received: int = 0
    lost: int = 0
    refused: int = 0


class Killer:
    """A data directory through all its servers."""

    def __init__(self, catalogue, random):
        self.catalogue, self.random, self.tally = catalogue, random, Tally()
        self.quotas, self.received = dict(QUOTAS), collections.Counter()
        # Subscriptions whose quota was used up in the last round, how often one was, and stops that lost no answer.
        self.used_up, self.times_used_up, self.exact_stops = [], 0, 0

    async def prepare(self):
        self.requests = {}
        for name, quota in self.quotas.items():
            await self.catalogue.subscribe(name, quota)
            self.requests[name] = catalogue_requests(await self.catalogue.issue(name))
        self.used = await self.catalogue.used()

    def choose(self):
        name, = self.random.choices(list(SHARES), SHARES.values())
        return self.random.choice(self.requests[name])

    def note(self, answer):
        asked, counts = answer.request, self.counts[answer.request.subscription]
        if answer.status is None:
            counts.lost += asked.may_be_charged
        elif not self.tally.is_busy(answer):
            # A used-up quota refuses before the look-up, so that it also meets what would have been free.
            is_used_up = answer.status == 429 and answer.code() == "QUOTA_EXCEEDED"
            expect(is_used_up or answer.status == asked.status, f"instead of {asked.status}: {answer}")
            counts.received += answer.status == 200
            counts.refused += is_used_up

    async def round(self, end):
        self.counts = {name: Counts() for name in QUOTAS}
        server = await self.catalogue.serve()
        self.catalogue.check_integrity()
        enough = self.tally.answers + self.random.randrange(ANSWERS)
        async with load(server.port, CLIENTS, self.choose, self.note):
            raising = asyncio.create_task(self.raise_quotas())
            await until(lambda: enough <= self.tally.answers, "there are no answers")
            await self.end(server, end)
        await raising
        await self.check(end)

    async def end(self, server, end):
        if end != "kill":
            server.signal(signal.SIGTERM)
        if end == "stop":
            return await server.ended(0)
        if end == "stop, then kill":
            await asyncio.sleep(self.random.uniform(0, STOPPING))
        # One that had stopped by then is as good.
        server.kill()
        await server.ended(-signal.SIGKILL, 0)

    async def raise_quotas(self):
        """While the server is loaded, and perhaps killed."""
        for name in self.used_up:
            self.quotas[name] += self.random.choice(RAISES)
            await self.catalogue.do("subscriptions", "update", name, "--quota", str(self.quotas[name]))

    async def check(self, end):
        before, self.used = self.used, await self.catalogue.used()
        self.exact_stops += end == "stop" and not any(counts.lost for counts in self.counts.values())
        for name, counts in self.counts.items():
            self.received[name] += counts.received
            charged = self.used[name] - before[name]
            held = 0 if end == "stop" else held_max(self.quotas[name] - before[name])
            expect(counts.received <= charged <= counts.received + counts.lost + held,
                   f"{name}: a round that ended with {end} charged {charged}; clients received {counts.received}, "
                   f"{counts.lost} were lost on the way, the server held up to {held}")
            expect(self.used[name] <= self.quotas[name], f"{name}: {self.used[name]} used, of {self.quotas[name]}")
        self.used_up = [name for name, counts in self.counts.items() if counts.refused]
        self.times_used_up += len(self.used_up)

    def check_proof(self, rounds):
        """That something was proved: where nothing is charged, as with a server that refuses everything, all sums agree."""
        self.tally.check()
        if ROUNDS_VARIED <= rounds:
            unanswered = QUOTAS.keys() - +self.received
            expect(not unanswered, f"clients received no 200 of {', '.join(unanswered)} in {rounds} rounds")
            expect(self.times_used_up and self.exact_stops, f"no quota was used up, or no stop was exact: {self}")

    def __str__(self):
        return (f"{self.tally.answers} answers, {self.received.total()} received; quotas were used up {self.times_used_up} "
                f"times, {self.exact_stops} stops left exactly what was received")


async def run(command, work, rounds, random):
    catalogue = await Catalogue.with_sample(command, work / "data")
    killer = Killer(catalogue, random)
    try:
        await killer.prepare()
        for number in range(rounds):
            # Every sort comes up even in a small sample.
            ends = list(ENDS)
            await killer.round(ends[number] if number < len(ends) else random.choices(ends, ENDS.values())[0])
        catalogue.check_integrity()
        killer.check_proof(rounds)
    finally:
        catalogue.end()
        print(f"kill: {rounds} rounds, {killer}")
