"""Tools of others, of exact versions where that can be: installed once into the cache, from then on used as they are.

Checks run side by side, so one at a time installs a tool. Who needs another one does not wait for it. A registry that
hiccups is tried again, and what was installed in part is removed first: a half-made tool is never used.
"""

import contextlib
import fcntl
import os
import shutil
import sys
import time

from checks.base import CACHE, ENVIRONMENT, Broken, expect, run

TOOLS = CACHE / "tools"
# How often a registry is tried, and the seconds between.
TRIES, PAUSE = 3, 5
# The most seconds that one try may take: most for a crate, which is compiled in it.
FETCHED_WITHIN, COMPILED_WITHIN = 600, 1_800


@contextlib.contextmanager
def alone(name):
    """While nobody else installs this. Whoever does has a time limit, and the lock goes with the process."""
    TOOLS.mkdir(parents=True, exist_ok=True)
    with (TOOLS / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def persistently(name, install):
    """Installs it, and again where that fails."""
    print(f"installing {name}", flush=True)
    for left in reversed(range(TRIES)):
        try:
            return install()
        except Broken as error:
            expect(left, f"{name} could not be installed, tried {TRIES} times; the last time, {error}")
            print(f"installing {name} failed and is tried again: {str(error).splitlines()[-1]}", flush=True)
            time.sleep(PAUSE)


def installed(name, install):
    """The folder of that name in the cache, in which `install` has been done from beginning to end."""
    folder = TOOLS / name
    done = folder / ".installed"

    def afresh():
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir()
        install(folder)

    with alone(name):
        if not done.exists():
            persistently(name, afresh)
            done.touch()
    return folder


def of_npm(name, *packages):
    """The `node_modules` that has these packages, and what they need."""
    of_debian(npm="npm", node="nodejs")

    def install(folder):
        (folder / "package.json").write_text('{"private": true}\n')
        run("npm", "install", "--loglevel", "error", "--no-fund", "--no-audit", "--save-exact", "--ignore-scripts", "--prefix",
            folder, *packages, timeout=FETCHED_WITHIN)

    return installed(name, install) / "node_modules"


def of_pip(name, *packages):
    """The `bin` of a virtual environment that has these packages, and what they need."""
    def install(folder):
        run(sys.executable, "-m", "venv", folder)
        run(folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *packages,
            timeout=FETCHED_WITHIN)

    return installed(name, install) / "bin"


def site_packages(name, *packages):
    """Where modules of such an environment are imported from."""
    return next(of_pip(name, *packages).parent.glob("lib/*/site-packages"))


def of_crates(name, version, *options):
    """A program of crates.io. Cargo puts it in its place only once it is compiled."""
    install = ("cargo", "install", "--quiet", "--locked", "--root", TOOLS, "--version", f"={version}", *options, name)
    environment = {key: value for key, value in ENVIRONMENT.items() if key != "CARGO_TARGET_DIR"}
    with alone(name):
        if f"{name} v{version}:" not in run("cargo", "install", "--list", "--root", TOOLS).splitlines():
            persistently(name, lambda: run(*install, env=environment, timeout=COMPILED_WITHIN))
    return TOOLS / "bin" / name


def of_debian(**programs):
    """Debian's packages by the programs that are looked for; root installs those that are missing. A line under a program
    stands for itself or for a hyphen."""
    # As in single-user mode, in which no service is started: checks start their own.
    environment = ENVIRONMENT | {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}

    def missing():
        return sorted({package for program, package in programs.items() if not is_there(program)})

    def install():
        run("apt-get", "update", "-qq", timeout=FETCHED_WITHIN)
        # Another package manager may be at work, such as the machine's own upgrades: it is waited for.
        run("apt-get", "install", "-qq", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=600", *missing(),
            env=environment, timeout=COMPILED_WITHIN)
        expect(not missing(), f"{', '.join(missing())} is installed, and a program of it is not on the path")

    with alone("debian"):
        expect(not missing() or os.geteuid() == 0, f"install what is missing: apt-get install {' '.join(missing())}")
        if missing():
            persistently(f"Debian's {', '.join(missing())}", install)


def is_there(program):
    path = f"{os.environ['PATH']}:/usr/sbin"
    return any(shutil.which(name, path=path) for name in (program, program.replace("_", "-")))
