"""ROAPI and Datasette as peers for lists: the table of boats of the release, each on one core."""

import contextlib
import json
import sqlite3
import subprocess
import sys
import urllib.request

from checks.base import ENVIRONMENT, Broken, free_port
from checks.bench.wrk import listening
from checks.tools import of_pip, site_packages

ROAPI = ("roapi-0.12.7", "roapi==0.12.7")
DATASETTE = ("datasette-0.65.5", "datasette==0.65.5")
DUCKDB = ("duckdb-1.5.6", "duckdb==1.5.6")
SORTS = ("model", "year", "length", "manufacturer")
# Columns of the release that a list shows, and those with what it asks for.
SHOWN = ("id", "slug", "manufacturer", "type", "first_year", "last_year", "unit", "length")
COLUMNS = (*SHOWN, *(f"{sort}_rank" for sort in SORTS))
READ = """
import sys, json, duckdb
# It would be among the rows.
duckdb.execute("SET enable_progress_bar = false")
rows = duckdb.execute("SELECT " + sys.argv[2] + " FROM read_parquet(?)", [sys.argv[1]])
while some := rows.fetchmany(10_000):
    for row in some:
        print(json.dumps(row))
"""


def table_of(data):
    found = list(data.directory.glob("releases/*/boats.parquet"))
    if len(found) != 1:
        raise Broken(f"{len(found)} tables of boats where one is expected")
    return found[0]


@contextlib.contextmanager
def roapi(work, table):
    """With the table in memory, as it has it by itself."""
    port = free_port()
    command = (of_pip(*ROAPI) / "roapi", "--table", f"boats={table}", "--addr-http",
               f"127.0.0.1:{port}", "--addr-postgres", "127.0.0.1:0")
    with listening(command, port, work / "roapi.log") as server:
        yield server


@contextlib.contextmanager
def datasette(work, table):
    """With an index for each list that is asked for, no limits in its way and no facets to suggest."""
    database = work / "boats.db"
    database.unlink(missing_ok=True)
    write_database(database, table)
    port, packages = free_port(), site_packages(*DATASETTE)
    settings = {"suggest_facets": "off", "allow_facet": "off", "default_cache_ttl": 0, "num_sql_threads": 1,
                "sql_time_limit_ms": 20_000, "cache_size_kb": 1_000_000}
    options = [word for name, value in settings.items() for word in ("--setting", name, value)]
    # Immutable: then it counts each table once, at the start.
    command = (sys.executable, "-m", "datasette", "serve", "-i", database, "-h", "127.0.0.1", "-p", port, *options)
    environment = {**ENVIRONMENT, "PYTHONPATH": str(packages)}
    with listening(command, port, work / "datasette.log", environment) as server:
        yield server


def write_database(path, table):
    """The rows of the table in SQLite, with the indexes that make the asked lists quick."""
    environment = {**ENVIRONMENT, "PYTHONPATH": str(site_packages(*DUCKDB))}
    with subprocess.Popen([sys.executable, "-c", READ, table, ", ".join(COLUMNS)], stdout=subprocess.PIPE,
                          env=environment) as rows, contextlib.closing(sqlite3.connect(path)) as database:
        kinds = {"id": "TEXT PRIMARY KEY", "slug": "TEXT"}
        columns = ", ".join(f"{name} {kinds.get(name, 'INTEGER')}" for name in COLUMNS)
        database.execute(f"CREATE TABLE boats ({columns}) WITHOUT ROWID")
        places = ", ".join("?" * len(COLUMNS))
        database.executemany(f"INSERT INTO boats VALUES ({places})", map(json.loads, rows.stdout))
        for sort in SORTS:
            database.execute(f"CREATE INDEX type_{sort} ON boats (type, {sort}_rank)")
        database.execute("ANALYZE")
        database.commit()
    if rows.returncode:
        raise Broken("could not read the table of boats")


def check_rows(server, path, kind, count, rows_of):
    """It answers a page of boats of the asked type, so that the comparison is fair."""
    with urllib.request.urlopen(server.base + path, timeout=60) as answer:
        rows = rows_of(json.load(answer))
    if len(rows) != count or any(row["type"] != kind for row in rows):
        raise Broken(f"{path} gives {len(rows)} rows, or others than were asked for")
