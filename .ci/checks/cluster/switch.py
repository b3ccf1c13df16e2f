"""Release after release under load: every server follows within two seconds, no request fails, every answer is of one
release as a whole; and of two operators who activate at the same time one wins, and the other is told.
"""

import asyncio
import itertools
import subprocess
import time

from checks.base import expect
from checks.cluster import promises
from checks.cluster.assembly import Cluster, settings, with_port
from checks.cluster.history import History
from checks.cluster.load import EXPECTED, NOBODY, Load, Pool, open_requests
from checks.cluster.operating import AMPLE_WEIGHT, OTHER_WEIGHT, Operator
from checks.cluster.processes import until
from checks.command import Catalogue

# How often another release is activated, and in between rolled back; how long between two, in seconds.
SWITCHES, EVERY = 12, 5.0
# The promise, in seconds, and how long a server is waited for to see by how much it was broken.
FOLLOWED_WITHIN, WAITED = 2.0, 10.0
# How often two operators activate at once. Their ways to S3 are so slow, in seconds, that both have read what is active
# before either changes it; and not alike, because s3s-fs, unlike S3, compares and writes in two steps.
RIVALRIES, SLOW = 5, (0.4, 0.5)
SHOWN = 10
# By which they reach S3.
LINKS = ("catalogue-1-s3", "catalogue-2-s3")


class Switch:
    def __init__(self, found, command, work, random):
        self.pool = Pool(random)
        self.cluster, self.history = Cluster(found, command, work), History(work / "history.tsv")
        self.operator, self.rows, self.served = Operator(self.cluster, self.pool, random), [], []

    async def prepare(self):
        await self.cluster.prepare()
        await self.operator.prepare()
        for key in self.operator.tight:
            self.pool.drop(key.name)
        self.pool.put(NOBODY, open_requests(), OTHER_WEIGHT)
        expect(AMPLE_WEIGHT in self.pool.weights.values(), "nothing would be asked for")
        await self.cluster.start()
        await self.cluster.learn()

    async def run(self):
        load = Load(self.cluster.balancer.port, self.pool, self.cluster.bodies, self.history).start()
        following = itertools.cycle(self.cluster.releases)
        before, active = None, self.cluster.releases[0]
        next(following)
        for number in range(SWITCHES):
            await asyncio.sleep(EVERY)
            if number % 3 == 2:
                await self.follow("roll back", before, "rollback")
                before, active = active, before
            else:
                release = next(one for one in following if one != active)
                await self.follow("activate", release, "activate", release)
                before, active = active, release
        await asyncio.sleep(1)
        await load.stop()

    async def follow(self, what, release, *arguments):
        """Changes what is active, and sees how long each server takes."""
        began = time.monotonic()
        await self.cluster.operator.do("releases", *arguments)
        returned = time.monotonic()
        took = await asyncio.gather(*(
            until(lambda member=member: self.cluster.serves(member, release), WAITED) for member in self.cluster.members))
        self.rows.append((what, returned - began, took))
        # From then on nothing else is right, until the next change begins.
        self.served.append((release, time.monotonic(), began))

    def other_releases(self, entries):
        """Answers of another release than the one that all servers had said they serve."""
        for (release, since, _), after in itertools.zip_longest(self.served, self.served[1:]):
            until_then = after[2] if after else float("inf")
            for entry in entries:
                if since < entry.sent and entry.received < until_then and entry.release not in ("", NOBODY, release):
                    yield f"not of {release}: {entry}"

    def check(self):
        entries = self.history.entries()
        failed = [entry for entry in entries if entry.status != EXPECTED[entry.asked]]
        print(f"{len(entries):,} requests, {len(failed)} failed; {len(self.rows)} switches\n")
        print(f"{'SWITCH':<12}{'COMMAND':>9}   FOLLOWED BY EACH SERVER AFTER, s")
        for what, command, took in self.rows:
            print(f"{what:<12}{command:>9.2f}   {'  '.join(f'{one:.2f}' for one in took)}")
        late = [f"{what}: {max(took):.2f} s" for what, _, took in self.rows if FOLLOWED_WITHIN < max(took)]
        findings = [*map(str, failed), *promises.releases(entries), *self.other_releases(entries), *late]
        expect(not findings, "\n  ".join([f"{len(findings)} findings", *findings[:SHOWN]]))

    async def rival(self, work):
        """Two operators, each with a directory of its own, reach S3 over links that are slow."""
        cluster, operators, told = self.cluster, [], 0
        for link in LINKS:
            operator = Catalogue(cluster.command, work / f"rival-{link}")
            address = with_port(cluster.at["s3"], cluster.proxy.ports[link])
            operator.environment |= settings(cluster.found, cluster.at | {"s3": address})
            await operator.do("releases", "verify")
            operators.append(operator)
        for number in range(RIVALRIES):
            told += await self.both(operators, number)
        print(f"\ntwo operators at once, {RIVALRIES} times: one won and the other was told {told} times")
        expect(told, "no two operators were rivals")

    async def both(self, operators, number):
        """Whether one won and the other was told; if not, the one has to have seen what the other did."""
        releases = self.cluster.releases
        active = (await operators[0].do("releases", "list"))["releases"]
        others = [one for one in releases if not any(row["id"] == one and row["active"] for row in active)]
        for link, seconds in zip(LINKS, SLOW):
            self.cluster.proxy.turn(link, "delay", seconds)
        ended = await asyncio.gather(*(
            asyncio.to_thread(activate, operator, release) for operator, release in zip(operators, others)))
        for link in LINKS:
            self.cluster.proxy.turn(link, "pass")
        won = [release for release, done in zip(others, ended) if done.returncode == 0]
        rows = (await operators[0].do("releases", "list"))["releases"]
        now, = [row["id"] for row in rows if row["active"]]
        expect(won and now in won, f"{now} is active after {[(one.returncode, one.stderr) for one in ended]}")
        before = self.cluster.pointer()["previous"][0]
        expect({now, before} == set(others) or len(won) == 1, f"{now} was activated over {before} by one who had not seen it")
        for done in ended:
            if done.returncode != 0:
                expect(done.returncode in (3, 4) and now in done.stderr, f"{done.returncode}: {done.stderr}")
                if number == 0:
                    print(f"\nthe one who was late is told:\n  {done.stderr.strip()}")
        return len(won) == 1


def activate(operator, release):
    command = [operator.command, "--data", operator.data, "releases", "activate", release, "--json"]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=operator.environment)


async def run(found, command, work, random):
    switch = Switch(found, command, work, random)
    try:
        await switch.prepare()
        await switch.run()
        switch.check()
        await switch.rival(work)
        switch.cluster.check_logs()
    finally:
        switch.cluster.end()
