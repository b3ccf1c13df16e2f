"""Turns that others disturb are repeated: figures of a busy machine say little."""

import os
import pathlib
import time

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# Where others had more than this share of all cores, a turn is repeated, so often at most; the quietest counts.
DISTURBED = 0.05
ATTEMPTS = int(os.environ.get("ATTEMPTS", 4))

# The share that others had in each turn that counts.
shares = []


def busy_seconds():
    """What all cores have computed, for whomever."""
    fields = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    user, nice, system, _idle, _waiting, irq, softirq, steal = (int(field) for field in fields[:8])
    return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND


def quietest(turn):
    """The result of the turn that others disturbed least; `turn` gives a result and the seconds it computed itself."""
    best, least = None, None
    for _ in range(ATTEMPTS):
        started, busy = time.monotonic(), busy_seconds()
        result, own = turn()
        all_cores = (time.monotonic() - started) * os.cpu_count()
        share = max(busy_seconds() - busy - own, 0) / all_cores
        if least is None or share < least:
            best, least = result, share
        if least < DISTURBED:
            break
    shares.append(least)
    return best
