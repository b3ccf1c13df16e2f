"""Another release is activated again and again under full load: every answer is of one of two releases, as a whole.

Clients ask for boats and lists as fast as they are answered, in turns without a switch and turns with two. What each
release answers was asked before, one release at a time: an answer made from both would be a body that neither gave.
"""

import json
import random
import time
from concurrent.futures import ThreadPoolExecutor

from checks.base import expect, wait_until
from checks.base import run as do
from checks.bench.get import Copy
from checks.bench.lists import LIMIT, SORTS, TYPES, write_lines
from checks.bench.load import CONNECTIONS, LOAD_CORE, load, on_core, serving
from checks.bench.results import in_turns, keep, middle, show
from checks.bench.surroundings import Data
from checks.tools import of_debian

# A turn, and when in it a release is activated, in seconds: it is served some seconds later.
TURN, SWITCHES = 20, (1, 10)
BOATS_ASKED, LISTS_ASKED = 5_000, 250


def requests(boats):
    """Paths of boats, and of lists: one for twenty boats."""
    chosen = random.Random(3)
    numbers = [number for number in range(boats) if number % 50]
    ids = chosen.sample(numbers, min(BOATS_ASKED, len(numbers)))
    lists = {f"/v1/boats?type=type-{chosen.randrange(TYPES)}&sort={chosen.choice(SORTS)}&limit={LIMIT}"
             f"&offset={chosen.randrange(max(boats // TYPES // 2, 1))}" for _ in range(LISTS_ASKED)}
    return [*(f"/v1/boats/boat-{number}" for number in ids), *sorted(lists)]


class Releases:
    """A data directory with two releases of the same boats with other values."""

    def __init__(self, surroundings, boats):
        self.surroundings = surroundings
        self.directory = surroundings.work / "data-two"
        surroundings.import_into(self.directory, boats)
        surroundings.import_into(self.directory, boats, "--no-activate", seed=2)
        told = do(surroundings.catalogue, "--data", self.directory, "releases", "list", "--json")
        self.ids = [release["id"] for release in json.loads(told)["releases"]]
        expect(len(self.ids) == 2, f"{len(self.ids)} releases where two were made")
        self.data = Data(self.directory, surroundings.keys(self.directory))

    def served(self):
        return serving(*self.surroundings.serve_command(self.data), log=self.surroundings.work / "server.log")

    def activate(self, number):
        """Returns the id of the release. An operator's command is elsewhere than the clients; here it has what they leave
        of their core."""
        release = self.ids[number % 2]
        do(*on_core(LOAD_CORE, "chrt", "--idle", "0", self.surroundings.catalogue, "--data", self.directory, "releases",
                    "activate", release))
        return release

    def bodies(self, paths):
        """What both answer. The second stays active, so that the first that is activated under load is another."""
        for number in (0, 1):
            self.activate(number)
            with self.served() as server:
                copy = Copy(server, self.data.keys[0])
                for path in paths:
                    yield copy.ask(path)[1].decode()


def switch(releases, server):
    """Activates both releases, each in its time; how long each took until it was served."""
    copy, started, took = Copy(server, releases.data.keys[0]), time.monotonic(), []
    served = lambda: json.loads(copy.ask("/v1")[1])["data"]["catalogue"]["release"]
    for number, at in enumerate(SWITCHES):
        time.sleep(max(started + at - time.monotonic(), 0))
        began = time.monotonic()
        release = releases.activate(number)
        wait_until(lambda: served() == release, f"{release} was activated and is not served")
        took.append(time.monotonic() - began)
    return took


def run_size(surroundings, boats):
    releases, work, took = Releases(surroundings, boats), surroundings.work, []
    paths = requests(boats)
    bodies = write_lines(work / "bodies", releases.bodies(paths))
    targets, heads = write_lines(work / "paths", paths), releases.data.write_heads(work / "heads")
    with releases.served() as server, ThreadPoolExecutor() as threads:
        quiet = lambda number: load(server, TURN, targets, heads, number, bodies=bodies)

        def switching(number):
            beside = threads.submit(switch, releases, server)
            given = quiet(number)
            took.extend(beside.result())
            return given

        given = in_turns(surroundings.rounds, {"quiet": quiet, "switching": switching})
    surroundings.remove(releases.directory)
    show(f"{len(took)} switches between releases of {boats} boats under full load, {CONNECTIONS} clients", given,
         ("rate", "median", "slow", "failed", "wrong"), by="slow")
    print(f"\na release was served within {max(took):.1f} s of its activation", flush=True)
    bad = sum(turn["failed"] + turn["wrong"] for turns in given.values() for turn in turns)
    keep("switch", {"boats": boats, "switches": len(took), "longest": max(took), "bad": bad,
                    "sides": {side: middle(turns) for side, turns in given.items()}})
    expect(bad == 0, f"{bad} answers failed or were of no release")


def run(surroundings, sizes):
    of_debian(wrk="wrk")
    for boats in sizes:
        run_size(surroundings, boats)
