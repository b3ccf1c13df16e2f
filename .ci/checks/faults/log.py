"""Faults of the log under load: a disk that is full, a pipe that is not read, or only late, a reader that is gone. Every
request is answered as ever, a stop takes its usual time, and the ledger has what clients received. What has no room while
the log is not read is counted, and told once it is read.
"""

import asyncio
import contextlib
import dataclasses
import json
import os
import re
import socket
import time
import urllib.request

from checks.base import PATIENCE, expect
from checks.clients import Load, catalogue_requests, exchange, other_requests, request
from checks.command import Catalogue, Server

# Clients of a server, and how long each pauses between two requests, in seconds.
CLIENTS, PAUSE = 8, 0.002
# How many answers there are before a stop: their lines are more than a pipe has room for, several times.
ANSWERS = 1500
# The promise, in seconds: half a second for the stop itself, and a second for a log that is not read.
STOPPED_WITHIN = 3.0
# Requests that are sent at once to fill the queue of the log, and how many there are at most: the queue takes some 13,000.
BATCH, FILLING_MAX = 500, 40_000
SUBSCRIPTION, QUOTA = "tests", 50_000_000


@contextlib.contextmanager
def full():
    with open("/dev/full", "wb", buffering=0) as log:
        yield log, None


@contextlib.contextmanager
def unread():
    reader, writer = os.pipe()
    with open(reader, "rb") as lines, open(writer, "wb", buffering=0) as log:
        yield log, lines


@contextlib.contextmanager
def late():
    with unread() as log:
        yield log


@contextlib.contextmanager
def gone():
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb", buffering=0) as log:
        yield log, None


FAULTS = (full, unread, late, gone)


class Unheard(Server):
    """A server that logs every request to where it cannot."""
    level = "info"

    def __init__(self, catalogue, standard_error):
        super().__init__(catalogue, "live")
        self.log.touch()
        self.error = standard_error
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.admin = "127.0.0.1:%d" % free.getsockname()[1]

    def dropped(self):
        """How many lines of the log it says that it dropped."""
        with urllib.request.urlopen(f"http://{self.admin}/metrics", timeout=PATIENCE) as answer:
            return int(re.search(r"^catalogue_log_lines_dropped_total (\d+)$", answer.read().decode(), re.M)[1])

    async def fill(self):
        """Sends requests until the queue of its log is full; how many lines were dropped."""
        asked = request("unknown path", "/unknown", 404)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        sent = dataclasses.replace(asked, head=b"")
        for _ in range(FILLING_MAX // BATCH):
            writer.write(asked.head * BATCH)
            for _ in range(BATCH):
                answer = await exchange(reader, writer, sent)
                expect(answer.status == asked.status, f"while the queue of the log fills: {answer}")
            if dropped := await asyncio.to_thread(self.dropped):
                writer.close()
                return dropped
        expect(False, f"{FILLING_MAX} lines that are not read were all kept")

    async def read(self, lines):
        """Reads its log from now on, until that tells of what was dropped; how many those were."""
        def told():
            for line in lines:
                event = json.loads(line)
                if "dropped" in event:
                    return event["dropped"]
        asked = other_requests()[0]
        reading = asyncio.create_task(asyncio.to_thread(told))
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        # It is told after a line that could be written.
        while not reading.done():
            await exchange(reader, writer, asked)
            await asyncio.sleep(0.01)
        writer.close()
        return await reading

    def standard_error(self):
        return contextlib.nullcontext(self.error)


class Tried:
    """A data directory through all its servers."""

    def __init__(self, catalogue):
        self.catalogue, self.received, self.answers, self.dropped, self.slowest_stop = catalogue, 0, 0, 0, 0.0

    async def prepare(self, random):
        await self.catalogue.subscribe(SUBSCRIPTION, QUOTA)
        self.random = random
        self.requests = catalogue_requests(await self.catalogue.issue(SUBSCRIPTION)) + other_requests()

    def note(self, answer):
        expect(answer.status == answer.request.status, f"{self.fault}: not {answer.request.status}: {answer}")
        self.answers += 1
        self.received += answer.status == 200 and answer.request.may_be_charged

    async def round(self, fault):
        self.fault, enough = fault.__name__, self.answers + ANSWERS
        with fault() as (standard_error, lines):
            server = Unheard(self.catalogue, standard_error)
            await server.start()
            load = Load(server.port, CLIENTS, lambda: self.random.choice(self.requests), self.note, PAUSE).start()
            while self.answers < enough and not any(task.done() for task in load.tasks):
                await asyncio.sleep(0.02)
            await load.stop()
            if lines:
                dropped = await server.fill()
                self.dropped += dropped
            if fault is late:
                told = await asyncio.wait_for(server.read(lines), PATIENCE)
                dropped = await asyncio.to_thread(server.dropped)
                expect(told == dropped, f"{dropped} lines were dropped, {told} were told")
            began = time.monotonic()
            await server.stop()
            seconds = time.monotonic() - began
        self.slowest_stop = max(self.slowest_stop, seconds)
        expect(seconds <= STOPPED_WITHIN, f"{self.fault}: a stop took {seconds:.3f} s")
        used = (await self.catalogue.used())[SUBSCRIPTION]
        expect(used == self.received, f"{self.fault}: {used} used, {self.received} received")


async def run(command, work, count, random):
    catalogue = await Catalogue.with_sample(command, work / "data")
    tried = Tried(catalogue)
    try:
        await tried.prepare(random)
        for _ in range(count):
            for fault in FAULTS:
                await tried.round(fault)
        catalogue.check_integrity()
    finally:
        catalogue.end()
        print(f"log: {tried.answers} answers, {tried.received} of them charged; {tried.dropped} lines dropped; "
              f"slowest stop {tried.slowest_stop:.3f} s")
