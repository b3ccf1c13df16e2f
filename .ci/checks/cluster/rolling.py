"""An upgrade under load, as server/deploy/upgrade.md has it: one server after the other drains, ends and is started from the
new program. No request fails, every answer is of one release as a whole, and what was answered is charged.
"""

import asyncio
import os
import pathlib
import re
import time

from checks.base import expect, until
from checks.clients import ask
from checks.cluster import promises
from checks.cluster.counting import METRICS
from checks.cluster.history import Span
from checks.cluster.operating import operated
from checks.cluster.switch import failed, undisturbed

# How often each server is replaced, and at most, until nothing was refused in one of those steps. From the second round on
# the program is the same: then it is a restart.
ROUNDS, ROUNDS_MAX = 2, 8
# How long a server goes on while it says that it is not ready: longer than the load balancer takes to notice, in seconds.
DRAIN = 3
# How long load goes on between two servers, and before the first and after the last, in seconds.
BETWEEN = 1.0
# What a server that ends has not answered another is asked, and both have charged it. So much is borne for each.
ASKED_TWICE_MAX = 2
ANSWERED = re.compile(rb"(?m)^catalogue_http_requests_total\{.*\} (\d+)$")
SHOWN = 10


def former(command):
    """FORMER, or the program that takes its place."""
    return pathlib.Path(os.environ["FORMER"]).resolve() if "FORMER" in os.environ else command


async def is_asked(member):
    """Whether a server was sent any request since it started. Those for readiness do not count."""
    return any(map(int, ANSWERED.findall((await ask(member.admin_port, METRICS)).body)))


async def replace(member, command):
    began = time.monotonic()
    await member.stop()
    member.catalogue.command = command
    await member.start()
    await until(lambda: is_asked(member), f"{member.name} is sent nothing after it was started")
    return Span("replace", began, time.monotonic(), member.name)


async def upgrade(cluster, command):
    """What was done, and from when to when."""
    done = []
    async with cluster.traffic.through(cluster.balancer.port):
        await asyncio.sleep(BETWEEN)
        for number in range(ROUNDS_MAX):
            if ROUNDS <= number and undisturbed(cluster.traffic.entries, done):
                break
            for member in cluster.members:
                await asyncio.sleep(BETWEEN)
                done.append(await replace(member, command))
        await asyncio.sleep(BETWEEN)
    # They give back what they hold of quotas.
    await asyncio.gather(*(member.stop() for member in cluster.members))
    return done


async def run(found, command, work, random):
    serving = {"CATALOGUE_DRAIN": f"{DRAIN}s"}
    async with operated(found, former(command), work, random, serving=serving, is_patient=True) as operator:
        cluster = operator.cluster
        done = await upgrade(cluster, command)
        entries = cluster.traffic.entries
        received, used = promises.received_200s(entries, operator.keys), await cluster.operator.used()
        unanswered = sum(entry.status in promises.AWAY for entry in entries)
        explained = dict.fromkeys(operator.quotas, unanswered + ASKED_TWICE_MAX * len(done))
        findings = [*map(str, failed(entries, done)), *promises.releases(entries),
                    *promises.ledger(received, operator.quotas, used, explained)]
        print("\n".join(f"{one.began:.1f} to {one.ended:.1f} s: {one.what} {one.on}" for one in done))
        expect(not findings, "\n  ".join([f"{len(findings)} findings", *findings[:SHOWN]]))
