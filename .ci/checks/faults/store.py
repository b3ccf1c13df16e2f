"""Faults of the key store under load: within a second everything that needs a key is refused with 503, what needs none
is answered, and once the fault is taken away all is well within two.
"""

import asyncio
import time
from dataclasses import dataclass, field

from checks.base import Broken, expect
from checks.clients import Load, catalogue_requests, other_requests
from checks.command import Catalogue
from checks.faults.faults import FAULTS
from checks.faults.kill import held_max

# Clients of a server, those that need no key, and how long each pauses between two requests, in seconds.
CLIENTS, OTHER_CLIENTS, PAUSE = 8, 2, 0.005
# Servers at a time: what is measured is the server and not the machine.
SERVERS = 3
QUOTAS = {"large": 50_000_000, "middling": 100_000, "last": 1500}
SHARES = {"large": 6, "middling": 3, "last": 1}
# The promises, in seconds.
REFUSED_WITHIN, ANSWERED_WITHIN, RECOVERED_WITHIN = 1.0, 1.0, 2.0
RETRY_AFTER = range(1, 6)
# How long a fault lasts, and how long a server works between two, in seconds.
LASTS, BETWEEN = (1.5, 2.1), (0.3, 0.9)
# All is well once nothing was refused for so many seconds.
WELL = 0.5


@dataclass
class Span:
    """When a fault was there for certain, and when it was gone for certain."""
    began: float
    ending: float
    ended: float


@dataclass
class Figures:
    """The worst of one fault, in seconds. `last_accepted` and `last_refused` are when such a request was sent, after
    the fault began and after it ended."""
    name: str
    rounds: int = 0
    answers: int = 0
    last_accepted: float = 0.0
    slowest: float = 0.0
    first_accepted: float = 0.0
    last_refused: float = 0.0
    excess: int = 0
    bound: int = 0
    broken: list = field(default_factory=list)

    def row(self):
        return (f"{self.name:<22}{self.rounds:>6}{self.answers:>9}{self.last_accepted:>10.3f}{self.slowest:>9.3f}"
                f"{self.first_accepted:>11.3f}{self.last_refused:>11.3f}{self.excess:>9}{self.bound:>9}"
                f"  {f'BROKEN {len(self.broken)} times' if self.broken else 'kept'}")


HEADING = (f"{'':<37}{'LAST 200':>10}{'SLOWEST':>9}{'RECOVERY:':>11}\n{'FAULT':<22}{'ROUNDS':>6}{'ANSWERS':>9}"
           f"{'AFTER':>10}{'ANSWER':>9}{'FIRST 200':>11}{'LAST 503':>11}{'EXCESS':>9}{'ALLOWED':>9}")


class Tried:
    """A server whose key store is disturbed again and again in one way."""

    def __init__(self, fault, catalogue, random):
        self.fault, self.catalogue, self.random = fault, catalogue, random
        self.figures, self.answers, self.last_refused = Figures(fault.name), [], 0.0
        self.received = dict.fromkeys(QUOTAS, 0)

    async def run(self, rounds):
        self.requests = {}
        for name, quota in QUOTAS.items():
            await self.catalogue.subscribe(name, quota)
            self.requests[name] = catalogue_requests(await self.catalogue.issue(name))
        self.others = other_requests()
        self.server = await self.catalogue.serve()
        clients = ((CLIENTS, self.choose), (OTHER_CLIENTS, lambda: self.random.choice(self.others)))
        loads = [Load(self.server.port, number, choose, self.note, PAUSE).start() for number, choose in clients]
        for _ in range(rounds):
            await asyncio.sleep(self.random.uniform(*BETWEEN))
            await self.round()
        for load in loads:
            await load.stop()
        await self.server.stop()
        await self.check_usage(rounds)

    def choose(self):
        name, = self.random.choices(list(SHARES), SHARES.values())
        return self.random.choice(self.requests[name])

    def note(self, answer):
        self.answers.append(answer)
        if answer.status == 503:
            self.last_refused = answer.done
        if answer.status == 200 and answer.request.may_be_charged:
            self.received[answer.request.subscription] += 1

    async def round(self):
        """One fault, from a server that is well to one that is well again."""
        self.answers.clear()
        async with self.fault.befall(self.catalogue, self.server, self.random):
            began = time.monotonic()
            await asyncio.sleep(self.random.uniform(*LASTS))
            ending = time.monotonic()
        span = Span(began, ending, time.monotonic())
        while time.monotonic() < max(span.ended, self.last_refused) + WELL:
            if span.ended + RECOVERED_WITHIN + WELL < time.monotonic():
                break
            await asyncio.sleep(0.02)
        self.figures.rounds += 1
        self.figures.answers += len(self.answers)
        expect(self.server.is_running, f"the server ended: {self.server.last_words()}")
        try:
            self.measure(span)
            for answer in self.answers:
                self.check(answer, span)
        except Broken as error:
            self.figures.broken.append(str(error))

    def measure(self, span):
        """Takes the figures of a round."""
        figures, keyed = self.figures, [one for one in self.answers if one.request not in self.others]
        accepted = [one for one in keyed if one.status == 200]
        within = [one.sent for one in accepted if one.done < span.ending]
        figures.last_accepted = max(figures.last_accepted, *(sent - span.began for sent in within), 0.0)
        figures.slowest = max(figures.slowest, *(one.seconds for one in self.answers if span.began < one.done))
        after = [one.done - span.ended for one in accepted if span.ending < one.sent]
        expect(after, "no request was answered with 200 after the fault was taken away")
        figures.first_accepted = max(figures.first_accepted, min(after))
        refused = [one.sent - span.ended for one in keyed if one.status == 503 and span.ended < one.sent]
        figures.last_refused = max(figures.last_refused, *refused, 0.0)

    def check(self, answer, span):
        """Holds an answer to what is promised for the moment of its request."""
        expect(answer.status is not None, f"a connection was closed instead of an answer: {answer}")
        since, after = answer.sent - span.began, answer.sent - span.ended
        when = f"sent {since:.3f} s after the fault" if after < 0 else f"sent {after:.3f} s after its end"
        expect(answer.seconds <= ANSWERED_WITHIN, f"{when}: too slow: {answer}")
        if answer.request in self.others:
            expect(answer.status == answer.request.status, f"{when}: not {answer.request.status}: {answer}")
            return
        is_due = REFUSED_WITHIN < since and answer.done < span.ending and self.fault.is_total
        may_refuse = 0 <= answer.done - span.began and after <= RECOVERED_WITHIN
        if answer.status == 503:
            expect(may_refuse, f"{when}: refused: {answer}")
            retry_after = answer.field("retry-after")
            expect(retry_after in map(str, RETRY_AFTER), f"Retry-After: {retry_after}: {answer}")
            expect(answer.code() == "SERVICE_UNAVAILABLE", str(answer))
            return
        expect(not is_due, f"{when}: not refused: {answer}")
        if answer.status == 429:
            expect(answer.request.subscription == "last" and answer.code() == "QUOTA_EXCEEDED", f"{when}: {answer}")
        else:
            expect(answer.status == answer.request.status, f"{when}: not {answer.request.status}: {answer}")

    async def check_usage(self, rounds):
        """What is charged is what was received, and at most what a server holds of leases more for each fault."""
        used = await self.catalogue.used()
        self.catalogue.check_integrity()
        for name, received in self.received.items():
            bound = held_max(QUOTAS[name]) * rounds
            excess = used[name] - received
            self.figures.excess, self.figures.bound = self.figures.excess + excess, self.figures.bound + bound
            if not 0 <= excess <= bound or QUOTAS[name] < used[name]:
                self.figures.broken.append(f"{name}: {received} received, {used[name]} used of {QUOTAS[name]}; "
                                           f"at most {bound} more than received are allowed")


async def run(command, work_directory, rounds, random):
    """Every fault on a server of its own."""
    possible = []
    for fault in FAULTS:
        lacks = fault.lacks()
        if lacks:
            print(f"store: skipped {fault.name}: {lacks}")
        else:
            possible.append(fault)
    waiting, done = list(enumerate(possible)), []
    print(HEADING)

    async def work():
        while waiting:
            number, fault = waiting.pop(0)
            catalogue = await Catalogue.with_sample(command, work_directory / f"data{number}")
            tried = Tried(fault, catalogue, random)
            try:
                await tried.run(rounds)
            except Broken as error:
                tried.figures.broken.append(str(error))
            finally:
                catalogue.end()
            print(tried.figures.row(), flush=True)
            done.append(tried.figures)

    await asyncio.gather(*(work() for _ in range(SERVERS)))
    broken = [f"{figures.name}: {error}" for figures in done for error in figures.broken]
    expect(not broken, "\n  ".join(["", *broken[:20], f"{len(broken)} in all"]))
