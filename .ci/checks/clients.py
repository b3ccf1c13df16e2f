"""Clients that keep their connections, send one request after the other, and note each answer that came in full.

Nothing here knows what is done to the server; what an answer ought to be is for others to say.
"""

import asyncio
import json
import time
from dataclasses import dataclass

from checks.base import PATIENCE, Broken, expect

# How long a client that was refused a connection waits before it tries again, in seconds.
RECONNECT = 0.02


@dataclass(frozen=True, eq=False)
class Request:
    """A GET. `key` is what is presented, `status` what the answer is while nothing is amiss."""
    kind: str
    key: dict | None
    status: int
    head: bytes

    @property
    def may_be_charged(self):
        return self.status == 200 and self.key is not None

    @property
    def subscription(self):
        return self.key["subscription"]


def request(kind, path, status, key=None, *fields):
    presented = [f"Authorization: Bearer {key['key']}"] if key else []
    lines = [f"GET {path} HTTP/1.1", "Host: catalogue", *presented, *fields]
    return Request(kind, key, status, "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n")


def catalogue_requests(key):
    """One of each sort that a key is presented with. More than half of them are charged."""
    return [
        request("boat", "/v1/boats/oland-9-mk-ii", 200, key),
        request("boats", "/v1/boats?sort=length&limit=3", 200, key),
        request("manufacturer", "/v1/manufacturers/angstrom-batar", 200, key),
        request("boats of a manufacturer", "/v1/manufacturers/angstrom-batar/boats?limit=2", 200, key),
        request("boat that is held already", "/v1/boats/oland-9-mk-ii", 304, key, "If-None-Match: *"),
        request("unknown boat", "/v1/boats/no-such-boat", 404, key),
        request("bad parameter", "/v1/boats?limit=x", 400, key),
    ]


def other_requests():
    """Those whose answer does not hang on any key."""
    malformed = {"key": "boat_live_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRx"}
    return [
        request("health", "/health", 200),
        request("service", "/v1", 200),
        request("missing key", "/v1/boats", 401),
        request("malformed key", "/v1/boats", 401, malformed),
    ]


@dataclass(frozen=True)
class Answer:
    """What came back. Times are `time.monotonic()`: before the request was sent, and when its answer was there in
    full. Without a status there is no answer, or not all of it."""
    request: Request
    sent: float
    done: float
    status: int | None
    head: bytes = b""
    body: bytes = b""

    @property
    def seconds(self):
        return self.done - self.sent

    @property
    def ends_connection(self):
        return self.status is None or b"\r\nconnection: close\r\n" in self.head.lower()

    def field(self, name):
        """The value of a header field, or None."""
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            found, _, value = line.partition(":")
            if found.lower() == name:
                return value.strip()
        return None

    def code(self):
        """The code in the error envelope, which has to be one."""
        try:
            error = json.loads(self.body)["error"]
            expect(error["requestId"] == self.field("x-request-id") and error["message"], f"not our envelope: {self}")
            return error["code"]
        except (ValueError, KeyError, TypeError) as why:
            raise Broken(f"not our envelope: {self}") from why

    def __str__(self):
        shown = self.body[:300].decode("utf-8", "replace")
        return f"{self.request.kind}: {self.status} after {self.seconds:.3f} s: {shown}"


async def exchange(reader, writer, asked):
    sent = time.monotonic()
    try:
        writer.write(asked.head)
        head = await reader.readuntil(b"\r\n\r\n")
        status, length = int(head[9:12]), 0
        if status not in (204, 304):
            start = head.lower().index(b"\r\ncontent-length: ") + len(b"\r\ncontent-length: ")
            length = int(head[start:head.index(b"\r\n", start)])
        body = await reader.readexactly(length)
    except (ConnectionError, asyncio.IncompleteReadError):
        return Answer(asked, sent, time.monotonic(), None)
    return Answer(asked, sent, time.monotonic(), status, head, body)


class Load:
    """Clients of one server, from `start` to `stop`.

    `choose` says what to send next, `note` gets each answer; between an answer and the next request a client pauses
    for so many seconds.
    """

    def __init__(self, port, clients, choose, note, pause=0.0):
        self.port, self.clients, self.choose, self.note, self.pause = port, clients, choose, note, pause
        self.is_stopping, self.tasks = False, []

    def start(self):
        self.tasks = [asyncio.create_task(self.run_client()) for _ in range(self.clients)]
        return self

    async def stop(self):
        """Lets each client finish its request."""
        self.is_stopping = True
        done, waiting = await asyncio.wait(self.tasks, timeout=PATIENCE)
        for task in waiting:
            task.cancel()
        for task in done:
            task.result()
        expect(not waiting, f"{len(waiting)} clients still wait for an answer after {PATIENCE} s")

    async def run_client(self):
        while not self.is_stopping:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                await asyncio.sleep(RECONNECT)
                continue
            try:
                await self.use(reader, writer)
            finally:
                writer.close()

    async def use(self, reader, writer):
        while not self.is_stopping:
            answer = await exchange(reader, writer, self.choose())
            self.note(answer)
            if answer.ends_connection:
                return
            await asyncio.sleep(self.pause)
