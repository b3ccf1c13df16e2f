"""An import, validated, rendered and hashed, against DuckDB's own way from JSON to Parquet. Same file, same cores."""

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace

from checks.base import ENVIRONMENT, Broken
from checks.bench.quiet import quietest
from checks.bench.results import keep
from checks.bench.surroundings import machine
from checks.bench.table import in_turns, show
from checks.bench.wrk import on_core
from checks.tools import site_packages

DUCKDB = ("duckdb-1.5.6", "duckdb==1.5.6")
# All lines have to be looked at for their fields, since manufacturers come after the boats: once while it is measured,
# and once before, which is the least that DuckDB can need.
FIND = """
import sys, json, duckdb
found = duckdb.execute("DESCRIBE FROM read_json(?, format = 'newline_delimited', sample_size = -1)", [sys.argv[1]])
print(json.dumps({row[0]: row[1] for row in found.fetchall()}))
"""
# What Python takes to start and to load DuckDB is not counted.
COPY = """
import sys, json, time, duckdb
_, source, table, columns = sys.argv
fields = json.loads(columns)
known = "columns = {" + ", ".join("'%s': '%s'" % (name, kind.replace("'", "''")) for name, kind in fields.items()) + "}"
duckdb.execute("SET threads = 2; SET enable_progress_bar = false")
started, computed = time.monotonic(), time.process_time()
duckdb.execute("COPY (FROM read_json('%s', format = 'newline_delimited', %s)) TO '%s' (FORMAT parquet)"
               % (source, known if fields else "sample_size = -1", table))
print(json.dumps({"seconds": time.monotonic() - started, "processor_seconds": time.process_time() - computed}))
"""
# Both sides have these, whatever else there is.
CORES = "0,1"


@dataclass
class Run:
    """What a process took."""

    seconds: float
    processor_seconds: float
    mebibytes: float


def measured(command, environment):
    """Runs it to its end; what it took, and what it printed."""
    started = time.monotonic()
    with subprocess.Popen(on_core(CORES, *command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment) as process:
        # Both print little.
        said, printed = process.stderr.read(), process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise Broken(f"{command[0]} failed: {said.decode(errors='replace')[-800:]}")
    took = Run(time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
    return took, printed


def run_size(surroundings, boats):
    """What it found, to be kept."""
    export, work = surroundings.export(boats), surroundings.work
    packages = site_packages(*DUCKDB)
    mebibytes = export.stat().st_size / 2**20

    def ours(number):
        directory = work / f"import-{number}"

        def turn():
            took, _ = measured([surroundings.catalogue, "--data", directory, "import", export], ENVIRONMENT)
            shutil.rmtree(directory)
            return took, took.processor_seconds

        return quietest(turn)

    environment = {**ENVIRONMENT, "PYTHONPATH": str(packages)}

    def theirs(columns):
        table = work / "duckdb.parquet"

        def turn():
            took, printed = measured([sys.executable, "-c", COPY, export, table, columns], environment)
            table.unlink()
            return replace(took, **json.loads(printed)), took.processor_seconds

        return lambda _: quietest(turn)

    columns = subprocess.run([sys.executable, "-c", FIND, export], check=True, capture_output=True, text=True,
                             env=environment).stdout
    sides = {"catalogue import": ours, "DuckDB, finds fields": theirs("{}"), "DuckDB, told fields": theirs(columns)}
    given = in_turns(surroundings.rounds, sides)
    figure = lambda name: {side: [getattr(one, name) for one in runs] for side, runs in given.items()}
    title = f"import of {boats} boats, {mebibytes:.0f} MiB, {machine()}"
    show(title, "seconds", figure("seconds"), digits=2, better="less")
    show("  the same", "seconds of processor time", figure("processor_seconds"), digits=2, better="less")
    show("  the same", "MiB of memory, at most", figure("mebibytes"), better="less")
    with contextlib.suppress(FileNotFoundError):
        export.unlink()
    middles = {side: {name: statistics.median(figure(name)[side]) for name in asdict(runs[0])}
               for side, runs in given.items()}
    return {"boats": boats, "mebibytes": mebibytes, "sides": middles}


def run(surroundings, sizes):
    keep("import", {"sizes": [run_size(surroundings, boats) for boats in sizes]})
