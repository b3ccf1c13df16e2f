"""Lists: every filter and sort beside bare DuckDB in one process, then over HTTP, remembered or not, beside peers."""

import contextlib
import itertools
import math
import random
import re
import subprocess

from checks.base import ENVIRONMENT, Broken
from checks.bench.get import boats_of, targets
from checks.bench.peers import SHOWN, SORTS, check_rows, datasette, roapi, table_of
from checks.bench.results import keep, middle
from checks.bench.surroundings import machine
from checks.bench.table import in_turns, show
from checks.bench.wrk import CONNECTIONS, load, load_once, serving

TYPES = 12
LIMIT = 20
# Boats of exports were first built from 1950 to 2026, at least half of them until these, which is as far as offsets go.
# All have a first year, so peers can be asked for the same.
YEARS = range(1991, 2027)
# Clients of lists that are not remembered: few, since peers are slow with large tables.
CLIENTS = 8
# Lists that many clients ask for, so that they are remembered.
POPULAR = 50
# More lists a second than are answered where they are not remembered: in a turn, none is asked for twice.
LISTS_A_SECOND_MAX = 5_000
# Lists of which peers are asked for one at random; they remember none.
PEER_LISTS = 20_000
# Lists of which the answers of peers are looked at.
CHECKED = 4
# Turns with a million boats and more take long: there are so many rounds and queries of a shape at most.
LARGE, LARGE_ROUNDS, LARGE_QUERIES = 1_000_000, 3, 10


def unlike_lists(boats):
    """Lists of a type until some year in some order, each once: what the service does not remember."""
    kinds = list(itertools.product(range(TYPES), SORTS, YEARS, ("asc", "desc")))
    random.Random(1).shuffle(kinds)
    count = max(boats // TYPES // 2, 1) * len(kinds)
    # A step without a common factor comes to each of them once; one by the golden section comes to all offsets evenly.
    step = next(step for step in itertools.count(int(count * 0.618)) if math.gcd(step, count) == 1)
    for number in range(count):
        offset, kind = divmod(number * step % count, len(kinds))
        yield (offset, *kinds[kind])


def ours(offset, kind, sort, year, order):
    return f"/v1/boats?type=type-{kind}&yearTo={year}&sort={sort}&order={order}&limit={LIMIT}&offset={offset}"


def of_roapi(offset, kind, sort, year, order):
    """The same over the columns of the release: the same filters, the same order, the same page, without a total."""
    sign = "-" if order == "desc" else ""
    return (f"/api/tables/boats?columns={','.join(SHOWN)}&filter[type]={kind}&filter[first_year]lte={year}"
            f"&sort={sign}{sort}_rank&limit={LIMIT}&offset={offset}")


def of_datasette(boats):
    """The same, total included; it begins pages behind a row, which is quicker than an offset."""
    def path(offset, kind, sort, year, order):
        descending = order == "desc"
        rank = boats - offset * TYPES if descending else offset * TYPES
        behind = f"&_next={rank},-" if offset else ""
        return (f"/boats/boats.json?_shape=objects&type={kind}&first_year__lte={year}"
                f"&{'_sort_desc' if descending else '_sort'}={sort}_rank&_size={LIMIT}{behind}")

    return path


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def without_http(surroundings, data, boats):
    """Prints the table of all shapes; for the plots, the medians of each: ours and bare DuckDB's, in milliseconds."""
    print(f"\nlists of {boats} boats without HTTP, {machine()}", flush=True)
    queries = surroundings.queries if boats < LARGE else min(surroundings.queries, LARGE_QUERIES)
    command = [surroundings.binaries / "lists", data.directory, str(queries)]
    told = subprocess.run(command, check=True, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True).stdout
    print(told, flush=True)
    head, *rows = told.splitlines()[1:]
    columns = re.sub(r"(\d+) %", r"\1%", head).split()[1:]
    shapes = []
    for row in rows:
        values = row.split()[-len(columns):]
        if ":" in row and len(values) == len(columns) and all(re.fullmatch(r"[\d.]+", value) for value in values):
            figures = dict(zip(columns, map(float, values), strict=True))
            name = re.split(r"\s{2,}|\s+\d+\s", row, maxsplit=1)[0]
            shapes.append({"shape": name, "ours": figures["ours"], "duckdb": figures["duckdb"]})
    if not shapes:
        raise Broken("no medians in the table of lists")
    return shapes


def over_http(surroundings, data, boats):
    """What clients were answered in the turns of each side."""
    work = surroundings.work
    unlike, datasette_list = unlike_lists(boats), of_datasette(boats)
    some = list(itertools.islice(unlike_lists(boats), PEER_LISTS))
    files = {name: write_lines(work / name, lines) for name, lines in {
        "popular": (ours(0, *one[1:]) for one in some[:POPULAR]),
        "roapi": itertools.starmap(of_roapi, some),
        "datasette": itertools.starmap(datasette_list, some),
        "no-heads": [""],
    }.items()}
    heads = data.write_heads(work / "heads")
    turn = lambda server, paths, heads, clients=CONNECTIONS: lambda number: load(
        server, surroundings.seconds, paths, heads, number + 1, clients)

    def others():
        """Lists that were not asked for in any turn before, nor in one that was disturbed."""
        lines = [ours(*one) for one in itertools.islice(unlike, LISTS_A_SECOND_MAX * surroundings.seconds)]
        return write_lines(work / "unlike", lines), len(lines)

    with contextlib.ExitStack() as stack:
        service = stack.enter_context(serving(*surroundings.serve_command(data), log=work / "server.log"))
        peers = {"ROAPI, list": (stack.enter_context(roapi(work, table_of(data))), files["roapi"]),
                 "Datasette, list": (stack.enter_context(datasette(work, table_of(data))), files["datasette"])}
        for one in some[:CHECKED]:
            first = (0, *one[1:])
            check_rows(peers["ROAPI, list"][0], of_roapi(*first), first[1], LIMIT, lambda told: told)
            check_rows(peers["Datasette, list"][0], datasette_list(*first), first[1], LIMIT, lambda told: told["rows"])
        machine()
        sides = {"list, remembered": turn(service, files["popular"], heads),
                 "get one": turn(service, targets(boats_of(boats)), heads),
                 "list, not remembered": lambda _: load_once(service, surroundings.seconds, others, heads, CLIENTS),
                 **{name: turn(server, lists, files["no-heads"], CLIENTS)
                    for name, (server, lists) in peers.items()}}
        rounds = surroundings.rounds if boats < LARGE else min(surroundings.rounds, LARGE_ROUNDS)
        return in_turns(rounds, sides)


def report(boats, given):
    figure = lambda name, *sides: {side: [getattr(one, name) for one in given[side]] for side in sides}
    title = f"lists of {boats} boats over HTTP, one core, {machine()}"
    of_processor = "answers a second of processor time"
    show(title, of_processor, figure("rate_of_processor", "list, remembered", "get one"))
    show("  another list each time", of_processor,
         figure("rate_of_processor", "list, not remembered", "ROAPI, list", "Datasette, list"))
    show(f"  {CONNECTIONS} clients, {CLIENTS} where not remembered", "milliseconds, half of the answers",
         figure("median", *given), digits=2, better="less", ratios=False)
    show("  the same", "milliseconds, 99 % of the answers", figure("slow", *given), digits=2, better="less",
         ratios=False)
    failed = {side: sum(one.failed for one in loads) for side, loads in given.items()}
    print("  answers that are no 200:", ", ".join(f"{side}: {count}" for side, count in failed.items()), flush=True)


def run(surroundings, sizes):
    found = []
    for boats in sizes:
        data = surroundings.data(boats)
        shapes = without_http(surroundings, data, boats)
        given = over_http(surroundings, data, boats)
        report(boats, given)
        found.append({"boats": boats, "shapes": shapes, "sides": {name: middle(one) for name, one in given.items()}})
    keep("lists", {"sizes": found})
