# A copy of all boats in boats-copy.ndjson, kept current: run this again and again. BASE is the address of the server, KEY a key.
# Python 3.8 or later on Linux or macOS, without packages.
import fcntl
import gzip
import json
import os
import random
import shutil
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

BASE, KEY = os.environ["BASE"], os.environ["KEY"]
# The first line of a file names a release, each other is a boat of it. The second file is the next copy, as far as it is made.
COPY, PART, BESIDE, LOCK = map(Path, ("boats-copy.ndjson", "boats.part", "boats.new", "boats.lock"))
# How many boats are fetched one by one where all can be had at once, and how many before they are written.
FEW, BATCH = 100, 10
# How often an answer had to be waited for.
waits = 0


class Moved(Exception):
    """Another release is served than the one that was begun with."""


def ask(path, **headers):
    """The answer, once no limit of the minute and no pause of the server stands before it."""
    global waits
    while True:
        try:
            return urlopen(Request(BASE + path, headers={"Authorization": f"Bearer {KEY}", **headers}), timeout=60)
        except HTTPError as refusal:
            try:
                refusal.error = json.load(refusal)["error"]
            except (LookupError, TypeError, ValueError):
                sys.exit(f"{BASE}{path} is answered with {refusal.code}, and not by the catalogue")
            if refusal.error["code"] not in ("RATE_LIMITED", "SERVICE_UNAVAILABLE"):
                raise
            print(refusal.error["message"], file=sys.stderr)
            waits += 1
            # Others that wait for the same moment should not all come at once.
            time.sleep(int(refusal.headers["Retry-After"]) + random.random())


def unless(status, function, *arguments):
    """Nothing where the server refuses with this status."""
    try:
        return function(*arguments)
    except HTTPError as refusal:
        if refusal.code != status:
            raise


def served():
    return json.load(ask("/v1"))["data"]["catalogue"]["release"]


def rows(path, release=None):
    """Every row of a list, and the release that all of its pages are of."""
    found, total = [], 1
    while len(found) < total:
        answer = ask(f"{path}&offset={len(found)}")
        page = json.load(answer)
        if release not in (None, answer.headers["X-Release"]):
            raise Moved
        release, total = answer.headers["X-Release"], page["pagination"]["total"]
        found += page["data"]
    return found, release


def release_of(file):
    """The release of a file, unless it is damaged. Nothing else is read where that is all that is asked for."""
    if file.exists():
        with file.open("rb") as lines:
            try:
                return json.loads(next(lines, b""))["release"]
            except (LookupError, TypeError, ValueError):
                return None


def boats_of(file):
    """The boats of a file by id. A last line that does not end was cut short."""
    boats = file.read_bytes().split(b"\n")[1:-1] if file.exists() else []
    return {json.loads(boat)["id"]: boat for boat in boats}


def keep(file):
    """Sees that what was written is on the disk."""
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def whole(path, release):
    """Writes a file under another name, then puts it in its place: no one ever sees half of it."""
    with BESIDE.open("wb") as file:
        file.write(json.dumps({"release": release}).encode() + b"\n")
        yield file
        keep(file)
    BESIDE.replace(path)


def download():
    """All boats in one answer, of one release whatever is published meanwhile. The key needs the scope for it."""
    answer = ask("/v1/boats.ndjson", **{"Accept-Encoding": "gzip"})
    release = answer.headers["X-Release"]
    with whole(COPY, release) as file:
        shutil.copyfileobj(gzip.open(answer), file)
    PART.unlink(missing_ok=True)
    return f"{release}: all boats"


def fetch(ids, release):
    """Adds boats to the next copy. A batch is written once it is sure that the server still has the release."""
    batch = []
    with PART.open("ab") as file:
        for id in ids:
            answer = unless(404, ask, f"/v1/boats/{id}")
            if answer is None:
                raise Moved
            before = waits if not batch else before
            batch.append(json.dumps(json.load(answer)["data"], ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
            # A limit may keep the next boat away for long.
            ends = "0" in (answer.headers["X-RateLimit-Remaining"], answer.headers["X-Quota-Remaining"])
            if ends or len(batch) == BATCH or id == ids[-1]:
                # While a batch waits, another release may come and go. Some servers follow a second later.
                for seconds in 0, 1:
                    time.sleep(seconds)
                    if served() != release or waits != before:
                        raise Moved
                file.write(b"".join(batch))
                keep(file)
                batch = []


def update():
    former = PART if release_of(PART) else COPY
    since = release_of(former)
    if former == COPY and since == served():
        return f"{since}: nothing new"
    changes = since and unless(410, rows, f"/v1/changes?since={since}&limit=1000")
    changed, release = changes or ([], None)
    changed = {row["id"]: row["change"] for row in changed if row["kind"] == "boat"}
    boats = {id: boat for id, boat in boats_of(former).items() if changes and id not in changed}
    missing = [id for id, change in changed.items() if change != "removed"]
    is_part = former == PART or not changes
    if is_part or FEW < len(missing):
        said = unless(403, download)
        if said:
            return said
    if is_part:
        every, release = rows("/v1/boats?limit=100", release)
        missing = [row["id"] for row in every if row["id"] not in boats]
    with whole(PART, release) as file:
        file.writelines(boat + b"\n" for boat in boats.values())
    fetch(missing, release)
    PART.replace(COPY)
    return f"{release}: {len(boats) + len(missing)} boats, {len(missing)} fetched"


try:
    # Held until this process ends, however it does.
    lock = LOCK.open("w")
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    while True:
        try:
            sys.exit(print(update()))
        except Moved:
            time.sleep(random.random())
except BlockingIOError:
    print("another copy is under way here", file=sys.stderr)
    sys.exit(75)
except HTTPError as refusal:
    print(f"{refusal.error['message']} (request {refusal.error['requestId']})", file=sys.stderr)
    sys.exit(75 if refusal.error["code"] == "QUOTA_EXCEEDED" else 1)
except Exception as why:
    sys.exit(f"{type(why).__name__}: {why}")
