"""Reads two columns of `$BASE/v1/boats.parquet` with the library that is named, through a file that asks for small ranges,
and compares them with those of the whole file.
"""

import datetime
import os
import sys
import urllib.request

from fsspec.implementations.http import HTTPFileSystem

URL = f"{os.environ['BASE']}/v1/boats.parquet"
FIELDS = {"Authorization": f"Bearer {os.environ['KEY']}"}
COLUMNS = ["slug", "lengthOverallMetres"]


class Files(HTTPFileSystem):
    def modified(self, path):
        """DuckDB asks for it; an ETag says more."""
        return datetime.datetime(2026, 1, 1)


def with_duckdb(files):
    import duckdb
    connection = duckdb.connect()
    connection.register_filesystem(files)
    return connection.execute(f"SELECT {', '.join(COLUMNS)} FROM read_parquet('{URL}')").fetchall()


def with_pandas(files):
    import pandas
    table = pandas.read_parquet(URL, columns=COLUMNS, filesystem=files)
    return list(table.itertuples(index=False, name=None))


def with_polars(files):
    import polars
    with files.open(URL) as file:
        return polars.read_parquet(file, columns=COLUMNS, use_pyarrow=True).rows()


def whole():
    import io
    import pyarrow.parquet
    with urllib.request.urlopen(urllib.request.Request(URL, headers=FIELDS)) as answer:
        table = pyarrow.parquet.read_table(io.BytesIO(answer.read()), columns=COLUMNS)
    return list(zip(*(table[column].to_pylist() for column in COLUMNS)))


reader = {"duckdb": with_duckdb, "pandas": with_pandas, "polars": with_polars}[sys.argv[1]]
read, expected = reader(Files(headers=FIELDS, block_size=1 << 13)), whole()
sys.exit(None if read == expected and read else f"{sys.argv[1]} read {read[:3]}, not {expected[:3]}")
