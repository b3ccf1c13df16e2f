"""Every message as httplint sees it: each of its notes, of whatever level, is explained or is a finding."""

import email.utils
import sys

from checks.base import Broken
from checks.command import sample
from checks.contract import exchanges
from checks.contract.notes import EXPLAINED
from checks.tools import site_packages

VERSION = "2026.10.4"
# As much as httplint lets clocks differ.
SKEW_SECONDS_MAX = 5


def check(_folder):
    with sample() as served:
        done = exchanges.of_all(served)
    sys.path.insert(0, str(site_packages(f"httplint-{VERSION}", f"httplint=={VERSION}")))
    seen = [(exchange, note) for exchange in done for note in notes(exchange)]
    compare(seen)
    print(f"httplint looked at {len(done)} messages: {len(seen)} notes of {len(EXPLAINED)} kinds, all explained")


def compare(seen):
    """What was noted with what is explained, in both directions."""
    explained = {(one.note, status) for one in EXPLAINED for status in one.statuses}
    noted = {(type(note).__name__, exchange.status) for exchange, note in seen}
    findings = [f"{exchange.name}: {type(note).__name__} ({note.level.value}): {note}" for exchange, note in seen
                if (type(note).__name__, exchange.status) not in explained]
    findings += [f"{name} is explained for {status}, where it is not noted" for name, status in explained - noted]
    if findings:
        raise Broken("\n".join(["httplint:", *sorted(set(findings))]))


def dated(exchange):
    """When the server says that it answered, which has to be about when the answer came. The linter is told this, since
    a second that ends in between would be an answer's age to it."""
    line = next(line for line in exchange.answer.split(b"\r\n") if line.lower().startswith(b"date: "))
    date = email.utils.parsedate_to_datetime(line[len(b"date: "):].decode()).timestamp()
    if SKEW_SECONDS_MAX < abs(exchange.answered - date):
        raise Broken(f"{exchange.name}: the date is {exchange.answered - date:.0f} s off")
    return date


def notes(exchange):
    """The notes about an answer, seen together with its request."""
    from httplint import HttpRequestLinter, HttpResponseLinter

    request = HttpRequestLinter()
    request.process_request_topline(exchange.method.encode(), exchange.target.encode(), b"1.1")
    request.process_headers([(name.encode(), value.encode()) for name, value in exchange.fields])
    request.finish_content(True)
    response = HttpResponseLinter(start_time=dated(exchange))
    response.request = request
    response.is_head_response = exchange.method == "HEAD"
    response.base_uri = f"http://{exchange.fields[0][1]}{exchange.target}"
    head, _, body = exchange.answer.partition(b"\r\n\r\n")
    status_line, *lines = head.split(b"\r\n")
    version, status, phrase = status_line.split(b" ", 2)
    response.process_response_topline(version.removeprefix(b"HTTP/"), status, phrase)
    response.process_headers([tuple(line.split(b":", 1)) for line in lines])
    response.feed_content(body)
    response.finish_content(True)
    for note in response.notes:
        yield note
        yield from note.subnotes
