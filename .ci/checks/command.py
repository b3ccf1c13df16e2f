"""The real command: run once, or serving a data directory; and the promises that runs are held to.

Nothing here knows what is done to a server, or what clients ask of it.
"""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLE = ROOT / "fixtures" / "sample"
# How many seconds a process may take for what it does in a fraction of one.
PATIENCE = 20
# The highest minute limit there is, for keys whose minute limit is not what is tried.
MINUTE_LIMIT_MAX = 1_000_000


class Broken(Exception):
    """A promise that was not kept."""


def expect(kept, otherwise):
    if not kept:
        raise Broken(otherwise)


def binary():
    """CATALOGUE, or what .ci/cargo builds."""
    if "CATALOGUE" in os.environ:
        return pathlib.Path(os.environ["CATALOGUE"]).resolve()
    subprocess.run([ROOT / ".ci" / "cargo", "build", "--quiet", "-p", "cli"], check=True, cwd=ROOT)
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    target = os.environ.get("CARGO_TARGET_DIR") or cache / "boat-catalogue" / "target"
    return pathlib.Path(target) / "debug" / "catalogue"


@contextlib.contextmanager
def work_directory():
    """A directory in memory where there is one: what is tried here is not the disk."""
    parent = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="catalogue-faults-", dir=parent) as directory:
        yield pathlib.Path(directory)


def check_secrets(work):
    """No key that was issued is in any file, as a whole or without the part that may be shown."""
    for path in (path for path in work.rglob("*") if path.is_file()):
        contents = path.read_bytes()
        leaked = [key for key in Catalogue.issued if key[len("boat_live_") + 6:].encode() in contents]
        expect(not leaked, f"{path.name} contains {len(leaked)} of the keys that were issued")


class Catalogue:
    """A data directory, and the command that works on it."""

    # All keys of all data directories.
    issued = set()

    def __init__(self, command, data):
        self.command, self.data = command, data
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("CATALOGUE_")}
        self.servers = []

    @classmethod
    async def with_sample(cls, command, data):
        """One that has the sample export as its active release."""
        catalogue = cls(command, data)
        await catalogue.import_sample()
        return catalogue

    async def import_sample(self):
        await self.do("import", SAMPLE)

    @property
    def key_store(self):
        return self.data / "keys.sqlite"

    async def do(self, *arguments):
        """Runs a command that has to succeed; its answer."""
        return json.loads(await self.tell(*arguments, "--json"))

    async def tell(self, *arguments):
        """Runs a command that has to succeed; what it says."""
        command = [self.command, "--data", self.data, *arguments]
        done = await asyncio.to_thread(subprocess.run, command, stdin=subprocess.DEVNULL, capture_output=True,
                                       text=True, env=self.environment)
        expect(done.returncode == 0, f"catalogue {' '.join(map(str, arguments))} failed: {done.stderr.strip()}")
        return done.stdout

    async def subscribe(self, name, quota):
        await self.do("subscriptions", "create", name, "--quota", str(quota))

    async def issue(self, subscription, environment="live"):
        """A key with both scopes."""
        key = await self.do("keys", "issue", "--subscription", subscription, "--scope", "boats.read",
                            "manufacturers.read", "--env", environment, "--rate-limit", str(MINUTE_LIMIT_MAX))
        self.issued.add(key["key"])
        return key

    async def used(self):
        """What the ledger has charged to each subscription."""
        usage = (await self.do("usage"))["usage"]
        return {one["subscription"]: one["used"] for one in usage}

    def charged(self):
        """What is charged to each month of all subscriptions, by its end."""
        with contextlib.closing(sqlite3.connect(self.key_store, timeout=PATIENCE)) as connection:
            return dict(connection.execute("SELECT period_end, sum(charged) FROM usage GROUP BY period_end"))

    def check_integrity(self):
        """Has SQLite look at the whole key store."""
        with contextlib.closing(sqlite3.connect(self.key_store, timeout=PATIENCE)) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchall()
        expect(found == [("ok",)], f"the key store is damaged: {found}")

    async def serve(self, environment="live"):
        """Starts a server; returns once it accepts requests."""
        server = Server(self, environment)
        await server.start()
        return server

    def end(self):
        """Kills what still runs."""
        for server in self.servers:
            server.kill()
            server.process.wait()


class Server:
    """A server process."""

    # What its standard input is, and what it logs.
    input, level = subprocess.DEVNULL, "warn"

    def __init__(self, catalogue, environment):
        self.catalogue, self.environment = catalogue, environment
        self.log = catalogue.data.with_name(f"{catalogue.data.name}-{environment}.log")

    # Where readiness and metrics are.
    admin = "off"

    def command(self):
        """What is run."""
        return [self.catalogue.command, "--data", self.catalogue.data, "serve", "--listen", "127.0.0.1:0",
                "--admin", self.admin, "--env", self.environment, "--log", self.level]

    def standard_error(self):
        return self.log.open("ab")

    async def start(self):
        catalogue = self.catalogue
        with self.standard_error() as log:
            self.process = subprocess.Popen(self.command(), stdin=self.input, stdout=subprocess.PIPE, stderr=log,
                                            text=True, env=catalogue.environment)
        catalogue.servers.append(self)
        line = await asyncio.wait_for(asyncio.to_thread(self.process.stdout.readline), PATIENCE)
        said, _, port = line.strip().rpartition(":")
        expect(said == "listening on http://127.0.0.1", f"a server starts with {line!r}; its log: {self.last_words()}")
        self.port = int(port)

    @property
    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()

    def signal(self, number):
        self.process.send_signal(number)

    async def ended(self, *statuses):
        """Waits for the end of the process, which has to have one of these exit statuses."""
        found = await asyncio.to_thread(self.process.wait, PATIENCE)
        self.process.stdout.close()
        self.catalogue.servers.remove(self)
        expect(found in statuses, f"a server ended with {found}, not one of {statuses}; its log: {self.last_words()}")
        expect("panicked" not in self.log.read_text(errors="replace"), f"a thread panicked: {self.last_words()}")

    async def stop(self):
        """Stops it gracefully."""
        self.signal(signal.SIGTERM)
        await self.ended(0)

    def last_words(self):
        return self.log.read_text(errors="replace")[-600:]
