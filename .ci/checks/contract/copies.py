"""The programs of the guide that keep a copy of all boats, one in each language: run as they stand, side by side.

First what each promises, step by step. Then for a while releases are activated and rolled back every two seconds, and the
programs are killed in every way: whenever a copy is there, it is one release, whole.
"""

import itertools
import json
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from checks.base import CACHE, ENVIRONMENT, PATIENCE, ROOT, SAMPLE, expect, run, wait_until
from checks.command import sample
from checks.tools import alone, of_npm

PROGRAMS = ROOT / "server" / "src" / "http" / "docs" / "clients"
NPM = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@types/node@24.10.1")
STRICTER = ("--strict", "--noUncheckedIndexedAccess", "--noPropertyAccessFromIndexSignature", "--noUnusedLocals",
            "--erasableSyntaxOnly", "--target", "es2023", "--module", "nodenext", "--types", "node")
CARGO = """\
# Made by .ci/contract: the program of /docs/rust, which is no part of our workspace.
[package]
name = "boats"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
serde_json = "=1.0.150"
ureq = { version = "=3.5.1", features = ["json"] }

[profile.dev]
debug = false
"""
# Requests of a first run without the scope for all at once: one page, and so many boats.
QUOTA = 10
# Less than there are boats, so that a run has to wait.
MINUTE_LIMIT = 30
STOPPED = 75
# What an incremental copy may ask of the limits after three changes; `GET /v1` is free.
REQUESTS = 4
EVERYTHING = ("boats.read", "catalogue.export")
NEVER = "20200101T000000Z-0123456789abcdef"
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True)
class Program:
    """A program of the guide, as its users would run it."""
    name: str
    command: tuple


def check(folder, seconds):
    programs = [python(), typescript(folder), rust()]
    with sample() as data, data.served("--log", "warn") as server:
        key = data.new_key("tests", *EVERYTHING)["key"]
        releases = Releases(data, server, key, folder)
        copies = [Copy(data, server, releases, program, folder) for program in programs]
        with ThreadPoolExecutor(len(copies)) as pool:
            for step in Copy.be_refused, Copy.begin, Copy.go_on, Copy.find_nothing_new:
                list(pool.map(step, copies))
            releases.activate(releases.changed)
            for step in Copy.follow, Copy.begin_anew, Copy.outlive_damage, Copy.keep_others_out:
                list(pool.map(step, copies))
        print("each program does what its page says", flush=True)
        storm(releases, copies, seconds)


def python():
    return Program("Python", (sys.executable, PROGRAMS / "boats.py"))


def typescript(folder):
    """Compiled, since only later versions of Node.js take types away by themselves."""
    modules = of_npm("openapi-typescript-7.13.0", *NPM)
    at = folder / "typescript"
    at.mkdir()
    (at / "node_modules").symlink_to(modules)
    (at / "package.json").write_text('{"private": true, "type": "module"}\n')
    (at / "boats.ts").write_text((PROGRAMS / "boats.ts").read_text())
    run("node", modules / ".bin" / "tsc", *STRICTER, "boats.ts", cwd=at)
    return Program("TypeScript", ("node", at / "boats.js"))


def rust():
    """In the cache, so that what it needs is compiled once."""
    crate = CACHE / "tools" / "copies-ureq-3.5.1"
    texts = {"Cargo.toml": CARGO, "src/main.rs": (PROGRAMS / "boats.rs").read_text(),
             "rust-toolchain.toml": (ROOT / "rust-toolchain.toml").read_text()}
    with alone(crate.name):
        (crate / "src").mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            path = crate / name
            # What has not changed is not compiled anew.
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
        run("cargo", "build", "--quiet", cwd=crate, env={**ENVIRONMENT, "CARGO_TARGET_DIR": str(crate / "target")})
    return Program("Rust", (crate / "target" / "debug" / "boats",))


class Releases:
    """What is published, and what each release holds."""

    def __init__(self, data, server, key, folder):
        self.data, self.server, self.key, self.folder = data, server, key, folder
        self.held = {}
        self.sample = self.serve(SAMPLE)
        self.changed = self.serve(self.edited("changed", "Changed."))
        self.other = self.serve(self.edited("other", "Changed again."))
        self.activate(self.sample)

    def edited(self, name, description):
        """The sample with another description of two boats, and without a third."""
        export = self.folder / name
        shutil.copytree(SAMPLE, export)
        path = export / "boats.ndjson"
        # Texts of the sample have other ends of lines within.
        head, *boats = map(json.loads, path.read_text().rstrip("\n").split("\n"))
        first, second, third = [boat for boat in boats if boat.get("published", True)][:3]
        first["description"] = second["description"] = description
        third["published"] = False
        path.write_text("".join(f"{json.dumps(line)}\n" for line in [head, *boats]))
        return export

    def serve(self, export):
        release = self.data.answer("import", export)["release"]
        wait_until(lambda: self.served() == release, f"the server does not serve {release}")
        with self.ask("/v1/boats.ndjson") as answer:
            expect(answer.headers["X-Release"] == release, "the whole catalogue is of another release")
            self.held[release] = by_id(answer.read().splitlines())
        return release

    def activate(self, release):
        self.data.run("releases", "activate", release)
        wait_until(lambda: self.served() == release, f"the server does not serve {release}")

    def ask(self, path, key=None):
        request = urllib.request.Request(self.server.base + path, headers={"Authorization": f"Bearer {key or self.key}"})
        return urllib.request.urlopen(request, timeout=PATIENCE)

    def served(self):
        with urllib.request.urlopen(f"{self.server.base}/v1", timeout=PATIENCE) as answer:
            return json.load(answer)["data"]["catalogue"]["release"]


def by_id(lines):
    return {boat["id"]: boat for boat in map(json.loads, lines)}


class Copy:
    """What one of the programs keeps."""

    def __init__(self, data, server, releases, program, folder):
        self.data, self.server, self.releases, self.program = data, server, releases, program
        self.subscription = f"copy-{program.name.lower()}"
        self.folder = folder / self.subscription
        self.folder.mkdir()
        self.file = self.folder / "boats-copy.ndjson"
        data.add_subscription(self.subscription, QUOTA)

    def key(self, *scopes, **limits):
        return self.data.new_key(self.subscription, *(scopes or ("boats.read",)), **limits)["key"]

    def run(self, key, status=0):
        return run("sh", "-c", '"$@" 2>&1', "sh", *self.program.command, cwd=self.folder, env=self.environment(key),
                   statuses=(status,), timeout=4 * PATIENCE).strip()

    def environment(self, key):
        return {**ENVIRONMENT, "BASE": self.server.base, "KEY": key}

    def expect(self, kept, otherwise):
        expect(kept, f"{self.program.name}: {otherwise}")

    def is_whole(self, release=None):
        """Whether the copy is that release, or any, from the first boat to the last."""
        first, *boats = self.file.read_bytes().split(b"\n")[:-1]
        of = json.loads(first)["release"]
        self.expect(by_id(boats) == self.releases.held[of], f"the copy of {of} has something else")
        self.expect(len(boats) == len(self.releases.held[of]), f"the copy of {of} has a boat twice")
        self.expect(release in (None, of), f"the copy is of {of}, not of {release}")

    def be_refused(self):
        said = self.run("boat_live_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRx", status=1)
        self.expect("typing error" in said, f"said {said!r}")
        self.expect({file.name for file in self.folder.iterdir()} <= {"boats.lock"}, "a file of nothing is there")

    def begin(self):
        said = self.run(self.key(), STOPPED)
        self.expect("requests of this month are used up" in said, f"said {said!r}")
        kept = (self.folder / "boats.part").read_bytes().split(b"\n")
        self.expect(len(kept) - 2 == QUOTA - 1, f"keeps {len(kept) - 2} boats of a stopped run")
        self.expect(not self.file.exists(), "half a copy is there")

    def go_on(self):
        self.data.run("subscriptions", "update", self.subscription, "--quota", "1000000")
        said = self.run(self.key(limit=MINUTE_LIMIT))
        fetched = len(self.releases.held[self.releases.sample]) - QUOTA + 1
        self.expect(f" {fetched} fetched" in said and "wait" in said, f"said {said!r}")
        self.is_whole(self.releases.sample)

    def find_nothing_new(self):
        said = self.run(self.key())
        self.expect("nothing new" in said, f"said {said!r}")

    def follow(self):
        key = self.key(limit=1000)
        said = self.run(key)
        self.expect(" 2 fetched" in said, f"said {said!r}")
        with self.releases.ask("/v1/key", key) as answer:
            asked = 1000 - json.load(answer)["rateLimit"]["remaining"] - 1
        self.expect(asked <= REQUESTS, f"asks {asked} times for three changes")
        self.is_whole(self.releases.changed)

    def begin_anew(self):
        """The release of the copy is not kept any more."""
        text = self.file.read_text().replace(self.releases.changed, NEVER)
        for scopes, expected in (EVERYTHING, ": all boats"), (("boats.read",), " fetched"):
            self.file.write_text(text)
            said = self.run(self.key(*scopes))
            self.expect(expected in said, f"said {said!r}")
            self.is_whole(self.releases.changed)

    def outlive_damage(self):
        """A file whose first line names no release is no copy."""
        for damaged in b"", b"\0\xff{\n":
            for file in self.file, self.folder / "boats.part":
                file.write_bytes(damaged)
            self.run(self.key())
            self.is_whole(self.releases.changed)

    def keep_others_out(self):
        """One copy at a time. What was killed is in nobody's way, and of two that then come at once one has the folder."""
        self.file.unlink()
        key = self.key()
        with self.process(self.key(limit=MINUTE_LIMIT)) as first:
            wait_until((self.folder / "boats.part").exists, "no copy is begun")
            said = self.run(key, STOPPED)
            self.expect(said == "another copy is under way here", f"said {said!r}")
            first.kill()
        with self.process(key) as one, self.process(key) as other:
            ended = sorted(process.wait(4 * PATIENCE) for process in (one, other))
        self.expect(ended in ([0, 0], [0, STOPPED]), f"two at once ended with {ended}")
        self.is_whole(self.releases.changed)

    def process(self, key):
        return subprocess.Popen([str(part) for part in self.program.command], cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, env=self.environment(key), text=True)

    def weather(self, is_over):
        """Runs again and again, with and without the scope for all at once, from nothing or from what there is."""
        keys = itertools.cycle([self.key(), self.key(*EVERYTHING)])
        self.runs, self.ended = 0, 0
        while not is_over.is_set():
            if random.random() < 0.3:
                self.file.unlink(missing_ok=True)
            with self.process(next(keys)) as process:
                try:
                    said = process.communicate(timeout=random.uniform(0.05, 4))[1]
                    self.expect(process.returncode == 0, f"ended with {process.returncode}: {said}")
                    self.ended += 1
                except subprocess.TimeoutExpired:
                    process.send_signal(random.choice(SIGNALS))
                    process.wait(PATIENCE)
            self.runs += 1
            if self.file.exists():
                self.is_whole()


def storm(releases, copies, seconds):
    is_over = threading.Event()
    with ThreadPoolExecutor(len(copies)) as pool:
        work = [pool.submit(copy.weather, is_over) for copy in copies]
        try:
            end, moves, active = time.monotonic() + seconds, 0, None
            while time.monotonic() < end and not any(one.done() for one in work):
                last = time.monotonic()
                if moves % 4 == 3:
                    releases.data.run("releases", "rollback")
                    active = None
                else:
                    # Another one each time, so that there is one to roll back to.
                    active = random.choice([held for held in releases.held if held != active])
                    releases.data.run("releases", "activate", active)
                moves += 1
                time.sleep(max(0, last + 2 - time.monotonic()))
        finally:
            is_over.set()
        for one in work:
            one.result()
    releases.activate(releases.other)
    for copy in copies:
        copy.run(copy.key())
        copy.is_whole(releases.other)
    told = ", ".join(f"{copy.program.name} {copy.ended} of {copy.runs}" for copy in copies)
    print(f"{moves} releases were activated in {seconds} s; runs that were not killed: {told}; every copy is a release")
