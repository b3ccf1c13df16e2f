"""What the service takes, beside what else could be used in its place. The peer runs in the same run, in turns.

    python3 .ci/bench get [BOATS...]      one boat over HTTP, against nginx with files and against an empty handler
    python3 .ci/bench lists [BOATS...]    every filter and sort against bare DuckDB; cached and uncached over HTTP
    python3 .ci/bench import [BOATS...]   an import against DuckDB's own way from JSON to Parquet
    python3 .ci/bench start [BOATS...]    from the start to the first answer, and the memory that it takes

Without BOATS: 10000 and 100000 (import: 100000; start: 10000, 100000 and 1000000). ROUNDS is how often each side has
its turn (5), SECONDS how long a turn of HTTP lasts (4), QUERIES how many list queries of each shape are asked (30).
CATALOGUE_TARGET is a directory with release binaries; without it, .ci/cargo builds them.

Servers have one core to themselves and load comes from another, so two cores are needed that do nothing else; each
table shows how busy the machine was before. nginx and wrk are Debian's; Python packages are installed into the cache.
"""

import os
import sys

# Nothing is to be left in the repository.
sys.dont_write_bytecode = True

import get
import imports
import lists
import start
from processes import Failed
from surroundings import Surroundings

BENCHMARKS = {
    "get": (get.run, (10_000, 100_000)),
    "lists": (lists.run, (10_000, 100_000)),
    "import": (imports.run, (100_000,)),
    "start": (start.run, (10_000, 100_000, 1_000_000)),
}


def main(arguments):
    match arguments:
        case [name, *sizes] if name in BENCHMARKS and all(size.isdecimal() and int(size) for size in sizes):
            benchmark, usual = BENCHMARKS[name]
        case _:
            sys.exit(__doc__)
    if (os.cpu_count() or 1) < 2:
        sys.exit("bench: two cores are needed, one for the server and one for the load")
    try:
        with Surroundings.make() as surroundings:
            benchmark(surroundings, [int(size) for size in sizes] or list(usual))
    except Failed as error:
        sys.exit(f"bench {name}: {error}")


main(sys.argv[1:])
