"""A cluster as a whole: three servers on shared engines, links between all of them, a load balancer, the command of an
operator, and what clients ask. It is made, used and taken down here; what is done to it is for others.
"""

import asyncio
import contextlib
import urllib.parse

from checks.base import SAMPLE, expect, until
from checks.clients import ask, catalogue_requests, request
from checks.cluster.counting import Counting
from checks.cluster.processes import ENGINES, SERVERS, Balancer, Member, Proxy
from checks.cluster.traffic import Traffic, presented
from checks.command import Catalogue
from checks.sentinels import Most
from checks.services import PAIRS

# The website of the builder that every release but the first has changed.
WEBSITE = "https://www.angstrom-batar.example"
RELEASES = 3
LEARNER, LEARNER_QUOTA = "learner", 1_000_000
SERVICE = request("service", "/v1", 200)


def pair(primary, standby):
    """The address of both, at these ports."""
    return f"postgres://tests@127.0.0.1:{primary},127.0.0.1:{standby}/postgres"


def with_port(address, port):
    """The same address at another port."""
    parts = urllib.parse.urlsplit(address)
    return parts._replace(netloc=parts.netloc.replace(f":{parts.port}", f":{port}")).geturl()


def settings(found, at):
    """The engines at these addresses, for the command."""
    access = {name: value for name, value in found.environment.items() if name.startswith("AWS_")}
    return access | {"CATALOGUE_STORE": at["postgres"], "CATALOGUE_LIMITS": at["redis"], "AWS_ENDPOINT_URL": at["s3"],
                     "CATALOGUE_RELEASES": f"{found.environment['CATALOGUE_TEST_S3']}/cluster"}


class Cluster:
    def __init__(self, found, command, work, random, serving=None, watched=None, is_patient=False):
        """`found` are the engines, `serving` settings of the servers beside them, `watched` a Redis with its sentinels."""
        self.found, self.work, self.serving, self.watched, self.is_patient = found, work, serving or {}, watched, is_patient
        self.at, self.engines = found.addresses, found.engines
        # The operator's own way to the engines is not disturbed, but by what befalls the engines.
        self.operator = Catalogue(command, work / "operator")
        self.operator.environment |= settings(found, self.at)
        self.releases, self.members, self.traffic = [], [], Traffic(random)
        # Whoever has it is the only one that changes keys, subscriptions and releases.
        self.commanding = asyncio.Lock()

    async def prepare(self):
        """Everything but the servers: a store, and releases."""
        await self.operator.tell("store", "init")
        for number in range(RELEASES):
            self.releases.append((await self.operator.do("import", self.export(number)))["release"])

    def export(self, number):
        """The sample, in which every body that is asked for differs from release to release."""
        folder = self.work / f"export-{number}"
        folder.mkdir()
        for file in SAMPLE.iterdir():
            (folder / file.name).write_text(file.read_text().replace(WEBSITE, f"{WEBSITE}/{number}"))
        return folder

    async def start(self):
        self.members = [Member(Catalogue(self.operator.command, self.work / name), name) for name in SERVERS]
        ports = {f"{name}-{engine}": self.engines[engine].port for name in SERVERS for engine in self.engines}
        for member in self.members:
            ports |= {member.name: member.listen, f"{member.name}-admin": member.admin_port}
        self.proxy = Proxy(ports)
        for member in self.members:
            at = {engine: self.by_link(member, engine) for engine in ENGINES}
            member.catalogue.environment |= settings(self.found, at) | self.serving
        await asyncio.gather(*(member.start() for member in self.members))
        self.counting = Counting(self.members)
        self.watching = asyncio.create_task(self.counting.watch())
        self.balancer = Balancer(self.work, self.members, self.proxy.ports, self.is_patient)
        self.balancer.start()
        if self.watched:
            # No server reaches them by a link of its own.
            self.engines = self.engines | {"sentinels": Most(self.watched)}

    def member(self, name):
        return next(member for member in self.members if member.name == name)

    def by_link(self, member, engine):
        """The address by which a server reaches an engine."""
        return with_port(self.at[engine], self.proxy.ports[f"{member.name}-{engine}"])

    async def move(self, variable, addresses, meanwhile=None):
        """Has servers begin anew with other addresses, by their names, unless they have them already."""
        if all(member.catalogue.environment[variable] == addresses[member.name] for member in self.members):
            return
        for member in self.members:
            await member.stop()
        if meanwhile:
            await meanwhile
        for member in self.members:
            member.catalogue.environment[variable] = addresses[member.name]
            await member.start()

    async def reach_store_through(self, way):
        """From now on. The store is copied to a pair, which is named by its kind."""
        both = PAIRS.get(way)
        if not both:
            await self.move("CATALOGUE_STORE", {member.name: self.by_link(member, way) for member in self.members})
            self.operator.environment["CATALOGUE_STORE"] = self.at[way]
            return
        to = pair(*(self.engines[engine].port for engine in both))
        own = {name: pair(*(self.proxy.ports[f"{name}-{engine}"] for engine in both)) for name in SERVERS}
        if self.operator.environment["CATALOGUE_STORE"] != to:
            await self.move("CATALOGUE_STORE", own, self.copy_store(to))
            self.operator.environment["CATALOGUE_STORE"] = to

    async def copy_store(self, to):
        before = self.operator.environment["CATALOGUE_STORE"]
        self.operator.environment["CATALOGUE_STORE"] = to
        await self.operator.tell("store", "init")
        self.operator.environment["CATALOGUE_STORE"] = before
        await self.operator.tell("store", "copy", "--to", to)

    async def count_in(self, limits):
        """From now on. Sentinels have no links."""
        await self.move("CATALOGUE_LIMITS", {
            member.name: self.watched.address if limits == "sentinels" else self.by_link(member, limits)
            for member in self.members})

    async def learn(self):
        """What each release answers, to a key whose charges are not in any history."""
        await self.operator.subscribe(LEARNER, LEARNER_QUOTA)
        key = presented(LEARNER, (await self.operator.issue(LEARNER))["key"])
        for release in [*self.releases[1:], self.releases[0]]:
            await self.operator.do("releases", "activate", release)
            await self.until_served(release)
            for asked in catalogue_requests(key):
                answer = await self.answered(self.members[0].listen, asked)
                expect(answer.status == asked.status, str(answer))
                if answer.status == 200:
                    self.traffic.learn(release, answer)

    async def answered(self, port, asked):
        """An answer that says something: a busy machine may take longer than a request waits."""
        answer = None

        async def says_something():
            nonlocal answer
            answer = await ask(port, asked)
            return answer.status not in (None, 503)
        await until(says_something, lambda: str(answer))
        return answer

    async def until_served(self, release):
        """By each server, asked directly."""
        async def is_served(member):
            return f'"{release}"'.encode() in (await ask(member.listen, SERVICE)).body
        for member in self.members:
            await until(lambda member=member: is_served(member), f"{member.name} does not follow to {release}")

    def end(self):
        """Takes everything down that was begun, in any state."""
        if hasattr(self, "watching"):
            self.watching.cancel()
        for part in ("balancer", "proxy"):
            if hasattr(self, part):
                getattr(self, part).end()
        for member in self.members:
            with contextlib.suppress(AttributeError, ProcessLookupError):
                member.go_on()
                member.catalogue.end()

    def check_logs(self):
        """No server may have panicked."""
        for member in self.members:
            expect("panicked" not in member.log.read_text(errors="replace"), f"{member.name}: a thread panicked: {member.log}")
