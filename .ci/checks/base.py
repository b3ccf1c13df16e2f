"""What every check stands on: where things lie, commands that have to succeed, the binary, and promises that are broken."""

import asyncio
import contextlib
import inspect
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "fixtures" / "sample"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "boat-catalogue"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or CACHE / "target")
# Our own settings are those of the check, not those of the person who runs it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("CATALOGUE_")}
# How many seconds anything may take that takes a fraction of one on an idle machine. What takes longer hangs.
PATIENCE = 60
# The sockets that keep ports free.
KEPT_FREE = []


class Broken(Exception):
    """A promise that was not kept, or what kept a check from looking."""


def expect(kept, otherwise):
    if not kept:
        raise Broken(otherwise)


def left_out(what, why):
    """Tells of what this machine cannot do; a run of all checks gathers these lines in its summary."""
    print(f"LEFT OUT: {what}: {' '.join(why.split())}", flush=True)


def lacks_mounts():
    """What keeps this process from mounting; empty where nothing does."""
    with tempfile.TemporaryDirectory() as at:
        done = subprocess.run(["mount", "--bind", at, at], capture_output=True, text=True)
        if done.returncode == 0:
            subprocess.run(["umount", at], check=True)
        return done.stderr.strip()


def wait_until(is_so, otherwise):
    """Polls, and breaks a promise where that does not become so. `otherwise` is a text, or makes one."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        if end <= time.monotonic():
            raise Broken(otherwise if isinstance(otherwise, str) else otherwise())
        time.sleep(0.05)


async def until(is_so, otherwise):
    """The same while other tasks go on; `is_so` is a coroutine function or an ordinary one."""
    end = time.monotonic() + PATIENCE
    while not (await found if inspect.isawaitable(found := is_so()) else found):
        if end <= time.monotonic():
            raise Broken(otherwise if isinstance(otherwise, str) else otherwise())
        await asyncio.sleep(0.02)


def run(*command, statuses=(0,), **options):
    """Runs a command that has to end with one of these; its standard output. What it says is shown where it does not."""
    usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": ENVIRONMENT}
    if "input" not in options:
        usual["stdin"] = subprocess.DEVNULL
    shown = " ".join(map(str, command))[:200]
    try:
        done = subprocess.run([str(part) for part in command], **usual | options)
    except subprocess.TimeoutExpired as late:
        raise Broken(f"{shown} still runs after {late.timeout} s") from late
    expect(done.returncode in statuses, f"{shown} failed:\n{done.stdout}{done.stderr or ''}".rstrip())
    return done.stdout


def status_of(command, **options):
    """Runs a command beside what is set up for it: its exit status, as a shell says it where the command was killed."""
    status = subprocess.run(command, **options).returncode
    return status if status >= 0 else 128 - status


def binary():
    """CATALOGUE, or what .ci/cargo builds."""
    if "CATALOGUE" in os.environ:
        return pathlib.Path(os.environ["CATALOGUE"]).resolve()
    # As tests build it: for one package alone, libraries would be compiled anew with other features.
    subprocess.run([ROOT / ".ci" / "cargo", "build", "--quiet", "--workspace"], check=True, cwd=ROOT)
    return TARGET / "debug" / "catalogue"


@contextlib.contextmanager
def work_directory():
    """A directory in memory where there is one: what is tried is not the disk."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="catalogue-check-", dir=parent) as directory:
        yield pathlib.Path(directory)


def free_port():
    """A port on which a program of this check may listen, again and again, until this process ends. A socket keeps it that
    does not listen: Linux gives a port that is bound to nobody who asks for any, and lets a program that reuses addresses,
    as servers do, listen on it beside that socket. Until then connections are refused."""
    kept = socket.socket()
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    kept.bind(("127.0.0.1", 0))
    KEPT_FREE.append(kept)
    return kept.getsockname()[1]


@contextlib.contextmanager
def reported(name):
    """Ends the process with 1 and a message where a promise is broken, and in order where it is told to end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    except Broken as error:
        sys.exit(f"{name}: {error}")
