"""Release after release under load: every server follows, no request fails, every answer is of one release as a whole."""

import asyncio
import itertools
import time

from checks.base import expect
from checks.cluster import promises
from checks.cluster.history import Span
from checks.cluster.operating import operated

# How often another release is activated, and in between rolled back; how long load goes on between two, in seconds.
SWITCHES, EVERY = 9, 1.0
SHOWN = 10


def is_busy(entry):
    """Whether a server refused what it could not confirm in time. On a busy machine it does, whatever happens to servers."""
    return entry.status == 503 and entry.server != ""


def undisturbed(entries, steps):
    """The steps during which nothing was refused for that. One is enough to tell that a step does not cause it."""
    busy = [entry for entry in entries if is_busy(entry)]
    return [step for step in steps if not any(step.began < one.received and one.sent < step.ended for one in busy)]


def failed(entries, steps):
    """Requests that were not answered as usual."""
    print(f"{len(entries)} requests, {sum(map(is_busy, entries))} refused by busy servers; nothing was refused in "
          f"{len(undisturbed(entries, steps))} of {len(steps)} steps")
    expect(undisturbed(entries, steps), "something was refused in each step")
    return [entry for entry in entries if entry.status != entry.expected and not is_busy(entry)]


class Switch:
    def __init__(self, operator):
        self.operator, self.cluster, self.steps, self.served = operator, operator.cluster, [], []

    async def run(self):
        following = itertools.cycle(self.cluster.releases)
        before, active = None, next(following)
        async with self.cluster.traffic.through(self.cluster.balancer.port):
            for number in range(SWITCHES):
                await asyncio.sleep(EVERY)
                if number % 3 == 2:
                    before, active = active, before
                    await self.follow(active, "rollback")
                else:
                    before, active = active, next(one for one in following if one != active)
                    await self.follow(active, "activate", active)
            await asyncio.sleep(EVERY)

    async def follow(self, release, *arguments):
        """Changes what is active, and waits until each server has followed."""
        began = time.monotonic()
        await self.cluster.operator.do("releases", *arguments)
        await self.cluster.until_served(release)
        self.steps.append(Span("switch", began, time.monotonic(), release))

    def other_releases(self, entries):
        """Answers of another release than the one that all servers said they serve, until the next change began."""
        for step, after in itertools.zip_longest(self.steps, self.steps[1:]):
            until_then = after.began if after else float("inf")
            for entry in entries:
                if step.ended < entry.sent and entry.received < until_then and entry.release not in ("", step.on):
                    yield f"not of {step.on}: {entry}"

    def check(self):
        entries = self.cluster.traffic.entries
        slowest = max(step.ended - step.began for step in self.steps)
        print(f"{len(self.steps)} switches, of which the slowest took {slowest:.1f} s, the command included")
        findings = [*map(str, failed(entries, self.steps)), *promises.releases(entries), *self.other_releases(entries)]
        expect(not findings, "\n  ".join([f"{len(findings)} findings", *findings[:SHOWN]]))


async def run(found, command, work, random):
    async with operated(found, command, work, random, is_patient=True) as operator:
        switch = Switch(operator)
        await switch.run()
        switch.check()
