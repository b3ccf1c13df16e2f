"""One boat over HTTP: the service against nginx with the same bodies in files, and against handlers that do nothing."""

import contextlib
import http.client
import os
import pathlib
import shutil
import tempfile

from checks.base import PATIENCE, expect
from checks.bench.load import load, serving
from checks.bench.nginx import WAYS, files_max, nginx
from checks.bench.results import in_turns, keep, middle, show
from checks.bench.surroundings import Data
from checks.tools import of_debian

OURS, ON_DISK = "catalogue", "catalogue, on disk"
COLUMNS = ("rate", "rate_of_processor", "median", "slow", "failed")
BY = "rate_of_processor"
# Most boats of one size that have peers, whose bodies are then written into files.
BODIES_MAX = 100_000
# Where files of nginx lie: in memory where that can be, which is in its favour, and quickly removed.
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def sides(surroundings, boats, enter):
    """Turns of the service with so many boats and of its peers; with too many bodies for files, of the service that was
    told to hold none of them in memory."""
    work = surroundings.work / f"get-{boats}"
    work.mkdir()
    data, log = surroundings.data(boats), work / "server.log"
    heads, every = data.write_heads(work / "heads"), targets(boats_of(boats))
    # Copied while no server uses it.
    other = twin(data, work) if BODIES_MAX < boats else None
    service = enter(serving(*surroundings.serve_command(data), log=log))
    servers = {OURS: (service, every)}
    if other:
        reading = enter(serving(*surroundings.serve_command(other), "--bodies-memory", "0", log=log))
        servers[ON_DISK] = (reading, every)
    else:
        files = numbered(min(boats_of(boats), files_max()))
        root = pathlib.Path(enter(tempfile.TemporaryDirectory(prefix="catalogue-bench-", dir=IN_MEMORY)))
        # nginx reads its files as another user.
        root.chmod(0o755)
        headers = Copy(service, data.keys[0]).write(root, files)
        # In favour of nginx: only what it can keep open is asked for.
        servers |= {name: (enter(nginx(work / f"nginx-{place}", root, headers, way)), targets(len(files)))
                    for place, (name, way) in enumerate(WAYS.items())}
        fields = [f"{name}={value}" for name, value in headers if name not in ("date", "content-length")]
        empty = (surroundings.binaries / "empty_handler", average(root / "v1" / "boats"), fields)
        servers |= {f"empty {library}": (enter(serving(empty[0], library, empty[1], *empty[2], log=log)), every)
                    for library in ("salvo", "hyper")}
        for name, (server, _) in servers.items():
            count = len(Copy(server, data.keys[0]).ask(f"/v1/boats/{files[0]}")[0].getheaders())
            expect(count == len(headers), f"{name} answers with {count} header fields, the service with {len(headers)}")
        print(f"{boats} boats: {len(headers)} header fields; nginx is asked for {len(files)} boats, which it can keep open")
    turn = lambda server, paths: lambda number: load(server, surroundings.seconds, paths, heads, number + 1)
    return {name: turn(*one) for name, one in servers.items()}


def twin(data, work):
    """The same release and keys in another directory, since each has one server."""
    directory = work / "data"
    shutil.copytree(data.directory, directory, ignore=shutil.ignore_patterns("releases"))
    shutil.copytree(data.directory / "releases", directory / "releases", copy_function=os.link)
    return Data(directory, data.keys)


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


class Copy:
    """Bodies that a server answers, as files."""

    def __init__(self, server, key):
        self.connection = http.client.HTTPConnection(*server.host_and_port, timeout=PATIENCE)
        self.headers = {"Authorization": f"Bearer {key}"}

    def ask(self, path):
        """The answer, which is a 200, and its body."""
        self.connection.request("GET", path, headers=self.headers)
        answer = self.connection.getresponse()
        body = answer.read()
        expect(answer.status == 200, f"{path} gives {answer.status}: {body[:200]}")
        return answer, body

    def write(self, root, ids):
        """Writes the bodies of these boats below `root`; the header fields of the last answer."""
        directory = root / "v1" / "boats"
        directory.mkdir(parents=True)
        for name in ids:
            answer, body = self.ask(f"/v1/boats/{name}")
            (directory / name).write_bytes(body)
        return [(name.lower(), value) for name, value in answer.getheaders()]


def run(surroundings, sizes):
    """All sizes at once, in turns, since their rates are compared with each other too."""
    of_debian(wrk="wrk", nginx="nginx")
    with contextlib.ExitStack() as stack:
        every = {(boats, name): turn for boats in sizes
                 for name, turn in sides(surroundings, boats, stack.enter_context).items()}
        # Files and bodies are looked at for the first time.
        in_turns(1, every)
        given = in_turns(surroundings.rounds, every)
    of_size = {boats: {name: turns for (one, name), turns in given.items() if one == boats} for boats in sizes}
    for boats, turns in of_size.items():
        show(f"get one of {boats} boats", turns, COLUMNS, BY)
    if len(sizes) > 1:
        show("get one against size", {f"{boats} boats": turns[OURS] for boats, turns in of_size.items()}, COLUMNS,
             BY)
    keep("get", {"sizes": [{"boats": boats, "sides": {name: middle(one) for name, one in turns.items()}}
                           for boats, turns in of_size.items()]})
