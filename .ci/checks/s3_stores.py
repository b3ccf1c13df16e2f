"""Other stores that speak S3 than the one of the tests. On one that keeps the conditions of writes, the tests of releases pass;
of the others the first import and `doctor` say what they lack, and nothing is activated there.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import urllib.request
from dataclasses import dataclass
from typing import Callable

from checks.base import ENVIRONMENT, PATIENCE, ROOT, SAMPLE, binary, expect, free_port, run
from checks.services import BUCKET, S3S_FS, Engine, s3_at
from checks.tools import of_npm, of_pip

MOTO, LOCALBUCKET, S3RVER = "5.2.5", "1.2.1", "3.7.1"
PAGE = ROOT / "server/deploy/several-servers.md"
# What tests the releases. That a wrong secret is refused is asked of a store that looks at it, and what dozens of killed
# imports leave, of one that is not as slow as moto's.
TESTS = (("--lib", "--", "--include-ignored", "release::"),
         ("--test", "cli", "--", "--include-ignored", "s3::", "--skip", "commands_say_what_is_wrong_with_s3",
          "--skip", "an_import_that_is_killed"))


@dataclass(frozen=True)
class Store:
    """`command` is how it is started, from its folder and port; `lacks` what is said of it, if it is not one to rely on."""
    name: str
    command: Callable
    key: str = "tests"
    lacks: str = ""



def moto(_folder, port):
    return of_pip(f"moto-{MOTO}", f"moto[s3,server]=={MOTO}") / "moto_server", "-H", "127.0.0.1", "-p", port


def localbucket(folder, port):
    program = of_pip(f"localbucket-{LOCALBUCKET}", f"localbucket=={LOCALBUCKET}") / "localbucket"
    return program, "--port", port, folder


def s3rver(folder, port):
    program = of_npm(f"s3rver-{S3RVER}", f"s3rver@{S3RVER}") / ".bin" / "s3rver"
    return program, "--directory", folder, "--address", "127.0.0.1", "--port", port, "--silent"


STORES = (
    Store(f"moto {MOTO}", moto),
    Store(f"localbucket {LOCALBUCKET}", localbucket, lacks="it ignores If-Match and writes over what has changed"),
    Store(f"s3rver {S3RVER}", s3rver, "S3RVER", "it ignores If-None-Match and writes over what is there"),
)


def try_out(store, folder):
    port = free_port()
    data = folder / "store"
    data.mkdir()
    engine = Engine(folder, "store", port, *store.command(data, port))
    engine.begin()
    try:
        environment = s3_at(port, store.key, store.key)
        if store.lacks:
            # One that is not asked to prove itself takes a folder for a bucket.
            (data / BUCKET).mkdir()
            is_found_out(store, environment, folder)
        else:
            make_bucket(port)
            pass_tests(store, environment)
    finally:
        engine.end()
    print(f"{store.name}: {store.lacks or 'the tests of releases pass'}", flush=True)


def make_bucket(port):
    urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/{BUCKET}", method="PUT"),
                           timeout=PATIENCE).close()


def pass_tests(store, environment):
    for test in TESTS:
        said = run(ROOT / ".ci" / "cargo", "test", "--quiet", "--workspace", *test, cwd=ROOT, env=os.environ | environment)
        # Cargo is content where no test is called so.
        passed = sum(map(int, re.findall(r"(\d+) passed", said)))
        expect(passed, f"{store.name}: there is no test of {' '.join(test)}")


def is_found_out(store, environment, folder):
    """By the first import, which activates nothing, and by `doctor`."""
    environment = ENVIRONMENT | environment | {"CATALOGUE_RELEASES": f"{environment['CATALOGUE_TEST_S3']}/live"}

    def says(*arguments):
        done = subprocess.run([binary(), "--data", folder / "data", *arguments], env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    for command in (("import", SAMPLE), ("doctor", "--json")):
        status, said = says(*command)
        expect(status == 3 and f"{store.lacks}; use a store" in said, f"{store.name}: {command[0]} ends with {status}: {said}")
    status, said = says("releases", "list", "--json")
    expect(status == 0 and '"active": true' not in said, f"{store.name}: a release is active: {said}")


def main(names):
    page = PAGE.read_text()
    for name in (f"s3s-fs {S3S_FS}", *(store.name for store in STORES)):
        expect(name in page, f"{PAGE.name} does not name {name}")
    for store in STORES:
        if not names or store.name.split()[0] in names:
            with tempfile.TemporaryDirectory(prefix="catalogue-s3-") as made:
                try_out(store, pathlib.Path(made))
