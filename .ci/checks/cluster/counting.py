"""How servers count minute limits: together in Redis, or each alone while it does not answer. They say so themselves."""

import asyncio
import time

from checks.base import until
from checks.clients import ask, request
from checks.cluster.history import Span

METRICS = request("metrics", "/metrics", 200)
# What a server logs when it begins to count alone, and when it counts with the others again.
ALONE, TOGETHER = "counts minute limits alone", "minute limits are counted in"
# How often logs are read, and how long before its line a server may have counted alone, in seconds.
EVERY, BEFORE = 0.05, 1.0


async def until_counting(members, alone):
    """Until each of them says in its metrics that it counts alone, or that it does not."""
    line = f"\ncatalogue_minute_limits_alone {int(alone)}\n".encode()

    async def says(member):
        return line in (await ask(member.admin_port, METRICS)).body
    for member in members:
        await until(lambda member=member: says(member), f"{member.name} does not say{line.decode()}")


class Counting:
    """From when to when any server counted alone. Its log is read as it is written, because the clock of a server may be
    wrong."""

    def __init__(self, members):
        self.logs = {member.name: member.log for member in members}
        self.read, self.since, self.ended = dict.fromkeys(self.logs, 0), {}, []
        self.looked = time.monotonic()

    async def watch(self):
        while True:
            self.look()
            await asyncio.sleep(EVERY)

    def look(self):
        before, self.looked = self.looked, time.monotonic()
        for name in self.logs:
            for line in self.new_lines(name):
                if ALONE in line:
                    self.since.setdefault(name, before - BEFORE)
                elif TOGETHER in line and name in self.since:
                    self.ended.append(Span("alone", self.since.pop(name), time.monotonic(), name))

    def new_lines(self, name):
        """Those that are whole."""
        with self.logs[name].open("rb") as log:
            log.seek(self.read[name])
            lines = log.read().rpartition(b"\n")[0]
        self.read[name] += len(lines)
        return lines.decode(errors="replace").splitlines()

    def alone(self):
        """Until now, and beyond."""
        self.look()
        return [*self.ended, *(Span("alone", since, float("inf"), name) for name, since in self.since.items())]
