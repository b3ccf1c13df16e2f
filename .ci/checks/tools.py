"""Tools of others, of exact versions where that can be: installed once, from then on used as they are.

Checks run side by side, so one at a time installs a tool. Who needs another one does not wait for it.
"""

import contextlib
import fcntl
import os
import shutil
import sys

from checks.base import CACHE, ENVIRONMENT, Broken, run

TOOLS = CACHE / "tools"


@contextlib.contextmanager
def alone(name):
    TOOLS.mkdir(parents=True, exist_ok=True)
    with (TOOLS / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def installed(name, install):
    """The folder of that name in the cache, in which `install` has been done from beginning to end."""
    folder = TOOLS / name
    done = folder / ".installed"
    with alone(name):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            print(f"installing {name}", flush=True)
            install(folder)
            done.touch()
    return folder


def of_npm(name, *packages):
    """The `node_modules` that has these packages, and what they need."""
    of_debian(npm="npm", node="nodejs")

    def install(folder):
        (folder / "package.json").write_text('{"private": true}\n')
        run("npm", "install", "--silent", "--no-fund", "--no-audit", "--save-exact", "--ignore-scripts", "--prefix",
            folder, *packages)

    return installed(name, install) / "node_modules"


def of_pip(name, *packages):
    """The `bin` of a virtual environment that has these packages, and what they need."""
    def install(folder):
        run(sys.executable, "-m", "venv", folder)
        run(folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *packages)

    return installed(name, install) / "bin"


def site_packages(name, *packages):
    """Where modules of such an environment are imported from."""
    return next(of_pip(name, *packages).parent.glob("lib/*/site-packages"))


def of_crates(name, version, *options):
    """A program of crates.io."""
    program = TOOLS / "bin" / name
    with alone(name):
        if f"{name} v{version}:" not in run("cargo", "install", "--list", "--root", TOOLS).splitlines():
            environment = {key: value for key, value in ENVIRONMENT.items() if key != "CARGO_TARGET_DIR"}
            run("cargo", "install", "--quiet", "--locked", "--root", TOOLS, "--version", f"={version}", *options, name,
                env=environment)
    return program


def of_debian(**programs):
    """Debian's packages by the programs that are looked for; root installs those that are missing."""
    path = os.environ["PATH"] + ":/usr/sbin"
    with alone("debian"):
        missing = sorted({package for program, package in programs.items()
                          if not shutil.which(program.replace("_", "-"), path=path)})
        if not missing:
            return
        if os.geteuid() != 0:
            raise Broken(f"install what is missing: apt-get install {' '.join(missing)}")
        run("apt-get", "update", "-qq")
        # Another package manager may be at work, such as the machine's own upgrades: it is waited for.
        run("apt-get", "install", "-qq", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=600", *missing,
            # As in single-user mode, in which no service is started: checks start their own.
            env=ENVIRONMENT | {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"})
