"""What befalls a pair of PostgreSQL: the primary goes and its standby takes over."""

import asyncio
import contextlib

from checks.base import expect, run, until
from checks.clients import request
from checks.cluster.assembly import LEARNER
from checks.cluster.traffic import presented
from checks.services import ask as ask_postgres
from checks.services import PAIRS, add_standby, of_postgres

BOAT = "/v1/boats/oland-9-mk-ii"
# How long an asynchronous standby receives nothing at most, while requests are charged.
BEHIND = 3.0


class FailsOver:
    """One of a pair goes and the other takes over, each time it befalls; what went becomes the standby of the other. A key that
    was revoked right before stays revoked if the standby is synchronous. An asynchronous one has not received the last charges,
    but every change by a command."""
    what, befalls_operator = "promote", True

    def __init__(self, kind):
        self.is_sync, self.kind, self.names, self.on = kind == "sync", kind, PAIRS[kind], PAIRS[kind][1]

    @contextlib.asynccontextmanager
    async def befall(self, cluster, random):
        primary, standby = (cluster.engines[name] for name in self.names)
        async with contextlib.nullcontext() if self.is_sync else cluster.commanding:
            if self.is_sync:
                self.revoked = await revoke(cluster)
            else:
                await in_step(primary)
                await cut_off(standby)
                await asyncio.sleep(random.uniform(0, BEHIND))
            primary.kill()
            yield
            await promote(standby)

    async def afterwards(self, cluster):
        """Once servers answer again."""
        if self.is_sync:
            await expect_everywhere(cluster, self.revoked, 401)
        former, primary = (cluster.engines[name] for name in self.names)
        self.names = self.names[::-1]
        former.lose_data()
        await asyncio.to_thread(add_standby, primary, former, self.kind)


async def promote(standby):
    await asyncio.to_thread(run, *of_postgres("pg_ctl"), "promote", "--pgdata", standby.folder, cwd="/")


async def until_said(engine, sql, wanted):
    async def is_said():
        return await asyncio.to_thread(ask_postgres, engine, sql) == wanted
    await until(is_said, f"{engine.name} does not say {wanted} to {sql}")


async def in_step(primary):
    """The standby has all that was committed before."""
    await until_said(primary, "SELECT bool_and(flush_lsn >= pg_current_wal_lsn()) FROM pg_stat_replication", "t")


async def cut_off(standby):
    """It receives nothing more."""
    for sql in ("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()"):
        await asyncio.to_thread(ask_postgres, standby, sql)
    await until_said(standby, "SELECT count(*) FROM pg_stat_wal_receiver", "0")


async def revoke(cluster):
    """Revokes a key that all servers accept. The request that they refuse from then on."""
    key = await cluster.operator.issue(LEARNER)
    asked = request("revoked", BOAT, 401, presented(LEARNER, key["key"]))
    await expect_everywhere(cluster, asked, 200)
    await cluster.operator.do("keys", "revoke", key["id"], "--wait")
    return asked


async def expect_everywhere(cluster, asked, status):
    for member in cluster.members:
        answer = await cluster.answered(member.listen, asked)
        expect(answer.status == status, f"{member.name} says {answer}, not {status}")
