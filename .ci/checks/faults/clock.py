"""A server whose wall clock jumps, forward and back, by days and by months: every month is charged for itself and never
beyond its quota, answers say when it renews, and dates follow. The monotonic clock goes on as it is.

Nothing is timed: an answer lies between when its request was sent and when it was there, by the clock that was set.
"""

import collections
import email.utils
import time
from datetime import datetime, timezone

from checks.base import SAMPLE, expect, until
from checks.clients import Tally, load, request
from checks.command import Catalogue
from checks.wall_clock import WallClock

QUOTA = 40
CLIENTS, PAUSE = 4, 0.01
# The most units of a month that lie unused at a server while it refuses: each client may be asking for one.
HELD = CLIENTS
# Where the clock begins: its renewals are on the tenth.
START = datetime(2027, 1, 10, 12, tzinfo=timezone.utc)
DAY = 86_400
# By how many days the clock jumps: what is left of a month, and what is charged to it, shows when it comes again.
JUMPS = (1, 3, 31, 61, 140, -1, -3, -31, -61, -140)
# After so many answers in a row that are right the server has followed a jump; so many more have to be right then.
IN_A_ROW, HELD_TO = 20, 60
# By how many seconds a header may be off: it is of whole seconds, and a date is kept for a second.
WHOLE = 2


def renewal(at):
    """When the month of the quota ends that `at` lies in, Unix time."""
    is_before = (at.day, at.month, at.year) < (START.day, at.month, at.year)
    months = at.year * 12 + at.month - 1 + (0 if is_before else 1)
    return datetime(months // 12, months % 12 + 1, START.day, tzinfo=timezone.utc).timestamp()


class Jumper:
    """A server, its clients, and what each month was answered with."""

    def __init__(self, catalogue, clock, random):
        self.catalogue, self.clock, self.random, self.tally = catalogue, clock, random, Tally()
        self.jumps, self.set_at, self.in_a_row, self.held_to, self.amiss = 0, 0.0, 0, 0, ""
        # By when their month ends: when the requests were sent that were answered; and when those were done that were
        # refused while the server was held to the clock.
        self.received, self.refused = collections.defaultdict(list), []

    async def run(self, rounds):
        await self.catalogue.subscribe("acme", QUOTA)
        self.request = request("boat", "/v1/boats/oland-9-mk-ii", 200, await self.catalogue.issue("acme"))
        server = await self.catalogue.serve()
        async with load(server.port, CLIENTS, lambda: self.request, self.note, PAUSE):
            await self.follow(server)
            for number in range(rounds):
                # Every sort comes up even in a small sample, and none leads before the start.
                days = JUMPS[number] if number < len(JUMPS) else self.random.choice(JUMPS)
                if self.clock.now() + days * DAY < START.timestamp():
                    days = -days
                self.clock.set(self.clock.ahead + days * DAY)
                self.set_at, self.in_a_row, self.held_to = time.monotonic(), 0, 0
                self.jumps += 1
                await self.follow(server)
        await server.stop()
        self.check_ledger()

    async def follow(self, server):
        """Waits until the server has told of all jumps, is right, and has stayed so."""
        def told():
            return server.log.read_text().count("the wall clock of this machine jumped")
        await until(lambda: told() == self.jumps, lambda: f"{self.jumps} jumps were told {told()} times")
        await until(lambda: HELD_TO <= self.held_to, lambda: f"after a jump {self.amiss}")

    def note(self, answer):
        if self.tally.is_busy(answer):
            return
        expect(answer.status in (200, 429), str(answer))
        told = int(answer.field("x-quota-reset"))
        if answer.status == 200:
            self.received[told].append(answer.sent)
        if answer.sent < self.set_at:
            return
        amiss = self.what_is_amiss(answer, told)
        if self.in_a_row < IN_A_ROW:
            self.in_a_row, self.amiss = 0 if amiss else self.in_a_row + 1, amiss
            return
        expect(not amiss, amiss)
        self.held_to += 1
        if answer.status == 429:
            self.refused.append((told, answer.done))

    def what_is_amiss(self, answer, told):
        """Of an answer to what was sent since the clock was set."""
        now, monotonic = self.clock.now(), time.monotonic()
        sent, done = now + answer.sent - monotonic - WHOLE, now + answer.done - monotonic + WHOLE
        end = renewal(datetime.fromtimestamp(now, timezone.utc))
        if told != end:
            return f"a quota renews {(told - end) / DAY:.1f} days from when it should: {answer}"
        date = email.utils.parsedate_to_datetime(answer.field("date")).timestamp()
        if not sent <= date <= done:
            return f"a date is {date - sent:.0f} s from the clock: {answer}"
        if answer.status == 429 and not end - done <= int(answer.field("retry-after")) <= end - sent:
            return f"Retry-After is {answer.field('retry-after')}, not {end - now:.0f}: {answer}"
        return ""

    def check_ledger(self):
        """Each month is charged with what clients received of it, and was used up when it refused: the server has stopped."""
        self.tally.check()
        self.catalogue.check_integrity()
        charged = {end: units for end, units in self.catalogue.charged().items() if units}
        received = {end: len(sent) for end, sent in self.received.items()}
        expect(charged == received, f"charged by month {charged}, received {received}")
        expect(max(received.values()) <= QUOTA, f"more than {QUOTA} received of a month: {received}")
        expect(self.refused, f"no quota was used up in {self.jumps} jumps")
        for end, refused in self.refused:
            before = sum(sent < refused for sent in self.received[end])
            expect(QUOTA - HELD <= before, f"refused after {before} of {QUOTA}")


async def run(command, work, rounds, random):
    clock = WallClock(work, "server", START.timestamp() - time.time())
    catalogue = Catalogue(command, work / "data")
    catalogue.environment |= clock.environment
    jumper = Jumper(catalogue, clock, random)
    try:
        await catalogue.do("import", SAMPLE)
        await jumper.run(rounds)
    finally:
        catalogue.end()
        print(f"clock: {jumper.jumps} jumps, {jumper.tally.answers} answers, {len(jumper.received)} months charged")
