"""Every status of every endpoint, asked of a real server byte for byte: what was sent, and what came back.

Nothing here judges an answer but for its status.
"""

import concurrent.futures
import contextlib
import time
from dataclasses import dataclass, field

from checks.base import Broken, wait_until

BOAT = "/v1/boats/first-40.7"
MANUFACTURER = "/v1/manufacturers/angstrom-batar"
# By operation of the document: an address that is answered with a 200, and the scopes that it needs. `{active}` is the id of the
# release that is served.
CATALOGUE = {
    "list_boats": ("/v1/boats?limit=2&offset=2", ("boats.read",)),
    "get_boat": (BOAT, ("boats.read",)),
    "list_manufacturers": ("/v1/manufacturers?limit=1&offset=1", ("manufacturers.read",)),
    "get_manufacturer": (MANUFACTURER, ("manufacturers.read",)),
    "list_manufacturer_boats": (f"{MANUFACTURER}/boats?limit=1", ("boats.read", "manufacturers.read")),
    "get_terms": ("/v1/terms", ("boats.read",)),
    "get_facets": ("/v1/facets?yearTo=1999", ("boats.read",)),
    "list_changes": ("/v1/changes?since={active}", ()),
    "get_all_boats_ndjson": ("/v1/boats.ndjson", ("catalogue.export", "boats.read")),
    "get_all_boats_parquet": ("/v1/boats.parquet", ("catalogue.export", "boats.read")),
    "get_all_manufacturers_ndjson": ("/v1/manufacturers.ndjson", ("catalogue.export", "manufacturers.read")),
    "get_all_manufacturers_parquet": ("/v1/manufacturers.parquet", ("catalogue.export", "manufacturers.read")),
}
# The bodies of these are made from what is in memory, whatever becomes of the files.
HELD = ("get_terms", "list_changes")
# These have begun by the time that their file proves damaged, and break off.
WHOLE = tuple(name for name in CATALOGUE if name.startswith("get_all_"))
# It takes either scope, and no key can be issued without one.
EITHER = "list_changes"
GONE = "/v1/changes?since=20200101T000000Z-0123456789abcdef"
# What a key may ask about itself, whatever its scopes.
OWN = {"get_key": "/v1/key"}
LISTS = ("list_boats", "list_manufacturers", "list_manufacturer_boats")
EVERY_SCOPE = ("boats.read", "manufacturers.read", "catalogue.export")
SERVICE = {"describe_version": "/v1", "check_health": "/health", "describe_api": "/openapi.json"}
# What the document does not describe: the documentation, and what is made of the document.
FILES = {path: path for path in ("/docs", "/docs/page.css", "/docs/page.js", "/docs/typescript", "/docs/python", "/docs/rust",
                                 "/docs/openapi_3_0.py", "/docs/icon.svg", "/llms.txt")}
CODINGS = ("gzip", "br", "zstd")
METHODS = ("GET", "HEAD")
QUIET = ("--log", "warn")
ORIGIN = "https://boats.example"
# An address and a head that are too long, each with room for what comes before.
LONG = "x" * (20 * 1024)


@dataclass
class Exchange:
    """A request and its answer."""

    operation: str
    status: int
    method: str
    target: str
    fields: list
    # When the answer came: seconds since 1970.
    answered: float
    answer: bytes = field(default=b"", repr=False)

    @property
    def name(self):
        return f"{self.status} {self.method} {self.operation}"


class Asking:
    """Asks a server, and keeps what was asked and answered."""

    def __init__(self, server):
        self.server, self.done = server, []

    def ask(self, operation, status, target, *fields, method="GET", rest="\r\n"):
        """Asks, and expects that status. `rest` is what follows the fields: an empty line, or less."""
        fields = [("Host", self.server.base.removeprefix("http://")), ("User-Agent", "catalogue-contract"), *fields]
        head = "".join(f"{name}: {value}\r\n" for name, value in fields)
        with self.server.connect() as connection:
            # A server that has refused a request need not read the rest of it.
            with contextlib.suppress(OSError):
                connection.sendall(f"{method} {target} HTTP/1.1\r\n{head}{rest}".encode())
            answer = received(connection, method)
        exchange = Exchange(operation, status, method, target, fields, time.time(), answer)
        if not answer.startswith(f"HTTP/1.1 {status} ".encode()):
            raise Broken(f"{exchange.name}: {target} is answered with {answer[:300]!r}")
        self.done.append(exchange)
        return exchange


def received(connection, method):
    """One answer: its head, and as much of a body as that says."""
    stream, head = connection.makefile("rb"), b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline()
        if not line:
            return head
        head += line
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    has_body = method != "HEAD" and lengths and head[9:12] not in (b"204", b"304")
    return head + (stream.read(int(lengths[0])) if has_body else b"")


def bearer(key):
    return ("Authorization", f"Bearer {key['key']}")


def etag(exchange):
    lines = exchange.answer.split(b"\r\n")
    return next(line.split(b": ")[1].decode() for line in lines if line.lower().startswith(b"etag:"))


def of_all(catalogue):
    """Every exchange, of servers with other settings one after the other."""
    keys = Keys(catalogue)
    CATALOGUE[EITHER] = (CATALOGUE[EITHER][0].format(active=catalogue.active_release()), ())
    with catalogue.served(*QUIET) as server:
        asking = Asking(server)
        with too_slow(asking):
            for operation, (target, scopes) in CATALOGUE.items():
                of_catalogue(asking, keys, operation, target, scopes)
            for operation, target in OWN.items():
                of_own_key(asking, keys, operation, target)
            for operation, target in [*SERVICE.items(), *FILES.items()]:
                of_service(asking, operation, target)
            for target in ("/", "/docs/"):
                asking.ask("to the page", 308, target)
            for operation, target in [*targets(), ("no path", "/nowhere")]:
                of_any(asking, operation, target)
        # By now these are old.
        for operation in LISTS:
            asking.ask(operation, 200, CATALOGUE[operation][0], bearer(keys.all))
        without_keys(asking, keys, catalogue)
    for setting in (ORIGIN, "*"):
        with catalogue.served(*QUIET, "--cors", setting) as server:
            with_origin = Asking(server)
            of_pages(with_origin, keys)
            asking.done += with_origin.done
    with catalogue.served(*QUIET, "--bodies-memory", "1KiB") as server:
        failing = Asking(server)
        damage(catalogue)
        for operation, (target, _scopes) in CATALOGUE.items():
            if operation not in WHOLE:
                failing.ask(operation, 200 if operation in HELD else 500, target, bearer(keys.all))
        asking.done += failing.done
    return asking.done


class Keys:
    """Keys for what they cannot do."""

    def __init__(self, catalogue):
        self.all = catalogue.new_key("tests", *EVERY_SCOPE)
        self.only = {scope: catalogue.new_key("tests", scope) for scope in ("boats.read", "manufacturers.read")}
        self.revoked = catalogue.new_key("tests", *EVERY_SCOPE)
        catalogue.run("keys", "revoke", self.revoked["id"])
        self.once_a_minute = catalogue.new_key("tests", *EVERY_SCOPE, limit=1)
        catalogue.add_subscription("exhausted", 1)
        self.exhausted = catalogue.new_key("exhausted", *EVERY_SCOPE)


def targets():
    return [*((operation, target) for operation, (target, _) in CATALOGUE.items()), *OWN.items(), *SERVICE.items(), *FILES.items()]


def of_catalogue(asking, keys, operation, target, scopes):
    key, path = bearer(keys.all), target.partition("?")[0]
    for method in METHODS:
        whole = asking.ask(operation, 200, target, key, method=method)
        asking.ask(operation, 304, target, key, ("If-None-Match", etag(whole)), method=method)
        asking.ask(operation, 400, f"{path}?nonsense=1", key, method=method)
        asking.ask(operation, 401, target, method=method)
        asking.ask(operation, 401, target, bearer(keys.revoked), method=method)
        if operation == EITHER:
            asking.ask(operation, 410, GONE, key, method=method)
        else:
            lacking = next(one for scope, one in keys.only.items() if {scope} != set(scopes))
            asking.ask(operation, 403, target, bearer(lacking), method=method)
        if path.count("/") != 2:
            missing = path.replace(path.split("/")[3], "nothing")
            asking.ask(operation, 404, missing, key, method=method)
    for coding in CODINGS:
        for method in METHODS:
            accepting = ("Accept-Encoding", coding)
            whole = asking.ask(operation, 200, target, key, accepting, method=method)
            asking.ask(operation, 304, target, key, accepting, ("If-None-Match", etag(whole)), method=method)
    if operation in WHOLE:
        asking.ask(operation, 206, target, key, ("Range", "bytes=1-"))
        asking.ask(operation, 416, target, key, ("Range", "bytes=99999999-"))
    limited(asking, keys, operation, target)


def limited(asking, keys, operation, target):
    """Both limits, which the first requests of all use up."""
    for key in (keys.once_a_minute, keys.exhausted):
        if operation == next(iter(CATALOGUE)):
            asking.ask(operation, 200, target, bearer(key))
        for method in METHODS:
            asking.ask(operation, 429, target, bearer(key), method=method)


def of_own_key(asking, keys, operation, target):
    for method in METHODS:
        for key in (keys.all, *keys.only.values(), keys.exhausted):
            asking.ask(operation, 200, target, bearer(key), method=method)
        asking.ask(operation, 400, f"{target}?nonsense=1", bearer(keys.all), method=method)
        asking.ask(operation, 401, target, method=method)
        asking.ask(operation, 401, target, bearer(keys.revoked), method=method)
        asking.ask(operation, 429, target, bearer(keys.once_a_minute), method=method)


def of_service(asking, operation, target):
    for method in METHODS:
        whole = asking.ask(operation, 200, target, method=method)
        # Programs for mail and chat add parameters to links that people follow.
        asking.ask(operation, 200 if operation in FILES else 400, f"{target}?nonsense=1", method=method)
        asking.ask(operation, 401, f"{target}?token=1", method=method)
        for coding in CODINGS:
            asking.ask(operation, 200, target, ("Accept-Encoding", coding), method=method)
        if operation == "describe_api" or operation in FILES:
            asking.ask(operation, 304, target, ("If-None-Match", etag(whole)), method=method)


def of_any(asking, operation, target):
    """What is refused whatever the endpoint, and the path that is none."""
    for method in METHODS:
        asking.ask(operation, 413, target, ("Content-Length", "1"), method=method)
        asking.ask(operation, 414, f"/{LONG}", method=method, rest="")
        asking.ask(operation, 431, target, ("X-Long", LONG), method=method)
        if operation == "no path":
            asking.ask(operation, 404, target, method=method)
    for method in ("POST", "OPTIONS") if operation != "no path" else ():
        asking.ask(operation, 405, target, method=method)


@contextlib.contextmanager
def too_slow(asking):
    """Heads that never end, all at once and beside the others: each takes as long as the server waits."""
    slow = [(operation, target, method) for operation, target in targets() for method in METHODS]
    with concurrent.futures.ThreadPoolExecutor(len(slow)) as threads:
        waits = [threads.submit(asking.ask, operation, 408, target, method=method, rest="")
                 for operation, target, method in slow]
        yield
        for wait in waits:
            wait.result()


def without_keys(asking, keys, catalogue):
    """The key store away, and then back in its place."""
    store = catalogue.key_store
    away = store.with_name("keys.away")
    store.rename(away)
    for operation, target in [*((operation, target) for operation, (target, _) in CATALOGUE.items()), *OWN.items()]:
        for method in METHODS:
            until_lost(asking, operation, target, bearer(keys.all), method)
    away.rename(store)


def until_lost(asking, operation, target, key, method):
    """Asks until the server does not know its keys any more; only the last of these answers is kept."""
    def is_lost():
        with contextlib.suppress(Broken):
            asking.ask(operation, 503, target, key, method=method)
            return True
    wait_until(is_lost, f"{operation} is answered without a key store")


def of_pages(asking, keys):
    """What pages of another origin get: their preflight, and answers that they may read; and what the others get."""
    origin, other = ("Origin", ORIGIN), ("Origin", "https://other.example")
    key = bearer(keys.all)
    asks = [("Access-Control-Request-Method", "GET"), ("Access-Control-Request-Headers", "authorization,content-type")]
    for operation, target in targets():
        fields = [key] if operation in CATALOGUE or operation in OWN else []
        asking.ask(operation, 204, target, origin, *asks, method="OPTIONS")
        for page in (origin, other):
            whole = asking.ask(operation, 200, target, page, *fields)
            if operation not in {**OWN, **SERVICE} or operation == "describe_api":
                asking.ask(operation, 304, target, page, *fields, ("If-None-Match", etag(whole)))
            asking.ask(operation, 200 if operation in FILES else 400, f"{target.partition('?')[0]}?nonsense=1", page, *fields)
            asking.ask(operation, 405, target, page, method="POST")
            asking.ask(operation, 413, target, page, ("Content-Length", "1"))
        asking.ask(operation, 401, f"{target.partition('?')[0]}?token=1", origin)


def damage(catalogue):
    """Changes every body of the active release, in place, while it is served from disk."""
    bodies = list(catalogue.data.glob("releases/*/*.ndjson"))
    if not bodies:
        raise Broken("a release has no bodies")
    for path in bodies:
        path.chmod(0o644)
        length = path.stat().st_size
        with path.open("r+b") as file:
            file.write(b"#" * length)
