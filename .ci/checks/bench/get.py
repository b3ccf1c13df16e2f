"""One boat over HTTP: the service against nginx with the same bodies in files, and against handlers that do nothing."""

import contextlib
import http.client
import os
import pathlib
import re
import shutil
import statistics
import tempfile

from checks.base import Broken
from checks.bench.nginx import WAYS, files_max, nginx
from checks.bench.results import keep, middle
from checks.bench.surroundings import Data, machine
from checks.bench.table import in_turns, show
from checks.bench.wrk import load, serving

# Most boats of one size whose bodies are written into files.
BODIES_MAX = 100_000
# Where files of nginx lie: in memory where that can be, which is in its favour, and quickly removed.
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# Turns of a second for each way of nginx before the best of them is measured.
TRIALS = 3
ON_DISK = "catalogue, on disk"


class Size:
    """The service with so many boats, beside empty handlers and nginx, or, with too many bodies for files, beside the
    service that was told to hold none of them in memory."""

    def __init__(self, surroundings, boats, enter):
        self.boats = boats
        work = surroundings.work / f"get-{boats}"
        work.mkdir()
        data, log = surroundings.data(boats), work / "server.log"
        self.heads = data.write_heads(work / "heads")
        # Copied while no server uses it.
        other = twin(data, work) if BODIES_MAX < boats and can_hold(data) else None
        service = enter(serving(*surroundings.serve_command(data), log=log))
        copy = Copy(service, data.keys[0])
        files = numbered(min(boats_of(boats), files_max()) if boats <= BODIES_MAX else 100)
        self.root = pathlib.Path(enter(tempfile.TemporaryDirectory(prefix="catalogue-bench-", dir=IN_MEMORY)))
        # nginx reads its files as another user.
        self.root.chmod(0o755)
        self.headers = copy.write(self.root, files)
        self.body = average(self.root / "v1" / "boats")
        self.key = data.keys[0]
        self.targets = targets(boats_of(boats))
        fields = [f"{name}={value}" for name, value in self.headers if name not in ("date", "content-length")]
        self.servers = {"catalogue": (service, self.targets)}
        if boats <= BODIES_MAX:
            empty = {f"empty {library}": (enter(serving(surroundings.binaries / "empty_handler", library, self.body,
                                                        *fields, log=log)), self.targets)
                     for library in ("salvo", "hyper")}
            # In its favour: only what it can keep open is asked for.
            few = targets(len(files))
            server, self.way = enter(best_nginx(work, self.root, self.headers, few, self.heads))
            self.servers |= {**empty, "nginx, files": (server, few)}
        elif other:
            reading = enter(serving(*surroundings.serve_command(other), "--bodies-memory", "0", log=log))
            self.servers[ON_DISK] = (reading, self.targets)

    def turn(self, name, seconds):
        server, targets = self.servers[name]
        return lambda number: load(server, seconds, targets, self.heads, number + 1)

    def report(self, given):
        title = f"get one of {self.boats} boats, {len(self.headers)} header fields, {machine()}"
        figure = lambda name: {side: [getattr(one, name) for one in loads] for side, loads in given.items()}
        show(title, "answers a second", figure("rate"))
        show("  the same", "answers a second of processor time", figure("rate_of_processor"))
        show("  the same", "milliseconds, half of the answers", figure("median"), digits=2, better="less")
        show("  the same", "milliseconds, 99 % of the answers", figure("slow"), digits=2, better="less")
        for name, loads in given.items():
            count = len(headers_of(self.servers[name][0], self.key, f"/v1/boats/{self.body.name}"))
            print(f"  {name}: {count} header fields, {loads[0].bytes_each:.0f} bytes an answer, "
                  f"{sum(one.failed for one in loads)} answers that are no 200")
        if "nginx, files" in given:
            print(f"  nginx with `{self.way}` was the quickest, and asked for {min(self.boats, files_max())} files at "
                  "most, as many as it can keep open")


@contextlib.contextmanager
def best_nginx(work, root, headers, targets, heads):
    """nginx in the quickest of its ways, tried in turns; the server and the way."""
    with contextlib.ExitStack() as stack:
        servers = {way: stack.enter_context(nginx(work / f"nginx-{place}", root, headers, way))
                   for place, way in enumerate(WAYS)}
        turn = lambda server: lambda number: load(server, 1, targets, heads, number).rate_of_processor
        rates = in_turns(TRIALS + 1, {way: turn(server) for way, server in servers.items()})
        # In the first turn, files are opened.
        best = max(rates, key=lambda way: statistics.median(rates[way][1:]))
        yield servers[best], best


def twin(data, work):
    """The same releases and keys in another directory, since each has one server."""
    directory = work / "data"
    shutil.copytree(data.directory, directory, ignore=shutil.ignore_patterns("releases"))
    shutil.copytree(data.directory / "releases", directory / "releases", copy_function=os.link)
    return Data(directory, data.keys)


def can_hold(data):
    """Whether there is memory for all bodies beside the page cache that the other server reads."""
    bodies = sum(path.stat().st_size for path in data.directory.glob("releases/*/*.bodies"))
    available = re.search(r"MemAvailable:\s+(\d+) kB", pathlib.Path("/proc/meminfo").read_text())
    return 2 * bodies < int(available[1]) * 1024


def average(directory):
    """A file of about the middle size."""
    files = sorted(directory.iterdir(), key=lambda file: file.stat().st_size)
    return files[len(files) // 2]


def boats_of(size):
    """How many boats there are in an export of that size: every fiftieth is a draft."""
    return size - (size + 49) // 50


def targets(count):
    """The first so many boats, for the load."""
    return f"boats={count}"


def numbered(count):
    """The ids of the first so many boats, as the load counts them."""
    return [f"boat-{place + (place - 1) // 49}" for place in range(1, count + 1)]


def headers_of(server, key, path):
    """The header fields of an answer."""
    return [(name.lower(), value) for name, value in Copy(server, key).ask(path)[0].getheaders()]


class Copy:
    """Bodies that a server answers, as files."""

    def __init__(self, server, key):
        self.name = " ".join(map(str, server.process.args))[:120]
        self.connection = http.client.HTTPConnection(server.base.removeprefix("http://"), timeout=20)
        self.headers = {"Authorization": f"Bearer {key}"}

    def ask(self, path):
        """The answer, which is a 200, and its body."""
        try:
            self.connection.request("GET", path, headers=self.headers)
            answer = self.connection.getresponse()
            body = answer.read()
        except OSError as error:
            raise Broken(f"{self.name} does not answer {path}: {error}") from error
        if answer.status != 200:
            raise Broken(f"{path} gives {answer.status}: {body[:200]}")
        return answer, body

    def write(self, root, ids):
        """Writes the bodies of these boats below `root`; the header fields of the last answer."""
        directory = root / "v1" / "boats"
        directory.mkdir(parents=True)
        for name in ids:
            answer, body = self.ask(f"/v1/boats/{name}")
            (directory / name).write_bytes(body)
        return [(name.lower(), value) for name, value in answer.getheaders()]


def figures(size, given):
    """For the plots: medians of each side."""
    return {"boats": size.boats, "sides": {name: middle(loads) for name, loads in given.items()}}


def run(surroundings, sizes):
    """All sizes at once, in turns, since their rates are compared with each other too."""
    with contextlib.ExitStack() as stack:
        measured = [Size(surroundings, boats, stack.enter_context) for boats in sizes]
        sides = {(size, name): size.turn(name, surroundings.seconds) for size in measured for name in size.servers}
        for size in measured:
            for name in size.servers:
                size.turn(name, 2)(0)
        machine()
        given = in_turns(surroundings.rounds, sides)
        of_size = lambda size: {name: loads for (one, name), loads in given.items() if one is size}
        for size in measured:
            size.report(of_size(size))
        against_size(measured, given)
        keep("get", {"sizes": [figures(size, of_size(size)) for size in measured]})


def against_size(measured, given):
    if len(measured) < 2:
        return
    rates = {f"{size.boats} boats{name.removeprefix('catalogue')}": [one.rate_of_processor for one in given[size, name]]
             for size in measured for name in ("catalogue", ON_DISK) if name in size.servers}
    show("get one against size", "answers a second of processor time", rates)
