"""What an operator does meanwhile: keys and subscriptions that come, change and go, and releases.

Everything is done through the command, which fails while an engine is away; then it is done again until it succeeds. Each
change is noted at the key that it is about, with the times between which it happened.
"""

import asyncio
import itertools
import time

from checks.base import Broken
from checks.cluster.history import Key
from checks.cluster.load import forbidden_requests, requests_of
from checks.command import MINUTE_LIMIT_MAX

# A quota that nothing uses up within an hour, and what others are chosen from. What a crash may lose grows with it.
AMPLE, QUOTAS = 1_500_000, (150, 600, 2500)
# Minute limits of keys that come over them, and how often each is asked beside one request of an ample key.
TIGHT, TIGHT_WEIGHT = (30, 60, 120), 0.02
AMPLE_KEYS, AMPLE_WEIGHT, SMALL_WEIGHT, TRIED_WEIGHT, OTHER_WEIGHT = 2, 1.0, 0.06, 0.06, 0.03
# How long a key is used before it is changed, after it was, and how long a new one may be unknown to a server.
BEFORE, AFTER, KNOWN_WITHIN = 1.0, 3.0, 1.1
# How long between two changes, and before a command that failed is tried again, in seconds.
PAUSE, AGAIN = 1.0, 0.5
# Subscriptions that are used at a time beside the ample one. All of them are checked in the end.
SMALL_AT_A_TIME = 4


class Operator:
    def __init__(self, cluster, pool, random):
        self.cluster, self.pool, self.random = cluster, pool, random
        self.keys, self.quotas, self.limits, self.small = {}, {}, {}, []
        self.numbers, self.is_stopping, self.done, self.failed = itertools.count(1), False, 0, 0

    async def do(self, *arguments):
        """Until it succeeds, or says that it can never."""
        while True:
            try:
                async with self.cluster.commanding:
                    answer = await self.cluster.operator.do(*arguments)
                self.done += 1
                return answer
            except Broken:
                self.failed += 1
                if self.is_stopping:
                    raise
                await asyncio.sleep(AGAIN)

    async def subscribe(self, quota):
        """A command that failed may have been carried out all the same: each attempt has a name of its own."""
        while True:
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

    async def issue(self, subscription, limit=MINUTE_LIMIT_MAX, scopes=("boats.read", "manufacturers.read")):
        began = time.monotonic()
        made = await self.do("keys", "issue", "--subscription", subscription, "--scope", *scopes,
                             "--rate-limit", str(limit))
        return self.keep(made, began, f"k{next(self.numbers)}", limit)

    def keep(self, made, began, window, limit):
        """Notes a new key."""
        self.cluster.operator.issued.add(made["key"])
        key = Key(f"k{next(self.numbers)}", made["key"], made["id"], made["subscription"], window, [],
                  [(began, time.monotonic() + KNOWN_WITHIN)])
        self.keys[key.name], self.limits[window] = key, limit
        return key

    async def prepare(self):
        """Keys that are there from the beginning, and stay."""
        self.ample = await self.subscribe(AMPLE)
        for _ in range(AMPLE_KEYS):
            key = await self.issue(self.ample)
            self.pool.put(key.name, requests_of(key.secret), AMPLE_WEIGHT)
        self.tight = [await self.issue(self.ample, limit) for limit in TIGHT]
        for key in self.tight:
            self.pool.put(key.name, requests_of(key.secret), TIGHT_WEIGHT)
        forbidden = await self.issue(self.ample, scopes=("manufacturers.read",))
        self.pool.put(forbidden.name, forbidden_requests(forbidden.secret), OTHER_WEIGHT)

    async def run(self):
        """One change after the other, in turns, until told to stop."""
        turns = itertools.cycle((self.use_up_quota, self.revoke, self.activate, self.disable, self.rotate, self.roll_back))
        while not self.is_stopping:
            await asyncio.sleep(PAUSE)
            try:
                await next(turns)()
            except Broken:
                # It could not be done, and the time is up.
                continue

    async def use_up_quota(self):
        quota = self.random.choice(QUOTAS)
        key = await self.issue(await self.subscribe(quota))
        self.pool.put(key.name, requests_of(key.secret), SMALL_WEIGHT)
        self.small.append(key.name)
        while SMALL_AT_A_TIME < len(self.small):
            self.pool.drop(self.small.pop(0))

    async def revoke(self):
        async with Tried(self) as key:
            began = time.monotonic()
            await self.change(key, began, "keys", "revoke", key.id, "--wait")

    async def disable(self):
        async with Tried(self) as key:
            began = time.monotonic()
            await self.change(key, began, "keys", "disable", key.id, "--wait")
            await asyncio.sleep(AFTER)
            began = time.monotonic()
            key.barred[-1] = (key.barred[-1][0], began)
            key.changing.append((began, None))
            await self.do("keys", "enable", key.id, "--wait")
            key.changing[-1] = (began, time.monotonic())

    async def change(self, key, began, *arguments):
        """One that forbids the key. Until it has succeeded it is unknown whether it was carried out."""
        key.changing.append((began, None))
        await self.do(*arguments)
        returned = time.monotonic()
        key.changing[-1] = (began, returned)
        key.barred.append((returned, None))

    async def rotate(self):
        """A key with a tight limit gets a successor, which shares its window. The old one is asked for a while yet."""
        number = self.random.randrange(len(self.tight))
        old = self.tight[number]
        began = time.monotonic()
        old.changing.append((began, None))
        try:
            async with self.cluster.commanding:
                made = await self.cluster.operator.do("keys", "rotate", old.id, "--grace", "0s", "--wait")
        except Broken:
            # It may have been rotated; its new key is lost then. Another one takes its place.
            self.failed += 1
            self.pool.drop(old.name)
            new = await self.issue(self.ample, self.limits[old.window])
        else:
            new = self.keep(made, began, old.window, self.limits[old.window])
            old.changing[-1] = (began, time.monotonic())
            old.barred.append((time.monotonic(), None))
        self.tight[number] = new
        self.pool.put(new.name, requests_of(new.secret), TIGHT_WEIGHT)
        await asyncio.sleep(AFTER)
        self.pool.drop(old.name)

    async def activate(self):
        await self.do("releases", "activate", self.random.choice(self.cluster.releases))

    async def roll_back(self):
        """Each rollback goes further back, so there has to be something to go back to."""
        for release in self.random.sample(self.cluster.releases, 2):
            await self.do("releases", "activate", release)
        await self.do("releases", "rollback")


class Tried:
    """A key that is made to be changed, used before and after."""

    def __init__(self, operator):
        self.operator = operator

    async def __aenter__(self):
        self.key = await self.operator.issue(self.operator.ample)
        self.operator.pool.put(self.key.name, requests_of(self.key.secret), TRIED_WEIGHT)
        await asyncio.sleep(BEFORE)
        return self.key

    async def __aexit__(self, *_):
        await asyncio.sleep(AFTER)
        self.operator.pool.drop(self.key.name)
