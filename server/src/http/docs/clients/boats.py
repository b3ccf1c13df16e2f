# A copy of all boats in boats.json, kept current: run this again and again. BASE is the address of the server, KEY a key.
import json
import os
import random
import sys
import time
from datetime import datetime, timezone
from http import HTTPStatus
from pathlib import Path

from boat_catalogue_client import AuthenticatedClient
from boat_catalogue_client.api.boats import get_boat, list_boats
from boat_catalogue_client.api.service import describe_version
from boat_catalogue_client.models import ErrorEnvelope

FILE = Path("boats.json")
# How many requests in a row may be refused by a limit of the minute or a pause of the server.
ATTEMPTS = 10
PASSING = ("RATE_LIMITED", "SERVICE_UNAVAILABLE")
CLIENT = AuthenticatedClient(os.environ["BASE"], os.environ["KEY"], raise_on_unexpected_status=True)


class QuotaExceeded(Exception):
    pass


def stored():
    """Boats by id, each with the tag of its answer, and the release that all of them are of; None while they are not."""
    return json.loads(FILE.read_text()) if FILE.exists() else {"release": None, "boats": {}}


def store(copy):
    """Writes a file beside the copy, then puts it in its place: no one ever sees half of it."""
    beside = FILE.with_suffix(".new")
    beside.write_text(json.dumps(copy))
    beside.replace(FILE)


def patiently(operation, *arguments, **options):
    """Sends a request, and again after each pause that the server asks for."""
    for attempt in range(1, ATTEMPTS + 1):
        answer = operation.sync_detailed(*arguments, client=CLIENT, **options)
        if not isinstance(answer.parsed, ErrorEnvelope) or answer.status_code == HTTPStatus.NOT_FOUND:
            return answer
        error = answer.parsed.error
        if error.code == "QUOTA_EXCEEDED":
            renews = datetime.fromtimestamp(int(answer.headers["X-Quota-Reset"]), timezone.utc)
            raise QuotaExceeded(f"the quota of the month is used up; it renews at {renews.isoformat()}")
        if error.code not in PASSING or attempt == ATTEMPTS:
            raise SystemExit(f"{error.code}: {error.message} (request {error.request_id})")
        # Others that wait for the same moment should not all come at once.
        time.sleep(int(answer.headers["Retry-After"]) + random.random())


def published():
    """The ids of all boats that are published."""
    ids, total = [], 1
    while len(ids) < total:
        page = patiently(list_boats, limit=100, offset=len(ids)).parsed
        if not page.data:
            break
        total = page.pagination.total
        ids += [row.id for row in page.data]
    return ids


def update(boats, ids):
    """Asks for every boat with the tag that is kept of it; how many were fetched."""
    fetched = 0
    for id in ids:
        tag = {"if_none_match": boats[id]["etag"]} if id in boats else {}
        answer = patiently(get_boat, id, **tag)
        # Anything else is the one that is kept, or was withdrawn since the list was read.
        if answer.status_code == HTTPStatus.OK:
            # As it was sent; `answer.parsed.data` is the same boat as an object.
            boats[id] = {"etag": answer.headers["ETag"], "boat": json.loads(answer.content)["data"]}
            fetched += 1
    return fetched


copy = stored()
release = patiently(describe_version).parsed.data.catalogue.release
if release == copy["release"]:
    sys.exit(print(f"nothing new: {len(copy['boats'])} boats"))
copy["release"] = None
try:
    ids = published()
    before = len(copy["boats"])
    copy["boats"] = {id: kept for id, kept in copy["boats"].items() if id in ids}
    dropped = before - len(copy["boats"])
    fetched = update(copy["boats"], ids)
    copy["release"] = release
    print(f"{len(ids)} boats: {fetched} fetched, {len(ids) - fetched} unchanged, {dropped} dropped")
except QuotaExceeded as refusal:
    print(refusal, file=sys.stderr)
    sys.exit(75)
finally:
    store(copy)
