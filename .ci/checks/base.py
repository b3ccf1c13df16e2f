"""What every check stands on: where things lie, commands that have to succeed, the binary, and promises that are broken."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "fixtures" / "sample"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "boat-catalogue"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or CACHE / "target")
# Our own settings are those of the check, not those of the person who runs it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("CATALOGUE_")}
# How many seconds a process may take for what it does in a fraction of one.
PATIENCE = 20


class Broken(Exception):
    """A promise that was not kept, or what kept a check from looking."""


def expect(kept, otherwise):
    if not kept:
        raise Broken(otherwise)


def run(*command, statuses=(0,), **options):
    """Runs a command that has to end with one of these; its standard output. What it says is shown where it does not."""
    usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": ENVIRONMENT}
    if "input" not in options:
        usual["stdin"] = subprocess.DEVNULL
    done = subprocess.run([str(part) for part in command], **usual | options)
    expect(done.returncode in statuses,
           f"{' '.join(map(str, command))[:200]} failed:\n{done.stdout}{done.stderr or ''}".rstrip())
    return done.stdout


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
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextlib.contextmanager
def reported(name):
    """Ends the process with 1 and a message where a promise is broken, and in order where it is told to end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    except Broken as error:
        sys.exit(f"{name}: {error}")
