"""Lists: every filter and sort against bare DuckDB in one process, then over HTTP, remembered or not, against ROAPI."""

import contextlib
import itertools
import json
import random
import shutil
import socket
import subprocess
import time
import urllib.request

from processes import ENVIRONMENT, SERVER_CORE, Failed, Server, load, on_core, serving
from surroundings import machine, python_packages
from table import in_turns, show

SORTS = ("model", "year", "length", "manufacturer")
TYPES = 12
LIMIT = 20
# Lists that many clients ask for, so that they are remembered.
POPULAR = 50
ROAPI = ("roapi==0.12.7",)


def unlike_lists(boats):
    """Lists of a type in some order, each once: what the service does not remember, and ROAPI is asked for too."""
    offsets = range(0, max(boats // TYPES // 2, 1))
    every = list(itertools.islice(itertools.product(offsets, range(TYPES), SORTS), 200_000))
    random.Random(1).shuffle(every)
    return every


def ours(offset, kind, sort):
    return f"/v1/boats?type=type-{kind}&sort={sort}&limit={LIMIT}&offset={offset}"


def theirs(offset, kind, sort):
    """The same over the columns of the release: the same filter, the same order, the same page, without a total."""
    return f"/api/tables/boats?filter[type]={kind}&sort={sort}_rank&limit={LIMIT}&offset={offset}"


def write_lines(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def run_size(surroundings, boats):
    work = surroundings.work
    data = surroundings.data(boats)
    print(f"\nlists of {boats} boats without HTTP, {machine()}", flush=True)
    subprocess.run([surroundings.binaries / "lists", data.directory, str(surroundings.queries)], check=True,
                   env=ENVIRONMENT)
    unlike = unlike_lists(boats)
    all_lists = write_lines(work / "lists", (ours(*one) for one in unlike))
    popular = write_lines(work / "popular", (ours(0, *one[1:]) for one in unlike[:POPULAR]))
    boat_ids = write_lines(work / "ids", (f"/v1/boats/boat-{number}" for number in range(boats) if number % 50))
    their_lists = write_lines(work / "their-lists", (theirs(*one) for one in unlike))
    heads = data.write_heads(work / "heads")
    no_heads = write_lines(work / "no-heads", [""])
    with contextlib.ExitStack() as stack:
        service = stack.enter_context(serving(*surroundings.serve_command(data), log=work / "server.log"))
        peer = stack.enter_context(roapi(work, table_of(data)))
        check_same_filter(peer, unlike[0])
        machine()
        part = len(unlike) // (surroundings.rounds + 1)

        def uncached(number):
            """Another part of the lists in each turn."""
            lines = (ours(*one) for one in unlike[number * part:(number + 1) * part])
            return load(service, surroundings.seconds, write_lines(all_lists, lines), heads, -1)

        turn = lambda server, targets, heads: lambda number: load(server, surroundings.seconds, targets, heads,
                                                                  number + 1)
        sides = {"list, remembered": turn(service, popular, heads), "get one": turn(service, boat_ids, heads),
                 "list, not remembered": uncached, "ROAPI, list": turn(peer, their_lists, no_heads)}
        given = in_turns(surroundings.rounds, sides)
    figure = lambda name, *sides: {side: [getattr(one, name) for one in given[side]] for side in sides}
    title = f"lists of {boats} boats over HTTP, one core, {machine()}"
    of_processor = "answers a second of processor time"
    show(title, of_processor, figure("rate_of_processor", "list, remembered", "get one"))
    show("  another list each time", of_processor, figure("rate_of_processor", "list, not remembered", "ROAPI, list"))
    show("  64 clients at a time", "milliseconds, half of the answers", figure("median", *sides), digits=2,
         better="less")
    shutil.rmtree(data.directory)


def table_of(data):
    found = list(data.directory.glob("releases/*/boats.parquet"))
    if len(found) != 1:
        raise Failed(f"{len(found)} tables of boats where one is expected")
    return found[0]


@contextlib.contextmanager
def roapi(work, table):
    """ROAPI on one core with the table of the release, in memory as it has it by itself."""
    binary = python_packages(*ROAPI) / "bin" / "roapi"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = on_core(SERVER_CORE, binary, "--table", f"boats={table}", "--addr-http", f"127.0.0.1:{port}",
                      "--addr-postgres", "127.0.0.1:0")
    with (work / "roapi.log").open("wb") as log, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                                                  stderr=log, env=ENVIRONMENT) as process:
        try:
            until = time.monotonic() + 60
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                if process.poll() is not None or until < time.monotonic():
                    raise Failed(f"ROAPI does not listen: {(work / 'roapi.log').read_text()[-600:]}")
                time.sleep(0.1)
            yield Server(process, f"http://127.0.0.1:{port}", 0)
        finally:
            process.terminate()


def check_same_filter(peer, one):
    """It answers a page of rows of the asked type, so the comparison is fair."""
    with urllib.request.urlopen(peer.base + theirs(0, *one[1:]), timeout=30) as answer:
        rows = json.load(answer)
    if len(rows) != LIMIT or any(row["type"] != one[1] for row in rows):
        raise Failed(f"ROAPI answers {len(rows)} rows, or others than were asked for")


def run(surroundings, sizes):
    for boats in sizes:
        run_size(surroundings, boats)
