"""What one server requests of PostgreSQL, Redis and S3: while it is idle, for each request of a busy subscription, and for
each request of occasional ones. The page about sizing is computed from it.

Nothing is timed here, so it does not matter what else the machine does.
"""

import asyncio
import contextlib
import http.client
import re
import threading
import time

from checks.base import expect
from checks.base import run as do
from checks.bench.get import numbered
from checks.bench.results import keep, row
from checks.cluster.assembly import with_port
from checks.command import Catalogue
from checks.services import services

IDLE_SECONDS, BUSY, OCCASIONAL = 30, 10_000, 200
# Leased units that stay unused are given back after a second or two; PostgreSQL counts what a connection did within one.
SETTLED = 4
QUOTA = 100_000
REQUEST = re.compile(rb"(GET|PUT|HEAD|DELETE|POST) (\S+) HTTP/1\.1\r\n")


class Counted:
    """Passes requests on to S3, and counts them by what S3 bills them as."""

    def __init__(self, port):
        self.upstream, self.counts, self.loop = port, {"get": 0, "put or list": 0}, asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        listening = asyncio.run_coroutine_threadsafe(asyncio.start_server(self.join, "127.0.0.1", 0), self.loop).result()
        self.port = listening.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    async def join(self, reader, writer):
        there = await asyncio.open_connection("127.0.0.1", self.upstream)
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(self.hand_over(reader, there[1], self.count), self.hand_over(there[0], writer))

    async def hand_over(self, reader, writer, see=lambda _: None):
        while data := await reader.read(1 << 16):
            see(data)
            writer.write(data)
            await writer.drain()
        writer.close()

    def count(self, data):
        for method, target in REQUEST.findall(data):
            is_get = method in (b"GET", b"HEAD") and b"list-type=" not in target
            self.counts["get" if is_get else "put or list"] += 1


class Counters:
    """How often each engine was used so far."""

    def __init__(self, found, s3):
        self.found, self.s3 = found, s3

    def now(self):
        psql = do("psql", self.found.addresses["postgres"], "-Atc", "SELECT xact_commit, (SELECT wal_sync FROM pg_stat_wal) "
                   "FROM pg_stat_database WHERE datname = current_database()")
        transactions, syncs = map(int, psql.strip().split("|"))
        stats = do("redis-cli", "-u", self.found.addresses["redis"], "info", "commandstats")
        scripts = sum(map(int, re.findall(r"cmdstat_eval(?:sha)?:calls=(\d+)", stats)))
        return {"PostgreSQL transactions": transactions, "PostgreSQL syncs": syncs, "Redis scripts": scripts,
                **{f"S3 {kind}": count for kind, count in self.s3.counts.items()}}


def difference(before, after, seconds=0, idle=None):
    """What was used in between, without what an idle server would have used."""
    return {name: after[name] - before[name] - (idle[name] * seconds if idle else 0) for name in after}


def get(connection, key, boat):
    connection.request("GET", f"/v1/boats/{boat}", headers={"Authorization": f"Bearer {key}"})
    answer = connection.getresponse()
    answer.read()
    expect(answer.status == 200, f"a boat is {answer.status}")


def each(counters, act, idle):
    """What is used for each request of `act`, which returns how many it sent."""
    before, started = counters.now(), time.monotonic()
    count = act()
    time.sleep(SETTLED)
    total = difference(before, counters.now(), time.monotonic() - started, idle)
    return {name: max(0, round(value / count, 4)) for name, value in total.items()}


def measure(surroundings, boats):
    with services() as found, Counted(found.engines["s3"].port) as s3:
        operator = Catalogue(surroundings.catalogue, surroundings.work / "engines")
        access = {name: value for name, value in found.environment.items() if name.startswith("AWS_")}
        operator.environment |= access | {
            "CATALOGUE_STORE": found.addresses["postgres"], "CATALOGUE_LIMITS": found.addresses["redis"],
            "CATALOGUE_RELEASES": f"{found.environment['CATALOGUE_TEST_S3']}/engines",
            "AWS_ENDPOINT_URL": with_port(found.addresses["s3"], s3.port)}
        for command in (("store", "init"), ("import", surroundings.export(boats))):
            operator.run(*command)
        boat, = numbered(1)
        names = [f"occasional-{number}" for number in range(OCCASIONAL)]
        for name in ("busy", *names):
            operator.add_subscription(name, QUOTA)
        keys = {name: operator.new_key(name)["key"] for name in ("busy", *names)}
        with operator.served("--admin", "off") as server:
            connection = http.client.HTTPConnection(*server.host_and_port)
            return figures(Counters(found, s3), lambda name: get(connection, keys[name], boat), names)


def figures(counters, send, names):
    def busy():
        for _ in range(BUSY):
            send("busy")
        return BUSY

    def occasional():
        for name in names:
            send(name)
        return OCCASIONAL

    send("busy")
    time.sleep(SETTLED)
    before = counters.now()
    time.sleep(IDLE_SECONDS)
    idle = {name: round(value / IDLE_SECONDS, 3) for name, value in difference(before, counters.now()).items()}
    return {"idle, a second": idle, "busy, a request": each(counters, busy, idle),
            "occasional, a request": each(counters, occasional, idle)}


def run(surroundings, sizes):
    for boats in sizes:
        found = measure(surroundings, boats)
        print("\nwhat a server requests of its engines\n")
        row("", *found["idle, a second"])
        row("---", *["--:"] * len(found["idle, a second"]))
        for state, counts in found.items():
            row(state, *(f"{count:,.4f}" for count in counts.values()))
        keep("engines", found)
