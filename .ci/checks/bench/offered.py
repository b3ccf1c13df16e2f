"""Loads on a schedule that waits for no answer, by the program `offer`, and what came of them by time."""

import json
import math
import resource
import subprocess
import time
from collections import Counter
from dataclasses import dataclass

from checks.base import ENVIRONMENT, PATIENCE, expect
from checks.bench.load import LOAD_CORE, on_core

# As in the program: a bucket of a histogram is by that part of a natural logarithm above the one before.
BUCKETS = 50


@dataclass
class Offered:
    """What came of requests: for each tenth of a second, when it ended, and a histogram by kind and outcome."""

    slices: list

    def histogram(self, kinds, outcome, windows=((0, math.inf),)):
        found = Counter()
        for one in self.slices:
            if any(since < one["until"] <= until for since, until in windows):
                for kind in kinds:
                    found.update(one[kind].get(outcome, {}))
        return found

    def count(self, kinds, outcome, windows=((0, math.inf),)):
        return self.histogram(kinds, outcome, windows).total()


def milliseconds(histogram, share):
    """Within which that share was answered; nothing took no time."""
    left = share * histogram.total()
    for bucket in sorted(histogram, key=int):
        left -= histogram[bucket]
        if left <= 0:
            return math.exp(int(bucket) / BUCKETS) / 1000
    return 0


def offer(surroundings, server, heads, connections, phases, kinds, beside=lambda since_start: None):
    """Offers phases, each (rate or "max", seconds), of kinds {name: (weight, file)}, from another core. `beside` is run
    meanwhile, and asks how many seconds ago the load began."""
    command = on_core(LOAD_CORE, surroundings.binaries / "offer", server.base.removeprefix("http://"), heads,
                      connections, ",".join(f"{rate}x{seconds}" for rate, seconds in phases),
                      *(f"{name}={weight}={path}" for name, (weight, path) in kinds.items()))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    printed = surroundings.work / "offered"
    with printed.open("wb") as out, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                                     env=ENVIRONMENT) as process:
        started = time.monotonic()
        try:
            beside(lambda: time.monotonic() - started)
            process.wait(sum(seconds for _, seconds in phases) + PATIENCE)
        finally:
            process.kill()
    expect(process.returncode == 0, f"the load ended with {process.returncode}")
    return Offered([json.loads(line) for line in printed.read_text().splitlines()])
