"""Keys that are refused while the disk is full to the last byte, and something else takes every byte that is freed: each
command succeeds, and the servers obey. The disk is one of its own, which nothing else writes to.
"""

import contextlib
import os
import pathlib
import tempfile
import threading

from checks.base import lacks_mounts, left_out, until
from checks.base import run as run_command
from checks.command import Catalogue
from checks.faults.revoke import Revoker

# The size of the disk, in bytes: the sample, the store, and some room to be filled.
SIZE = 24 << 20


@contextlib.contextmanager
def small_disk():
    """A disk of its own in memory."""
    with tempfile.TemporaryDirectory(prefix="catalogue-full-") as at:
        run_command("mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=700", "tmpfs", at)
        try:
            yield pathlib.Path(at)
        finally:
            run_command("umount", "--lazy", at)


class Filler:
    """Writes whatever still fits, as a log on the same disk does, until it is stopped."""

    def __init__(self, path):
        self.path, self.stopped = path, threading.Event()
        self.thread = threading.Thread(target=self.fill, daemon=True)

    def fill(self):
        with self.path.open("ab", buffering=0) as file:
            size = 1 << 20
            while not self.stopped.is_set():
                try:
                    file.write(bytes(size))
                except OSError:
                    if size == 1:
                        # So that others run too.
                        self.stopped.wait(0.0005)
                    size = max(1, size // 16)

    def start(self):
        if not self.thread.is_alive():
            self.thread.start()

    def stop(self):
        self.stopped.set()
        if self.thread.is_alive():
            self.thread.join()


class OnFullDisk(Revoker):
    """All commands but the first begin while nothing is free; what one of them frees, the filler takes. From the first on
    each server has a record of what it confirmed, which it overwrites in place."""

    is_first = True

    def __init__(self, catalogue, random, filler):
        super().__init__(catalogue, random, all_wait=True)
        self.filler = filler

    async def before(self):
        if self.is_first:
            self.is_first = False
            return
        self.filler.start()
        await until(lambda: os.statvfs(self.catalogue.data).f_bavail == 0, "the disk does not get full")


async def run(command, _work, count, random):
    if lacks := lacks_mounts():
        left_out("keys that are refused on a full disk", lacks)
        return
    with small_disk() as disk:
        catalogue, filler = await Catalogue.with_sample(command, disk / "data"), Filler(disk / "filler")
        refuser = OnFullDisk(catalogue, random, filler)
        try:
            await refuser.prepare(count + 1)
            await refuser.run(count + 1)
            filler.stop()
            catalogue.check_integrity()
        finally:
            filler.stop()
            catalogue.end()
            print(f"full: {count} keys refused on a full disk, {refuser}")
