"""A cluster as a whole: three servers on shared engines, links between all of them, a load balancer, and the command of
an operator. It is made, used and taken down here; what is done to it and asked of it is for others.
"""

import asyncio
import contextlib
import json
import urllib.parse

from checks.base import PATIENCE, SAMPLE, Broken, expect
from checks.clients import exchange, request
from checks.cluster.load import Bodies, requests_of
from checks.cluster.processes import ENGINES, SERVERS, Balancer, Member, Proxy, until
from checks.command import Catalogue
from checks.sentinels import Most
from checks.services import PAIRS, free_port

# The website of the builder that every release but the first has changed.
WEBSITE = "https://www.angstrom-batar.example"
RELEASES = 3
LEARNER_QUOTA = 1_000_000
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


async def ask(port, asked):
    """The answer from that port, or None."""
    try:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            with contextlib.closing(writer):
                answer = await exchange(reader, writer, asked)
    except OSError:
        return None
    return answer if answer.status is not None else None


class Cluster:
    def __init__(self, found, command, work, serving=None, watched=None):
        """`found` are the engines, `serving` settings of the servers beside them, `watched` a Redis with its sentinels."""
        self.found, self.command, self.work, self.serving = found, command, work, serving or {}
        self.watched = watched
        self.at, self.engines = found.addresses, found.engines
        # The operator's own way to the engines is not disturbed, but by what befalls the engines.
        self.operator = Catalogue(command, work / "operator")
        self.operator.environment |= settings(found, self.at)
        self.releases, self.bodies = [], Bodies()
        # Whoever has it is the only one that changes keys, subscriptions and releases.
        self.commanding = asyncio.Lock()

    async def prepare(self):
        """Everything but the servers: a store, what minute windows need, and releases."""
        await self.operator.tell("store", "init")
        await self.operator.tell("limits", "init")
        for number in range(RELEASES):
            self.releases.append((await self.operator.do("import", self.export(number)))["release"])

    def export(self, number):
        """The sample, in which every body that is asked for differs from release to release."""
        folder = self.work / f"export-{number}"
        folder.mkdir()
        for file in SAMPLE.iterdir():
            text = file.read_text()
            (folder / file.name).write_text(text.replace(WEBSITE, f"{WEBSITE}/{number}"))
        return folder

    async def start(self):
        ports = {name: free_port() for name in SERVERS}
        admin_ports = {f"{name}-admin": free_port() for name in SERVERS}
        links = {f"{name}-{engine}": self.engines[engine].port for name in SERVERS for engine in self.engines}
        self.proxy = Proxy(links | ports | admin_ports)
        self.members = []
        for name in SERVERS:
            at = {engine: with_port(self.at[engine], self.proxy.ports[f"{name}-{engine}"]) for engine in ENGINES}
            own = Catalogue(self.command, self.work / name)
            own.environment |= settings(self.found, at) | self.serving
            self.members.append(Member(own, name, ports[name], admin_ports[f"{name}-admin"]))
        await asyncio.gather(*(member.start() for member in self.members))
        self.balancer = Balancer(self.work, self.members, self.proxy.ports)
        await self.balancer.start()
        if self.watched:
            # No server reaches them by a link of its own.
            self.engines = self.engines | {"sentinels": Most(self.watched)}

    async def reach_store_through(self, way):
        """From now on; servers begin anew, unless they do so already. The store is copied to a pair, which is named by its kind."""
        to, own = self.addresses_of_store(way)
        if self.operator.environment["CATALOGUE_STORE"] == to:
            return
        for member in self.members:
            await member.stop()
        if way in PAIRS:
            await self.copy_store(to)
        self.operator.environment["CATALOGUE_STORE"] = to
        for member in self.members:
            member.catalogue.environment["CATALOGUE_STORE"] = own[member.name]
            await member.start()

    def addresses_of_store(self, way):
        """Those of the operator and of each server, by engine or by both of a pair."""
        if both := PAIRS.get(way):
            own = {name: pair(*(self.proxy.ports[f"{name}-{engine}"] for engine in both)) for name in SERVERS}
            return pair(*(self.engines[engine].port for engine in both)), own
        return self.at[way], {name: with_port(self.at[way], self.proxy.ports[f"{name}-{way}"]) for name in SERVERS}

    async def count_in(self, limits):
        """From now on; servers begin anew, unless they do so already. Whether they did. Sentinels have no links."""
        are_moved = False
        for member in self.members:
            link = self.proxy.ports.get(f"{member.name}-{limits}")
            to = with_port(self.at[limits], link) if link else self.watched.address
            if member.catalogue.environment["CATALOGUE_LIMITS"] != to:
                member.catalogue.environment["CATALOGUE_LIMITS"] = to
                await member.stop()
                await member.start()
                are_moved = True
        return are_moved

    async def until_balanced(self):
        """Waits until the load balancer has a server again."""
        async def is_answered():
            answer = await ask(self.balancer.port, SERVICE)
            return answer is not None and answer.status == 200
        await until(is_answered)

    async def copy_store(self, to):
        before = self.operator.environment["CATALOGUE_STORE"]
        self.operator.environment["CATALOGUE_STORE"] = to
        await self.operator.tell("store", "init")
        self.operator.environment["CATALOGUE_STORE"] = before
        await self.operator.tell("store", "copy", "--to", to)

    async def learn(self):
        """What each release answers, to a key whose charges are not in any history."""
        await self.operator.subscribe("learner", LEARNER_QUOTA)
        secret = (await self.operator.issue("learner"))["key"]
        for release in [*self.releases[1:], self.releases[0]]:
            await self.operator.do("releases", "activate", release)
            for member in self.members:
                await until(lambda member=member: self.serves(member, release))
            for asked in set(requests_of(secret)):
                answer = await ask(self.members[0].port, asked)
                expect(answer is not None and answer.status == asked.status, f"{asked.kind}: {answer}")
                if answer.status == 200:
                    self.bodies.learn(release, answer)

    def pointer(self):
        """What the S3-compatible server keeps as the pointer to the active release: JSON, and a line that proves it."""
        return json.loads((self.engines["s3"].folder / "tests" / "cluster" / "current").read_text().splitlines()[0])

    async def serves(self, member, release):
        """Whether a server, asked directly, serves a release."""
        answer = await ask(member.port, SERVICE)
        return answer is not None and f'"{release}"'.encode() in answer.body

    def end(self):
        """Takes everything down that was begun, in any state."""
        for part in ("balancer", "proxy"):
            if hasattr(self, part):
                getattr(self, part).end()
        for member in getattr(self, "members", []):
            with contextlib.suppress(AttributeError, ProcessLookupError):
                member.go_on()
                member.catalogue.end()

    def check_logs(self):
        """No server may have panicked."""
        for member in self.members:
            text = member.log.read_text(errors="replace")
            if "panicked" in text:
                raise Broken(f"{member.name}: {text[text.index('panicked') - 200:][:600]}")
