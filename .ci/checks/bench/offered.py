"""Loads on a schedule that waits for no answer, by the program `offer`, and what came of them by time."""

import json
import math
import resource
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from checks.base import ENVIRONMENT, Broken
from checks.bench.wrk import LOAD_CORE, on_core

# As in the program: a bucket of a histogram is by that part of a natural logarithm above the one before.
BUCKETS = 50


@dataclass
class Slice:
    """What came of requests in a tenth of a second: by kind and outcome, a histogram each."""

    # Seconds from the start of the load to the end of the slice.
    until: float
    kinds: dict


@dataclass
class Offered:
    """All slices, and what was looked at beside them."""

    slices: list
    # When it started, by time.monotonic().
    started: float
    # (seconds from the start, whatever `watch` gave)
    watched: list = field(default_factory=list)

    def histogram(self, kind, outcome, since=0, until=math.inf):
        found = Counter()
        for one in self.slices:
            if since < one.until <= until:
                found.update(one.kinds[kind].get(outcome, {}))
        return found

    def count(self, kind, outcome, since=0, until=math.inf):
        return self.histogram(kind, outcome, since, until).total()

    def ends(self):
        return self.slices[-1].until


def milliseconds(histogram, share):
    """Within which that share was answered; `None` of nothing."""
    left = share * histogram.total()
    for bucket in sorted(histogram, key=int):
        left -= histogram[bucket]
        if left <= 0:
            return math.exp(int(bucket) / BUCKETS) / 1000
    return None


def offer(surroundings, server, heads, connections, phases, kinds, watch=None, every=1, beside=None):
    """Offers phases, each (rate or "max", seconds), of kinds {name: (weight, file)}, from another core.

    `watch` is asked so often, in seconds; `beside` is run as soon as it has started, with that moment.
    """
    command = on_core(LOAD_CORE, surroundings.binaries / "offer", server.base.removeprefix("http://"), heads,
                      connections, ",".join(f"{rate}x{seconds}" for rate, seconds in phases),
                      *(f"{name}={weight}={path}" for name, (weight, path) in kinds.items()))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          env=ENVIRONMENT) as process:
        first = json.loads(process.stdout.readline() or "{}")
        if not first:
            raise Broken("the load did not start")
        started = time.monotonic() - first["until"]
        ended = threading.Event()
        with ThreadPoolExecutor() as threads:
            watching = threads.submit(look_on, watch, every, started, ended)
            acting = threads.submit(beside or (lambda _: None), started)
            try:
                slices = [slice_of(first), *(slice_of(json.loads(line)) for line in process.stdout)]
            finally:
                ended.set()
    if process.returncode:
        raise Broken("the load failed")
    # What failed in them fails here.
    acting.result()
    return Offered(slices, started, watching.result())


def slice_of(line):
    return Slice(line.pop("until"), line)


def look_on(watch, every, started, ended):
    watched = []
    while watch and not ended.wait(every):
        watched.append((time.monotonic() - started, watch()))
    return watched
