"""Installs the packages in a clean root and does there what a newcomer does.

The root has what the system's own installer puts there, and no Rust. No systemd runs in it: `.ci/units` holds the units to
what they say.
"""

import json
import os
import pathlib
import shutil
import tempfile
import urllib.error
import urllib.request

from checks.base import CACHE, PATIENCE, SAMPLE, Broken, expect, run
from checks.dist.packages import NAME
from checks.processes import serving
from checks.tools import installed, of_debian

DATA = "/var/lib/catalogue"
# Files of the system that have one of the same name with a `-` once a user was made.
USERS = ("passwd", "group", "shadow", "gshadow")


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
        return ["unshare", f"--mount-proc={self.path / 'proc'}", "chroot", self.path, *command]

    def run(self, *command):
        return run(*self.within(*command))

    def as_service(self, *arguments):
        """The catalogue command, as the user that the service runs as."""
        return self.within("setpriv", "--reuid=catalogue", "--regid=catalogue", "--clear-groups", "catalogue", "--data", DATA,
                           *arguments)

    def catalogue(self, *arguments):
        return run(*self.as_service(*arguments))

    def system(self):
        """What is installed."""
        return {path for folder in ("etc", "usr") for path in (self.path / folder).rglob("*")}


def check_tarball(root, tarball):
    """It runs where it is unpacked."""
    run("tar", "--extract", "--file", tarball, "--directory", root.path / "opt")
    said = root.run(f"/opt/{tarball.name.removesuffix('.tar.gz')}/bin/catalogue", "--version")
    expect(said.startswith("catalogue "), f"the command of {tarball.name} says {said}")


def check_package(root, package):
    shutil.copy(package, root.path / "package.deb")
    shutil.copytree(SAMPLE, root.path / "opt" / "sample")
    before = root.system()
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
    left = root.system() - before - {root.path / "etc" / f"{name}-" for name in USERS}
    expect(not left, f"left behind: {left}")
    expect((root.path / DATA.lstrip("/") / "keys.sqlite").exists(), "the keys are gone with the package")


def check_answers(root, key):
    serve = root.as_service("serve", "--listen", "127.0.0.1:0", "--admin", "off")
    with serving(*serve, log=root.path / "server.log") as server:
        for path, expected in {"/v1/boats?limit=1": 200, "/v1/manufacturers": 403, "/docs": 200}.items():
            found = status(server.base + path, key)
            expect(found == expected, f"{path} is answered with {found}, not {expected}")


def status(url, key):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as answer:
        return answer.code


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
