"""What can befall a key store. Each fault is made and taken away; that is all that is known here.

What is overwritten is put back byte for byte, while no process has the store open, so that what was charged in the
meantime stays charged.
"""

import asyncio
import contextlib
import fcntl
import os
import shutil
import signal
import sqlite3
import subprocess
from dataclasses import dataclass
from typing import Callable

from checks.base import PATIENCE, expect, lacks_mounts, run

# The bytes that SQLite locks, far behind the end of the file.
LOCK_START, LOCK_LENGTH = 0x4000_0000, 512
# How long each such call on the key store takes, in microseconds.
CALLS, DELAY = "openat,pread64,fcntl,fsync,fdatasync,pwrite64,write", 1_200_000


@dataclass(frozen=True)
class Fault:
    """`befall(catalogue, server, random)` is a context in which the fault is there, which leaves no way to confirm the keys.
    `lacks` says what is missing here to make it."""
    name: str
    befall: Callable
    lacks: Callable = lambda: ""


@contextlib.asynccontextmanager
async def missing(catalogue, _server, _random):
    with moved_away(catalogue.key_store):
        yield


@contextlib.asynccontextmanager
async def empty(catalogue, _server, _random):
    with moved_away(catalogue.key_store):
        catalogue.key_store.touch(0o600)
        yield


@contextlib.contextmanager
def moved_away(path):
    away = path.with_name("away")
    path.rename(away)
    yield
    away.rename(path)


@contextlib.asynccontextmanager
async def locked(catalogue, _server, _random):
    connection = await asyncio.to_thread(lock, catalogue.key_store)
    yield
    connection.close()


def lock(path):
    """A transaction of another process."""
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute("BEGIN EXCLUSIVE")
    return connection


@contextlib.contextmanager
def alone(path):
    """The file, while no transaction is under way."""
    with path.open("r+b", buffering=0) as file:
        fcntl.lockf(file, fcntl.LOCK_EX, LOCK_LENGTH, LOCK_START)
        yield file


@contextlib.asynccontextmanager
async def overwritten(catalogue, _server, random):
    """The page from which a server learns whether keys have changed. It reads the others when it needs them."""
    with contextlib.closing(sqlite3.connect(catalogue.key_store, timeout=PATIENCE)) as connection:
        size, = connection.execute("PRAGMA page_size").fetchone()
        root, = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'revision'").fetchone()
    with damaged(catalogue.key_store, (root - 1) * size, random.randbytes(size)):
        yield


@contextlib.contextmanager
def damaged(path, offset, garbage):
    with alone(path) as file:
        kept = os.pread(file.fileno(), len(garbage), offset)
        os.pwrite(file.fileno(), garbage, offset)
    yield
    with alone(path) as file:
        os.pwrite(file.fileno(), kept, offset)


@contextlib.asynccontextmanager
async def truncated(catalogue, _server, random):
    path = catalogue.key_store
    with alone(path) as file:
        whole = os.pread(file.fileno(), path.stat().st_size, 0)
        length = random.randrange(1, len(whole))
        os.truncate(file.fileno(), length)
    yield
    with alone(path) as file:
        expect(path.stat().st_size == length, "a store that was cut off was written to")
        os.pwrite(file.fileno(), whole[length:], length)


@contextlib.asynccontextmanager
async def read_only(catalogue, _server, _random):
    """The data directory is mounted over itself, read-only. Its own file system could not be: the server has files of
    it open to write to."""
    data = catalogue.data
    await asyncio.to_thread(run, "mount", "--bind", data, data)
    try:
        await asyncio.to_thread(run, "mount", "-o", "remount,bind,ro", data)
        yield
    finally:
        # The server may have a file of it open, which does not matter any more.
        await asyncio.to_thread(run, "umount", "--lazy", data)


@contextlib.asynccontextmanager
async def slow(catalogue, server, _random):
    """Every call on the key store takes longer than a second."""
    store = catalogue.key_store
    paths = [part for path in (store, f"{store}-journal", catalogue.data) for part in ("-P", path)]
    command = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={CALLS}", *paths,
               "-e", f"inject={CALLS}:delay_enter={DELAY}", "-p", str(server.process.pid)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
        said = await asyncio.to_thread(strace.stderr.readline)
        try:
            expect("attached" in said, f"strace: {said.strip()}")
            yield
        finally:
            strace.send_signal(signal.SIGINT)
            await asyncio.to_thread(strace.communicate)


def lacks_strace():
    if not shutil.which("strace"):
        return "strace is missing"
    with subprocess.Popen(["sleep", str(PATIENCE)]) as traced:
        command = ["strace", "-o", "/dev/null", "-p", str(traced.pid)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
            said = strace.stderr.readline().strip()
            traced.kill()
    return "" if "attached" in said else said or "strace says nothing"


FAULTS = [
    Fault("missing", missing),
    Fault("an empty file", empty),
    Fault("locked", locked),
    Fault("overwritten", overwritten),
    Fault("truncated", truncated),
    Fault("read-only", read_only, lacks=lacks_mounts),
    Fault("slow", slow, lacks=lacks_strace),
]
