"""A server whose wall clock jumps, forward and back, by days and by months: every month is charged for itself and never
beyond its quota, answers say when it renews, and dates follow. The monotonic clock goes on as it is.
"""

import asyncio
import collections
import email.utils
import time
from datetime import datetime, timezone

from checks.base import SAMPLE, expect
from checks.clients import Load, request
from checks.command import Catalogue
from checks.wall_clock import WallClock

QUOTA = 40
CLIENTS, PAUSE = 4, 0.01
# Where the clock begins: its renewals are on the tenth.
START = datetime(2027, 1, 10, 12, tzinfo=timezone.utc)
DAY = 86_400
# By how many days the clock jumps: what is left of a month, and what is charged to it, shows when it comes again.
JUMPS = (1, 3, 31, 61, 140, -1, -3, -31, -61, -140)
# From when on after a jump answers are held to it, and for how long, in seconds. Units of another month that lie unused
# have gone back to it by then.
SETTLED, LASTS = 0.3, 1.2
# How far a date may be from the clock that this process sets, in seconds.
NEAR = 2


def renewal(at):
    """When the month of the quota ends that `at` lies in, Unix time."""
    is_before = (at.day, at.month, at.year) < (START.day, at.month, at.year)
    months = at.year * 12 + at.month - 1 + (0 if is_before else 1)
    return datetime(months // 12, months % 12 + 1, START.day, tzinfo=timezone.utc).timestamp()


class Jumper:
    """A server, its clients, and what each month was answered with."""

    def __init__(self, catalogue, clock, random):
        self.catalogue, self.clock, self.random = catalogue, clock, random
        self.answers, self.jumps, self.set_at = 0, 0, time.monotonic()
        # By when their month ends: when the requests were sent that were answered, and when those were refused that
        # are held to it.
        self.received, self.refused = collections.defaultdict(list), []

    async def run(self, rounds):
        await self.catalogue.subscribe("acme", QUOTA)
        key = await self.catalogue.issue("acme")
        self.request = request("boat", "/v1/boats/oland-9-mk-ii", 200, key)
        server = await self.catalogue.serve()
        load = Load(server.port, CLIENTS, lambda: self.request, self.note, PAUSE).start()
        for number in range(rounds):
            await asyncio.sleep(SETTLED + LASTS)
            # Every sort comes up even in a small sample, and none leads before the start.
            days = JUMPS[number] if number < len(JUMPS) else self.random.choice(JUMPS)
            if self.clock.now() + days * DAY < START.timestamp():
                days = -days
            self.jump(days * DAY)
            expect(server.is_running, f"the server ended: {server.last_words()}")
        await asyncio.sleep(SETTLED + LASTS)
        await load.stop()
        await server.stop()
        self.check_ledger()
        warned = server.log.read_text().count("the wall clock of this machine jumped")
        expect(warned == self.jumps, f"{self.jumps} jumps were told {warned} times")

    def jump(self, seconds):
        self.clock.set(self.clock.ahead + seconds)
        self.set_at = time.monotonic()
        self.jumps += 1

    def note(self, answer):
        expect(answer.status in (200, 429), str(answer))
        self.answers += 1
        told = int(answer.field("x-quota-reset"))
        if answer.status == 200:
            self.received[told].append(answer.sent)
        if answer.sent < self.set_at + SETTLED:
            return
        now = self.clock.now()
        date = email.utils.parsedate_to_datetime(answer.field("date")).timestamp()
        expect(abs(date - now) < NEAR, f"a date {date - now:.0f} s from the clock: {answer}")
        end = renewal(datetime.fromtimestamp(now, timezone.utc))
        expect(told == end, f"a quota that renews {(told - end) / DAY:.1f} days from when it should: {answer}")
        if answer.status == 429:
            self.refused.append((told, answer.done))
            wait = int(answer.field("retry-after"))
            expect(abs(wait - (end - now)) < NEAR, f"Retry-After {wait}, not {end - now:.0f}: {answer}")

    def check_ledger(self):
        """Each month is charged with what clients received of it, and was used up when it refused: the server has stopped."""
        self.catalogue.check_integrity()
        charged = {end: units for end, units in self.catalogue.charged().items() if units}
        received = {end: len(sent) for end, sent in self.received.items()}
        expect(charged == received, f"charged by month {charged}, received {received}")
        for end, refused in self.refused:
            # An answer may arrive after a refusal that was made later.
            before = sum(sent < refused for sent in self.received[end])
            expect(before == QUOTA, f"refused after {before} of {QUOTA}")

    def show(self):
        print(f"clock: {self.jumps} jumps, {self.answers} answers, {len(self.refused)} refused, "
              f"{len(self.received)} months charged, {sum(map(len, self.received.values()))} units")


async def run(command, work, rounds, random):
    clock = WallClock(work, "server", START.timestamp() - time.time())
    catalogue = Catalogue(command, work / "data")
    catalogue.environment |= clock.environment
    jumper = Jumper(catalogue, clock, random)
    try:
        await catalogue.do("import", SAMPLE)
        await jumper.run(rounds)
        expect(jumper.refused, f"no quota was used up in {rounds} jumps")
    finally:
        catalogue.end()
        jumper.show()
