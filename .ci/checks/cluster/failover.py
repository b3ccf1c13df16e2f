"""What befalls a pair of PostgreSQL: the primary goes and its standby takes over, and then the primary comes back, on its old
timeline and writable. Each is done like a disturbance, and for good.
"""

import asyncio
import contextlib
from dataclasses import dataclass

from checks.base import expect, run, until
from checks.clients import request
from checks.cluster.assembly import LEARNER
from checks.cluster.traffic import presented
from checks.services import ask as ask_postgres
from checks.services import PAIRS, add_standby, of_postgres

BOAT = "/v1/boats/oland-9-mk-ii"
# What a primary has of charges and changes.
STATE = "SELECT sum(charged), (SELECT count(*) FROM catalogue.audit) FROM catalogue.usage"
# How long an asynchronous standby receives nothing, while requests are charged.
BEHIND = 3.0
# What servers say after a failover that lost something.
LOST = ("the key store lost charges", "the key store lost changes", "the key store lost that keys were revoked")


@dataclass(frozen=True)
class TakesOver:
    """The standby is promoted when the outage ends."""
    what, on, befalls_operator = "promote", "standby", True

    @contextlib.asynccontextmanager
    async def befall(self, cluster, random):
        cluster.engines["primary"].kill()
        yield
        await promote(cluster.engines[self.on])


@dataclass
class TakesOverLate:
    """The same of a standby that has not received the last commits: charges, and that a key was revoked."""
    what, on, befalls_operator = "promote", "async-standby", True
    revoked = None

    @contextlib.asynccontextmanager
    async def befall(self, cluster, random):
        standby = cluster.engines[self.on]
        key = await cluster.operator.issue(LEARNER)
        await in_step(cluster.engines["async-primary"])
        await cut_off(standby)
        self.revoked = await revoke(cluster, key)
        await asyncio.sleep(BEHIND)
        cluster.engines["async-primary"].kill()
        yield
        await promote(standby)

    async def afterwards(self, cluster):
        """Once servers answer again."""
        await expect_everywhere(cluster, self.revoked, 401)
        for text in LOST:
            await until(lambda: any(text in member.log.read_text(errors="replace") for member in cluster.members),
                        f"no server says: {text}")


class FailsOver:
    """One of a pair goes and the other takes over, each time it befalls; what went becomes the standby of the other. No command
    changes anything that an asynchronous standby has not received."""
    what = "promote"

    def __init__(self, kind):
        self.kind, self.names, self.on = kind, PAIRS[kind], PAIRS[kind][1]

    @contextlib.asynccontextmanager
    async def befall(self, cluster, random):
        primary, standby = (cluster.engines[name] for name in self.names)
        async with cluster.commanding:
            await in_step(primary)
            if self.kind == "async":
                await cut_off(standby)
                await asyncio.sleep(random.uniform(0, BEHIND))
            primary.kill()
            yield
            await promote(standby)

    async def afterwards(self, cluster):
        former, primary = (cluster.engines[name] for name in self.names)
        self.names = self.names[::-1]
        former.lose_data()
        await asyncio.to_thread(add_standby, primary, former, self.kind)


@dataclass(frozen=True)
class ComesBack:
    """The former primary can be written to, waits for nobody, and does not know what was revoked since."""
    what, on, befalls_operator = "return", "primary", True

    @contextlib.asynccontextmanager
    async def befall(self, cluster, random):
        primary = cluster.engines["primary"]
        key = await cluster.operator.issue(LEARNER)
        primary.command = (*primary.command, "-c", "synchronous_standby_names=")
        await primary.start()
        await until_said(primary, "SELECT 1", "1")
        before = await asyncio.to_thread(ask_postgres, primary, STATE)
        yield
        revoked = await revoke(cluster, key)
        for member in cluster.members:
            await member.stop()
            await member.start()
        await expect_everywhere(cluster, revoked, 401)
        await asyncio.to_thread(self.check_command, cluster, primary)
        after = await asyncio.to_thread(ask_postgres, primary, STATE)
        expect(before == after, f"the former primary was written to: {before} before, {after} after")

    def check_command(self, cluster, primary):
        """One that is told of the former primary alone has seen the other."""
        at = f"postgres://tests@127.0.0.1:{primary.port}/postgres"
        status, said = cluster.operator.attempt("subscriptions", "create", "lost", CATALOGUE_STORE=at)
        expect(status == 3 and "has taken over" in said, f"it ends with {status}: {said}")


async def promote(standby):
    await asyncio.to_thread(run, *of_postgres("pg_ctl"), "promote", "--pgdata", standby.folder, cwd="/")


async def until_said(engine, sql, wanted):
    """What it says while it starts is no answer yet."""
    async def is_said():
        return await asyncio.to_thread(ask_postgres, engine, sql, (0, 2)) == wanted
    await until(is_said, f"{engine.name} does not say {wanted} to {sql}")


async def in_step(primary):
    """The standby has all that was committed before."""
    await until_said(primary, "SELECT bool_and(flush_lsn >= pg_current_wal_lsn()) FROM pg_stat_replication", "t")


async def cut_off(standby):
    """It receives nothing more."""
    for sql in ("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()"):
        await asyncio.to_thread(ask_postgres, standby, sql)
    await until_said(standby, "SELECT count(*) FROM pg_stat_wal_receiver", "0")


async def revoke(cluster, key):
    """Revokes a key that all servers accepted. The request that they refuse from then on."""
    asked = request("revoked", BOAT, 401, presented(LEARNER, key["key"]))
    await expect_everywhere(cluster, asked, 200)
    await cluster.operator.do("keys", "revoke", key["id"], "--wait")
    return asked


async def expect_everywhere(cluster, asked, status):
    for member in cluster.members:
        answer = await cluster.answered(member.listen, asked)
        expect(answer.status == status, f"{member.name} says {answer}, not {status}")
