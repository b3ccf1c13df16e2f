"""Lists: every filter and sort beside bare DuckDB in one process, then over HTTP, remembered or not."""

import itertools
import random
import re

from checks.base import expect
from checks.base import run as do
from checks.bench.get import boats_of, targets
from checks.bench.load import CONNECTIONS, load, serving
from checks.bench.results import in_turns, keep, middle, show
from checks.tools import of_debian

TYPES = 12
SORTS = ("model", "year", "length", "manufacturer")
LIMIT = 20
# Boats of exports were first built from 1950 to 2026, at least half of them until these, which is as far as offsets go.
YEARS = range(1991, 2027)
# Clients of lists that are not remembered.
CLIENTS = 8
# Lists that many clients ask for, so that they are remembered.
POPULAR = 50
# More lists a second than are answered where they are not remembered: none is asked for twice.
LISTS_A_SECOND_MAX = 5_000
# Turns with a million boats and more take long: there are so many rounds and queries of a shape at most.
LARGE, LARGE_ROUNDS, LARGE_QUERIES = 1_000_000, 3, 10
# A seed with which the load asks for each path once.
IN_ORDER = -1
COLUMNS = ("rate", "rate_of_processor", "median", "slow", "failed")
BY = "rate_of_processor"
# A row of the table that the program prints: a shape, its rows, then six figures and a ratio.
SHAPE = re.compile(r"^(\S.*:.*?) +\d+ +([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+) +[\d.]+$", re.MULTILINE)


def unlike_lists(boats, count, seed=1):
    """So many lists of a type until some year in some order, each once: what the service does not remember."""
    kinds = list(itertools.product(range(TYPES), SORTS, YEARS, ("asc", "desc")))
    most = max(boats // TYPES // 2, 1) * len(kinds)
    expect(count <= most, f"{boats} boats have {most} different lists, fewer than the {count} that are asked for")
    for number in random.Random(seed).sample(range(most), count):
        offset, kind = divmod(number, len(kinds))
        yield (offset, *kinds[kind])


def ours(offset, kind, sort, year, order):
    return f"/v1/boats?type=type-{kind}&yearTo={year}&sort={sort}&order={order}&limit={LIMIT}&offset={offset}"


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def without_http(surroundings, data, boats):
    """Prints the table of all shapes; the medians of each, ours and bare DuckDB's, in milliseconds."""
    queries = surroundings.queries if boats < LARGE else min(surroundings.queries, LARGE_QUERIES)
    told = do(surroundings.binaries / "lists", data.directory, queries)
    print(f"\nlists without HTTP\n\n{told}", flush=True)
    shapes = [{"shape": shape, "ours": float(ours), "duckdb": float(duckdb)} for shape, ours, duckdb in SHAPE.findall(told)]
    expect(shapes, "no medians in the table of lists")
    return shapes


def over_http(surroundings, data, boats):
    """What clients were answered in the turns of each side."""
    work, heads = surroundings.work, data.write_heads(surroundings.work / "heads")
    rounds = surroundings.rounds if boats < LARGE else min(surroundings.rounds, LARGE_ROUNDS)
    each = LISTS_A_SECOND_MAX * surroundings.seconds
    unlike = itertools.starmap(ours, unlike_lists(boats, rounds * each))
    some = unlike_lists(boats, POPULAR, seed=2)
    popular = write_lines(work / "popular", (ours(0, *one[1:]) for one in some))

    def turn(paths):
        return lambda number: load(service, surroundings.seconds, paths, heads, number + 1)

    def other_lists(_):
        lists = write_lines(work / "unlike", itertools.islice(unlike, each))
        return load(service, surroundings.seconds, lists, heads, IN_ORDER, CLIENTS)

    with serving(*surroundings.serve_command(data), log=work / "server.log") as service:
        sides = {"list, remembered": turn(popular), "get one": turn(targets(boats_of(boats))),
                 "list, not remembered": other_lists}
        return in_turns(rounds, sides)


def run(surroundings, sizes):
    of_debian(wrk="wrk")
    found = []
    for boats in sizes:
        data = surroundings.data(boats)
        shapes = without_http(surroundings, data, boats)
        given = over_http(surroundings, data, boats)
        remembered = {name: given.pop(name) for name in ("list, remembered", "get one")}
        show(f"lists of {boats} boats over HTTP, {CONNECTIONS} clients", remembered, COLUMNS, BY)
        show(f"another list of {boats} boats each time, {CLIENTS} clients", given, COLUMNS, BY)
        found.append({"boats": boats, "shapes": shapes,
                      "sides": {name: middle(one) for name, one in (remembered | given).items()}})
    keep("lists", {"sizes": found})
