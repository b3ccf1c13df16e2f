"""Another release is activated again and again under full load: every answer is of one of two releases, as a whole.

Clients ask for boats and lists as fast as they are answered. What each release answers to each of those requests was
asked before, one release at a time, so an answer made from both would have a hash that neither gave.
"""

import itertools
import json
import random
import subprocess
import time
from collections import Counter

from get import Copy
from lists import LIMIT, SORTS, TYPES, write_lines
from offered import milliseconds, offer
from processes import ENVIRONMENT, LOAD_CORE, Failed, on_core, run as do, serving
from results import keep
from surroundings import Data, machine
from table import show

SWITCHES, PAUSE = 10, 6
# After each activation, which itself looks at the whole release first: it is looked for, opened and warmed up.
DURING = 4
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
        raise Failed(f"{len(releases)} releases where two were made")
    return directory, releases


class Switcher:
    """Activates one of two releases, then the other."""

    def __init__(self, surroundings, directory, releases):
        self.command = (surroundings.catalogue, "--data", directory, "releases", "activate")
        self.releases = releases
        # When each activation began and ended, in seconds from the start of the load.
        self.switched = []

    def activate(self, number):
        command = on_core(LOAD_CORE, "nice", *self.command, self.releases[number % 2])
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
            self.switched.append((began, since_start()))
            at = max(at + PAUSE, since_start() + DURING)


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
                        beside=switcher.activate_all)
    surroundings.remove(directory)
    logged = (surroundings.work / "server.log").read_text(errors="replace").splitlines()
    print(*logged[-LOGGED_MAX:], sep="\n")
    report(boats, offered, switcher.switched, same, len(tags))


def report(boats, offered, switched, same, paths):
    bad = {f"{kind} {outcome}": count for kind in ("boats", "lists") for outcome in BAD
           if (count := offered.count(kind, outcome))}
    if not all(offered.count(kind, "answered") for kind in ("boats", "lists")):
        raise Failed(f"no right answers, but {bad}")
    before = (WARM_SECONDS, WARM_SECONDS + BEFORE_SECONDS)
    within = [(began, min(ended + DURING, ENDS)) for began, ended in switched]
    seen = sum(one != other for (_, one), (_, other) in itertools.pairwise(offered.watched))
    longest = max(ended - began for began, ended in switched)
    figures = {"boats": boats, "switches": seen, "longest_activation": longest, "bad": bad}
    print(f"\n{seen} switches between releases of {boats} boats under full load, {CONNECTIONS} clients, each activated "
          f"within {longest:.1f} s, {machine()}")
    for kind, kinds in (("boats", ["boats"]), ("lists", ["lists"]), ("all", ["boats", "lists"])):
        slow = lambda windows: milliseconds(sum(
            (offered.histogram(one, "answered", *window) for one in kinds for window in windows), Counter()), 0.99)
        rate = lambda window: sum(offered.count(one, "answered", *window) for one in kinds) / (window[1] - window[0])
        worst = max(slow([window]) or 0 for window in within)
        figures[kind] = {"p99_before": slow([before]), "p99_during": slow(within), "p99_worst": worst,
                         "answered": sum(offered.count(one, "answered") for one in kinds)}
        steady = [(one, one + DURING) for one in range(before[0], before[1] - DURING + 1, DURING)]
        show(kind, "answers a second",
             {"before": list(map(rate, steady)), f"until {DURING} s after": list(map(rate, within))}, ratios=False)
        print(f"  99 % within ms: {slow([before]):.1f} before, {slow(within):.1f} from each activation until "
              f"{DURING} s after it ({slow(within) / slow([before]):.2f} x), {worst:.1f} in the worst of them")
    print(f"\n{figures['all']['answered']:,} answers were 200 with a body of the hash "
          f"that one of both releases gave before ({same} of {paths} paths have the same in both); "
          f"any others: {bad or 'none'}", flush=True)
    keep("switch", figures)
    if bad:
        raise Failed("answers failed or were of no release")
    if seen < len(switched):
        raise Failed(f"of {len(switched)} activations, {seen} were followed within {PAUSE} s")


def run(surroundings, sizes):
    for boats in sizes:
        run_size(surroundings, boats)
