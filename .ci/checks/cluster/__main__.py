"""Three servers on shared engines behind a load balancer, under faults: whether every promise holds.

    python3 .ci/cluster SECONDS     faults at random under 350 requests a second; afterwards the history is checked
    python3 .ci/cluster switch      release after release under load, and two operators who activate at once
    python3 .ci/cluster rolling     an upgrade under load: the store migrated, then one server after the other replaced
    python3 .ci/cluster outages     every outage of the README's table, one after the other

It runs itself within .ci/with-services, which starts PostgreSQL, Redis and an S3-compatible server; HAProxy is
Debian's package, which root installs where it is missing. SEED chooses other faults than usual.
CATALOGUE is the binary; without it, .ci/cargo builds one. FORMER is the one that is upgraded from, which is otherwise
the same. KEEP is a directory for the history and the logs. The exit status is 1 where a promise is broken, and it is
said which and by what. In the end no key that was issued may be in any file.
"""

import asyncio
import os
import pathlib
import random
import shutil
import subprocess
import sys

# Nothing is to be left in the repository.
sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent / "faults"))

import outages
import rolling
import storm
import switch
from catalogue import Broken, binary, check_secrets, work_directory


def install():
    if shutil.which("haproxy"):
        return
    if os.geteuid() != 0:
        sys.exit("install it first: apt-get install haproxy")
    for command in (["update"], ["install", "-y", "--no-install-recommends", "haproxy"]):
        subprocess.run(["apt-get", "-qq", *command], check=True, stdout=subprocess.DEVNULL)


def trial(arguments):
    match arguments:
        case ["switch"]:
            return switch.run, ()
        case ["rolling"]:
            return rolling.run, ()
        case ["outages"]:
            return outages.run, ()
        case [seconds] if seconds.isdecimal() and int(seconds):
            return storm.run, (int(seconds),)
        case _:
            sys.exit(__doc__)


def main(arguments):
    run, settings = trial(arguments)
    if "SERVICES" not in os.environ:
        install()
        sys.exit(subprocess.run([HERE.parent / "with-services", sys.executable, HERE, *arguments]).returncode)
    seed = os.environ.get("SEED", "1")
    command = binary()
    with work_directory() as work:
        try:
            asyncio.run(run(command, work, random.Random(seed), *settings))
            check_secrets(work)
        except Broken as error:
            sys.exit(f"cluster: broken with SEED={seed}: {error}")
        finally:
            if kept := os.environ.get("KEEP"):
                shutil.copytree(work, kept, dirs_exist_ok=True)


main(sys.argv[1:])
