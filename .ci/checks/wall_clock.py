"""A wall clock that can be set, for servers that are started with its environment; wall_clock.c is what they load."""

import ctypes
import mmap
import subprocess

from checks.base import ROOT

SECOND = 1_000_000_000


def preload(folder):
    """The library that servers load, compiled into a folder."""
    library = folder / "clock.so"
    if not library.exists():
        subprocess.run(["cc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, ROOT / ".ci" / "checks" / "wall_clock.c"],
                       check=True)
    return library


class WallClock:
    """What a server takes for the time: that of the machine until it is set."""

    def __init__(self, folder, name):
        file, library = folder / f"{name}.clock", preload(folder)
        file.write_bytes(bytes(ctypes.sizeof(ctypes.c_int64)))
        self.environment = {"LD_PRELOAD": str(library), "CLOCK_FILE": str(file)}
        with file.open("r+b") as opened:
            # Set through this, all eight bytes change at once.
            self.nanoseconds = ctypes.c_int64.from_buffer(mmap.mmap(opened.fileno(), 0))

    def set(self, seconds):
        """So many seconds from that of the machine."""
        self.nanoseconds.value = round(seconds * SECOND)
