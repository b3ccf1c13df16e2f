"""Servers that are killed under load: the ledger never forgets a request that was answered, never counts more than a
lease and a half and the requests in flight besides, and no quota is exceeded.
"""

import asyncio
import signal
from dataclasses import dataclass, field

from checks.base import expect
from checks.clients import Load, catalogue_requests
from checks.command import Catalogue

CLIENTS = 24
# How long a server is under load before its end, at most, in seconds.
LOADED = 0.6
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
# In so many rounds every subscription has answers, and in so many everything that is counted has happened.
ROUNDS_ANSWERED, ROUNDS_VARIED = 10, 50


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


@dataclass
class Figures:
    rounds: dict = field(default_factory=lambda: dict.fromkeys(ENDS, 0))
    answers: dict = field(default_factory=dict)
    lost: int = 0
    excess: dict = field(default_factory=lambda: dict.fromkeys(QUOTAS, 0))
    bound: dict = field(default_factory=lambda: dict.fromkeys(QUOTAS, 0))
    # The most in one round.
    most: dict = field(default_factory=lambda: dict.fromkeys(QUOTAS, 0))
    exact_stops: int = 0
    used_up: int = 0

    def show(self):
        print(f"kill: {sum(self.rounds.values())} rounds:", ", ".join(f"{n} x {end}" for end, n in self.rounds.items()))
        statuses = ", ".join(f"{n} x {status}" for status, n in sorted(self.answers.items()))
        print(f"kill: {sum(self.answers.values())} answers: {statuses}; {self.lost} lost on the way")
        print(f"kill: quotas were used up {self.used_up} times; "
              f"{self.exact_stops} stops without an answer lost left exactly what was received")
        print("SUBSCRIPTION  OVER-COUNTED  ALLOWED  MOST IN A ROUND")
        for name in QUOTAS:
            print(f"{name:<12}  {self.excess[name]:>12}  {self.bound[name]:>7}  {self.most[name]:>15}")


class Killer:
    """A data directory through all its servers."""

    def __init__(self, catalogue, random):
        self.catalogue, self.random = catalogue, random
        self.quotas, self.logged, self.figures = dict(QUOTAS), [], Figures()
        # Subscriptions whose quota was used up in the last round.
        self.used_up = []

    async def prepare(self):
        keys = {}
        for name, quota in self.quotas.items():
            await self.catalogue.subscribe(name, quota)
            keys[name] = await self.catalogue.issue(name)
            self.logged += [("subscription created", name, None), ("key issued", name, keys[name]["id"])]
        self.requests = {name: catalogue_requests(key) for name, key in keys.items()}
        self.spare = await self.catalogue.issue("large")
        self.logged.append(("key issued", "large", self.spare["id"]))
        self.used = await self.catalogue.used()
        self.received = dict.fromkeys(QUOTAS, 0)

    def choose(self):
        name, = self.random.choices(list(SHARES), SHARES.values())
        return self.random.choice(self.requests[name])

    def note(self, answer):
        asked, counts = answer.request, self.counts[answer.request.subscription]
        if answer.status is None:
            counts.lost += asked.may_be_charged
            return
        self.figures.answers[answer.status] = self.figures.answers.get(answer.status, 0) + 1
        if answer.status == 200:
            counts.received += 1
        elif answer.status in (429, 503):
            # A used-up quota refuses before the look-up, so that it also meets what would have been free.
            code = answer.code()
            expect(code == ("QUOTA_EXCEEDED" if answer.status == 429 else "SERVICE_UNAVAILABLE"), str(answer))
            counts.refused += answer.status == 429
        expect(answer.status in (asked.status, 429, 503), f"instead of {asked.status}: {answer}")

    async def round(self, end):
        self.counts = {name: Counts() for name in QUOTAS}
        server = await self.catalogue.serve()
        self.catalogue.check_integrity()
        load = Load(server.port, CLIENTS, self.choose, self.note).start()
        operating = asyncio.create_task(self.operate())
        await asyncio.sleep(self.random.uniform(0, LOADED))
        if end == "kill":
            server.kill()
        else:
            server.signal(signal.SIGTERM)
        if end == "stop, then kill":
            await asyncio.sleep(self.random.uniform(0, STOPPING))
        if end == "stop":
            await server.ended(0)
        else:
            # One that had stopped by then is as good.
            server.kill()
            await server.ended(-signal.SIGKILL, 0)
        await load.stop()
        await operating
        await self.check(end)

    async def operate(self):
        """Changes things while the server is loaded, and perhaps killed."""
        for name in self.used_up:
            await asyncio.sleep(self.random.uniform(0, LOADED / 3))
            self.quotas[name] += self.random.choice(RAISES)
            await self.catalogue.do("subscriptions", "update", name, "--quota", str(self.quotas[name]))
            self.logged.append(("subscription updated", name, None))
        for change, event in (("disable", "key disabled"), ("enable", "key enabled")):
            await self.catalogue.do("keys", change, self.spare["id"])
            self.logged.append((event, "large", self.spare["id"]))

    async def check(self, end):
        before, self.used = self.used, await self.catalogue.used()
        figures = self.figures
        figures.rounds[end] += 1
        lost = sum(counts.lost for counts in self.counts.values())
        figures.lost += lost
        figures.exact_stops += end == "stop" and lost == 0
        for name, counts in self.counts.items():
            self.received[name] += counts.received
            charged = self.used[name] - before[name]
            held = 0 if end == "stop" else held_max(self.quotas[name] - before[name])
            most = counts.received + counts.lost + held
            expect(counts.received <= charged <= most,
                   f"{name}: a round that ended with {end} charged {charged}; clients received {counts.received}, "
                   f"{counts.lost} were lost on the way, the server held up to {held}")
            expect(self.received[name] <= self.used[name] <= self.quotas[name],
                   f"{name}: {self.received[name]} received, {self.used[name]} used, of {self.quotas[name]}")
            figures.excess[name] = max(figures.excess[name], self.used[name] - self.received[name])
            figures.bound[name] += counts.lost + held
            figures.most[name] = max(figures.most[name], charged - counts.received)
        self.used_up = [name for name, counts in self.counts.items() if counts.refused]
        figures.used_up += len(self.used_up)
        await self.check_log()

    async def check_log(self):
        """The audit log has every change, in its order, and no other."""
        entries = (await self.catalogue.do("keys", "log", "--limit", "10000"))["entries"]
        found = [(one["event"], one["subscription"], one["key"] and one["key"]["id"]) for one in reversed(entries)]
        expect(found == self.logged, f"the audit log is not what was done: {found[-4:]}, not {self.logged[-4:]}")


def check_proof(figures, received, rounds):
    """That something was proved: where nothing is charged, as with a server that refuses everything, all sums agree."""
    if ROUNDS_ANSWERED <= rounds:
        unanswered = [name for name, count in received.items() if not count]
        expect(not unanswered, f"clients received no 200 of {', '.join(unanswered)} in {rounds} rounds")
    if ROUNDS_VARIED <= rounds:
        expect(figures.used_up, f"no quota was used up in {rounds} rounds")
        expect(figures.exact_stops, f"no stop lost no answer in {rounds} rounds")


async def run(command, work, rounds, random):
    catalogue = await Catalogue.with_sample(command, work / "data")
    killer = Killer(catalogue, random)
    try:
        await killer.prepare()
        for number in range(rounds):
            # Every sort comes up even in a small sample.
            ends = list(ENDS)
            end = ends[number] if number < len(ends) else random.choices(ends, ENDS.values())[0]
            await killer.round(end)
        catalogue.check_integrity()
        check_proof(killer.figures, killer.received, rounds)
    finally:
        catalogue.end()
        killer.figures.show()
