"""The engines that several servers share, as .ci/with-services starts them, on the core of the load: where they are,
what they compute, and how many connections a server has to them."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass
from urllib.parse import urlsplit

from processes import ENVIRONMENT, LOAD_CORE, Failed, on_core, run
from surroundings import ROOT

WITH_SERVICES = ROOT / ".ci" / "with-services"
# Says where they are, and lets them run until nobody listens any more.
HOLD = "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True); sys.stdin.read()"
# In tables of the system.
ESTABLISHED = "01"


@dataclass(frozen=True)
class Engines:
    """PostgreSQL and Redis that run."""

    postgres: str
    # Each of its databases has windows of its own.
    redis: str
    services: pathlib.Path

    def processes(self, names):
        return tuple(int((self.services / f"{name}.pid").read_text()) for name in names)

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
    command = on_core(LOAD_CORE, WITH_SERVICES, sys.executable, "-c", HOLD)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=ENVIRONMENT) as process:
        try:
            found = json.loads(process.stdout.readline() or "{}")
            if not found:
                raise Failed("PostgreSQL and Redis did not start")
            yield Engines(found["CATALOGUE_TEST_POSTGRES"], found["CATALOGUE_TEST_REDIS"],
                          pathlib.Path(found["SERVICES"]))
        finally:
            process.stdin.close()


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
