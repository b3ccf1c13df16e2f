"""Every outage of the table in server/deploy/unavailable.md, produced one after the other under load, and whether what is
observed is what the table says. The table is data here; the page has to have each row of it, word for word.
"""

import asyncio
import itertools
import subprocess
import time
from dataclasses import dataclass

from checks.base import PATIENCE, ROOT, expect
from checks.cluster import promises
from checks.cluster.assembly import SERVICE, Cluster, ask, with_port
from checks.cluster.disturbances import FULL_AFTER_FAILOVER, Disturbance
from checks.cluster.failover import ComesBack, TakesOver, TakesOverLate
from checks.cluster.history import History, Span
from checks.cluster.load import Load, Pool, requests_of
from checks.cluster.operating import Operator
from checks.sentinels import scripts_run, sentinels
from checks.services import PAIRS, add_pair

# How long one lasts; how soon it is as the table says, and how soon it is over afterwards, in seconds: half of one, and more
# where PostgreSQL first has to recover on a busy disk.
LASTS, SETTLED, RECOVERED_WITHIN = 5.0, 2.0, 5.0
# How long windows are full that may have lost counts, and how long load goes on between two outages.
FULL, BETWEEN = 60.0, 3.0
# How often a key with a tight limit is asked then beside one request of another.
TIGHT_WEIGHT = 0.5
# What the table says of readers. The share of requests that is refused, at least and at most.
ANSWERED, REFUSED, SOME = (0.0, 0.0), (1.0, 1.0), (0.05, 0.95)
# Commands: of keys and subscriptions, and of releases.
KEYS, RELEASES = ("keys", "list", "--json"), ("releases", "list", "--json")


@dataclass(frozen=True)
class Outage:
    """A row of the table, and what it means. `fail` are the commands that end with 3; others succeed."""
    what: str
    readers: str
    commands: str
    afterwards: str
    faults: tuple
    refused: tuple
    fail: tuple = ()
    lasts: float = LASTS
    # Through which engine the store is reached, or on which kind of pair it is.
    store: str = "postgres"

    def row(self):
        return f"| {self.what} | {self.readers} | {self.commands} | {self.afterwards} |"


def on(*faults):
    return tuple(Disturbance(what, whom) for what, whom in faults)


OUTAGES = (
    Outage("PostgreSQL is gone, hangs or cannot be reached", "503 within a second; `/v1` and `/health` of servers answer",
           "those on keys and usage fail (3)", "answers within 5 s",
           on(("kill", "postgres"), ("stop", "postgres"), ("hole", "postgres"), ("reset", "postgres"), ("garble", "postgres")),
           REFUSED, (KEYS,)),
    Outage("One server cannot reach PostgreSQL", "answered: it says that it is not ready, the others take its place", "work",
           "within 5 s it takes part again", on(("hole", "catalogue-1-postgres"), ("reset", "catalogue-1-postgres")),
           ANSWERED),
    Outage("Redis is gone, hangs or cannot be reached", "503 at once; `/v1` and `/health` answer", "work",
           "answers within 5 s",
           on(("kill", "redis"), ("stop", "redis"), ("hole", "redis"), ("reset", "redis"), ("garble", "redis")), REFUSED),
    Outage("One server cannot reach Redis", "503 from that server only", "work", "answers within 5 s",
           on(("hole", "catalogue-2-redis"), ("reset", "catalogue-2-redis")), SOME),
    Outage("Redis has lost what it counted", "503 for 60 s, until no window can hold anything that was lost", "work",
           "answers within 5 s", on(("lose", "redis")), REFUSED, (), FULL - 2),
    Outage("S3 is gone, hangs or cannot be reached",
           "answered from the release that is served; servers start with their last one, new ones do not start",
           "those on releases fail (3)", "servers follow within 5 s",
           on(("kill", "s3"), ("stop", "s3"), ("hole", "s3"), ("garble", "s3")), ANSWERED, (RELEASES,)),
    Outage("S3 asks for fewer requests (503 SlowDown)",
           "answered from the release that is served; servers start with their last one, new ones do not start",
           "those on releases try again for up to 3.5 s, then fail (3)", "servers follow within 5 s",
           on(("slow-down", "s3"),), ANSWERED, (RELEASES,)),
    Outage("A server is killed, hangs or cannot be reached", "answered by the others within 2 s", "work",
           "it takes part again within 5 s of its start",
           on(("kill", "catalogue-3"), ("stop", "catalogue-2"), ("hole", "catalogue-1")), ANSWERED),
    Outage("The clock of a server is wrong",
           "answered, and charged to the month that it shows; times in headers are wrong too",
           "work; `doctor` and the log tell", "at once",
           on(("clock", "catalogue-3")), ANSWERED),
    Outage("PgBouncer, or PostgreSQL behind it, is gone, hangs or cannot be reached",
           "503 within a second; `/v1` and `/health` of servers answer", "those on keys and usage fail (3)",
           "answers within 5 s",
           on(("kill", "pgbouncer"), ("stop", "pgbouncer"), ("hole", "pgbouncer"), ("reset", "pgbouncer"),
              ("kill", "postgres"), ("stop", "postgres")), REFUSED, (KEYS,), store="pgbouncer"),
    Outage("PostgreSQL's primary is gone, and its synchronous standby takes over",
           "503 until it is promoted; `/v1` and `/health` of servers answer", "those on keys and usage fail (3)",
           "answers within 5 s of the promotion; nothing that was charged or revoked is lost", (TakesOver(),), REFUSED, (KEYS,),
           store="sync"),
    Outage("A former primary comes back, and can be written to", "answered: nobody goes back to it", "work", "at once",
           (ComesBack(),), ANSWERED, store="sync"),
    Outage("PostgreSQL's primary is gone, and an asynchronous standby takes over",
           "503 until it is promoted; `/v1` and `/health` of servers answer", "those on keys and usage fail (3)",
           "answers within 5 s of the promotion; what was lost is charged again, servers refuse keys whose revocation was lost, "
           "and the log tells", (TakesOverLate(),), REFUSED, (KEYS,), store="async"),
)
# The same where sentinels name the Redis.
BEHIND_SENTINELS = (
    Outage("Redis fails over to a replica", "503 until it is promoted and 63 s more, until no window can miss a count",
           "work", "answers within 5 s", on(("failover", "redis")), REFUSED, (), FULL - 2),
    Outage("Most sentinels are gone or hang", "503 within 2 s; `/v1` and `/health` answer", "work", "answers within 5 s",
           on(("kill", "sentinels"), ("stop", "sentinels")), REFUSED),
)
HEADING = ("| Outage | Readers | Commands | Afterwards |", "|---|---|---|---|")


class Outages:
    def __init__(self, found, watched, command, work, random):
        self.random, self.pool = random, Pool(random)
        self.cluster, self.history = Cluster(found, command, work, watched=watched), History(work / "history.tsv")
        self.operator, self.findings, self.spans = Operator(self.cluster, self.pool, random), [], []

    async def run(self):
        await self.cluster.prepare()
        await self.operator.prepare()
        for key in [*self.operator.tight]:
            self.pool.drop(key.name)
        await self.cluster.start()
        await self.cluster.learn()
        for store, outages in itertools.groupby(OUTAGES, lambda outage: outage.store):
            await self.cluster.reach_store_through(store)
            await self.under_load(outages)
        await self.cluster.operator.tell("limits", "init", self.cluster.watched.address)
        await self.cluster.count_in("sentinels")
        await asyncio.sleep(BETWEEN)
        await self.under_load(BEHIND_SENTINELS)
        self.used = await self.cluster.operator.used()
        self.cluster.check_logs()

    async def under_load(self, outages):
        await asyncio.sleep(BETWEEN)
        load = Load(self.cluster.balancer.port, self.pool, self.cluster.bodies, self.history).start()
        for outage in outages:
            for fault in outage.faults:
                await asyncio.sleep(BETWEEN)
                await self.produce(outage, fault)
        await asyncio.sleep(BETWEEN)
        await load.stop()

    def use_up_limits(self):
        """Keys come over their minute limits within seconds, which no replica may have heard of."""
        for key in self.operator.tight:
            self.pool.put(key.name, requests_of(key.secret), TIGHT_WEIGHT)

    async def produce(self, outage, fault):
        began, former = time.monotonic(), self.cluster.watched.master()
        if fault.what == "failover":
            self.use_up_limits()
        async with fault.befall(self.cluster, self.random):
            if fault.what == "promote":
                began = time.monotonic()
            full = FULL - outage.lasts if fault.what == "lose" else 0.0
            if fault.what == "failover":
                began = time.monotonic()
                await self.cluster.watched.another_than(former)
                print(f"another Redis was promoted after {time.monotonic() - began:.1f} s")
                full = time.monotonic() + FULL_AFTER_FAILOVER - began - outage.lasts
            else:
                await asyncio.sleep(SETTLED)
            await self.observe(outage, fault)
            await asyncio.sleep(max(0.0, began + outage.lasts - time.monotonic()))
            ending = time.monotonic()
        ended = max(time.monotonic(), ending + full)
        self.spans.append((outage, fault, Span(fault.what, began + SETTLED, ending), ended))
        await asyncio.sleep(ended - time.monotonic())
        if fault.what == "failover":
            self.expect(not scripts_run(former), fault, "the former master was asked to count after it had come back")
        if hasattr(fault, "afterwards"):
            await fault.afterwards(self.cluster)

    async def observe(self, outage, fault):
        """What commands say, and servers to those without a key."""
        for command in (KEYS, RELEASES):
            done = await asyncio.to_thread(self.try_command, command, fault)
            wanted = 3 if command in outage.fail and fault.befalls_operator else 0
            self.expect(done.returncode == wanted, fault, f"{' '.join(command)} ends with {done.returncode}: {done.stderr}")
        for member in self.cluster.members:
            if member.name != fault.on:
                answer = await ask(member.port, SERVICE)
                self.expect(answer is not None and answer.status == 200, fault, f"{member.name} says {answer} to /v1")
        if fault in (Disturbance("kill", "s3"), Disturbance("slow-down", "s3")):
            await self.restart(fault)

    def try_command(self, arguments, fault, data=None):
        operator = self.cluster.operator
        return subprocess.run([operator.command, "--data", data or operator.data, *arguments], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, env=operator.environment | self.way(fault),
                              timeout=PATIENCE)

    def way(self, fault):
        """Where only links say that S3 has too many requests, the operator goes by one of them."""
        if fault.what != "slow-down":
            return {}
        link = self.cluster.proxy.ports[f"{self.cluster.members[0].name}-s3"]
        return {"AWS_ENDPOINT_URL": with_port(self.cluster.at["s3"], link)}

    async def restart(self, fault):
        """A server that has a release starts with it; one that has none does not start."""
        member = self.cluster.members[0]
        await member.stop()
        await member.start()
        new = await asyncio.to_thread(self.try_command, ("serve", "--listen", "127.0.0.1:0", "--admin", "off"), fault,
                                      self.cluster.work / "new")
        self.expect(new.returncode == 3, fault, f"a new server ends with {new.returncode}: {new.stderr}")

    def expect(self, kept, fault, otherwise):
        if not kept:
            self.findings.append(f"{fault.what} {fault.on}: {otherwise}")

    def check(self):
        entries = self.history.entries()
        print(f"{'OUTAGE':<76}{'BY':<28}{'REFUSED':>8}{'RECOVERY, s':>13}")
        for number, (outage, fault, span, ended) in enumerate(self.spans):
            within = [one for one in entries if span.began < one.sent and one.received < span.ended]
            refused = sum(one.status in promises.AWAY for one in within) / max(1, len(within))
            until = self.spans[number + 1][2].began - SETTLED if number + 1 < len(self.spans) else float("inf")
            late = [one.sent - ended for one in entries if ended < one.sent and one.received < until and one.status in promises.AWAY]
            recovered = max(late, default=0.0)
            print(f"{outage.what:<76}{f'{fault.what} {fault.on}':<28}{refused:>8.0%}{recovered:>13.2f}")
            least, most = outage.refused
            self.expect(within and least <= refused <= most, fault, f"{refused:.1%} of {len(within)} requests were refused")
            self.expect(recovered <= RECOVERED_WITHIN, fault, f"a request {recovered:.2f} s after it was refused")
        keys = self.operator.keys.items()
        received = promises.received_200s(entries, {name: key.subscription for name, key in keys})
        for name, count in received.items():
            if self.used[name] < count:
                self.findings.append(f"{name}: {count} answers were received, {self.used[name]} are charged")
        windows = {name: key.window for name, key in self.operator.keys.items()}
        self.findings += promises.minute_limits(entries, windows, self.operator.limits)
        page = (ROOT / "server/deploy/unavailable.md").read_text()
        for row in (*HEADING, *(outage.row() for outage in (*OUTAGES, *BEHIND_SENTINELS))):
            if row not in page:
                self.findings.append(f"unavailable.md does not have the row: {row}")
        expect(not self.findings, "\n  ".join([f"{len(self.findings)} findings", *self.findings]))


async def run(found, command, work, random):
    for kind in PAIRS:
        add_pair(found, kind)
    with sentinels(found.folder) as watched:
        outages = Outages(found, watched, command, work, random)
        try:
            await outages.run()
            outages.check()
        finally:
            outages.cluster.end()
