"""What befalls a cluster: a process that is killed and comes back or stands still for a while, connections that are
disturbed, and a clock that is wrong. Each is begun, lasts, and is taken away; the cluster recovers by itself.
"""

import asyncio
import contextlib
from dataclasses import dataclass

from checks.cluster.processes import POOLER, REACHED, SERVERS, SKEWED

# How long one lasts, in seconds. Some are shorter and some longer than any time-out.
LASTS = (0.2, 3.0)
# How long a replica does not hear of what is counted before its master is killed, and for how long windows are full after
# a failover.
UNHEARD, FULL_AFTER_FAILOVER = 3.0, 63.0
# How late a delayed connection is, and how wrong a clock, in seconds.
DELAYS, CLOCKS = (0.02, 0.1, 0.5, 2.0), (-90, -10, 10, 90)


@dataclass(frozen=True)
class Disturbance:
    """`what` befalls `on`: an engine, a server, or the links of one server to an engine or of the balancer to it."""
    what: str
    on: str

    @property
    def is_of_server(self):
        """Whether it is a server itself that may not answer, or not be reached."""
        return self.on in SERVERS

    @property
    def befalls_operator(self):
        """Whether it is an engine itself, and not only the links of servers to it. Whoever asks S3 is slowed down."""
        return self.on in REACHED and self.what in ("kill", "stop", "lose", "slow-down")

    @contextlib.asynccontextmanager
    async def befall(self, cluster, random):
        match self.what:
            case "kill":
                process = self.process(cluster)
                process.kill()
                yield
                await (process.start_again() if self.is_of_server else process.start())
            case "stop":
                process = self.process(cluster)
                process.stand_still()
                yield
                process.go_on()
            case "lose":
                process = self.process(cluster)
                process.kill()
                process.lose_data()
                await process.start()
                yield
            case "failover":
                watched = cluster.watched
                watched.cut_off()
                await asyncio.sleep(UNHEARD)
                former = watched.master()
                former.kill()
                yield
                await watched.another_than(former)
                await former.start()
                watched.heal()
            case "clock":
                self.process(cluster).set_clock(random.choice(CLOCKS))
                yield
                self.process(cluster).set_clock(0)
            case "delay":
                self.turn(cluster, "delay", random.choice(DELAYS))
                yield
                self.turn(cluster, "pass")
            case state:
                self.turn(cluster, state)
                yield
                self.turn(cluster, "pass")

    def process(self, cluster):
        if self.on in cluster.engines:
            return cluster.engines[self.on]
        return next(member for member in cluster.members if member.name == self.on)

    def turn(self, cluster, state, seconds=None):
        """An engine's name stands for all links to it, a server's for those of the balancer to it."""
        links = [self.on]
        if self.on in cluster.engines:
            links = [f"{name}-{self.on}" for name in SERVERS]
        elif self.is_of_server:
            links = [self.on, f"{self.on}-admin"]
        for link in links:
            cluster.proxy.turn(link, state, seconds)


def all_disturbances(engines):
    """`engines` are those in use. Sentinels have no links, nor has PostgreSQL that servers reach through a pooler."""
    on_processes = [Disturbance(what, on) for what in ("kill", "stop") for on in (*engines, *SERVERS)]
    unlinked = ("sentinels", "postgres") if POOLER in engines else ("sentinels",)
    linked = [engine for engine in engines if engine not in unlinked]
    to_engines = [Disturbance(what, on) for what in ("reset", "hole", "delay", "garble")
                  for on in (*linked, *(f"{name}-{engine}" for name in SERVERS for engine in linked))]
    to_engines += [Disturbance("slow-down", on) for on in ("s3", *(f"{name}-s3" for name in SERVERS))]
    to_servers = [Disturbance(what, on) for what in ("reset", "hole", "delay") for on in SERVERS]
    return [*on_processes, *to_engines, *to_servers, Disturbance("clock", SKEWED)]


def some(random, engines, failovers):
    """Without end, each kind and each whom it befalls about as often as the others."""
    by_kind = {failover: [failover] for failover in failovers}
    for one in all_disturbances(engines):
        engine = next((name for name in engines if one.on.endswith(name)), None)
        by_kind.setdefault((one.what, engine or "server", one.on in engines), []).append(one)
    while True:
        kinds = list(by_kind.values())
        random.shuffle(kinds)
        for kind in kinds:
            yield random.choice(kind)


async def lasting(random):
    await asyncio.sleep(random.uniform(*LASTS))
