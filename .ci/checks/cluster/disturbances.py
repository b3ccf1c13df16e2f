"""What befalls a cluster: a process that is killed and comes back or stands still for a while, connections that are
disturbed, and a clock that is wrong. Each is begun, lasts, and is taken away; the cluster recovers by itself.
"""

import contextlib
from dataclasses import dataclass

from checks.cluster.processes import POOLER, REACHED, SERVERS, SKEWED

# How long one lasts, in seconds. Some are shorter and some longer than any time-out.
LASTS = (0.2, 3.0)
# How late a delayed connection is, and how wrong a clock, in seconds.
DELAYS, CLOCKS = (0.02, 0.1, 0.5, 2.0), (-90, -10, 10, 90)


@dataclass(frozen=True)
class Disturbance:
    """`what` befalls `on`: an engine, a server, or the links of one server to an engine or of the balancer to it."""
    what: str
    on: str

    @property
    def befalls_operator(self):
        """Whether it is an engine itself, and not only the links of servers to it. Whoever asks S3 is slowed down."""
        return self.on in REACHED and self.what in ("kill", "stop", "slow-down")

    @contextlib.asynccontextmanager
    async def befall(self, cluster, random):
        match self.what:
            case "kill":
                process = self.process(cluster)
                process.kill()
                yield
                await (process.start_again() if self.on in SERVERS else process.start())
            case "stop":
                process = self.process(cluster)
                process.stand_still()
                yield
                process.go_on()
            case "lose":
                process = self.process(cluster)
                process.kill()
                process.lose_data()
                yield
                await process.start()
            case "failover":
                former = cluster.watched.master()
                former.kill()
                yield
                await cluster.watched.another_than(former)
                await former.start()
            case "clock":
                self.process(cluster).clock.set(random.choice(CLOCKS))
                yield
                self.process(cluster).clock.set(0)
            case state:
                self.turn(cluster, state, random.choice(DELAYS) if state == "delay" else None)
                yield
                self.turn(cluster, "pass")

    def process(self, cluster):
        return cluster.engines.get(self.on) or cluster.member(self.on)

    def turn(self, cluster, state, seconds=None):
        """An engine's name stands for all links to it, a server's for those of the balancer to it."""
        links = [self.on]
        if self.on in cluster.engines:
            links = [f"{name}-{self.on}" for name in SERVERS]
        elif self.on in SERVERS:
            links = [self.on, f"{self.on}-admin"]
        for link in links:
            cluster.proxy.turn(link, state, seconds)


def by_kind(engines):
    """All of one kind that may befall engines of one name, or servers. Sentinels have no links, nor has PostgreSQL that servers
    reach through a pooler."""
    for what in ("kill", "stop"):
        yield from ([Disturbance(what, engine)] for engine in engines)
        yield [Disturbance(what, server) for server in SERVERS]
    for engine in engines:
        if engine != "sentinels" and (engine, POOLER in engines) != ("postgres", True):
            for what in ("reset", "hole", "delay", "garble", *["slow-down"] * (engine == "s3")):
                yield [Disturbance(what, engine)]
                yield [Disturbance(what, f"{server}-{engine}") for server in SERVERS]
    for what in ("reset", "hole", "delay"):
        yield [Disturbance(what, server) for server in SERVERS]
    yield [Disturbance("clock", SKEWED)]


def some(random, engines, failovers):
    """Without end, each kind about as often as the others. `engines` are those in use. Even a short storm has all failovers."""
    yield from failovers
    kinds = [*by_kind(engines), *([failover] for failover in failovers)]
    while True:
        random.shuffle(kinds)
        for kind in kinds:
            yield random.choice(kind)
