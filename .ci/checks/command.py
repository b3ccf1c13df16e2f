"""The real command: run once, or serving a data directory; and that it keeps its secrets.

Nothing here knows what is done to a server, or what clients ask of it.
"""

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import subprocess

from checks.base import ENVIRONMENT, PATIENCE, ROOT, SAMPLE, binary, expect, run, status_of, until, work_directory
from checks.processes import address, last_words, serving

# The highest minute limit there is, for keys whose minute limit is not what is tried.
MINUTE_LIMIT_MAX = 1_000_000
SCOPES = ("boats.read", "manufacturers.read")
# How long a command may take, in seconds. The longest is an import for a benchmark.
ENDS_WITHIN = 600


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
        self.environment = dict(ENVIRONMENT)
        self.servers = []

    @classmethod
    async def with_sample(cls, command, data):
        """One that has the sample export as its active release."""
        catalogue = cls(command, data)
        await catalogue.do("import", SAMPLE)
        return catalogue

    @property
    def key_store(self):
        return self.data / "keys.sqlite"

    def run(self, *arguments):
        """Runs a command that has to succeed; what it says."""
        return run(self.command, "--data", self.data, *arguments, env=self.environment, timeout=ENDS_WITHIN)

    def attempt(self, *arguments, **environment):
        """Runs a command that may fail: its exit status, and what it says then."""
        done = subprocess.run([self.command, "--data", self.data, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, env=self.environment | environment, timeout=ENDS_WITHIN)
        return done.returncode, done.stderr.strip()

    def answer(self, *arguments):
        """Runs a command that has to succeed; its answer."""
        return json.loads(self.run(*arguments, "--json"))

    def add_subscription(self, name, quota):
        self.run("subscriptions", "create", name, "--quota", quota)

    def new_key(self, subscription, *scopes, environment="live", limit=MINUTE_LIMIT_MAX):
        """A key; with both scopes unless told otherwise."""
        key = self.answer("keys", "issue", "--subscription", subscription, "--scope", *(scopes or SCOPES),
                          "--env", environment, "--rate-limit", limit)
        self.issued.add(key["key"])
        return key

    def active_release(self):
        """The id of the release that is served."""
        releases = self.answer("releases", "list")["releases"]
        return next(release["id"] for release in releases if release["active"])

    def served(self, *options):
        """A server on a free port, until the end of the context."""
        return serving(self.command, "--data", self.data, "serve", "--listen", "127.0.0.1:0", *options,
                       log=self.data.with_name(f"{self.data.name}.log"), environment=self.environment)

    # The same for those who do something else meanwhile.

    async def do(self, *arguments):
        return await asyncio.to_thread(self.answer, *arguments)

    async def tell(self, *arguments):
        return await asyncio.to_thread(self.run, *arguments)

    async def subscribe(self, name, quota):
        await asyncio.to_thread(self.add_subscription, name, quota)

    async def issue(self, subscription, *scopes, **settings):
        return await asyncio.to_thread(self.new_key, subscription, *scopes, **settings)

    async def used(self):
        """What the ledger has charged to each subscription."""
        usage = (await self.do("usage"))["usage"]
        return {one["subscription"]: one["used"] for one in usage}

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


@contextlib.contextmanager
def sample():
    """A data directory with the sample and the subscription `tests`, which nothing uses up."""
    with work_directory() as work:
        catalogue = Catalogue(binary(), work / "catalogue")
        catalogue.run("import", SAMPLE)
        catalogue.add_subscription("tests", 9_000_000_000_000_000)
        yield catalogue


def beside_sample(*command, **environment):
    """Runs a command beside a server of the sample, which it finds in BASE, with a key in KEY; its exit status."""
    with sample() as catalogue, catalogue.served("--admin", "off") as server:
        # Through the environment, so that no list of processes shows the key.
        at = {"BASE": server.base, "KEY": catalogue.new_key("tests", *SCOPES, "catalogue.export")["key"]}
        return status_of(command, cwd=ROOT, env=os.environ | at | environment)


class Server:
    """A server process that is disturbed while others ask it."""

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

    async def start(self):
        catalogue = self.catalogue
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command(), stdin=self.input, stdout=subprocess.PIPE, stderr=log,
                                            text=True, env=catalogue.environment)
        catalogue.servers.append(self)
        base = await asyncio.to_thread(address, self.process, self.log)
        self.port = int(base.rpartition(":")[2])

    @property
    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()

    def signal(self, number):
        self.process.send_signal(number)

    async def ended(self, *statuses):
        """Waits for the end of the process, which has to have one of these exit statuses."""
        await until(lambda: not self.is_running, f"a server does not end: {self.last_words()}")
        found = self.process.returncode
        self.process.stdout.close()
        self.catalogue.servers.remove(self)
        expect(found in statuses, f"a server ended with {found}, not one of {statuses}; its log: {self.last_words()}")
        expect("panicked" not in self.log.read_text(errors="replace"), f"a thread panicked: {self.last_words()}")

    async def stop(self):
        """Stops it gracefully."""
        self.signal(signal.SIGTERM)
        await self.ended(0)

    def last_words(self):
        return last_words(self.log)
