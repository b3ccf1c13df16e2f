"""What the service takes, beside what else could be used in its place. The peer runs in the same run, in turns.

    python3 .ci/bench get [BOATS...]       one boat over HTTP, against nginx with files and against an empty handler
    python3 .ci/bench lists [BOATS...]     every filter and sort against bare DuckDB; over HTTP against ROAPI, Datasette
    python3 .ci/bench import [BOATS...]    an import against DuckDB's own way from JSON to Parquet
    python3 .ci/bench start [BOATS...]     from the start to the first answer, and the memory that it takes
    python3 .ci/bench overload [BOATS...]  five times the lists that can be answered, and how it recovers
    python3 .ci/bench switch [BOATS...]    another release again and again under full load
    python3 .ci/bench servers [BOATS...]   one boat over HTTP with PostgreSQL and Redis, against the embedded store
    python3 .ci/bench all                  all of these with their usual sizes, then the plots
    python3 .ci/bench plots                cost against size as SVG, from the results in RESULTS, beside it

Without BOATS: 10000, 100000 and 1000000 for get, lists and start, 100000 for the others. ROUNDS is how often each side
has its turn (5), SECONDS how long a turn of HTTP lasts (3), QUERIES how many list queries of each shape are asked (20),
OVERLOAD how many seconds the overload lasts (300), ATTEMPTS how often a disturbed turn is tried (4), as long as that
takes no more than three minutes in all. Lists of a million boats have three rounds and ten queries at most.
CATALOGUE_TARGET is a directory with release binaries; without it, .ci/cargo builds them. BENCH_DIR is where data lies
meanwhile, up to eight gigabytes. RESULTS is a directory for the results as JSON; without it, they are only printed.

Servers have one core to themselves and load comes from another, so two cores are needed that do nothing else; each
table shows how busy the machine was before. nginx and wrk are Debian's, and so are PostgreSQL and Redis, which
.ci/with-services starts; Python packages are installed into the cache.
"""

import os
import pathlib
import sys
import traceback

# Nothing is to be left in the repository.
sys.dont_write_bytecode = True

import get
import imports
import lists
import overload
import plots
import servers
import start
import switch
from processes import Failed
from surroundings import ROOT, Surroundings

OF_SIZE = (10_000, 100_000, 1_000_000)
BENCHMARKS = {
    "get": (get.run, OF_SIZE),
    "lists": (lists.run, OF_SIZE),
    "import": (imports.run, (100_000,)),
    "start": (start.run, OF_SIZE),
    "overload": (overload.run, (100_000,)),
    "switch": (switch.run, (100_000,)),
    "servers": (servers.run, (100_000,)),
}
RESULTS = ROOT / "server" / "benches" / "results"


def measure(benchmarks):
    """Functions with sizes, one after the other, with the same data; whether none failed."""
    if (os.cpu_count() or 1) < 2:
        sys.exit("bench: two cores are needed, one for the server and one for the load")
    failed = []
    with Surroundings.make() as surroundings:
        for name, (benchmark, sizes) in benchmarks.items():
            try:
                benchmark(surroundings, sizes)
            except Failed as error:
                failed.append(name)
                print(f"bench {name}: {error}", file=sys.stderr, flush=True)
            except Exception:
                # The others are measured all the same.
                failed.append(name)
                traceback.print_exc()
    return not failed


def draw(results):
    """Plots beside the results of which they are."""
    plots.draw(results, pathlib.Path(results).resolve().parent / "plots")


def main(arguments):
    match arguments:
        case ["plots"]:
            draw(os.environ.get("RESULTS", RESULTS))
        case ["all"]:
            os.environ.setdefault("RESULTS", str(RESULTS))
            if not measure(BENCHMARKS):
                sys.exit("bench: some of it failed, so no plots were drawn")
            draw(os.environ["RESULTS"])
        case [name, *sizes] if name in BENCHMARKS and all(size.isdecimal() and int(size) for size in sizes):
            benchmark, usual = BENCHMARKS[name]
            sys.exit(not measure({name: (benchmark, [int(size) for size in sizes] or list(usual))}))
        case _:
            sys.exit(__doc__)


main(sys.argv[1:])
