"""The programs of the guide that keep a copy of all boats, one in each language: run as they stand, side by side.

Each is stopped by its quota, goes on where it was when there is more, waits where its key may ask no more for a minute,
and then asks for what a release has changed, and for no more.
"""

import json
import shutil
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from checks.base import PATIENCE, ROOT, SAMPLE, expect, run, wait_until

PROGRAMS = ROOT / "server" / "src" / "http" / "docs" / "clients"
# Requests of a first run: one page, and so many boats.
QUOTA = 10
# Less than there are boats, so that a run has to wait.
MINUTE_LIMIT = 30
STOPPED = 75


@dataclass(frozen=True)
class Program:
    """A client of the guide, as its users would run it."""
    name: str
    command: tuple
    environment: dict


def check(data, server, programs, folder):
    """Runs them on a server of the sample, which they see change."""
    with ThreadPoolExecutor(len(programs)) as pool:
        copies = list(pool.map(lambda program: Copy(data, server, program, folder), programs))
        for step in Copy.begin, Copy.go_on, Copy.find_nothing_new:
            list(pool.map(step, copies))
        publish_changes(data, server, folder)
        list(pool.map(Copy.follow, copies))
    for copy in copies:
        copy.has_paid_for_changes_only()


class Copy:
    """What one of the programs keeps."""

    def __init__(self, data, server, program, folder):
        self.data, self.server, self.program = data, server, program
        self.subscription = f"copy-{program.name.lower()}"
        self.folder = folder / self.subscription
        self.folder.mkdir()
        data.add_subscription(self.subscription, QUOTA)

    def run(self, status=0, **limits):
        key = self.data.new_key(self.subscription, "boats.read", **limits)["key"]
        environment = {**self.program.environment, "BASE": self.server.base, "KEY": key}
        return run("sh", "-c", '"$@" 2>&1', "sh", *self.program.command, cwd=self.folder, env=environment,
                   statuses=(status,)).strip()

    def has_paid_for_changes_only(self):
        """Three lists, and each boat once but the one that changed. What is asked to see it is charged too."""
        key = self.data.new_key(self.subscription, "boats.read")["key"]
        request = urllib.request.Request(f"{self.server.base}/v1/boats", headers={"Authorization": f"Bearer {key}"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            used = int(answer.headers["X-Quota-Limit"]) - int(answer.headers["X-Quota-Remaining"]) - 1
        expected = 3 + (len(self.boats()) + 1) + 1
        expect(used == expected, f"{self.program.name}: {used} requests were charged, not {expected}")

    def boats(self):
        return json.loads((self.folder / "boats.json").read_text())["boats"]

    def says(self, said, expected):
        expect(said == expected, f"{self.program.name}: said {said!r}, not {expected!r}")

    def begin(self):
        said = self.run(status=STOPPED)
        expect("the quota of the month is used up; it renews at 20" in said, f"{self.program.name}: said {said!r}")
        expect(len(self.boats()) == QUOTA - 1, f"{self.program.name}: keeps {len(self.boats())} boats of a stopped run")

    def go_on(self):
        self.data.run("subscriptions", "update", self.subscription, "--quota", "1000")
        said = self.run(limit=MINUTE_LIMIT)
        expect(len(self.boats()) > MINUTE_LIMIT, f"{self.program.name}: keeps {len(self.boats())} boats only")
        self.says(said, f"{len(self.boats())} boats: {len(self.boats()) - QUOTA + 1} fetched, {QUOTA - 1} unchanged, 0 dropped")

    def find_nothing_new(self):
        self.says(self.run(), f"nothing new: {len(self.boats())} boats")

    def follow(self):
        before = self.boats()
        said = self.run()
        after = self.boats()
        self.says(said, f"{len(after)} boats: 1 fetched, {len(after) - 1} unchanged, 1 dropped")
        changed = [kept["boat"]["description"] for boat, kept in after.items() if kept != before[boat]]
        expect(changed == ["Changed."] and len(after) == len(before) - 1, f"{self.program.name}: copied {changed}")


def publish_changes(data, server, folder):
    """A release in which the first boat has another description and the second is withdrawn."""
    export = folder / "changed"
    shutil.copytree(SAMPLE, export)
    path = export / "boats.ndjson"
    # Texts of the sample have other ends of lines within.
    head, *boats = map(json.loads, path.read_text().rstrip("\n").split("\n"))
    first, second = [boat for boat in boats if boat.get("published", True)][:2]
    first["description"], second["published"] = "Changed.", False
    path.write_text("".join(f"{json.dumps(line)}\n" for line in [head, *boats]))
    release = data.answer("import", export)["release"]
    wait_until(lambda: served(server) == release, f"the server does not serve {release}")


def served(server):
    with urllib.request.urlopen(f"{server.base}/v1", timeout=PATIENCE) as answer:
        return json.load(answer)["data"]["catalogue"]["release"]
