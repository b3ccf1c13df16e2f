"""ROAPI and Datasette as peers for lists: the table of boats of the release, each on one core. And DuckDB's own command."""

import contextlib
import csv
import json
import sqlite3
import subprocess
import sys
import urllib.request

from checks.base import ENVIRONMENT, PATIENCE, expect, free_port
from checks.bench.load import listening
from checks.tools import of_pip, site_packages

ROAPI = ("roapi-0.12.7", "roapi==0.12.7")
DATASETTE = ("datasette-0.65.5", "datasette==0.65.5")
DUCKDB = ("duckdb-cli-1.5.6", "duckdb-cli==1.5.6")
SORTS = ("model", "year", "length", "manufacturer")
# Columns of the release that a list shows, and those with what it asks for.
SHOWN = ("id", "slug", "manufacturer", "type", "first_year", "last_year", "unit", "length")
COLUMNS = (*SHOWN, *(f"{sort}_rank" for sort in SORTS))


def duckdb():
    """DuckDB's command, of the version that the service has."""
    return of_pip(*DUCKDB) / "duckdb"


def table_of(data):
    found = list(data.directory.glob("releases/*/boat_index.parquet"))
    expect(len(found) == 1, f"{len(found)} tables of boats where one is expected")
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
    with listening(command, port, work / "datasette.log", ENVIRONMENT | {"PYTHONPATH": str(packages)}) as server:
        yield server


def write_database(path, table):
    """The rows of the table in SQLite, with the indexes that make the asked lists quick."""
    select = f"SELECT {', '.join(COLUMNS)} FROM read_parquet('{table}')"
    kinds = {"id": "TEXT PRIMARY KEY", "slug": "TEXT"}
    columns = ", ".join(f"{name} {kinds.get(name, 'INTEGER')}" for name in COLUMNS)
    with subprocess.Popen((duckdb(), "-csv", "-noheader", "-c", select), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, env=ENVIRONMENT) as rows, contextlib.closing(sqlite3.connect(path)) as database:
        database.execute(f"CREATE TABLE boats ({columns}) WITHOUT ROWID")
        database.executemany(f"INSERT INTO boats VALUES ({', '.join('?' * len(COLUMNS))})", csv.reader(rows.stdout))
        for sort in SORTS:
            database.execute(f"CREATE INDEX type_{sort} ON boats (type, {sort}_rank)")
        database.execute("ANALYZE")
        database.commit()
    expect(rows.returncode == 0, "could not read the table of boats")


def check_rows(server, path, kind, count, rows_of):
    """It answers a page of boats of the asked type, so that the comparison is fair."""
    with urllib.request.urlopen(server.base + path, timeout=PATIENCE) as answer:
        rows = rows_of(json.load(answer))
    expect(len(rows) == count and all(row["type"] == kind for row in rows),
           f"{path} gives {len(rows)} rows, or others than were asked for")
