"""Faults of the key store under load: everything that needs a key is refused with 503, what needs none is answered, and
once the fault is taken away all is well again without anybody's help. No quota is exceeded, no answer forgotten.

Within a second, the pages say. Here a state is waited for and then held, for the machine may be busy.
"""

import asyncio

from checks.base import expect, left_out, until
from checks.clients import Settled, catalogue_requests, load, other_requests
from checks.command import Catalogue
from checks.faults.faults import FAULTS

# Clients of a server, those that need no key, and how long each pauses between two requests, in seconds.
CLIENTS, OTHER_CLIENTS, PAUSE = 8, 2, 0.005
# Servers at a time.
SERVERS = 3
QUOTAS = {"large": 50_000_000, "middling": 100_000, "last": 1500}
SHARES = {"large": 6, "middling": 3, "last": 1}
RETRY_AFTER = range(1, 6)
# After so many answers in a row a state is there; and from then on so many answers are held to a fault.
IN_A_ROW, HELD = 50, 200


class Tried:
    """A server whose key store is disturbed again and again in one way."""

    def __init__(self, fault, catalogue, random):
        self.fault, self.catalogue, self.random = fault, catalogue, random
        self.answers, self.settled, self.received = 0, Settled(), dict.fromkeys(QUOTAS, 0)

    async def run(self, rounds):
        self.requests = {}
        for name, quota in QUOTAS.items():
            await self.catalogue.subscribe(name, quota)
            self.requests[name] = catalogue_requests(await self.catalogue.issue(name))
        others = other_requests()
        server = await self.catalogue.serve()
        async with (load(server.port, CLIENTS, self.choose, self.note, PAUSE),
                    load(server.port, OTHER_CLIENTS, lambda: self.random.choice(others), self.note_other, PAUSE)):
            for _ in range(rounds):
                await self.settled.settle(False, IN_A_ROW)
                async with self.fault.befall(self.catalogue, server, self.random):
                    await self.settled.settle(True, IN_A_ROW)
                    with self.settled.refusing():
                        await until(lambda: HELD <= self.settled.held, "nothing is answered")
                expect(server.is_running, f"the server ended: {server.last_words()}")
            await self.settled.settle(False, IN_A_ROW)
        await server.stop()
        await self.check_usage()

    def choose(self):
        name, = self.random.choices(list(SHARES), SHARES.values())
        return self.random.choice(self.requests[name])

    def note(self, answer):
        """Holds an answer to what is promised for the moment of its request."""
        self.answers += 1
        expected, subscription = answer.request.status, answer.request.subscription
        if answer.status == 503:
            expect(answer.field("retry-after") in map(str, RETRY_AFTER), f"Retry-After is {answer.field('retry-after')}")
            expect(answer.code() == "SERVICE_UNAVAILABLE", str(answer))
        elif answer.status == 429:
            expect(subscription == "last" and answer.code() == "QUOTA_EXCEEDED", str(answer))
        else:
            expect(answer.status == expected, f"not {expected}: {answer}")
            self.received[subscription] += expected == 200
        self.settled.note(answer)

    def note_other(self, answer):
        expect(answer.status == answer.request.status, f"not {answer.request.status}: {answer}")

    async def check_usage(self):
        used = await self.catalogue.used()
        self.catalogue.check_integrity()
        for name, quota in QUOTAS.items():
            expect(self.received[name] <= used[name] <= quota,
                   f"{name}: {self.received[name]} received, {used[name]} used, of {quota}")


async def run(command, work_directory, rounds, random):
    """Every fault on a server of its own."""
    possible = []
    for fault in FAULTS:
        if lacks := fault.lacks():
            left_out(f"a key store that is {fault.name}", lacks)
        else:
            possible.append(fault)
    waiting, broken = list(enumerate(possible)), []

    async def work():
        while waiting:
            number, fault = waiting.pop(0)
            catalogue = await Catalogue.with_sample(command, work_directory / f"data{number}")
            tried = Tried(fault, catalogue, random)
            try:
                await tried.run(rounds)
            except Exception as error:
                broken.append(f"{fault.name}: {error!r}")
            finally:
                catalogue.end()
            print(f"store: {fault.name} {rounds} times, {tried.answers} answers", flush=True)

    await asyncio.gather(*(work() for _ in range(SERVERS)))
    expect(not broken, "\n  ".join(["", *broken]))
