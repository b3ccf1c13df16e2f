"""Keys that are refused while the disk is full to the last byte, and something else takes every byte that is freed: each
command succeeds, and the server obeys.
"""

import asyncio
import contextlib
import os
import pathlib
import subprocess
import tempfile
import threading

from checks.base import expect
from checks.clients import Load, catalogue_requests
from checks.command import Catalogue

SUBSCRIPTION, QUOTA = "acme", 50_000_000
# The size of the disk, in bytes: the sample, the store, and some room to be filled.
SIZE = 24 << 20
CLIENTS, PAUSE = 4, 0.005
CODES = {"revoke": "API_KEY_REVOKED", "disable": "API_KEY_DISABLED"}


@contextlib.contextmanager
def small_disk():
    """A disk of its own in memory; without the right to mount one, why not."""
    with tempfile.TemporaryDirectory(prefix="catalogue-full-") as at:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "tmpfs", at],
                              capture_output=True, text=True)
        if done.returncode != 0:
            yield None, done.stderr.strip()
            return
        try:
            yield pathlib.Path(at), None
        finally:
            subprocess.run(["umount", "--lazy", at], check=True)


class Filler:
    """Writes whatever still fits, as a log on the same disk does, until it is stopped."""

    def __init__(self, path):
        self.path, self.stopped, self.full = path, threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.fill, daemon=True)

    def fill(self):
        with self.path.open("ab", buffering=0) as file:
            size = 1 << 20
            while not self.stopped.is_set():
                try:
                    file.write(bytes(size))
                except OSError:
                    if size == 1:
                        self.full.set()
                        # So that others run too.
                        self.stopped.wait(0.0005)
                    size = max(1, size // 16)

    async def __aenter__(self):
        self.thread.start()
        await asyncio.to_thread(self.full.wait)
        return self

    async def __aexit__(self, *_raised):
        self.stopped.set()
        await asyncio.to_thread(self.thread.join)


class Refuser:
    """The keys, each with how it is refused."""

    def __init__(self, catalogue):
        self.catalogue, self.refused, self.answers = catalogue, {}, 0

    async def prepare(self, count):
        await self.catalogue.subscribe(SUBSCRIPTION, QUOTA)
        self.keys = [await self.catalogue.issue(SUBSCRIPTION) for _ in range(count)]
        self.spare = catalogue_requests(await self.catalogue.issue(SUBSCRIPTION))
        self.requests = {key["id"]: catalogue_requests(key)[0] for key in self.keys}

    def note(self, answer):
        self.answers += 1
        if change := self.refused.get(answer.request.key["id"]):
            expect(answer.status == 401 and answer.code() == CODES[change], f"keys {change} returned before: {answer}")
        else:
            # A command that has not returned yet may have been obeyed.
            expect(answer.status in (answer.request.status, 401), f"instead of {answer.request.status}: {answer}")

    async def run(self, random):
        server = await self.catalogue.serve()
        of_keys = list(self.requests.values())
        choose = lambda: random.choice(of_keys if random.randrange(2) else self.spare)
        load = Load(server.port, CLIENTS, choose, self.note, PAUSE).start()
        async with Filler(self.catalogue.data.parent / "filler"):
            for number, key in enumerate(self.keys):
                change = "disable" if number % 3 == 2 else "revoke"
                free = os.statvfs(self.catalogue.data).f_bavail
                expect(free <= 1, f"{free} blocks of the disk are free")
                await self.catalogue.do("keys", change, key["id"], "--wait")
                # Requests that were sent before are answered by now.
                await asyncio.sleep(0.1)
                self.refused[key["id"]] = change
        await load.stop()
        await server.stop()
        self.catalogue.check_integrity()

    def show(self):
        print(f"full: {len(self.refused)} keys refused on a full disk, {self.answers} answers")


async def run(command, _work, count, random):
    with small_disk() as (disk, lacks):
        if lacks:
            print(f"full: skipped: {lacks}")
            return
        catalogue = await Catalogue.with_sample(command, disk / "data")
        refuser = Refuser(catalogue)
        try:
            await refuser.prepare(count)
            await refuser.run(random)
        finally:
            catalogue.end()
            refuser.show()
