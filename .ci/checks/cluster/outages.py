"""Every outage of the table in server/deploy/unavailable.md, produced one after the other, and whether what is observed is
what its row says. What the row says is read there; how its outage is made is here, and no row is left out. Where only Redis is
away nothing is refused because of it, and afterwards servers count together again, exactly.

A state is waited for, and then held. The seconds of the table are not: the machine may be busy.
"""

import asyncio
import time

from checks.base import ROOT, expect, until
from checks.clients import Settled, ask
from checks.cluster import promises
from checks.cluster.assembly import SERVICE, with_port
from checks.cluster.counting import until_counting
from checks.cluster.disturbances import Disturbance
from checks.cluster.failover import FailsOver
from checks.cluster.operating import KNOWN_WITHIN, operated
from checks.cluster.refusals import Refusals, is_of_redis
from checks.cluster.traffic import requests_of
from checks.command import Catalogue
from checks.sentinels import sentinels
from checks.services import PAIRS, add_pair

PAGE = ROOT / "server" / "deploy" / "unavailable.md"
HEADING = "| Outage | Readers | Commands | Afterwards |"
# After so many answers in a row a cluster answers, or refuses; so many more are held to a refusal.
ANSWERED, REFUSED, HELD = 150, 30, 100
# A minute limit that servers have to grant together, exactly, and how many new keys are tried at most, because a busy server
# counted alone or refused what it could not confirm.
TIGHT, ATTEMPTS = 30, 20
# How a cell begins that says what readers see, and whether that is a refusal.
READERS = {"503": True, "answered": False}
# Commands: of keys and subscriptions, and of releases; and how a cell begins that says which of them fail.
KEYS, RELEASES = ("keys", "list", "--json"), ("releases", "list", "--json")
COMMANDS = {"those on keys and usage fail (3)": KEYS, "those on releases": RELEASES, "work": None}


def each(on, *whats):
    return [Disturbance(what, on) for what in whats or ("kill", "stop", "hole")]


# By how the store is reached, or where minutes are counted: the outages, in the words of the page. The asynchronous pair comes
# last, because charges may be lost there.
MADE = {
    "postgres": {
        "PostgreSQL, or PgBouncer before it, is gone, hangs or cannot be reached": each("postgres"),
        "One server cannot reach PostgreSQL": each("catalogue-1-postgres", "hole"),
        "Redis is gone, hangs, answers with garbage, or has lost its counts":
            each("redis", "kill", "stop", "hole", "garble", "lose"),
        "One server cannot reach Redis": each("catalogue-2-redis", "hole"),
        "S3 is gone, hangs, cannot be reached, or asks for fewer requests (503 SlowDown)":
            each("s3", "kill", "stop", "hole", "slow-down"),
        "A server is killed, hangs or cannot be reached":
            [Disturbance("kill", "catalogue-3"), Disturbance("stop", "catalogue-2"), Disturbance("hole", "catalogue-1")],
        "The clock of a server is wrong": each("catalogue-3", "clock"),
    },
    "pgbouncer": {
        "PostgreSQL, or PgBouncer before it, is gone, hangs or cannot be reached":
            [*each("pgbouncer"), *each("postgres", "kill", "stop")],
    },
    "sync": {
        "PostgreSQL's primary is gone, and a standby takes over": [FailsOver("sync")],
    },
    "sentinels": {
        "Redis fails over to a replica": each("sentinels", "failover"),
        "Most sentinels are gone or hang": each("sentinels", "kill", "stop"),
    },
    "async": {
        "PostgreSQL's primary is gone, and a standby takes over": [FailsOver("async")],
    },
}


def rows():
    """What the page says of each outage: of readers and of commands."""
    text = PAGE.read_text()
    expect(HEADING in text, f"{PAGE.name} has no table with the heading {HEADING}")
    table = text[text.index(HEADING):].partition("\n\n")[0].splitlines()[2:]
    said = {what: (readers, commands) for what, readers, commands, _ in (row.strip("| ").split(" | ") for row in table)}
    made = {what for outages in MADE.values() for what in outages}
    expect(said.keys() == made, f"rows of {PAGE.name} that nothing makes, or the other way round: {said.keys() ^ made}")
    return {what: (meaning(READERS, readers), meaning(COMMANDS, commands)) for what, (readers, commands) in said.items()}


def meaning(of, cell):
    found = [one for beginning, one in of.items() if cell.startswith(beginning)]
    expect(found, f"nothing is known of what {PAGE.name} says: {cell}")
    return found[0]


class Outages:
    def __init__(self, operator, random):
        self.operator, self.cluster, self.random, self.settled = operator, operator.cluster, random, Settled()
        self.rows, self.refusals = rows(), Refusals(self.cluster)

    async def run(self):
        for reached, outages in MADE.items():
            if reached == "sentinels":
                await self.cluster.count_in(reached)
            else:
                await self.cluster.reach_store_through(reached)
            async with self.cluster.traffic.through(self.cluster.balancer.port, self.note):
                for what, faults in outages.items():
                    for fault in faults:
                        await self.settled.settle(False, ANSWERED)
                        await self.produce(what, fault)
                await self.settled.settle(False, ANSWERED)
            if reached != "async":
                await self.check_ledger()

    async def check_ledger(self):
        """Nothing that was answered is forgotten, whatever happened."""
        used = await self.cluster.operator.used()
        received = promises.received_200s(self.cluster.traffic.entries, self.operator.keys)
        for name, count in received.items():
            expect(count <= used[name], f"{name}: {count} answers were received, {used[name]} are charged")

    def note(self, answer):
        expect(answer.status in (None, 503, answer.request.status), f"not {answer.request.status}: {answer}")
        self.settled.note(answer)
        self.refusals.note(answer)

    async def produce(self, what, fault):
        began, (is_refused, failing) = time.monotonic(), self.rows[what]
        async with fault.befall(self.cluster, self.random):
            await self.observe_readers(is_refused, fault)
            if "Redis" in what:
                await until_counting(self.without_redis(fault), alone=True)
            await self.observe_commands(failing, fault)
            if fault in (Disturbance("kill", "s3"), Disturbance("slow-down", "s3")):
                await self.restart()
            if is_refused:
                with self.settled.refusing():
                    await until(lambda: HELD <= self.settled.held, "nothing is refused any more, nor answered")
        ended = time.monotonic()
        await self.settled.settle(False, ANSWERED)
        await until_counting(self.cluster.members, alone=False)
        recovered = time.monotonic() - ended
        print(f"{what}: {fault.what} {fault.on}, {ended - began:.1f} s; recovered {recovered:.1f} s later", flush=True)
        if is_of_redis(fault):
            self.refusals.check(began)
            await self.count_together()
        if hasattr(fault, "afterwards"):
            await fault.afterwards(self.cluster)

    async def observe_readers(self, is_refused, fault):
        await self.settled.settle(is_refused, REFUSED if is_refused else ANSWERED)
        for member in self.cluster.members:
            if member.name != fault.on:
                await until(lambda member=member: self.is_answered(member), f"{member.name} does not answer what needs no key")

    def without_redis(self, fault):
        """The servers that cannot reach it, each of which says that it counts alone."""
        named = [member for member in self.cluster.members if fault.on.startswith(member.name)]
        return named or self.cluster.members

    async def count_together(self):
        """All servers do: to a new key they grant its limit."""
        for _ in range(ATTEMPTS):
            key = await self.operator.issue(self.operator.ample, TIGHT)
            await asyncio.sleep(KNOWN_WITHIN)
            await until_counting(self.cluster.members, alone=False)
            asked, began = requests_of(key)[0], time.monotonic()
            statuses = [(await ask(member.listen, asked)).status for _ in range(TIGHT) for member in self.cluster.members]
            is_alone = any(began <= span.ended for span in self.cluster.counting.alone())
            if {*statuses} <= {200, 429} and not is_alone and time.monotonic() < began + promises.WINDOW:
                granted = statuses.count(200)
                expect(granted == TIGHT, f"servers that count together granted {granted} requests, of {TIGHT}")
                return
        expect(False, f"this machine is too busy: in each of {ATTEMPTS} attempts a server counted alone or refused something")

    async def is_answered(self, member):
        return (await ask(member.listen, SERVICE)).status == 200

    async def observe_commands(self, failing, fault):
        environment = {}
        if fault.what == "slow-down":
            # Only links say that S3 has too many requests: the operator goes by one of them.
            link = self.cluster.proxy.ports[f"{self.cluster.members[0].name}-s3"]
            environment["AWS_ENDPOINT_URL"] = with_port(self.cluster.at["s3"], link)
        for command in (KEYS, RELEASES):
            status, said = await asyncio.to_thread(self.cluster.operator.attempt, *command, **environment)
            wanted = 3 if command == failing and fault.befalls_operator else 0
            expect(status == wanted, f"{' '.join(command)} ends with {status}, not {wanted}: {said}")

    async def restart(self):
        """A server that has a release starts with it; one that has none does not start."""
        member = self.cluster.members[0]
        await member.stop()
        await member.start()
        new = Catalogue(member.catalogue.command, self.cluster.work / "new")
        new.environment |= member.catalogue.environment
        status, said = await asyncio.to_thread(new.attempt, "serve", "--listen", "127.0.0.1:0", "--admin", "off")
        expect(status == 3, f"a new server ends with {status}: {said}")


async def run(found, command, work, random):
    for kind in PAIRS:
        add_pair(found, kind)
    with sentinels(found.folder) as watched:
        async with operated(found, command, work, random, watched=watched) as operator:
            await Outages(operator, random).run()
