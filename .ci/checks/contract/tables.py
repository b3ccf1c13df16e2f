"""`/v1/boats.parquet` as others read it: DuckDB, pandas and polars, each with a key, from a running server, by ranges."""

import pathlib

from checks.base import expect, run
from checks.command import sample
from checks.tools import of_pip

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ("duckdb==2.0.1", "fsspec[http]==2026.9.0", "pandas==3.1.1", "polars==2.1.0", "pyarrow==26.0.1")
READERS = ("duckdb", "pandas", "polars")
# What the log says of a range that was sent.
PART = '"route":"/v1/boats.parquet","status":206'


def check(_folder):
    tool = of_pip("tables-2.0.1-3.1.1-2.1.0", *PACKAGES) / "python"
    with sample() as data, data.served("--log", "info", "--admin", "off") as server:
        key = data.new_key("tests", "boats.read", "catalogue.export")["key"]
        before = parts(data)
        for reader in READERS:
            run(tool, HERE / "tables_reader.py", reader, env={"BASE": server.base, "KEY": key})
            now = parts(data)
            expect(before < now, f"{reader} read the whole file, and no range of it")
            before = now
    print(f"{', '.join(READERS)} read the columns that they need by ranges")


def parts(data):
    """How many ranges the server has sent."""
    return data.data.with_name(f"{data.data.name}.log").read_text().count(PART)
