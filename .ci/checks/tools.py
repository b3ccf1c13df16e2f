"""Tools from the registries, of exact versions: installed once into the cache, and used from there."""

import os
import pathlib
import shutil
import subprocess
import sys

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "boat-catalogue"


class Failed(Exception):
    """What a check found, or what kept it from looking."""


def run(*command, statuses=(0,), **options):
    """Runs a command that has to end with one of these; its standard output. What it says is shown where it does not."""
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          **options)
    if done.returncode not in statuses:
        raise Failed(f"{pathlib.Path(command[0]).name} failed:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def installed(name, install):
    """The folder of that name in the cache, in which `install` has been done from beginning to end."""
    folder = CACHE / "tools" / name
    done = folder / ".installed"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        print(f"installing {name}", flush=True)
        install(folder)
        done.touch()
    return folder


def of_npm(name, *packages):
    """The `node_modules` that has these packages, and what they need."""
    def install(folder):
        (folder / "package.json").write_text('{"private": true}\n')
        run("npm", "install", "--silent", "--no-fund", "--no-audit", "--save-exact", "--ignore-scripts", "--prefix", folder, *packages)

    return installed(name, install) / "node_modules"


def of_pip(name, *packages):
    """The `bin` of a virtual environment that has these packages, and what they need."""
    def install(folder):
        run(sys.executable, "-m", "venv", folder)
        run(folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", *packages)

    return installed(name, install) / "bin"
