"""Clients of the load balancer: so many requests a second over connections that are kept, each noted in the history.

What is asked is chosen by weight from keys that come and go. Nothing here knows of faults.
"""

import asyncio
import contextlib
import itertools
import re
import time

from checks.clients import exchange, request
from checks.cluster.history import Entry

# Clients, requests a second of all of them, and how many requests one sends before it makes a new connection.
CLIENTS, RATE, REQUESTS_A_CONNECTION = 32, 350, 400
# How long a client waits for an answer, and before it connects again, in seconds. The balancer gives up before.
ANSWERED_WITHIN, RECONNECT = 15, 0.02
ETAG = re.compile(rb"\r\netag: ([^\r]+)")
CODE = re.compile(rb'"code":"([A-Z_]+)"')
# The requests of a key with both scopes, with what is answered while nothing is amiss and how often they are asked.
ASKED = (
    ("boat", "/v1/boats/oland-9-mk-ii", 200, 10),
    ("boats", "/v1/boats?manufacturer=angstrom-batar&limit=5", 200, 3),
    ("searched boats", "/v1/boats?search=oland&sort=length&limit=2", 200, 2),
    ("manufacturer", "/v1/manufacturers/angstrom-batar", 200, 5),
    ("boats of a manufacturer", "/v1/manufacturers/angstrom-batar/boats?limit=2", 200, 2),
    ("boat that is held already", "/v1/boats/oland-9-mk-ii", 304, 4),
    ("unknown boat", "/v1/boats/no-such-boat", 404, 1),
    ("bad parameter", "/v1/boats?limit=x", 400, 1),
)
FORBIDDEN = "forbidden boat"
OPEN = (("service", "/v1"), ("health", "/health"))
EXPECTED = {kind: status for kind, _, status, _ in ASKED} | {FORBIDDEN: 403} | {kind: 200 for kind, _ in OPEN}
# Asked without a key.
NOBODY = "-"


def requests_of(secret):
    """Those of a key, as often as they are to be asked."""
    key = {"key": secret}
    return [one for kind, path, status, times in ASKED
            for one in [request(kind, path, status, key, *["If-None-Match: *"] * (status == 304))] * times]


def forbidden_requests(secret):
    return [request(FORBIDDEN, "/v1/boats/oland-9-mk-ii", 403, {"key": secret})]


def open_requests():
    return [request(kind, path, 200) for kind, path in OPEN]


class Pool:
    """What may be asked: requests by the name of their key, each key with its weight."""

    def __init__(self, random):
        self.random, self.requests, self.weights = random, {}, {}

    def put(self, name, requests, weight):
        self.requests[name], self.weights[name] = requests, weight
        self.count()

    def drop(self, name):
        self.weights.pop(name, None)
        self.requests.pop(name, None)
        self.count()

    def count(self):
        self.names, self.sums = list(self.weights), list(itertools.accumulate(self.weights.values()))

    def choose(self):
        name, = self.random.choices(self.names, cum_weights=self.sums)
        return name, self.random.choice(self.requests[name])


class Bodies:
    """What each release answers, to tell of which release an answer is."""

    def __init__(self):
        self.by_etag = {}

    def learn(self, release, answer):
        """A later release may have a body unchanged, which has the same ETag then."""
        self.by_etag.setdefault((answer.request.head.partition(b"\r\n")[0], answer.field("etag")), (release, answer.body))

    def release(self, asked, answer):
        if asked.key is None:
            return NOBODY
        if answer.status not in (200, 304):
            return ""
        found = ETAG.search(answer.head)
        known = found and self.by_etag.get((asked.head.partition(b"\r\n")[0], found[1].decode()))
        if not known or (answer.status == 200 and answer.body != known[1]):
            return "?"
        return known[0]


class Load:
    """The clients, from `start` to `stop`."""

    def __init__(self, port, pool, bodies, history, rate=RATE):
        self.port, self.pool, self.bodies, self.history = port, pool, bodies, history
        self.period, self.is_stopping, self.tasks, self.sent = CLIENTS / rate, False, [], 0

    def start(self):
        now = time.monotonic()
        self.tasks = [asyncio.create_task(self.run(now + self.period * number / CLIENTS)) for number in range(CLIENTS)]
        return self

    async def stop(self):
        self.is_stopping = True
        await asyncio.gather(*self.tasks)

    async def run(self, due):
        """One client. What it could not send while it waited, it does not send at once afterwards."""
        while not self.is_stopping:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            except OSError:
                await asyncio.sleep(RECONNECT)
                continue
            with contextlib.closing(writer):
                for _ in range(REQUESTS_A_CONNECTION):
                    late = time.monotonic() - due
                    due = due + self.period if late < self.period else time.monotonic() + self.period
                    if late < 0:
                        await asyncio.sleep(-late)
                    if self.is_stopping or not await self.ask(reader, writer):
                        break

    async def ask(self, reader, writer):
        """Whether the connection can be used again."""
        name, asked = self.pool.choose()
        sent = time.monotonic()
        self.sent += 1
        try:
            async with asyncio.timeout(ANSWERED_WITHIN):
                answer = await exchange(reader, writer, asked)
        except TimeoutError:
            self.history.note(Entry(sent, time.monotonic(), name, asked.kind, 0, "NO_ANSWER"))
            return False
        if answer.status is None:
            self.history.note(Entry(sent, answer.done, name, asked.kind, 0))
            return False
        code = CODE.search(answer.body) if 400 <= answer.status else None
        self.history.note(Entry(sent, answer.done, name, asked.kind, answer.status, code[1].decode() if code else "",
                                self.bodies.release(asked, answer)))
        return not answer.ends_connection
