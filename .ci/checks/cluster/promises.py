"""What a history has to be: pure functions, each of which yields what it found amiss, one text a finding.

Only what is certain is a finding: between `sent` and `received` a request may have been answered at any moment.
"""

import bisect
import collections

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


def stretch(entry, breaks):
    """How many of these were over before it; None where it may have been in one. What has as many lies in one stretch of time."""
    if any(began <= entry.received and entry.sent <= ended for began, ended in breaks):
        return None
    return sum(ended < entry.sent for _, ended in breaks)


def minute_limits(entries, keys, limits, alone, starts):
    """No window has more requests than its limit: of all servers while none of them counts alone, and of one server from its
    start to its end, whoever counts. `alone` are the times when one counted alone, `starts` those at which each was started."""
    counted = collections.defaultdict(list)
    for entry in entries:
        if is_counted(entry) and entry.key in keys:
            counted[keys[entry.key].window].append(entry)
    breaks = {"all servers": [(span.began, span.ended) for span in alone]}
    breaks |= {server: [(at, at) for at in times] for server, times in starts.items()}
    for window, limit in limits.items():
        stretches = collections.defaultdict(list)
        for entry in counted[window] if limit < len(counted[window]) else ():
            for who in ("all servers", entry.server):
                stretches[who, stretch(entry, breaks[who])].append((entry.sent, entry.received))
        for (who, number), spans in stretches.items():
            most, at = (0, None) if number is None else most_within(spans, WINDOW * (1 - SLEW))
            if limit < most:
                yield f"{window}: {who} accepted {most} requests within a minute from {at:.3f} s on, of {limit}"


def received_200s(entries, keys):
    """How many answers of status 200 clients received, by subscription. What needs no key is not charged."""
    return collections.Counter(keys[entry.key].subscription for entry in entries if entry.status == 200 and entry.key in keys)


def ledger(received, quotas, used, may_be_above):
    """No subscription got more 200s than its quota; every one is charged, and at most so many more as are explained, of those
    for which that is told."""
    for name, more in may_be_above.items():
        if quotas[name] < received[name]:
            yield f"{name}: clients received {received[name]} answers of a quota of {quotas[name]}"
        if not received[name] <= used[name] <= received[name] + more:
            yield f"{name}: {received[name]} answers were received, {used[name]} are charged; at most {more} more are explained"


def changed_keys(entries, keys):
    """Nothing is accepted that was sent after a command had returned that bars its key."""
    for entry in entries:
        if entry.key in keys and entry.status not in (*AWAY, 401) and keys[entry.key].barred_since < entry.sent:
            yield f"accepted after the command had returned that forbids it: {entry}"


def is_explained(entry, key, may_be_limited):
    """Whether a status is one that this request may have while all is well."""
    match entry.status, entry.code:
        case 401, _ if key:
            return entry.sent < key.known_since or key.changing_since < entry.received
        case 429, _:
            return (entry.key, entry.code) in may_be_limited
        case status, _:
            return status == entry.expected


def statuses(entries, keys, may_be_limited):
    """Every answer is the expected one, or one that its key explains, or says that an engine is away.
    `may_be_limited` are keys and codes of 429."""
    for entry in entries:
        is_away = entry.status == 0 or (entry.status == 503 and entry.code == "SERVICE_UNAVAILABLE")
        if not is_away and not is_explained(entry, keys.get(entry.key), may_be_limited):
            yield f"not {entry.expected}: {entry}"


def releases(entries):
    """Every body and ETag is that of a release, as a whole."""
    for entry in entries:
        if entry.release == "?":
            yield f"of no release: {entry}"
