"""The real command on the sample export: what it prints, and servers that answer from it."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import tempfile
from dataclasses import dataclass

from tools import CACHE, Failed, run

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCOPES = ("boats.read", "manufacturers.read")
# Our own settings are those of the check, not those of whoever runs it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("CATALOGUE_")}
# How many seconds a server may take to start, and to end.
PATIENCE = 30


def binary():
    """CATALOGUE, or what .ci/cargo builds."""
    if "CATALOGUE" in os.environ:
        return pathlib.Path(os.environ["CATALOGUE"]).resolve()
    run(ROOT / ".ci" / "cargo", "build", "--quiet", "-p", "cli", cwd=ROOT)
    target = os.environ.get("CARGO_TARGET_DIR") or CACHE / "target"
    return pathlib.Path(target) / "debug" / "catalogue"


@dataclass
class Server:
    """A running server."""

    host: str
    port: int

    @property
    def base(self):
        return f"http://{self.host}:{self.port}"

    def connect(self):
        return socket.create_connection((self.host, self.port), PATIENCE)


class Catalogue:
    """A data directory with the sample, a subscription, and the command that works on them."""

    def __init__(self, command, folder):
        self.command, self.data = command, folder / "catalogue"
        self.log = folder / "log"
        self.do("import", ROOT / "fixtures" / "sample")
        self.subscribe("tests", 9_000_000_000_000_000)

    def do(self, *arguments):
        """What a command prints that has to succeed."""
        return run(self.command, "--data", self.data, *arguments, env=ENVIRONMENT)

    def subscribe(self, name, quota):
        self.do("subscriptions", "create", name, "--quota", quota)

    def issue(self, *scopes, subscription="tests", minute=1_000_000):
        """A key; with both scopes unless told otherwise."""
        issued = self.do("keys", "issue", "--subscription", subscription, "--rate-limit", minute,
                         "--scope", *(scopes or SCOPES), "--json")
        return json.loads(issued)

    @contextlib.contextmanager
    def served(self, *arguments):
        """A server on a free port, with these settings."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [self.command, "--data", self.data, "serve", "--listen", "127.0.0.1:0", "--log", "warn", *arguments],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, env=ENVIRONMENT)
        try:
            line = process.stdout.readline().strip()
            said, _, address = line.rpartition("http://")
            if said != "listening on ":
                raise Failed(f"a server begins with {line!r}; its log:\n{self.log.read_text()[-800:]}")
            host, _, port = address.rpartition(":")
            yield Server(host, int(port))
        finally:
            process.terminate()
            process.wait(PATIENCE)
            process.stdout.close()


@contextlib.contextmanager
def catalogue():
    """A catalogue in a folder of its own, until the check ends."""
    with tempfile.TemporaryDirectory(prefix="catalogue-contract-") as folder:
        yield Catalogue(binary(), pathlib.Path(folder))
