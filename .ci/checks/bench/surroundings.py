"""What all benchmarks need: release binaries, a directory to work in, exports and releases of any size, keys."""

import contextlib
import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass

from checks.base import ROOT, TARGET, run
from checks.command import Catalogue

# Every key may ask a million times a minute, so for more than that there are several.
KEYS = 8
QUOTA = 1_000_000_000_000


@dataclass(frozen=True)
class Data:
    """A data directory with a release, and keys that may ask for everything."""

    directory: pathlib.Path
    keys: tuple

    def write_heads(self, path):
        path.write_text("".join(f"Bearer {key}\n" for key in self.keys))
        return path


@dataclass(frozen=True)
class Surroundings:
    """Where what lies, and how long to measure."""

    binaries: pathlib.Path
    work: pathlib.Path
    rounds: int
    seconds: int
    queries: int
    # Seconds.
    overload: int

    @classmethod
    @contextlib.contextmanager
    def make(cls):
        setting = lambda name, usual: int(os.environ.get(name, usual))
        # Sizes of several gigabytes do not fit into memory beside the servers.
        with tempfile.TemporaryDirectory(prefix="catalogue-bench-", dir=os.environ.get("BENCH_DIR")) as work:
            # nginx reads its files as another user.
            os.chmod(work, 0o755)
            yield cls(binaries(), pathlib.Path(work), setting("ROUNDS", 5), setting("SECONDS", 3),
                      setting("QUERIES", 20), setting("OVERLOAD", 300))

    @property
    def catalogue(self):
        return self.binaries / "catalogue"

    def export(self, boats):
        """An export with so many boats, one in fifty of them a draft. The same every time."""
        path = self.work / f"{boats}.ndjson"
        with path.open("wb") as out:
            run(self.binaries / "examples" / "generate_export", "--boats", boats, "--seed", 1, stdout=out)
        return path

    def data(self, boats):
        """A data directory with a release of so many boats; made once, for all benchmarks of this run."""
        directory = self.work / f"data-{boats}"
        if not directory.exists():
            export = self.export(boats)
            run(self.catalogue, "--data", directory, "import", export)
            export.unlink()
        return Data(directory, self.keys(directory))

    def keys(self, directory):
        """Keys that may ask for everything; made once."""
        path = directory.with_suffix(".keys")
        if not path.exists():
            catalogue = Catalogue(self.catalogue, directory)
            catalogue.add_subscription("bench", QUOTA)
            path.write_text("\n".join(catalogue.new_key("bench")["key"] for _ in range(KEYS)))
        return tuple(path.read_text().splitlines())

    def serve_command(self, data):
        return (self.catalogue, "--data", data.directory, "serve", "--listen", "127.0.0.1:0",
                "--admin", "off", "--log", "warn")


def binaries():
    if "CATALOGUE_TARGET" in os.environ:
        return pathlib.Path(os.environ["CATALOGUE_TARGET"]).resolve()
    # In one command, so that nothing is compiled twice with other features.
    build = ["build", "--quiet", "--release", "-p", "cli", "-p", "benches", "--bins", "--example", "generate_export"]
    subprocess.run([ROOT / ".ci" / "cargo", *build], check=True, cwd=ROOT)
    return TARGET / "release"
