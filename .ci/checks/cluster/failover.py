"""What befalls a pair of PostgreSQL: the primary goes and its standby takes over, and then the primary comes back, on its old
timeline and writable. Each is done like a disturbance, and for good.
"""

import asyncio
import contextlib
import subprocess
from dataclasses import dataclass

from checks.base import PATIENCE, expect, run
from checks.clients import request
from checks.cluster.assembly import ask
from checks.services import ask as ask_postgres
from checks.services import of_postgres

BOAT = "/v1/boats/oland-9-mk-ii"
# What a primary has of charges and changes.
STATE = "SELECT sum(charged), (SELECT count(*) FROM catalogue.audit) FROM catalogue.usage"


@dataclass(frozen=True)
class TakesOver:
    """The standby is promoted when the outage ends."""
    what, on, befalls_operator = "promote", "standby", True

    @contextlib.asynccontextmanager
    async def befall(self, cluster, random):
        cluster.engines["primary"].kill()
        yield
        await asyncio.to_thread(run, *of_postgres("pg_ctl"), "promote", "--pgdata", cluster.engines["standby"].folder, cwd="/")


@dataclass(frozen=True)
class ComesBack:
    """The former primary can be written to, waits for nobody, and does not know what was revoked since."""
    what, on, befalls_operator = "return", "primary", True

    @contextlib.asynccontextmanager
    async def befall(self, cluster, random):
        primary = cluster.engines["primary"]
        key = await cluster.operator.issue("learner")
        primary.command = (*primary.command, "-c", "synchronous_standby_names=")
        await primary.start()
        before = await self.state(primary)
        yield
        revoked = await self.revoke(cluster, key)
        for member in cluster.members:
            await member.stop()
            await member.start()
            await self.expect_status(member, revoked, 401)
        await self.check_command(cluster)
        after = await self.state(primary)
        expect(before == after, f"the former primary was written to: {before} before, {after} after")

    async def state(self, primary):
        async with asyncio.timeout(PATIENCE):
            while not (found := await asyncio.to_thread(ask_postgres, primary, STATE, (0, 2))):
                await asyncio.sleep(0.1)
        return found

    async def revoke(self, cluster, key):
        asked = request("revoked", BOAT, 401, {"key": key["key"]})
        for member in cluster.members:
            await self.expect_status(member, asked, 200)
        await cluster.operator.do("keys", "revoke", key["id"], "--wait")
        return asked

    async def expect_status(self, member, asked, status):
        """Of an answer that says something: a busy machine may take longer than a request waits."""
        async with asyncio.timeout(PATIENCE):
            while (answer := await ask(member.port, asked)) is None or answer.status == 503:
                await asyncio.sleep(0.1)
        expect(answer.status == status, f"{member.name} says {answer}, not {status}")

    async def check_command(self, cluster):
        """One that is told of the former primary alone has seen the other."""
        operator = cluster.operator
        at = f"postgres://tests@127.0.0.1:{cluster.engines['primary'].port}/postgres"
        done = await asyncio.to_thread(
            subprocess.run, [operator.command, "--data", operator.data, "subscriptions", "create", "lost"], text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE,
            env=operator.environment | {"CATALOGUE_STORE": at})
        expect(done.returncode == 3 and "has taken over" in done.stderr, f"it ends with {done.returncode}: {done.stderr}")
