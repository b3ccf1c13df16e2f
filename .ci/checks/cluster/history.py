"""What happened: each request with what became of it, faults, and what is known of a key.

Nothing here judges; that is what promises.py is for. All times are seconds of one monotonic clock.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A request and what became of it. `expected` is its status while nothing limits it. Without a status (0) its connection
    broke before the answer was there in full. `release` is the one whose body or ETag was answered, "?" for one that no
    release has, "" where there is none. `server` is the one that answered, "" where the load balancer did or nobody."""
    sent: float
    received: float
    key: str
    asked: str
    expected: int
    status: int
    code: str = ""
    release: str = ""
    server: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when something was so; `what` is a kind of fault, `on` whom it befell."""
    what: str
    began: float
    ended: float
    on: str = ""


@dataclass(slots=True)
class Key:
    """What is known of a key: its name in the history, its subscription, whose minute window it shares, from when on every
    server knows it, since when a command is under way that bars it, and since when one has returned."""
    name: str
    secret: str
    id: str
    subscription: str
    window: str
    known_since: float = 0.0
    changing_since: float = float("inf")
    barred_since: float = float("inf")
