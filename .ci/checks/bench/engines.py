"""The engines that several servers share, on the core of the load: where they are, what they compute, and how many
connections a server has to them."""

import contextlib
import os
import pathlib
from dataclasses import dataclass
from urllib.parse import urlsplit

from checks.base import run
from checks.bench.wrk import LOAD_CORE
from checks.services import Services, services

# In tables of the system.
ESTABLISHED = "01"


@dataclass(frozen=True)
class Engines:
    """PostgreSQL and Redis that run."""

    postgres: str
    # Each of its databases has windows of its own.
    redis: str
    services: Services

    def processes(self, names):
        return tuple(self.services.engines[name].pid for name in names)

    def redis_database(self, number):
        return f"{self.redis.rpartition('/')[0]}/{number}"

    def sync_redis(self, when):
        """When what was counted reaches the disk: always, which is before it answers, or everysec."""
        run("redis-cli", "-u", self.redis, "config", "set", "appendfsync", when)

    def connections(self, server):
        """How many a server has to each of them."""
        return {name: count(server.process.pid, urlsplit(address).port)
                for name, address in (("postgres", self.postgres), ("redis", self.redis))}


@contextlib.contextmanager
def engines():
    """What is started here stays on the core of the load."""
    of_all = os.sched_getaffinity(0)
    with contextlib.ExitStack() as stack:
        os.sched_setaffinity(0, {LOAD_CORE})
        try:
            found = stack.enter_context(services())
        finally:
            os.sched_setaffinity(0, of_all)
        yield Engines(found.addresses["postgres"], found.addresses["redis"], found)


def count(pid, port):
    """Connections of a process to that port."""
    opened = set()
    for descriptor in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        # It may be closed meanwhile.
        with contextlib.suppress(FileNotFoundError):
            opened.add(os.readlink(descriptor))
    rows = [row.split() for table in ("tcp", "tcp6")
            for row in pathlib.Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]]
    return sum(row[2].endswith(f":{port:04X}") and row[3] == ESTABLISHED and f"socket:[{row[9]}]" in opened
               for row in rows)
