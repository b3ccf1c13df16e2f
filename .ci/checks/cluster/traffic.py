"""What clients of the load balancer ask, by keys that come and go, and what became of each request.

Nothing here knows of faults.
"""

import re

from checks.clients import catalogue_requests, load, other_requests, request
from checks.cluster.history import Entry
from checks.cluster.processes import SERVER

# Clients, and how long each pauses between two requests, in seconds: little, for the machine is busy with the engines.
CLIENTS, PAUSE = 16, 0.08
CODE = re.compile(rb'"code":"([A-Z_]+)"')
# Asked without a key, and how often beside one request of a key of weight 1.
NOBODY, NOBODY_WEIGHT = "-", 0.05


def presented(name, secret):
    """How requests know a key."""
    return {"name": name, "key": secret}


def requests_of(key):
    return catalogue_requests(presented(key.name, key.secret))


def forbidden_requests(key):
    return [request("forbidden boat", "/v1/boats/oland-9-mk-ii", 403, presented(key.name, key.secret))]


class Traffic:
    def __init__(self, random):
        self.random, self.entries, self.bodies = random, [], {}
        self.begin_anew()

    def begin_anew(self):
        """No key that was there before is asked with any more."""
        self.requests, self.weights = {}, {}
        self.put(NOBODY, [one for one in other_requests() if one.key is None], NOBODY_WEIGHT)

    def put(self, name, requests, weight):
        self.requests[name], self.weights[name] = requests, weight

    def drop(self, name):
        self.requests.pop(name, None)
        self.weights.pop(name, None)

    def choose(self):
        name, = self.random.choices(list(self.weights), self.weights.values())
        return self.random.choice(self.requests[name])

    def learn(self, release, answer):
        """A later release may have a body unchanged, which has the same ETag then."""
        self.bodies.setdefault((answer.request.kind, answer.field("etag")), (release, answer.body))

    def release_of(self, answer):
        if answer.request.key is None or answer.status not in (200, 304):
            return ""
        # What is held already is a boat like others.
        kind = "boat" if answer.status == 304 else answer.request.kind
        release, body = self.bodies.get((kind, answer.field("etag")), ("?", None))
        return release if answer.status == 304 or answer.body == body else "?"

    def note(self, answer):
        asked, code = answer.request, CODE.search(answer.body) if 400 <= (answer.status or 0) else None
        self.entries.append(Entry(answer.sent, answer.done, asked.key["name"] if asked.key else NOBODY, asked.kind, asked.status,
                                  answer.status or 0, code[1].decode() if code else "", self.release_of(answer),
                                  answer.field(SERVER) or ""))

    def through(self, port, note=None):
        """Clients of that port, until the end of the context; each answer is noted, and by `note` those to a key."""
        def note_both(answer):
            self.note(answer)
            if note and answer.request.key:
                note(answer)
        return load(port, CLIENTS, self.choose, note_both, PAUSE)
