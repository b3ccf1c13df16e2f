#!/usr/bin/env python3
"""Servers that are stopped and restarted under 300 requests a second, of which none may fail.

    .ci/restarts [STOPS [RESTARTS]]     so many of each, 50 and 20 unless told otherwise

Stops: two servers behind a balancer that asks each for /ready every 100 ms and sends requests to those that are; in
turns they get SIGTERM, with --drain 3s, and are started anew. Restarts: one server at a time on a listening socket that
is passed to it and kept here, as systemd does; after its end the next one is started.

Requests are for records and lists, half of them on connections of their own and half on connections that are kept; they
are sent when they are due, whatever became of those before. Each has to be answered in full, as it was before anything
was stopped: a refused connection, a reset, an end before an answer, another status or another body is a finding, and
the exit status 1. CATALOGUE is the binary; without it, .ci/cargo builds one.
"""

import asyncio
import collections
import contextlib
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

# Nothing is to be left in the repository.
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "faults"))

from catalogue import PATIENCE, Broken, Catalogue, Server, binary, expect, work_directory
from clients import exchange, request

# Requests a second.
RATE = 300
# Connections to a server that are kept. Each is used every tenth of a second, so that the server can say in an answer
# that it is the last: it cannot on one that is idle, and a request that meets its end there would be lost.
KEPT = 16
# How long an answer may take, from when its request was due, in seconds. It is longest while a server starts.
ANSWERED_WITHIN = 10
# How often readiness is asked for, how long a server drains, how long load goes on between two restarts, and how
# long an answer about readiness may take, in seconds.
ASKED_EVERY, DRAIN, BETWEEN = 0.1, 3, 0.5
SAID_WITHIN = 0.5
BACKLOG = 4096
QUOTA = 1_000_000_000


class Balanced(Server):
    """A server that says on an address of its own whether it is ready."""

    def __init__(self, catalogue, name):
        super().__init__(catalogue, "live")
        self.name, self.is_ready = name, False

    def command(self):
        # It says that it is ready before it says where it listens, which may be elsewhere than before.
        self.port = None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.admin_port = free.getsockname()[1]
        self.admin = f"127.0.0.1:{self.admin_port}"
        return [*super().command(), "--drain", f"{DRAIN}s"]

    async def ask_ready(self):
        """A balancer knows of what it is told, not of what is done to the server."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.admin_port)
        except OSError:
            return False
        with contextlib.closing(writer):
            answer = await exchange(reader, writer, request("readiness", "/ready", 200, None, "Connection: close"))
            return answer.status == 200


class Passed(Server):
    """A server that listens on a socket which it is passed, as systemd does."""

    def __init__(self, catalogue, listener):
        super().__init__(catalogue, "live")
        self.input = listener

    def command(self):
        serve = [self.catalogue.command, "--data", self.catalogue.data, "serve", "--log", "warn", "--admin", "off"]
        return ["sh", "-c", 'export LISTEN_FDS=1 LISTEN_PID=$$; exec "$0" "$@" 3<&0 </dev/null', *serve]


class Load:
    """Requests at their times, to the ports that `port` chooses."""

    def __init__(self, requests, port):
        self.requests, self.port = requests, port
        self.kept = collections.defaultdict(collections.deque)
        self.expected, self.findings, self.statuses, self.slowest = {}, collections.Counter(), collections.Counter(), 0
        self.last_answers, self.closed, self.behind = 0, 0, 0
        self.is_stopping, self.task = False, None

    async def learn(self):
        """What is answered while nothing happens."""
        for asked in self.requests:
            answer = await self.ask(asked, True)
            expect(answer is not None and answer.status == asked.status, f"{asked.kind}: {answer}")
            self.expected[asked] = answer.body, answer.field("etag")

    def start(self):
        self.task = asyncio.create_task(self.run())
        return self

    async def stop(self):
        self.is_stopping = True
        await self.task

    async def run(self):
        begun, asking, number = time.monotonic(), set(), 0
        while not self.is_stopping:
            due = begun + number / RATE
            await asyncio.sleep(due - time.monotonic())
            self.behind = max(self.behind, time.monotonic() - due)
            task = asyncio.create_task(self.ask_and_check(number, due))
            asking.add(task)
            task.add_done_callback(asking.discard)
            number += 1
        await asyncio.gather(*asking)

    async def ask_and_check(self, number, due):
        asked, is_fresh = self.requests[number % len(self.requests)], number // len(self.requests) % 2 == 0
        try:
            answer = await asyncio.wait_for(self.ask(asked, is_fresh), ANSWERED_WITHIN)
        except OSError as why:
            self.findings[f"no connection: {why}"] += 1
            return
        except TimeoutError:
            self.findings[f"no answer within {ANSWERED_WITHIN} s"] += 1
            return
        self.slowest = max(self.slowest, time.monotonic() - due)
        self.statuses[answer.status] += 1
        self.last_answers += answer.ends_connection and not is_fresh
        if answer.status is None:
            self.findings[f"no whole answer on a connection {'of its own' if is_fresh else 'that was kept'}"] += 1
        elif answer.status != asked.status or (answer.body, answer.field("etag")) != self.expected[asked]:
            self.findings[f"another answer: {answer}"] += 1

    async def ask(self, asked, is_fresh):
        port = self.port()
        kept = self.kept[port]
        # As any client does, this one looks first whether a connection was closed while it was idle.
        while kept and kept[0][0].at_eof():
            kept.popleft()[1].close()
            self.closed += 1
        if is_fresh or not kept:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        else:
            reader, writer = kept.popleft()
        answer = await exchange(reader, writer, asked)
        if is_fresh or answer.ends_connection or KEPT <= len(kept):
            writer.close()
        else:
            kept.append((reader, writer))
        return answer

    def show(self, what):
        statuses = ", ".join(f"{count:,} x {status}" for status, count in sorted(self.statuses.items(), key=str))
        print(f"{what}: {sum(self.statuses.values()):,} answers at {RATE} a second: {statuses}")
        print(f"{what}: {self.last_answers} kept connections were told of the end in an answer, {self.closed} closed while "
              f"they were idle")
        print(f"{what}: the slowest answer took {self.slowest:.2f} s; requests were sent at most {self.behind:.2f} s late")
        for finding, count in self.findings.most_common(10):
            print(f"{what}: {count} x {finding}")
        expect(not self.findings, f"{sum(self.findings.values())} of the requests failed")


def requests(key):
    """For records and for lists, with and without what the client has already."""
    return [
        request("boat", "/v1/boats/oland-9-mk-ii", 200, key),
        request("boats", "/v1/boats?sort=length&limit=3", 200, key),
        request("boat that is held already", "/v1/boats/oland-9-mk-ii", 304, key, "If-None-Match: *"),
        request("manufacturer", "/v1/manufacturers/angstrom-batar", 200, key),
        request("boats of a manufacturer", "/v1/manufacturers/angstrom-batar/boats?limit=2", 200, key),
    ]


async def prepare(command, data):
    catalogue = await Catalogue.with_sample(command, data)
    await catalogue.subscribe("tests", QUOTA)
    return catalogue, requests(await catalogue.issue("tests"))


async def balance(server):
    """Keeps what is known of a server's readiness current. One that does not say in time that it is ready is not."""
    while True:
        try:
            says_so = await asyncio.wait_for(server.ask_ready(), SAID_WITHIN)
            server.is_ready = says_so and server.port is not None
        except TimeoutError:
            server.is_ready = False
        await asyncio.sleep(ASKED_EVERY)


async def until(true):
    async with asyncio.timeout(PATIENCE):
        while not true():
            await asyncio.sleep(ASKED_EVERY / 10)


def chooser(servers):
    """Of the servers that are ready each in turn; where none is, any."""
    turn = iter(range(sys.maxsize))

    def choose():
        ready = [server for server in servers if server.is_ready] or [server for server in servers if server.port]
        return ready[next(turn) % len(ready)].port
    return choose


async def stops(command, work, count):
    first, asked = await prepare(command, work / "first")
    shutil.copytree(first.data, work / "second")
    servers = [Balanced(first, "first"), Balanced(Catalogue(command, work / "second"), "second")]
    away = 0
    try:
        for server in servers:
            await server.start()
        balancing = [asyncio.create_task(balance(server)) for server in servers]
        await until(lambda: all(server.is_ready for server in servers))
        load = Load(asked, chooser(servers))
        await load.learn()
        load.start()
        for number in range(count):
            server = servers[number % 2]
            await until(lambda: all(server.is_ready for server in servers))
            told = time.monotonic()
            server.signal(signal.SIGTERM)
            await until(lambda: not server.is_ready)
            away = max(away, time.monotonic() - told)
            await server.ended(0)
            await server.start()
        await load.stop()
        for task in balancing:
            task.cancel()
    finally:
        for server in servers:
            server.catalogue.end()
    load.show(f"{count} stops")
    print(f"{count} stops: the balancer knew of each within {away:.2f} s")


async def restarts(command, work, count):
    catalogue, asked = await prepare(command, work / "restarted")
    longest = 0
    with socket.create_server(("127.0.0.1", 0), backlog=BACKLOG) as listener:
        server, port = Passed(catalogue, listener), listener.getsockname()[1]
        try:
            await server.start()
            expect(server.port == port, f"the server says it listens on {server.port}, not {port}")
            load = Load(asked, lambda: port)
            await load.learn()
            load.start()
            for _ in range(count):
                await asyncio.sleep(BETWEEN)
                told = time.monotonic()
                await server.stop()
                await server.start()
                longest = max(longest, time.monotonic() - told)
            await asyncio.sleep(BETWEEN)
            await load.stop()
            await server.stop()
        finally:
            catalogue.end()
    load.show(f"{count} restarts")
    print(f"{count} restarts: the longest took {longest:.2f} s, from the signal until the next server listened")


async def run(command, work, stop_count, restart_count):
    await stops(command, work, stop_count)
    await restarts(command, work, restart_count)


def main(arguments):
    if 2 < len(arguments) or not all(argument.isdecimal() for argument in arguments):
        sys.exit(__doc__)
    counts = [*map(int, arguments), *(50, 20)[len(arguments):]]
    command = binary()
    with work_directory() as work:
        try:
            asyncio.run(run(command, work, *counts))
        except Broken as error:
            sys.exit(f"restarts: broken: {error}")


main(sys.argv[1:])
