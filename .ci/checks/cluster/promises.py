"""What a history has to be: pure functions, each of which returns what it found amiss, one text a finding.

Only what is certain is a finding: between `sent` and `received` a request may have been answered at any moment.
"""

import bisect
import collections
import itertools

WINDOW = 60.0
# Windows are measured by the clock of the engine, which may be slewed against ours by so many parts of one second.
SLEW = 0.0005
# Statuses that any request may get, which say nothing about it.
AWAY = (0, 503)


def is_counted(entry):
    """Whether a request certainly passed the check of its minute limit."""
    return entry.status not in (*AWAY, 401) and entry.code != "RATE_LIMITED"


def most_within(spans, length):
    """The most spans of time that lie certainly within one window of this length, and when that one begins."""
    ends, most, at = [], 0, None
    for sent, received in sorted(spans, reverse=True):
        bisect.insort(ends, received)
        within = bisect.bisect_left(ends, sent + length)
        if most < within:
            most, at = within, sent
    return most, at


def minute_limits(entries, windows, limits):
    """No window has more requests than its limit. `windows` leads from a key to the name of its window."""
    spans = collections.defaultdict(list)
    for entry in entries:
        if is_counted(entry) and entry.key in windows:
            spans[windows[entry.key]].append((entry.sent, entry.received))
    for window, limit in limits.items():
        most, at = most_within(spans[window], WINDOW * (1 - SLEW)) if limit < len(spans[window]) else (0, None)
        if limit < most:
            yield f"{window}: {most} requests were accepted within a minute from {at:.3f} s on, of {limit}"


def received_200s(entries, subscriptions):
    """How many answers of status 200 clients received, by subscription. What needs no key is not charged."""
    return collections.Counter(subscriptions[entry.key] for entry in entries
                               if entry.status == 200 and entry.key in subscriptions)


def quotas(received, quotas):
    """No subscription got more 200s than its quota."""
    for name, quota in quotas.items():
        if quota < received[name]:
            yield f"{name}: clients received {received[name]} answers of a quota of {quota}"


def ledger(received, used, may_be_above):
    """The ledger has every 200 that was received, and at most so many more as `may_be_above` says."""
    for name, charged in used.items():
        if charged < received[name]:
            yield f"{name}: {received[name]} answers were received, and {charged} are charged"
        if received[name] + may_be_above[name] < charged:
            yield (f"{name}: {received[name]} answers were received, {charged} are charged; at most "
                   f"{may_be_above[name]} more are explained")


def barred(entries, keys):
    """Nothing is accepted that was sent when the key was certainly to be refused."""
    for entry in entries:
        key = keys.get(entry.key)
        if key is None or entry.status in (*AWAY, 401):
            continue
        if any(began < entry.sent and (ended is None or entry.received < ended) for began, ended in key.barred):
            yield f"accepted after the command had returned that forbids it: {entry}"


def is_expected(entry, expected, key):
    """Whether a status is one that this request may have while all is well. `expected` is that of a request that
    nothing limits."""
    match entry.status, entry.code:
        case 401, _:
            # The end of a change is when its command returned; what is barred then is so from its beginning on.
            spans = [*key.changing, *key.barred] if key else []
            was_changed = any(began < entry.received and (ended is None or entry.sent < ended) for began, ended in spans)
            return expected == 401 or was_changed
        case 429, "RATE_LIMITED" | "QUOTA_EXCEEDED":
            return expected not in (401,)
        case status, _:
            return status == expected


def statuses(entries, expected, keys, may_be_limited):
    """Every answer is the expected one, or one that its key explains, or says that an engine is away.
    `may_be_limited` are keys and codes of 429."""
    for entry in entries:
        if entry.status == 0 or (entry.status == 503 and entry.code == "SERVICE_UNAVAILABLE"):
            continue
        wrong = not is_expected(entry, expected[entry.asked], keys.get(entry.key))
        if wrong or (entry.status == 429 and (entry.key, entry.code) not in may_be_limited):
            yield f"not {expected[entry.asked]}: {entry}"


def releases(entries):
    """Every body and ETag is that of a release, as a whole."""
    for entry in entries:
        if entry.release == "?" or (entry.status in (200, 304) and not entry.release):
            yield f"of no release: {entry}"


def away_without_reason(entries, faults, recovery):
    """Nothing is refused or broken off but during a fault and for so many seconds after it."""
    begins = [fault.began for fault in faults]
    latest = list(itertools.accumulate((fault.ended for fault in faults), max))
    for entry in entries:
        if entry.status in AWAY:
            before = bisect.bisect_right(begins, entry.received)
            if not before or latest[before - 1] + recovery < entry.sent:
                yield f"without a fault: {entry}"


def many(findings, bearable):
    """The findings where they are more than can be borne."""
    findings = list(findings)
    return findings if bearable < len(findings) else []


def recoveries(entries, faults):
    """For each fault how long after its end, and that of those before, the last request was sent that was refused or broken
    off, and was so before the next one began."""
    away = [entry for entry in entries if entry.status in AWAY]
    sent = [entry.sent for entry in away]
    over = itertools.accumulate((fault.ended for fault in faults), max)
    for number, (fault, ended) in enumerate(zip(faults, over, strict=True)):
        until = faults[number + 1].began if number + 1 < len(faults) else float("inf")
        after = away[bisect.bisect_left(sent, ended):bisect.bisect_left(sent, until)]
        yield fault, max((entry.sent - ended for entry in after if entry.received < until), default=0.0)


def refusal_seconds(entries, faults):
    """How long each 503 took that was answered while nothing but engines were disturbed."""
    slow = sorted((fault for fault in faults), key=lambda fault: fault.began)
    begins = [fault.began for fault in slow]
    latest = list(itertools.accumulate((fault.ended for fault in slow), max))
    for entry in entries:
        if entry.status == 503:
            before = bisect.bisect_right(begins, entry.received)
            if not before or latest[before - 1] < entry.sent:
                yield entry.received - entry.sent


def share(values, part):
    """The value that so much of the sorted values is not above."""
    return values[min(len(values) - 1, int(part * len(values)))] if values else 0.0
