"""One boat over HTTP: the service against nginx with the same bodies in files, and against an empty handler."""

import contextlib
import http.client
import json
import random
import shutil

from nginx import nginx
from processes import Failed, load, serving
from surroundings import machine
from table import in_turns, show

# Most boats whose bodies are written into files, one each.
FILES_MAX = 100_000


def run_size(surroundings, boats):
    work = surroundings.work
    data = surroundings.data(boats)
    heads = data.write_heads(work / "heads")
    with contextlib.ExitStack() as stack:
        enter = lambda context: stack.enter_context(context)
        log = work / "server.log"
        service = enter(serving(*surroundings.serve_command(data), log=log))
        root, targets = work / f"root-{boats}", work / f"targets-{boats}"
        headers = Copy(service, data.keys[0]).write_all(root, targets, files=boats <= FILES_MAX)
        body = average(root / "v1" / "boats")
        fields = [f"{name}={value}" for name, value in headers if name not in ("date", "content-length")]
        empty = enter(serving(surroundings.binaries / "empty_handler", body, *fields, log=log))
        servers = {"catalogue": service, "empty handler": empty}
        if boats <= FILES_MAX:
            servers["nginx, files"] = enter(nginx(work / "nginx", root, headers))
        turn = lambda server: lambda number: load(server, surroundings.seconds, targets, heads, number + 1)
        for server in servers.values():
            load(server, 2, targets, heads, 1)
        machine()
        given = in_turns(surroundings.rounds, {name: turn(server) for name, server in servers.items()})
        counts = {name: len(headers_of(server, data.keys[0], "/v1/boats/" + body.name))
                  for name, server in servers.items()}
        title = f"get one of {boats} boats, {len(headers)} header fields, {machine()}"
        report(title, given)
        for name, loads in given.items():
            print(f"  {name}: {counts[name]} header fields, {loads[0].bytes_each:.0f} bytes an answer, "
                  f"{sum(one.failed for one in loads)} answers that are no 200")
    shutil.rmtree(data.directory)
    shutil.rmtree(root)


def average(directory):
    """A file of about the middle size."""
    files = sorted(directory.iterdir(), key=lambda file: file.stat().st_size)
    return files[len(files) // 2]


def report(title, given):
    figure = lambda name: {side: [getattr(one, name) for one in loads] for side, loads in given.items()}
    show(title, "answers a second", figure("rate"))
    show("  the same", "answers a second of processor time", figure("rate_of_processor"))
    show("  the same", "milliseconds, half of the answers", figure("median"), digits=2, better="less")
    show("  the same", "milliseconds, 99 % of the answers", figure("slow"), digits=2, better="less")


def headers_of(server, key, path):
    """The header fields of an answer."""
    connection = http.client.HTTPConnection(server.base.removeprefix("http://"), timeout=20)
    with contextlib.closing(connection):
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            answer.read()
        except OSError as error:
            raise Failed(f"{' '.join(map(str, server.process.args))[:120]} does not answer: {error}") from error
        if answer.status != 200:
            raise Failed(f"{path} gives {answer.status}")
        return [(name.lower(), value) for name, value in answer.getheaders()]


class Copy:
    """All bodies that the service answers, as files."""

    def __init__(self, server, key):
        self.connection = http.client.HTTPConnection(server.base.removeprefix("http://"), timeout=20)
        self.headers = {"Authorization": f"Bearer {key}"}

    def ask(self, path):
        self.connection.request("GET", path, headers=self.headers)
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise Failed(f"{path} gives {answer.status}: {body[:200]}")
        return answer, body

    def ids(self):
        offset, total = 0, 1
        while offset < total:
            page = json.loads(self.ask(f"/v1/boats?limit=100&offset={offset}")[1])
            total = page["pagination"]["total"]
            offset += 100
            yield from (boat["id"] for boat in page["data"])

    def write_all(self, root, targets, files):
        """Writes the paths of all boats, and the bodies of all or of a few; the header fields of the last answer."""
        directory = root / "v1" / "boats"
        directory.mkdir(parents=True)
        ids = list(self.ids())
        random.Random(1).shuffle(ids)
        targets.write_text("".join(f"/v1/boats/{name}\n" for name in ids))
        for name in ids if files else ids[:100]:
            answer, body = self.ask(f"/v1/boats/{name}")
            (directory / name).write_bytes(body)
        return [(name.lower(), value) for name, value in answer.getheaders()]


def run(surroundings, sizes):
    for boats in sizes:
        run_size(surroundings, boats)
