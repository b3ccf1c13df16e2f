"""Keys that are revoked or disabled under load, on two servers of one data directory: what was sent after a command
had returned is refused, what was sent a second after one with `--no-wait`.

The second is no race: a server that could not confirm its keys within the last second refuses them all.
"""

import asyncio
import signal
import time
from dataclasses import dataclass

from checks.base import expect, until
from checks.clients import Tally, catalogue_requests, load
from checks.command import Catalogue

ENVIRONMENTS = ("live", "test")
SUBSCRIPTION, QUOTA = "acme", 50_000_000
# Clients of each server, how long each pauses between two requests, and how many keys are worked on at a time.
CLIENTS, PAUSE, KEYS_AT_A_TIME = 12, 0.002, 4
# How many of ten requests present a key that is worked on.
SHARE_OF_THOSE = 8
# How often a key is accepted before it is changed, and refused afterwards.
TIMES = 5
# The promise for commands that do not wait, in seconds.
REFUSED_WITHIN = 1.0
# One in so many keys is disabled and not revoked; for one in so many, its server stands still for so many seconds.
DISABLED, STANDING_STILL, STANDS_STILL = 5, 7, 1.4
CODES = {"revoke": "API_KEY_REVOKED", "disable": "API_KEY_DISABLED"}


@dataclass
class Trial:
    """One key. Times are `time.monotonic()`; from `barred` on nothing that is sent may be accepted."""
    key: dict
    change: str
    waits: bool
    stands_still: bool
    began: float | None = None
    barred: float = float("inf")
    accepted: int = 0
    refused: int = 0

    def note(self, answer):
        is_late = self.barred < answer.sent
        if answer.status == 401:
            expect(self.began is not None and answer.code() == CODES[self.change], f"{self}: {answer}")
            self.refused += is_late
        else:
            expect(not is_late, f"{self}: accepted {answer.sent - self.barred:.3f} s after it was barred: {answer}")
            self.accepted += 1

    def __str__(self):
        return f"keys {self.change} {self.key['prefix']}{' --no-wait' * (not self.waits)}"


class Revoker:
    """The keys, the servers and the clients. `all_wait` is whether every command waits for servers, one after the other."""

    def __init__(self, catalogue, random, all_wait=False):
        self.catalogue, self.random, self.all_wait = catalogue, random, all_wait
        self.trials, self.received, self.tally = {}, 0, Tally()
        self.requests, self.at_work = ({environment: {} for environment in ENVIRONMENTS} for _ in range(2))

    async def prepare(self, count):
        await self.catalogue.subscribe(SUBSCRIPTION, QUOTA)
        for number in range(count):
            environment = ENVIRONMENTS[number // 2 % len(ENVIRONMENTS)]
            key = await self.catalogue.issue(SUBSCRIPTION, environment=environment)
            change = "disable" if number % DISABLED == DISABLED - 1 else "revoke"
            waits = self.all_wait or number % 2 == 0
            stands_still = not self.all_wait and waits and number % STANDING_STILL == STANDING_STILL - 1
            self.trials[key["id"]] = Trial(key, change, waits, stands_still)
            self.requests[environment][key["id"]] = catalogue_requests(key)
        for environment in ENVIRONMENTS:
            # A server is asked for something even where none of its keys is tried.
            spare = await self.catalogue.issue(SUBSCRIPTION, environment=environment)
            self.trials[spare["id"]] = Trial(spare, "revoke", True, False)
            self.requests[environment][spare["id"]] = catalogue_requests(spare)

    async def run(self, count):
        """`count` of the keys are changed; what is left is used until the end."""
        self.servers = {environment: await self.catalogue.serve(environment) for environment in ENVIRONMENTS}
        waiting = list(self.trials.values())[:count]
        self.random.shuffle(waiting)

        async def work():
            while waiting:
                await self.change(waiting.pop())
        async with self.load("live"), self.load("test"):
            await asyncio.gather(*(work() for _ in range(1 if self.all_wait else KEYS_AT_A_TIME)))
        for server in self.servers.values():
            await server.stop()

    def load(self, environment):
        return load(self.servers[environment].port, CLIENTS, lambda: self.choose(environment), self.note, PAUSE)

    def choose(self, environment):
        of_all, at_work = self.requests[environment], list(self.at_work[environment])
        is_of_those = at_work and self.random.randrange(10) < SHARE_OF_THOSE
        return self.random.choice(of_all[self.random.choice(at_work if is_of_those else list(of_all))])

    def note(self, answer):
        if not self.tally.is_busy(answer):
            expect(answer.status in (answer.request.status, 401), f"instead of {answer.request.status}: {answer}")
            self.received += answer.status == 200
            self.trials[answer.request.key["id"]].note(answer)

    async def before(self):
        """What is waited for right before a command."""

    async def change(self, trial):
        environment, id = trial.key["environment"], trial.key["id"]
        self.at_work[environment][id] = trial
        await until(lambda: TIMES <= trial.accepted, f"{trial}: the key is not accepted before")
        await self.before()
        trial.began = time.monotonic()
        command = asyncio.create_task(
            self.catalogue.do("keys", trial.change, id, "--wait" if trial.waits else "--no-wait"))
        if trial.stands_still:
            await self.stand_still(self.servers[environment])
        await command
        trial.barred = time.monotonic() + (0.0 if trial.waits else REFUSED_WITHIN)
        await until(lambda: TIMES <= trial.refused, f"{trial}: nothing is refused afterwards")
        del self.at_work[environment][id]

    async def stand_still(self, server):
        server.signal(signal.SIGSTOP)
        await asyncio.sleep(STANDS_STILL)
        server.signal(signal.SIGCONT)

    async def check(self):
        used = (await self.catalogue.used())[SUBSCRIPTION]
        expect(used == self.received, f"two servers were stopped: {used} used, {self.received} received")

    def __str__(self):
        refused = sum(trial.refused for trial in self.trials.values())
        return (f"{self.tally.answers} answers, {self.received} of them 200, {refused} to a key that was barred, "
                f"{self.tally.busy} of a server that could not confirm its keys")


async def run(command, work, count, random):
    catalogue = await Catalogue.with_sample(command, work / "data")
    revoker = Revoker(catalogue, random)
    try:
        await revoker.prepare(count)
        await revoker.run(count)
        await revoker.check()
    finally:
        catalogue.end()
        print(f"revoke: {count} keys, {revoker}")
