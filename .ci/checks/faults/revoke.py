"""Keys that are revoked or disabled under load, on two servers of one data directory: what was sent after a command
had returned is refused, what was sent a second after one with `--no-wait`.
"""

import asyncio
import signal
import time
from dataclasses import dataclass

from checks.base import expect
from checks.clients import Load, catalogue_requests
from checks.command import Catalogue

ENVIRONMENTS = ("live", "test")
SUBSCRIPTION, QUOTA = "acme", 50_000_000
# Clients of each server, and how many keys are worked on at a time.
CLIENTS, KEYS_AT_A_TIME = 12, 4
# How many of ten requests present a key that is worked on.
SHARE_OF_THOSE = 8
# How long a key is used before and after the moment from which it has to be refused, in seconds.
BEFORE, AFTER = 0.15, 0.5
# The promise for commands that do not wait, in seconds.
REFUSED_WITHIN = 1.0
# One in so many keys is disabled and not revoked; for one in so many, its server stands still for so many seconds.
DISABLED, STANDING_STILL, STANDS_STILL = 5, 7, 1.4
CODES = {"revoke": "API_KEY_REVOKED", "disable": "API_KEY_DISABLED"}


@dataclass
class Trial:
    """One key. Times are `time.monotonic()`."""
    key: dict
    change: str
    waits: bool
    stands_still: bool
    began: float = 0.0
    returned: float | None = None
    accepted: int = 0
    refused: int = 0
    # When the last request that was accepted was sent.
    last_accepted: float = 0.0

    @property
    def allowed(self):
        return 0.0 if self.waits else REFUSED_WITHIN

    def note(self, answer):
        if answer.status == 401:
            expect(self.began and answer.code() == CODES[self.change], f"{self}: {answer}")
            self.refused += self.returned is not None and self.returned + self.allowed < answer.sent
        else:
            self.accepted += 1
            self.last_accepted = max(self.last_accepted, answer.sent)

    def late(self):
        """How long after the command had returned the last request that was accepted was sent."""
        return self.last_accepted - self.returned

    def __str__(self):
        return f"keys {self.change} {self.key['prefix']}{' --no-wait' * (not self.waits)}"


class Revoker:
    """The keys, the servers and the clients."""

    def __init__(self, catalogue, random):
        self.catalogue, self.random = catalogue, random
        self.trials, self.at_work, self.received, self.answers, self.unavailable = {}, {}, 0, 0, 0

    async def prepare(self, count):
        await self.catalogue.subscribe(SUBSCRIPTION, QUOTA)
        self.requests = {environment: {} for environment in ENVIRONMENTS}
        for number in range(count):
            environment = ENVIRONMENTS[number // 2 % len(ENVIRONMENTS)]
            key = await self.catalogue.issue(SUBSCRIPTION, environment=environment)
            change = "disable" if number % DISABLED == DISABLED - 1 else "revoke"
            waits = number % 2 == 0
            self.trials[key["id"]] = Trial(key, change, waits, waits and number % STANDING_STILL == STANDING_STILL - 1)
            self.requests[environment][key["id"]] = catalogue_requests(key)
        self.at_work = {environment: [] for environment in ENVIRONMENTS}

    async def run(self):
        self.servers = {environment: await self.catalogue.serve(environment) for environment in ENVIRONMENTS}
        loads = [Load(server.port, CLIENTS, lambda environment=environment: self.choose(environment), self.note).start()
                 for environment, server in self.servers.items()]
        waiting = list(self.trials.values())
        self.random.shuffle(waiting)

        async def work():
            while waiting:
                await self.change(waiting.pop())
        await asyncio.gather(*(work() for _ in range(KEYS_AT_A_TIME)))
        for load in loads:
            await load.stop()
        for server in self.servers.values():
            await server.stop()

    def choose(self, environment):
        of_all, at_work = self.requests[environment], self.at_work[environment]
        is_of_those = at_work and self.random.randrange(10) < SHARE_OF_THOSE
        return self.random.choice(of_all[self.random.choice(at_work if is_of_those else list(of_all))])

    def note(self, answer):
        self.answers += 1
        asked = answer.request
        expect(answer.status in (asked.status, 401, 503), f"instead of {asked.status}: {answer}")
        self.received += answer.status == 200
        if answer.status == 503:
            self.unavailable += answer.code() == "SERVICE_UNAVAILABLE"
        else:
            self.trials[asked.key["id"]].note(answer)

    async def change(self, trial):
        environment, id = trial.key["environment"], trial.key["id"]
        self.at_work[environment].append(id)
        await asyncio.sleep(BEFORE)
        trial.began = time.monotonic()
        command = asyncio.create_task(
            self.catalogue.do("keys", trial.change, id, "--wait" if trial.waits else "--no-wait"))
        if trial.stands_still:
            await self.stand_still(self.servers[environment])
        await command
        trial.returned = time.monotonic()
        await asyncio.sleep(trial.allowed + AFTER)
        self.at_work[environment].remove(id)

    async def stand_still(self, server):
        server.signal(signal.SIGSTOP)
        await asyncio.sleep(STANDS_STILL)
        server.signal(signal.SIGCONT)

    async def check(self):
        for trial in self.trials.values():
            expect(trial.accepted, f"{trial}: the key was not accepted before")
            expect(trial.late() <= trial.allowed,
                   f"{trial}: a request was accepted that was sent {trial.late():.3f} s after the command had returned")
            expect(trial.refused, f"{trial}: nothing was sent when the key had to be refused")
        used = (await self.catalogue.used())[SUBSCRIPTION]
        expect(used == self.received, f"two servers were stopped: {used} used, {self.received} received")

    def show(self):
        print(f"revoke: {len(self.trials)} keys, {self.answers} answers, {self.received} of them 200, all charged; "
              f"{self.unavailable} refused by a server that had stood still")
        print(f"{'CHANGE':<24}{'KEYS':>5}{'LONGEST COMMAND':>17}{'LAST ACCEPTED AFTER':>21}{'REFUSED FROM THEN ON':>22}")
        for change in CODES:
            for waits, stands_still in ((True, False), (True, True), (False, False)):
                self.show_row(change, waits, stands_still)

    def show_row(self, change, waits, stands_still):
        group = [one for one in self.trials.values()
                 if one.returned and (one.change, one.waits, one.stands_still) == (change, waits, stands_still)]
        if group:
            name = change + " --no-wait" * (not waits) + ", still" * stands_still
            longest = max(one.returned - one.began for one in group)
            late = max(one.late() for one in group)
            print(f"{name:<24}{len(group):>5}{longest:>17.3f}{late:>21.3f}{sum(one.refused for one in group):>22}")


async def run(command, work, count, random):
    catalogue = await Catalogue.with_sample(command, work / "data")
    revoker = Revoker(catalogue, random)
    try:
        await revoker.prepare(count)
        await revoker.run()
        await revoker.check()
    finally:
        catalogue.end()
        revoker.show()
