"""Caches that others put in front of a server, nginx's and HAProxy's, which store what they may: whoever asks through one
gets what the server answers to that key, and nothing that needs a key is stored.
"""

import contextlib
import http.client
import json
import socket
import subprocess

from checks.base import PATIENCE, expect, free_port, wait_until
from checks.command import sample
from checks.contract.exchanges import CATALOGUE, CODINGS, EVERY_SCOPE, GONE, OWN, WHOLE
from checks.tools import of_debian

# It takes what a client asks for to itself unless told to pass it on.
NGINX = """
user root;
pid {work}/nginx.pid;
daemon off;
error_log {work}/error.log;
events {{}}
http {{
    access_log off;
    proxy_cache_path {work}/stored keys_zone=answers:1m;
    proxy_temp_path {work}/proxy;
    client_body_temp_path {work}/body;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://{server};
            proxy_http_version 1.1;
            proxy_cache answers;
            proxy_set_header If-None-Match $http_if_none_match;
            proxy_set_header Range $http_range;
            proxy_set_header If-Range $http_if_range;
            add_header X-Stored $upstream_cache_status always;
        }}
    }}
}}
"""
HAPROXY = """
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
cache answers
    total-max-size 64
    max-object-size 8000000
    process-vary on
listen answers
    bind 127.0.0.1:{port}
    http-request cache-use answers
    http-response cache-store answers
    http-after-response set-header X-Stored HIT if {{ res.cache_hit }}
    server catalogue {server}
"""
CACHES = {"nginx": (NGINX, ("nginx", "-c")), "haproxy": (HAPROXY, ("haproxy", "-db", "-f"))}
# What clients and caches go by.
FIELDS = ("ETag", "Vary", "Cache-Control", "Content-Encoding", "Content-Range", "X-Release", "WWW-Authenticate")
RANGES = ("bytes=0-99", "bytes=100-", "bytes=-50", "bytes=99999999-")
# It has the form of a key, and its checksum is wrong.
MISTYPED = "boat_live_789ABCDEFGHIJKLMNOPQRSTUVWXYZabc2uHPRx"


def check(folder):
    of_debian(haproxy="haproxy", nginx="nginx-light")
    with sample() as data, data.served("--log", "warn") as server, contextlib.ExitStack() as caches:
        address = server.base.removeprefix("http://")
        ports = {name: caches.enter_context(cache(name, folder, address)) for name in CACHES}
        keys = [data.new_key("tests", *scopes)["key"] for scopes in (EVERY_SCOPE, EVERY_SCOPE, ("manufacturers.read",))]
        asked = list(questions(data.active_release(), lambda target: Answer(address, target, keys[0], {}).field("ETag")))
        for target, fields in asked:
            for key in (keys[0], *keys, None, MISTYPED):
                expected = Answer(address, target, key, fields)
                for name, port in ports.items():
                    found = Answer(f"127.0.0.1:{port}", target, key, fields)
                    expect(found.told() == expected.told(), f"{name}: {target} with {fields} is {found}, not {expected}")
                    expect(found.field("X-Stored") != "HIT", f"{name} had {target} in store")
        for name, port in ports.items():
            document = [Answer(f"127.0.0.1:{port}", "/openapi.json", None, {}) for _ in range(2)]
            expect(document[1].field("X-Stored") == "HIT", f"{name} stores nothing at all")
    print(f"{len(asked)} questions of {len(keys)} keys and of none are answered through {', '.join(CACHES)} as by the server")


@contextlib.contextmanager
def cache(name, folder, server):
    """A cache that runs in front of the server: its port."""
    (text, command), port = CACHES[name], free_port()
    configuration = folder / f"{name}.conf"
    configuration.write_text(text.format(work=folder, port=port, server=server))
    process = subprocess.Popen([*command, configuration], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: listens(port), f"{name} does not listen")
        yield port
    finally:
        process.terminate()
        process.wait(PATIENCE)


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True


def questions(release, etag_of):
    """Every operation that takes a key, with what a client may send about codings, tags and ranges."""
    for operation, (target, _scopes) in [*CATALOGUE.items(), *((name, (at, ())) for name, at in OWN.items()), ("gone", (GONE, ()))]:
        target = target.format(active=release)
        for coding in ("identity", *CODINGS):
            yield target, {"Accept-Encoding": coding}
        tag = etag_of(target)
        if tag:
            yield target, {"If-None-Match": tag}
        if operation in WHOLE:
            for part in RANGES:
                for condition in ({}, {"If-Range": tag}, {"If-Range": '"of-another"'}):
                    yield target, {"Range": part, **condition}


class Answer:
    """An answer to a key, and what of it may not depend on what stands in between."""

    def __init__(self, address, target, key, fields):
        if key:
            fields = {**fields, "Authorization": f"Bearer {key}"}
        with contextlib.closing(http.client.HTTPConnection(address, timeout=PATIENCE)) as connection:
            connection.request("GET", target, headers={"Accept-Encoding": "identity", **fields})
            answer = connection.getresponse()
            self.status, self.body, self.field = answer.status, answer.read(), answer.getheader

    def told(self):
        body = self.body
        if 400 <= self.status and body.startswith(b"{"):
            body = json.loads(body)["error"]["code"]
        elif b'"rateLimit"' in body:
            body = json.loads(body)["prefix"]
        return self.status, body, [self.field(name) for name in FIELDS]

    def __str__(self):
        return f"{self.status} {self.body[:80]} {[self.field(name) for name in FIELDS]}"
