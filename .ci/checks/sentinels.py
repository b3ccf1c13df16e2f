"""A Redis with a replica, and three sentinels that let the replica take its place, on free ports of this machine: with the
settings of server/deploy/several-servers.md. And one that is part of a Redis Cluster, which is refused.
"""

import asyncio
import contextlib

from checks.base import PATIENCE, free_port, run, until
from checks.services import Engine, redis_server

# The name under which sentinels watch it, and what they are told besides.
MASTER = "limits"
WATCHED = ("down-after-milliseconds 2000", "failover-timeout 10000", "parallel-syncs 1")
STORED = ("appendonly yes", "appendfsync everysec", 'save ""', "repl-diskless-sync-delay 0")
SERVERS, SENTINELS, QUORUM = 2, 3, 2


class Sentinels:
    """The servers and those that watch them, while they run."""

    def __init__(self, folder):
        self.folder, self.engines = folder, []
        first = free_port()
        ports = [first, *(free_port() for _ in range(SERVERS - 1))]
        self.servers = [self.engine(f"watched-{number}", port, *STORED, f"replicaof 127.0.0.1 {first}" if number else "")
                        for number, port in enumerate(ports)]
        self.watchers = [
            self.engine(f"sentinel-{number}", free_port(), f"sentinel monitor {MASTER} 127.0.0.1 {first} {QUORUM}",
                        *(f"sentinel {setting.replace(' ', f' {MASTER} ')}" for setting in WATCHED), options=("--sentinel",))
            for number in range(SENTINELS)]

    def engine(self, name, port, *settings, options=()):
        """One with a configuration of its own, which it changes where sentinels say so."""
        data = self.folder / name
        data.mkdir()
        configuration = data / "redis.conf"
        configuration.write_text("\n".join(("bind 127.0.0.1", f"port {port}", f"dir {data}", *settings, "")))
        engine = Engine(self.folder, name, port, redis_server(), configuration, *options)
        self.engines.append(engine)
        return engine

    @property
    def address(self):
        return f"redis+sentinel://{','.join(f'127.0.0.1:{one.port}' for one in self.watchers)}/{MASTER}/0"

    def begin(self):
        for engine in self.engines:
            engine.begin()
        for watcher in self.watchers:
            watcher.wait_for(lambda watcher=watcher: self.knows_all(watcher), "does not know all others")

    def knows_all(self, watcher):
        known = self.known(watcher)
        return (int(known["num-other-sentinels"]), int(known["num-slaves"]), known["flags"]) == (
            SENTINELS - 1, SERVERS - 1, "master")

    def known(self, watcher):
        """What a sentinel knows of the master."""
        lines = ask(watcher.port, "SENTINEL", "MASTER", MASTER).splitlines()
        return dict(zip(lines[::2], lines[1::2]))

    def master(self):
        """The server that most sentinels name."""
        ports = sorted(int(self.known(watcher)["port"]) for watcher in self.watchers)
        return next(server for server in self.servers if server.port == ports[SENTINELS // 2])

    async def another_than(self, former):
        """Waits until the sentinels name another master."""
        async def is_named():
            return await asyncio.to_thread(self.master) is not former
        await until(is_named, "sentinels name no other master")

    def end(self):
        for engine in self.engines:
            engine.end()


def ask(port, *command):
    """What a Redis answers, with one line for each part."""
    return run("redis-cli", "-h", "127.0.0.1", "-p", port, *command, timeout=PATIENCE)


class Most:
    """As many sentinels as it takes that the others are too few."""

    def __init__(self, watched):
        self.some = watched.watchers[:QUORUM]

    def kill(self):
        for engine in self.some:
            engine.kill()

    async def start(self):
        for engine in self.some:
            await engine.start()

    def stand_still(self):
        for engine in self.some:
            engine.stand_still()

    def go_on(self):
        for engine in self.some:
            engine.go_on()


@contextlib.contextmanager
def sentinels(folder):
    """Those, until the end of the context."""
    made = Sentinels(folder)
    try:
        made.begin()
        yield made
    finally:
        made.end()


@contextlib.contextmanager
def of_cluster(folder):
    """A server that is part of a cluster of one: its address."""
    port = free_port()
    (folder / "clustered").mkdir()
    engine = Engine(folder, "clustered", port, redis_server(), "--bind", "127.0.0.1", "--port", port, "--dir",
                    folder / "clustered", "--save", "", "--cluster-enabled", "yes", "--cluster-port", free_port())
    try:
        engine.begin()
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        engine.end()
