"""Another release is activated again and again under full load: every answer is of one of two releases, as a whole.

Clients ask for boats and lists as fast as they are answered. What each release answers to each of those requests was
asked before, one release at a time, so an answer made from both would have a hash that neither gave.
"""

import itertools
import json
import random
import time

from checks.base import expect, wait_until
from checks.base import run as do
from checks.bench.get import Copy
from checks.bench.lists import LIMIT, SORTS, TYPES, write_lines
from checks.bench.load import LOAD_CORE, on_core, serving
from checks.bench.offered import milliseconds, offer
from checks.bench.results import keep, row
from checks.bench.surroundings import Data

SWITCHES, PAUSE = 10, 10
# Seconds for which is looked on after a release is seen to be served: lists are asked of it for the first time then.
AFTER = 2
BEFORE_SECONDS, WARM_SECONDS = 10, 3
# When the load ends.
ENDS = WARM_SECONDS + BEFORE_SECONDS + SWITCHES * PAUSE
CONNECTIONS = 64
BOATS_ASKED, LISTS_ASKED = 5_000, 1_000
# So many boats are asked for beside one list.
BOATS_A_LIST = 20
KINDS = ("boats", "lists")
BAD = ("refused", "other", "failed", "wrong", "unsent")


def requests(boats):
    """Paths of boats, and of lists."""
    chosen = random.Random(3)
    numbers = [number for number in range(boats) if number % 50]
    ids = chosen.sample(numbers, min(BOATS_ASKED, len(numbers)))
    lists = {f"/v1/boats?type=type-{chosen.randrange(TYPES)}&sort={chosen.choice(SORTS)}&limit={LIMIT}"
             f"&offset={chosen.randrange(max(boats // TYPES // 2, 1))}" for _ in range(LISTS_ASKED)}
    return {"boats": [f"/v1/boats/boat-{number}" for number in ids], "lists": sorted(lists)}


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

    def etags(self, paths):
        """What both answer: for each path, the tags of each."""
        tags = {path: [] for path in paths}
        # The second stays active, so that the first that is activated under load is another.
        for number in (0, 1):
            self.activate(number)
            with self.served() as server:
                copy = Copy(server, self.data.keys[0])
                for path, found in tags.items():
                    found.append(copy.ask(path)[0].getheader("etag"))
        return tags


def switches(releases, server, since_start):
    """Activates one release after the other; when each activation began and ended, and when it was seen to be served."""
    copy = Copy(server, releases.data.keys[0])
    served = lambda: json.loads(copy.ask("/v1")[1])["data"]["catalogue"]["release"]
    for number in range(SWITCHES):
        time.sleep(max(WARM_SECONDS + BEFORE_SECONDS + number * PAUSE - since_start(), 0))
        began = since_start()
        release = releases.activate(number)
        ended = since_start()
        wait_until(lambda: served() == release, f"{release} was activated and is not served")
        yield began, ended, since_start()


def run_size(surroundings, boats):
    releases = Releases(surroundings, boats)
    paths = requests(boats)
    tags = releases.etags(itertools.chain(*paths.values()))
    kinds = {kind: (weight, write_lines(surroundings.work / kind, (" ".join([path, *tags[path]]) for path in paths[kind])))
             for kind, weight in (("boats", BOATS_A_LIST), ("lists", 1))}
    heads, seen = releases.data.write_heads(surroundings.work / "heads"), []
    with releases.served() as server:
        offered = offer(surroundings, server, heads, CONNECTIONS, [("max", ENDS)], kinds,
                        beside=lambda since_start: seen.extend(switches(releases, server, since_start)))
    surroundings.remove(releases.directory)
    same = sum(len(set(found)) < 2 for found in tags.values())
    print(f"\n{same} of {len(tags)} paths have the same answer in both releases")
    report(boats, offered, seen)


def report(boats, offered, seen):
    # From the beginning of an activation, which looks at the whole release first; from when it has activated it.
    whole = [(began, served + AFTER) for began, _, served in seen]
    opening = [(ended, served) for _, ended, served in seen]
    # The machine is not equally fast all the time, so quiet times are looked at between switches too.
    edges = [WARM_SECONDS, *itertools.chain(*whole), ENDS]
    windows = {"quiet": [(since, until) for since, until in zip(edges[::2], edges[1::2]) if since < until],
               "switching": whole, "opening": opening}
    longest = {"activation": max(ended - began for began, ended, _ in seen),
               "opening": max(until - since for since, until in opening)}
    bad = {f"{kind} {outcome}": count for kind in KINDS for outcome in BAD if (count := offered.count([kind], outcome))}
    figures = {name: {when: milliseconds(offered.histogram(kinds, "answered", times), 0.99) for when, times in windows.items()}
               | {"answered": offered.count(kinds, "answered")}
               for name, kinds in (("boats", ["boats"]), ("lists", ["lists"]), ("all", KINDS))}
    print(f"{len(seen)} switches between releases of {boats} boats under full load, {CONNECTIONS} clients, each activated "
          f"within {longest['activation']:.1f} s and served within {longest['opening']:.1f} s from then\n")
    row("ms, 99 %", "quiet", f"from an activation until {AFTER} s after it is served", "while a release is opened", "answers")
    row("---", *["--:"] * 4)
    for name, found in figures.items():
        times = [f"{found[when]:.1f} ({found[when] / found['quiet']:.2f} x)" if found["quiet"] else "-" for when in windows]
        row(name, *times, f"{found['answered']:,}")
    keep("switch", {"boats": boats, "switches": len(seen), "longest": longest, "bad": bad, "kinds": figures})
    expect(all(found["answered"] for found in figures.values()), f"no right answers, but {bad}")
    expect(not bad, f"answers failed or were of no release: {bad}")


def run(surroundings, sizes):
    for boats in sizes:
        run_size(surroundings, boats)
