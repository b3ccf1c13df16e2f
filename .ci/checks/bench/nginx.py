"""nginx as a peer, at its best: the bodies of boats as files, and as many header fields as our answers have."""

import contextlib
import os
import resource

from checks.base import ENVIRONMENT, expect, free_port
from checks.bench.load import listening

# What it sends by itself: Server, Date, Content-Type, Content-Length, Last-Modified, Connection, ETag.
OF_ITSELF = 7
NATIVE = {"date", "content-type", "content-length", "etag"}

# Ways to send a file; which is quickest depends on the kernel and the sizes, so each of them is a peer.
WAYS = {"nginx, sendfile with nopush": "sendfile on; tcp_nopush on;", "nginx, sendfile": "sendfile on;",
        "nginx, read and write": "sendfile off;"}
# Files and sockets besides those that it keeps open to answer from.
OTHER_FILES = 1_000
# Bodies of boats that are asked for at least, and at most.
FILES_MIN, FILES_MAX = 100, 1_000_000

CONFIGURATION = """
worker_processes 1;
daemon off;
pid {work}/pid;
error_log {work}/error.log;
worker_rlimit_nofile {open_files};
events {{ worker_connections 512; }}
http {{
    access_log off;
    {way}
    tcp_nodelay on;
    keepalive_requests 1000000000;
    open_file_cache max={files} inactive=1h;
    open_file_cache_valid 1h;
    max_ranges 0;
    types {{ }}
    default_type application/json;
    client_body_temp_path {work}/body;
    proxy_temp_path {work}/proxy;
    fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi;
    scgi_temp_path {work}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {root};
{fields}
    }}
}}
"""


def files_max():
    """How many files it can keep open, however many it is told; with more, it refuses connections."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return FILES_MAX
    expect(FILES_MIN + OTHER_FILES <= most, f"nginx could keep no bodies open: the hard limit of open files is {most}, "
           f"and has to be {FILES_MIN + OTHER_FILES} at least")
    return min(most - OTHER_FILES, FILES_MAX)


def fields_of(headers):
    """As many of our fields as bring it to our number; the identifier of the request is its own, the others fixed."""
    added = [(name, "$request_id" if name == "x-request-id" else value)
             for name, value in headers if name not in NATIVE]
    return added[:max(len(headers) - OF_ITSELF, 0)]


@contextlib.contextmanager
def nginx(work, root, headers, way):
    """Serves the files below `root` on one core, in one of the ways."""
    work.mkdir()
    port = free_port()
    fields = "\n".join(f'        add_header {name} "{value}";' for name, value in fields_of(headers))
    configuration, files = work / "nginx.conf", files_max()
    configuration.write_text(CONFIGURATION.format(
        work=work, root=root, port=port, fields=fields, way=way, files=files, open_files=files + OTHER_FILES))
    path = {"PATH": f"{os.environ['PATH']}:/usr/sbin"}
    with listening(("nginx", "-p", work, "-c", configuration), port, work / "nginx.log", ENVIRONMENT | path) as server:
        yield server
