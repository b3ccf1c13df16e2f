"""Faults of the log under load: a disk that is full, a pipe that is not read, or only late, a reader that is gone. Every
request is answered as ever, a stop ends, and the ledger has what clients received. What has no room while the log is not
read is counted, and told once it is read.
"""

import asyncio
import contextlib
import dataclasses
import json
import os
import re

from checks.base import PATIENCE, Broken, expect, free_port, until
from checks.clients import Tally, ask, catalogue_requests, exchange, load, other_requests, request
from checks.command import Catalogue, Server

# Clients of a server, and how long each pauses between two requests, in seconds.
CLIENTS, PAUSE = 8, 0.002
# How many answers there are before a stop: their lines are more than a pipe has room for, several times.
ANSWERS = 1500
# Requests that are sent at once to fill the queue of the log, and how many there are at most: the queue takes some 13,000.
BATCH, FILLING_MAX = 500, 40_000
SUBSCRIPTION, QUOTA = "tests", 50_000_000
METRICS = request("metrics", "/metrics", 200)


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
        self.error, self.admin_port = standard_error, free_port()
        self.admin = f"127.0.0.1:{self.admin_port}"

    def standard_error(self):
        return contextlib.nullcontext(self.error)

    async def dropped(self):
        """How many lines of the log it says that it dropped."""
        metrics = (await ask(self.admin_port, METRICS)).body.decode()
        return int(re.search(r"^catalogue_log_lines_dropped_total (\d+)$", metrics, re.M)[1])

    async def fill(self):
        """Sends requests until the queue of its log is full."""
        asked = request("unknown path", "/unknown", 404)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        sent = dataclasses.replace(asked, head=b"")
        with contextlib.closing(writer):
            for _ in range(FILLING_MAX // BATCH):
                writer.write(asked.head * BATCH)
                for _ in range(BATCH):
                    answer = await exchange(reader, writer, sent)
                    expect(answer.status == asked.status, f"while the queue of the log fills: {answer}")
                if await self.dropped():
                    return
        raise Broken(f"{FILLING_MAX} lines that are not read were all kept")

    async def read(self, lines):
        """Reads its log from now on, until that has told of all that was dropped; how many lines those were. It tells after a
        line that could be written, so there has to be another request now and then."""
        stream, told = asyncio.StreamReader(), 0
        pipe, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), lines)
        with contextlib.closing(pipe):
            async with load(self.port, 1, lambda: other_requests()[0], lambda answer: None, 0.01):
                try:
                    async with asyncio.timeout(PATIENCE):
                        while told != await self.dropped():
                            while "dropped" not in (event := json.loads(await stream.readline())):
                                pass
                            told += event["dropped"]
                except TimeoutError as late:
                    raise Broken(f"{await self.dropped()} lines were dropped, {told} were told") from late
        return told


class Tried:
    """A data directory through all its servers."""

    def __init__(self, catalogue, random):
        self.catalogue, self.random, self.tally, self.received, self.dropped = catalogue, random, Tally(), 0, 0

    async def prepare(self):
        await self.catalogue.subscribe(SUBSCRIPTION, QUOTA)
        self.requests = catalogue_requests(await self.catalogue.issue(SUBSCRIPTION)) + other_requests()

    def note(self, answer):
        if not self.tally.is_busy(answer):
            expect(answer.status == answer.request.status, f"{self.fault}: not {answer.request.status}: {answer}")
            self.received += answer.status == 200 and answer.request.may_be_charged

    async def round(self, fault):
        self.fault, enough = fault.__name__, self.tally.answers + ANSWERS
        with fault() as (standard_error, lines):
            server = Unheard(self.catalogue, standard_error)
            await server.start()
            async with load(server.port, CLIENTS, lambda: self.random.choice(self.requests), self.note, PAUSE):
                await until(lambda: enough <= self.tally.answers, f"{self.fault}: {self.tally.answers} answers, not {enough}")
            if lines:
                await server.fill()
            if fault is late:
                self.dropped += await server.read(lines)
            await server.stop()
        used = (await self.catalogue.used())[SUBSCRIPTION]
        expect(used == self.received, f"{self.fault}: {used} used, {self.received} received")


async def run(command, work, count, random):
    catalogue = await Catalogue.with_sample(command, work / "data")
    tried = Tried(catalogue, random)
    try:
        await tried.prepare()
        for _ in range(count):
            for fault in FAULTS:
                await tried.round(fault)
        tried.tally.check()
        catalogue.check_integrity()
    finally:
        catalogue.end()
        print(f"log: {tried.tally.answers} answers, {tried.received} charged; {tried.dropped} lines dropped and told")
