"""An import, validated, rendered and hashed, against DuckDB's own way from JSON to Parquet. Same file, same cores.

hyperfine runs each command, one run a turn, so that sides alternate; GNU time, which it runs, tells the memory.
"""

import json
import shlex

from checks.base import run as do
from checks.bench.load import on_core
from checks.bench.results import in_turns, keep, middle, show
from checks.tools import of_debian, of_pip

DUCKDB = ("duckdb-cli-1.5.6", "duckdb-cli==1.5.6")
# Both sides have these, whatever else there is.
CORES = "0,1"


def duckdb():
    """DuckDB's command, of the version that the service has."""
    return of_pip(*DUCKDB) / "duckdb"


def measured(work, made, command):
    """A turn: runs the command, which makes what is removed before; what it took."""
    memory, told = work / "memory", work / "hyperfine.json"

    def turn(_):
        do("hyperfine", "--runs", 1, "--shell=none", "--style=none", "--export-json", told, "--prepare",
           shlex.join(("rm", "-rf", str(made))),
           shlex.join(on_core(CORES, "time", "--format=%M", f"--output={memory}", *command)))
        one, = json.loads(told.read_text())["results"]
        return {"seconds": one["median"], "processor_seconds": one["user"] + one["system"],
                "mebibytes": int(memory.read_text()) / 1024}

    return turn


def run_size(surroundings, boats):
    export, work = surroundings.export(boats), surroundings.work
    mebibytes = export.stat().st_size / 2**20
    directory, table = work / "imported", work / "duckdb.parquet"
    # All lines have to be looked at for their fields, since manufacturers come after the boats: once while it is
    # measured, and once before, which is the least that DuckDB can need.
    find = f"read_json('{export}', format = 'newline_delimited', sample_size = -1)"
    fields = json.loads(do(duckdb(), "-json", "-c", f"DESCRIBE FROM {find}"))
    columns = ", ".join("'%s': '%s'" % (field["column_name"], field["column_type"].replace("'", "''")) for field in fields)
    know = f"read_json('{export}', format = 'newline_delimited', columns = {{{columns}}})"
    copy = lambda source: (duckdb(), "-c", f"SET threads = 2; COPY (FROM {source}) TO '{table}' (FORMAT parquet)")
    given = in_turns(surroundings.rounds, {
        "catalogue import": measured(work, directory, (surroundings.catalogue, "--data", directory, "import", export)),
        "DuckDB, finds fields": measured(work, table, copy(find)),
        "DuckDB, told fields": measured(work, table, copy(know))})
    show(f"import of {boats} boats, {mebibytes:.0f} MiB", given, ("seconds", "processor_seconds", "mebibytes"), by="seconds")
    export.unlink()
    return {"boats": boats, "mebibytes": mebibytes, "sides": {side: middle(turns) for side, turns in given.items()}}


def run(surroundings, sizes):
    of_debian(hyperfine="hyperfine", time="time")
    keep("import", {"sizes": [run_size(surroundings, boats) for boats in sizes]})
