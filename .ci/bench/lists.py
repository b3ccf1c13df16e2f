"""Lists: every filter and sort beside bare DuckDB in one process, then over HTTP, remembered or not, beside peers."""

import contextlib
import itertools
import random
import re
import subprocess

from peers import SORTS, check_rows, datasette, roapi, table_of
from processes import CONNECTIONS, ENVIRONMENT, Failed, load, serving
from results import keep, middle
from surroundings import machine
from table import in_turns, show

TYPES = 12
LIMIT = 20
# Clients of lists that are not remembered: few, since peers are slow with large tables.
CLIENTS = 8
# Lists that many clients ask for, so that they are remembered.
POPULAR = 50


def unlike_lists(boats):
    """Lists of a type in some order, each once: what the service does not remember, and peers are asked for too."""
    offsets = range(0, max(boats // TYPES // 2, 1))
    every = list(itertools.islice(itertools.product(offsets, range(TYPES), SORTS), 200_000))
    random.Random(1).shuffle(every)
    return every


def ours(offset, kind, sort):
    return f"/v1/boats?type=type-{kind}&sort={sort}&limit={LIMIT}&offset={offset}"


def of_roapi(offset, kind, sort):
    """The same over the columns of the release: the same filter, the same order, the same page, without a total."""
    return f"/api/tables/boats?filter[type]={kind}&sort={sort}_rank&limit={LIMIT}&offset={offset}"


def of_datasette(offset, kind, sort):
    """The same, total included; it begins pages behind a row, which is quicker than an offset."""
    behind = f"&_next={offset * TYPES},-" if offset else ""
    return f"/boats/boats.json?_shape=objects&type={kind}&_sort={sort}_rank&_size={LIMIT}{behind}"


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def without_http(surroundings, data, boats):
    """Prints the table of all shapes; for the plots, the medians of each: ours and bare DuckDB's, in milliseconds."""
    print(f"\nlists of {boats} boats without HTTP, {machine()}", flush=True)
    command = [surroundings.binaries / "lists", data.directory, str(surroundings.queries)]
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
        raise Failed("no medians in the table of lists")
    return shapes


def over_http(surroundings, data, boats):
    """What clients were answered in the turns of each side."""
    work = surroundings.work
    unlike = unlike_lists(boats)
    files = {name: write_lines(work / name, lines) for name, lines in {
        "popular": (ours(0, *one[1:]) for one in unlike[:POPULAR]),
        "ids": (f"/v1/boats/boat-{number}" for number in range(boats) if number % 50),
        "roapi": (of_roapi(*one) for one in unlike),
        "datasette": (of_datasette(*one) for one in unlike),
        "no-heads": [""],
    }.items()}
    heads = data.write_heads(work / "heads")
    part = len(unlike) // (surroundings.rounds + 1)
    turn = lambda server, targets, heads, clients=CONNECTIONS: lambda number: load(
        server, surroundings.seconds, targets, heads, number + 1, clients)

    def uncached(number):
        """Other lists in each turn."""
        lines = (ours(*one) for one in unlike[number * part:(number + 1) * part])
        return load(service, surroundings.seconds, write_lines(work / "unlike", lines), heads, -1, CLIENTS)

    with contextlib.ExitStack() as stack:
        service = stack.enter_context(serving(*surroundings.serve_command(data), log=work / "server.log"))
        peers = {"ROAPI, list": (stack.enter_context(roapi(work, table_of(data))), files["roapi"]),
                 "Datasette, list": (stack.enter_context(datasette(work, table_of(data))), files["datasette"])}
        some = (0, *unlike[0][1:])
        check_rows(peers["ROAPI, list"][0], of_roapi(*some), some[1], LIMIT, lambda told: told)
        check_rows(peers["Datasette, list"][0], of_datasette(*some), some[1], LIMIT, lambda told: told["rows"])
        machine()
        sides = {"list, remembered": turn(service, files["popular"], heads),
                 "get one": turn(service, files["ids"], heads), "list, not remembered": uncached,
                 **{name: turn(server, targets, files["no-heads"], CLIENTS)
                    for name, (server, targets) in peers.items()}}
        return in_turns(surroundings.rounds, sides)


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


def run(surroundings, sizes):
    found = []
    for boats in sizes:
        data = surroundings.data(boats)
        shapes = without_http(surroundings, data, boats)
        given = over_http(surroundings, data, boats)
        report(boats, given)
        found.append({"boats": boats, "shapes": shapes, "sides": {name: middle(one) for name, one in given.items()}})
    keep("lists", {"sizes": found})
