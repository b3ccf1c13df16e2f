"""Turns that others disturb are repeated: figures of a busy machine say little."""

import os
import pathlib
import time

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# Where others had more than this share of all cores, a turn is repeated, so often at most; the quietest counts.
DISTURBED = 0.05
ATTEMPTS = int(os.environ.get("ATTEMPTS", 4))

# So many seconds may repetitions take in all; then each has its turn once, however busy the machine is.
REPEATED_MAX = 180

# The share that others had in each turn that counts.
shares = []
# How long each repetition took.
repeated = []


def busy_seconds():
    """What all cores have computed, for whomever."""
    fields = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, _idle, _waiting, irq, softirq, steal = (int(field) for field in fields[:8])
    return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND


def quietest(turn):
    """The result of the turn that others disturbed least; `turn` gives a result and the seconds it computed itself."""
    best, least = None, None
    for attempt in range(ATTEMPTS):
        started, busy = time.monotonic(), busy_seconds()
        result, own = turn()
        took = time.monotonic() - started
        if attempt:
            repeated.append(took)
        share = max(busy_seconds() - busy - own, 0) / (took * os.cpu_count())
        if least is None or share < least:
            best, least = result, share
        if least < DISTURBED or REPEATED_MAX < sum(repeated):
            break
    shares.append(least)
    return best
