"""Faults of the log under load: a disk that is full, a pipe that nobody reads, a reader that is gone. Every request is
answered as ever, a stop takes its usual time, and the ledger has what clients received.
"""

import asyncio
import contextlib
import os
import time

from catalogue import Catalogue, Server, expect
from clients import Load, catalogue_requests, other_requests

# Clients of a server, and how long each pauses between two requests, in seconds.
CLIENTS, PAUSE = 8, 0.002
# How many answers there are before a stop: their lines are more than a pipe has room for, several times.
ANSWERS = 1500
# The promise, in seconds: half a second for the stop itself, and a second for a log that is not read.
STOPPED_WITHIN = 3.0
SUBSCRIPTION, QUOTA = "tests", 50_000_000


@contextlib.contextmanager
def full():
    with open("/dev/full", "wb", buffering=0) as log:
        yield log


@contextlib.contextmanager
def unread():
    reader, writer = os.pipe()
    with open(reader, "rb"), open(writer, "wb", buffering=0) as log:
        yield log


@contextlib.contextmanager
def gone():
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb", buffering=0) as log:
        yield log


FAULTS = (full, unread, gone)


class Unheard(Server):
    """A server that logs every request to where it cannot."""
    level = "info"

    def __init__(self, catalogue, standard_error):
        super().__init__(catalogue, "live")
        self.log.touch()
        self.error = standard_error

    def standard_error(self):
        return contextlib.nullcontext(self.error)


class Tried:
    """A data directory through all its servers."""

    def __init__(self, catalogue):
        self.catalogue, self.received, self.answers, self.slowest_stop = catalogue, 0, 0, 0.0

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
        with fault() as standard_error:
            server = Unheard(self.catalogue, standard_error)
            await server.start()
            load = Load(server.port, CLIENTS, lambda: self.random.choice(self.requests), self.note, PAUSE).start()
            while self.answers < enough and not any(task.done() for task in load.tasks):
                await asyncio.sleep(0.02)
            await load.stop()
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
        print(f"log: {tried.answers} answers, {tried.received} of them charged; slowest stop {tried.slowest_stop:.3f} s")
