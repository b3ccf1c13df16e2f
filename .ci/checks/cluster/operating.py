"""What an operator does meanwhile: keys and subscriptions that come, change and go, and releases.

Everything is done through the command, which fails while an engine is away; then it is done again until it succeeds. Each
change of a key is noted at it, with the times between which it happened.
"""

import asyncio
import contextlib
import itertools
import time

from checks.base import Broken
from checks.cluster.assembly import Cluster
from checks.cluster.history import Key
from checks.cluster.traffic import forbidden_requests, requests_of
from checks.command import MINUTE_LIMIT_MAX, SCOPES

# A quota that nothing uses up within an hour, and what others are chosen from. What a crash may lose grows with it.
AMPLE, QUOTAS = 1_500_000, (50, 200, 2500)
# Minute limits of keys that come over them, and how often each is asked beside one request of an ample key.
TIGHT, TIGHT_WEIGHT = (30, 60, 120), 0.05
AMPLE_KEYS, AMPLE_WEIGHT, SMALL_WEIGHT, REVOKED_WEIGHT, FORBIDDEN_WEIGHT = 2, 1.0, 0.1, 0.1, 0.03
# How long a key is used before it is changed, after it was, and how long a new one may be unknown to a server.
BEFORE, AFTER, KNOWN_WITHIN = 1.0, 3.0, 1.1
# How long between two changes, and before a command that failed is tried again, in seconds.
PAUSE, AGAIN = 1.0, 0.5
# Subscriptions that are used at a time beside the ample one. All of them are checked in the end.
SMALL_AT_A_TIME = 4


class Operator:
    def __init__(self, cluster, random):
        self.cluster, self.traffic, self.random = cluster, cluster.traffic, random
        self.keys, self.quotas, self.limits, self.is_stopping = {}, {}, {}, False
        self.numbers, self.done, self.failed = itertools.count(1), 0, 0

    async def prepare(self, has_tight_limits=False):
        """From now on only keys that are made here are asked with, and stay."""
        self.traffic.begin_anew()
        self.small, self.tight, self.is_stopping = [], [], False
        self.ample = await self.subscribe(AMPLE)
        for _ in range(AMPLE_KEYS):
            key = await self.issue(self.ample)
            self.traffic.put(key.name, requests_of(key), AMPLE_WEIGHT)
        for limit in TIGHT if has_tight_limits else ():
            key = await self.issue(self.ample, limit)
            self.tight.append(key)
            self.traffic.put(key.name, requests_of(key), TIGHT_WEIGHT)
        forbidden = await self.issue(self.ample, scopes=SCOPES[1:])
        self.traffic.put(forbidden.name, forbidden_requests(forbidden), FORBIDDEN_WEIGHT)

    async def run(self):
        """One change after the other, in turns, until told to stop."""
        turns = itertools.cycle((self.use_up_quota, self.revoke, self.activate, self.rotate, self.roll_back))
        while not self.is_stopping:
            await asyncio.sleep(PAUSE)
            # Where one could not be done, the time is up.
            with contextlib.suppress(Broken):
                await next(turns)()

    async def attempt(self, *arguments):
        try:
            async with self.cluster.commanding:
                answer = await self.cluster.operator.do(*arguments)
        except Broken:
            self.failed += 1
            raise
        self.done += 1
        return answer

    async def do(self, *arguments):
        """Until it succeeds, or the time is up."""
        while True:
            try:
                return await self.attempt(*arguments)
            except Broken:
                if self.is_stopping:
                    raise
                await asyncio.sleep(AGAIN)

    async def subscribe(self, quota):
        """A command that failed may have been carried out all the same: each attempt has a name of its own."""
        while not self.is_stopping:
            name = f"s{next(self.numbers)}"
            try:
                async with self.cluster.commanding:
                    await self.cluster.operator.subscribe(name, quota)
            except Broken:
                self.failed += 1
                await asyncio.sleep(AGAIN)
                continue
            self.quotas[name] = quota
            return name
        raise Broken("the time is up")

    async def issue(self, subscription, limit=MINUTE_LIMIT_MAX, scopes=SCOPES):
        made = await self.do("keys", "issue", "--subscription", subscription, "--scope", *scopes, "--rate-limit", str(limit))
        return self.keep(made, f"k{next(self.numbers)}", limit)

    def keep(self, made, window, limit):
        """Notes a new key."""
        self.cluster.operator.issued.add(made["key"])
        key = Key(f"k{next(self.numbers)}", made["key"], made["id"], made["subscription"], window, time.monotonic() + KNOWN_WITHIN)
        self.keys[key.name], self.limits[window] = key, limit
        return key

    async def use_up_quota(self):
        key = await self.issue(await self.subscribe(self.random.choice(QUOTAS)))
        self.traffic.put(key.name, requests_of(key), SMALL_WEIGHT)
        self.small.append(key.name)
        while SMALL_AT_A_TIME < len(self.small):
            self.traffic.drop(self.small.pop(0))

    async def revoke(self):
        """A key that is made for it, used before and after. Until the command has succeeded it is unknown whether it was carried
        out."""
        key = await self.issue(self.ample)
        self.traffic.put(key.name, requests_of(key), REVOKED_WEIGHT)
        await asyncio.sleep(BEFORE)
        key.changing_since = time.monotonic()
        await self.do("keys", "revoke", key.id, "--wait")
        key.barred_since = time.monotonic()
        await asyncio.sleep(AFTER)
        self.traffic.drop(key.name)

    async def rotate(self):
        """A key with a tight limit gets a successor, which shares its window. The old one is asked for a while yet."""
        number = self.random.randrange(len(self.tight))
        old = self.tight[number]
        old.changing_since = time.monotonic()
        try:
            made = await self.attempt("keys", "rotate", old.id, "--grace", "0s", "--wait")
        except Broken:
            # It may have been rotated; its new key is lost then. Another one takes its place.
            self.traffic.drop(old.name)
            new = await self.issue(self.ample, self.limits[old.window])
        else:
            new, old.barred_since = self.keep(made, old.window, self.limits[old.window]), time.monotonic()
        self.tight[number] = new
        self.traffic.put(new.name, requests_of(new), TIGHT_WEIGHT)
        await asyncio.sleep(AFTER)
        self.traffic.drop(old.name)

    async def activate(self):
        await self.do("releases", "activate", self.random.choice(self.cluster.releases))

    async def roll_back(self):
        """Each rollback goes further back, so there has to be something to go back to."""
        for release in self.random.sample(self.cluster.releases, 2):
            await self.do("releases", "activate", release)
        await self.do("releases", "rollback")


@contextlib.asynccontextmanager
async def operated(found, command, work, random, **settings):
    """A cluster that serves, and its operator, until the end of the context."""
    cluster = Cluster(found, command, work, random, **settings)
    operator = Operator(cluster, random)
    try:
        await cluster.prepare()
        await operator.prepare()
        await cluster.start()
        await cluster.learn()
        yield operator
        cluster.check_logs()
    finally:
        cluster.end()
