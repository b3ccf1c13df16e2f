"""Installs the packages in a clean root and does there what a newcomer does.

The root has what the system's own installer puts there, and no Rust. No systemd runs in it: `.ci/units` holds the units to
what they say.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from checks.base import CACHE, PATIENCE, SAMPLE, Broken, expect, free_port, run
from checks.dist.packages import NAME
from checks.tools import installed, of_debian

DATA = "/var/lib/catalogue"


def clean_root():
    """A tarball of a system of the release that this one is of: that has the C library which the command is linked to."""
    of_debian(mmdebstrap="mmdebstrap")
    about = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    suite = about["VERSION_CODENAME"].strip('"')

    def install(folder):
        run("mmdebstrap", "--variant=minbase", "--include=systemd", suite, folder / "root.tar")

    return installed(f"root-{suite}", install) / "root.tar"


class Root:
    """A system in a directory of its own."""

    def __init__(self, path):
        self.path = path

    def within(self, *command):
        """The command as it is run in the root, with a /proc, by which it finds its library."""
        mounts = ["unshare", "--mount", "--pid", "--fork", "--kill-child=TERM", f"--mount-proc={self.path / 'proc'}"]
        return [*mounts, "chroot", self.path, *command]

    def run(self, *command):
        return run(*self.within(*command))

    def catalogue(self, *arguments):
        """The command, as the user that the service runs as."""
        return self.run(*self.as_service("catalogue", "--data", DATA, *arguments))

    @staticmethod
    def as_service(*command):
        return "runuser", "-u", "catalogue", "--", *command

    @contextlib.contextmanager
    def server(self):
        """Its address, while it serves."""
        port = free_port()
        line = ["catalogue", "--data", DATA, "serve", "--listen", f"127.0.0.1:{port}", "--admin", "off"]
        process = subprocess.Popen(self.within(*self.as_service(*line)), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            # What started the command waits for it, whatever it is told itself.
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(PATIENCE)


def status(url, key):
    """The status of an answer, once there is one."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status
        except urllib.error.HTTPError as answer:
            return answer.code
        except OSError:
            expect(time.monotonic() < until, f"{url} does not answer")
            time.sleep(0.05)


def check_tarball(root, tarball):
    """It runs where it is unpacked."""
    run("tar", "--extract", "--file", tarball, "--directory", root.path / "opt")
    folder = tarball.name.removesuffix(".tar.gz")
    said = root.run(f"/opt/{folder}/bin/catalogue", "--version")
    expect(said.startswith("catalogue "), f"the command of {tarball.name} says {said}")
    shutil.rmtree(root.path / "opt" / folder)


def check_package(root, package):
    shutil.copy(package, root.path / "package.deb")
    shutil.copytree(SAMPLE, root.path / "opt" / "sample")
    root.run("dpkg", "--install", "/package.deb")
    root.catalogue("import", "/opt/sample")
    root.catalogue("subscriptions", "create", "acme")
    issued = root.catalogue("keys", "issue", "--subscription", "acme", "--scope", "boats.read", "--json")
    key = json.loads(issued)["key"]
    check_answers(root, key)
    # As an upgrade does.
    root.run("dpkg", "--install", "/package.deb")
    check_answers(root, key)
    root.run("dpkg", "--purge", NAME)
    expect(not (root.path / "usr" / "bin" / "catalogue").is_symlink(), "the command is there after it was removed")
    expect((root.path / DATA.lstrip("/") / "keys.sqlite").exists(), "the keys are gone with the package")


def check_answers(root, key):
    with root.server() as address:
        for path, expected in {"/v1/boats?limit=1": 200, "/v1/manufacturers": 403, "/docs": 200}.items():
            found = status(address + path, key)
            expect(found == expected, f"{path} is answered with {found}, not {expected}")


def check(made):
    if os.geteuid() != 0:
        raise Broken("installing packages in a root of their own takes root")
    system = clean_root()
    tarball, = [path for path in made if path.name.endswith(".tar.gz")]
    package, = [path for path in made if path.suffix == ".deb"]
    with tempfile.TemporaryDirectory(prefix="root-", dir=CACHE) as folder:
        root = Root(pathlib.Path(folder))
        root.path.chmod(0o755)
        run("tar", "--extract", "--file", system, "--directory", root.path)
        check_tarball(root, tarball)
        check_package(root, package)
    print(f"dist: {', '.join(path.name for path in made)} install and serve")
