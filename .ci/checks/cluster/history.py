"""What happened: a line for each request, written as it goes, and the times between which something was done.

Nothing here judges; that is what promises.py is for. All times are seconds of one monotonic clock.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A request and what became of it. Without a status (0) its connection broke before the answer was there in full.
    `release` is the one whose body or ETag was answered, "?" for one that no release has, "" where there is none."""
    sent: float
    received: float
    key: str
    asked: str
    status: int
    code: str = ""
    release: str = ""

    def line(self):
        return (f"{self.sent:.4f}\t{self.received:.4f}\t{self.key}\t{self.asked}\t{self.status}\t{self.code}\t"
                f"{self.release}\n")

    @classmethod
    def of_line(cls, line):
        sent, received, key, asked, status, code, release = line.rstrip("\n").split("\t")
        return cls(float(sent), float(received), key, asked, int(status), code, release)

    def __str__(self):
        return self.line().strip().replace("\t", " ")


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when something was so; `what` is a kind of fault, `on` whom it befell."""
    what: str
    began: float
    ended: float
    on: str = ""


@dataclass(slots=True)
class Key:
    """What is known of a key: its name in the history, its subscription, whose minute window it shares, and when it
    was being changed. `barred` are the spans, until None, in which nothing may be accepted: a change that bars it had
    returned, and none that lets it in again had begun. `changing` are those in which both is right."""
    name: str
    secret: str
    id: str
    subscription: str
    window: str
    barred: list
    changing: list


class History:
    """The file."""

    def __init__(self, path):
        self.path, self.file, self.faults = path, path.open("w"), path.with_name("faults.tsv").open("w")

    def note(self, entry):
        self.file.write(entry.line())

    def tell(self, span):
        """Writes down a fault, for people."""
        self.faults.write(f"{span.began:.4f}\t{span.ended:.4f}\t{span.what}\t{span.on}\n")
        self.faults.flush()

    def entries(self):
        """All of it, by the time when it was sent."""
        self.file.flush()
        with self.path.open() as lines:
            return sorted(map(Entry.of_line, lines), key=lambda entry: entry.sent)
