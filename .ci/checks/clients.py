"""Clients that keep their connections, send one request after the other, and note each answer that came in full.

Nothing here knows what is done to the server; what an answer ought to be is for others to say. No library is used: those
that keep connections send a request again where one broke, and that is what has to be seen here. No answer is too slow,
for the machine may be busy; but one that does not come within PATIENCE breaks a promise.
"""

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass

from checks.base import PATIENCE, Broken, expect, until

# How long a client that was refused a connection waits before it tries again, in seconds.
RECONNECT = 0.02
# At most one answer in so many may say that the machine is too busy.
BUSY_ONE_IN = 20


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
        request("boats", "/v1/boats?manufacturer=angstrom-batar&sort=length&limit=3", 200, key),
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
        async with asyncio.timeout(PATIENCE):
            writer.write(asked.head)
            head = await reader.readuntil(b"\r\n\r\n")
            status, length = int(head[9:12]), 0
            if status not in (204, 304):
                start = head.lower().index(b"\r\ncontent-length: ") + len(b"\r\ncontent-length: ")
                length = int(head[start:head.index(b"\r\n", start)])
            body = await reader.readexactly(length)
    except TimeoutError as hang:
        raise Broken(f"{asked.kind}: no answer within {PATIENCE} s") from hang
    except (ConnectionError, asyncio.IncompleteReadError):
        return Answer(asked, sent, time.monotonic(), None)
    return Answer(asked, sent, time.monotonic(), status, head, body)


async def ask(port, asked):
    """The answer to one request, on a connection of its own."""
    sent = time.monotonic()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return Answer(asked, sent, time.monotonic(), None)
    with contextlib.closing(writer):
        return await exchange(reader, writer, asked)


async def asking(port, choose, note, pause, is_over):
    """One client: `choose` says what to send next, `note` gets each answer."""
    while not is_over.is_set():
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(RECONNECT)
            continue
        with contextlib.closing(writer):
            while not is_over.is_set():
                answer = await exchange(reader, writer, choose())
                note(answer)
                if answer.ends_connection:
                    break
                await asyncio.sleep(pause)


@contextlib.asynccontextmanager
async def load(port, clients, choose, note, pause=0.0):
    """So many clients of a server, which pause for so many seconds between an answer and the next request. In the end each
    finishes its request. A promise that an answer breaks ends the context at once."""
    is_over = asyncio.Event()
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(clients):
                group.create_task(asking(port, choose, note, pause, is_over))
            yield
            is_over.set()
    except BaseExceptionGroup as several:
        # The others ended because of it.
        raise several.exceptions[0]


class Tally:
    """How many answers there were, and how many of them only say that a server could not confirm in time what it has to
    know. On a busy machine a few do; where they are more, there is another reason."""

    def __init__(self):
        self.answers, self.busy = 0, 0

    def is_busy(self, answer):
        self.answers += 1
        if answer.status != 503:
            return False
        expect(answer.code() == "SERVICE_UNAVAILABLE", str(answer))
        self.busy += 1
        return True

    def check(self):
        expect(self.busy * BUSY_ONE_IN <= self.answers, f"{self} were refused with 503")

    def __str__(self):
        return f"{self.busy} of {self.answers} requests"


class Settled:
    """Waits until all requests are refused with 503, or none is, and holds them to it: what was asked for before says nothing.
    An answer that did not come in full counts as a refusal."""

    def __init__(self):
        self.since, self.in_a_row = 0.0, {True: 0, False: 0}
        self.refused_since, self.held = float("inf"), 0

    def note(self, answer):
        is_refused = answer.status in (None, 503)
        if self.refused_since < answer.sent:
            expect(is_refused, f"not refused: {answer}")
            self.held += 1
        if self.since < answer.sent:
            self.in_a_row = {is_refused: self.in_a_row[is_refused] + 1, not is_refused: 0}

    async def settle(self, is_refused, answers):
        """Until so many answers in a row are so."""
        self.since, self.in_a_row = time.monotonic(), {True: 0, False: 0}
        wanted = "refused" if is_refused else "answered"
        await until(lambda: answers <= self.in_a_row[is_refused],
                    lambda: f"requests are not {wanted}, but for {self.in_a_row[is_refused]} in a row")

    @contextlib.contextmanager
    def refusing(self):
        """From now on, until the end of the context, nothing but refusals is right."""
        self.refused_since, self.held = time.monotonic(), 0
        yield
        self.refused_since = float("inf")
