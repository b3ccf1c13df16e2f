"""Another release is activated again and again under full load: every answer is of one of two releases, as a whole.

Clients ask for boats and lists as fast as they are answered. What each release answers to each of those requests was
asked before, one release at a time, so an answer made from both would have a hash that neither gave.
"""

import json
import random
import subprocess
import time
from collections import Counter

from checks.base import ENVIRONMENT, Broken, run as do
from checks.bench.get import Copy
from checks.bench.lists import LIMIT, SORTS, TYPES, write_lines
from checks.bench.offered import milliseconds, offer
from checks.bench.results import keep
from checks.bench.surroundings import Data, machine
from checks.bench.table import show
from checks.bench.wrk import LOAD_CORE, on_core, serving

SWITCHES, PAUSE = 10, 20
# Seconds for which is looked on after a release is seen to be served: lists are asked of it for the first time then.
AFTER = 2
# Seconds between looks at what is served.
LOOKED_EVERY = 0.2
BEFORE_SECONDS, WARM_SECONDS = 10, 3
# When the load ends.
ENDS = WARM_SECONDS + BEFORE_SECONDS + SWITCHES * PAUSE
CONNECTIONS = 64
BOATS_ASKED, LISTS_ASKED = 5_000, 1_000
# So many boats are asked for beside one list.
BOATS_A_LIST = 20
# Last lines of the server's log that are shown; nothing is logged where all goes well.
LOGGED_MAX = 5
BAD = ("refused", "other", "failed", "wrong", "unsent")


def requests(boats):
    """Paths of boats, and of lists."""
    chosen = random.Random(3)
    numbers = [number for number in range(boats) if number % 50]
    ids = chosen.sample(numbers, min(BOATS_ASKED, len(numbers)))
    lists = {f"/v1/boats?type=type-{chosen.randrange(TYPES)}&sort={chosen.choice(SORTS)}&limit={LIMIT}"
             f"&offset={chosen.randrange(max(boats // TYPES // 2, 1))}" for _ in range(LISTS_ASKED)}
    return [f"/v1/boats/boat-{number}" for number in ids], sorted(lists)


def two_releases(surroundings, boats):
    """A data directory with two releases of the same boats with other values; its path and their ids."""
    directory = surroundings.work / "data-two"
    surroundings.import_into(directory, boats)
    surroundings.import_into(directory, boats, "--no-activate", seed=2)
    told = do(surroundings.catalogue, "--data", directory, "releases", "list", "--json")
    releases = [release["id"] for release in json.loads(told)["releases"]]
    if len(releases) != 2:
        raise Broken(f"{len(releases)} releases where two were made")
    return directory, releases


class Switcher:
    """Activates one of two releases, then the other."""

    def __init__(self, surroundings, directory, releases):
        self.command = (surroundings.catalogue, "--data", directory, "releases", "activate")
        self.releases = releases
        # When each activation began and ended, in seconds from the start of the load, and which release it was of.
        self.switched = []

    def activate(self, number):
        # An operator's command is elsewhere than the clients; here it has what they leave of their core.
        command = on_core(LOAD_CORE, "chrt", "--idle", "0", *self.command, self.releases[number % 2])
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)

    def activate_all(self, started):
        """Beside a load that began then."""
        since_start = lambda: time.monotonic() - started
        at = WARM_SECONDS + BEFORE_SECONDS
        for number in range(SWITCHES):
            # One that takes long delays the next, and the last ones have no time left.
            if ENDS < at + PAUSE:
                break
            time.sleep(max(at - since_start(), 0))
            began = since_start()
            self.activate(number)
            self.switched.append((began, since_start(), self.releases[number % 2]))
            at = max(at + PAUSE, since_start() + AFTER)


def etags(surroundings, switcher, directory, key, paths):
    """What both releases answer: for each path, the tags of each."""
    tags = {path: [] for path in paths}
    # The second stays active, so that the first that is activated under load is another.
    for number in (0, 1):
        switcher.activate(number)
        with serving(*surroundings.serve_command(Data(directory, ())), log=surroundings.work / "server.log") as server:
            copy = Copy(server, key)
            for path, found in tags.items():
                found.append(copy.ask(path)[0].getheader("etag"))
    return tags


def run_size(surroundings, boats):
    directory, releases = two_releases(surroundings, boats)
    data = Data(directory, surroundings.keys(directory))
    heads = data.write_heads(surroundings.work / "heads")
    switcher = Switcher(surroundings, directory, releases)
    ids, lists = requests(boats)
    tags = etags(surroundings, switcher, directory, data.keys[0], [*ids, *lists])
    same = sum(len(set(found)) < 2 for found in tags.values())
    kinds = {name: (weight, write_lines(surroundings.work / name, (" ".join([path, *tags[path]]) for path in paths)))
             for name, weight, paths in (("boats", BOATS_A_LIST, ids), ("lists", 1, lists))}
    with serving(*surroundings.serve_command(data), log=surroundings.work / "server.log") as server:
        machine()
        served = lambda: json.loads(Copy(server, data.keys[0]).ask("/v1")[1])["data"]["catalogue"]["release"]
        offered = offer(surroundings, server, heads, CONNECTIONS, [("max", ENDS)], kinds, watch=served,
                        every=LOOKED_EVERY, beside=switcher.activate_all)
    surroundings.remove(directory)
    logged = (surroundings.work / "server.log").read_text(errors="replace").splitlines()
    print(*logged[-LOGGED_MAX:], sep="\n")
    report(boats, offered, switcher.switched, same, len(tags))


def served_at(watched, began, _ended, release):
    """When that release was first seen to be served, before the next may be; None if it was not."""
    return next((at for at, served in watched if began < at < began + PAUSE and served == release), None)


def report(boats, offered, switched, same, paths):
    bad = {f"{kind} {outcome}": count for kind in ("boats", "lists") for outcome in BAD
           if (count := offered.count(kind, outcome))}
    if not all(offered.count(kind, "answered") for kind in ("boats", "lists")):
        raise Broken(f"no right answers, but {bad}")
    followed = [served_at(offered.watched, *one) for one in switched]
    # From the beginning of an activation, which looks at the whole release first; from when it has activated it.
    whole = [(began, min((served or began + PAUSE) + AFTER, ENDS)) for (began, *_), served in zip(switched, followed)]
    opening = [(ended, served or ended + PAUSE) for (_, ended, _), served in zip(switched, followed)]
    # The machine is not equally fast all the time, so quiet times are looked at between switches too.
    edges = [WARM_SECONDS, *(edge for window in whole for edge in window), ENDS]
    quiet = [(since, until) for since, until in zip(edges[::2], edges[1::2]) if since + 1 <= until]
    activation, longest = (max(until - since for since, until in windows)
                           for windows in ([one[:2] for one in switched], opening))
    figures = {"boats": boats, "switches": len(switched), "longest_activation": activation, "longest": longest,
               "bad": bad}
    print(f"\n{len(switched)} switches between releases of {boats} boats under full load, {CONNECTIONS} clients, each "
          f"activated within {activation:.1f} s and served within {longest:.1f} s from then, {machine()}")
    for kind, kinds in (("boats", ["boats"]), ("lists", ["lists"]), ("all", ["boats", "lists"])):
        slow = lambda windows: milliseconds(sum(
            (offered.histogram(one, "answered", *window) for one in kinds for window in windows), Counter()), 0.99)
        rate = lambda window: sum(offered.count(one, "answered", *window) for one in kinds) / (window[1] - window[0])
        worst = max(slow([window]) or 0 for window in whole)
        figures[kind] = {"p99_quiet": slow(quiet), "p99_whole": slow(whole), "p99_opening": slow(opening),
                         "p99_worst": worst, "answered": sum(offered.count(one, "answered") for one in kinds)}
        show(kind, "answers a second", {"quiet": list(map(rate, quiet)), "switching": list(map(rate, whole))},
             ratios=False)
        times = lambda windows: f"{slow(windows):.1f} ({slow(windows) / slow(quiet):.2f} x)"
        print(f"  99 % within ms: {slow(quiet):.1f} quiet; {times(whole)} from the beginning of each activation until "
              f"{AFTER} s after it was followed, {worst:.1f} in the worst of them; {times(opening)} while the server "
              "opens the release")
    print(f"\n{figures['all']['answered']:,} answers were 200 with a body of the hash "
          f"that one of both releases gave before ({same} of {paths} paths have the same in both); "
          f"any others: {bad or 'none'}", flush=True)
    keep("switch", figures)
    if bad:
        raise Broken("answers failed or were of no release")
    if len(switched) < SWITCHES or None in followed:
        seen = len(switched) - followed.count(None)
        raise Broken(f"of {SWITCHES} activations, {seen} were followed within {PAUSE} s")


def run(surroundings, sizes):
    for boats in sizes:
        run_size(surroundings, boats)
