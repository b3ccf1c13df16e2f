"""Makes the packages: the tree that `.ci/install` makes, as a tarball and as a package of Debian, with what is in it and
the licences of that, and checksums.

The same binary from the same commit makes the same packages, byte for byte: times are those of the commit, files are
sorted and root's.
"""

import hashlib
import json
import os
import platform
import tempfile
from pathlib import Path

from checks.base import ENVIRONMENT, ROOT, Broken, expect, run
from checks.dist import bom
from checks.tools import of_debian

NAME = "boat-catalogue"
CONTROL = """\
Package: {name}
Version: {version}
Architecture: {architecture}
Maintainer: The boat catalogue contributors <nobody@example.invalid>
Installed-Size: {kilobytes}
Depends: {depends}, systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles
Section: net
Priority: optional
Description: self-hosted catalogue API for boats
 The catalogue command imports exports of a content system, issues scoped API
 keys, and serves every record as JSON with an ETag, and lists with filters
 and sorts.
"""
COPYRIGHT = """\
Under Apache-2.0, which is in /usr/share/common-licenses/Apache-2.0, or, as you choose, under this:

"""
# The service begins with the first `systemctl enable --now`; one that runs gets the new program. Nothing here deletes what
# the operator has in /var/lib/catalogue.
SCRIPTS = {
    "postinst": """\
#!/bin/sh
set -e
if [ "$1" = configure ]; then
    systemd-sysusers catalogue.conf
    systemd-tmpfiles --create catalogue.conf
    if [ -d /run/systemd/system ]; then
        systemctl daemon-reload
        systemctl try-restart catalogue.service
    fi
fi
""",
    "prerm": """\
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    systemctl disable --now catalogue-import.timer catalogue.socket catalogue.service
fi
""",
    "postrm": """\
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
fi
""",
}


def epoch():
    """The time of everything in the packages, in seconds: that of the commit."""
    told = os.environ.get("SOURCE_DATE_EPOCH")
    return int(told or run("git", "log", "-1", "--format=%ct", cwd=ROOT))


def stage(command, root, prefix, documents):
    """What `.ci/install` lays out below `root`, and `documents` by their names."""
    environment = os.environ | {"BINARY": str(command), "PREFIX": prefix, "DESTDIR": str(root)}
    run(ROOT / ".ci" / "install", env=environment)
    # Where the builder has the library is of no use elsewhere, and somebody else's folder there.
    run("patchelf", "--set-rpath", "$ORIGIN", root / prefix.lstrip("/") / "lib" / "catalogue" / "catalogue")
    folder = root / prefix.lstrip("/") / "share" / "doc" / NAME
    folder.mkdir(parents=True)
    for name, text in documents.items():
        (folder / name).write_text(text)
    # Folders are made with the umask of whoever builds.
    for path in root.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


def tarball(root, path, when):
    """A folder of the same name as the tarball; what is in it goes below /usr/local, or runs where it is."""
    folder = path.name.removesuffix(".tar.gz")
    run("tar", "--create", "--file", path, "--use-compress-program=gzip --no-name", "--sort=name", f"--mtime=@{when}",
        "--owner=0", "--group=0", "--numeric-owner", f"--transform=flags=r;s|^\\.|{folder}|",
        "--directory", root / "usr" / "local", ".")


def depends(root, work):
    """The packages of the libraries that the command needs of the system."""
    (work / "debian").mkdir()
    (work / "debian" / "control").write_text(f"Source: {NAME}\n\nPackage: {NAME}\nArchitecture: any\n")
    folder = root / "usr" / "lib" / "catalogue"
    said = run("dpkg-shlibdeps", "-O", "--ignore-missing-info", f"-l{folder}", *(f"-e{file}" for file in folder.iterdir()),
               cwd=work)
    return said.strip().removeprefix("shlibs:Depends=")


def debian_package(root, path, when, architecture, work):
    share = root / "usr" / "share"
    run("gzip", "--no-name", "--best", *(share / "man" / "man1").iterdir())
    (share / "zsh" / "site-functions").rename(share / "zsh" / "vendor-completions")
    bytes_installed = sum(file.stat().st_size for file in root.rglob("*") if file.is_file() and not file.is_symlink())
    control = CONTROL.format(name=NAME, version=bom.version(), architecture=architecture, kilobytes=bytes_installed // 1024,
                             depends=depends(root, work))
    folder = root / "DEBIAN"
    folder.mkdir(mode=0o755)
    # dpkg makes the sums of files itself as it unpacks them.
    for name, text in {"control": control, **SCRIPTS}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755 if name in SCRIPTS else 0o644)
    # With one thread, so that it does not matter how many cores there are.
    run("dpkg-deb", "--root-owner-group", "-Zzstd", "-z9", "--threads-max=1", "--build", root, path,
        env=ENVIRONMENT | {"SOURCE_DATE_EPOCH": str(when)})


def make(command, folder):
    """All packages of this command in `folder`, in place of former ones; their paths."""
    expect(platform.system() == "Linux", "packages are made on Linux")
    of_debian(dpkg_deb="dpkg", dpkg_shlibdeps="dpkg-dev", patchelf="patchelf")
    if not command.exists():
        raise Broken(f"{command} is missing: make build makes it")
    folder.mkdir(parents=True, exist_ok=True)
    for former in [*folder.glob("catalogue-*"), *folder.glob(f"{NAME}_*")]:
        former.unlink()
    when, machine = epoch(), platform.machine()
    listed = bom.bill(f"{machine}-unknown-linux-gnu", when)
    mit, apache = [(ROOT / f"LICENSE-{name}").read_text() for name in ("MIT", "APACHE")]
    contents = {"sbom.cdx.json": json.dumps(listed, indent=1) + "\n", "third-party-licences.txt": bom.licences(listed)}
    name = f"catalogue-{bom.version()}-linux-{machine}"
    architecture = run("dpkg", "--print-architecture").strip()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        local, system = work / "local", work / "system"
        stage(command, local, "/usr/local", contents | {"LICENSE-MIT": mit, "LICENSE-APACHE": apache})
        tarball(local, folder / f"{name}.tar.gz", when)
        stage(command, system, "/usr", contents | {"copyright": COPYRIGHT + mit})
        debian_package(system, folder / f"{NAME}_{bom.version()}_{architecture}.deb", when, architecture, work)
    (folder / f"{name}.cdx.json").write_text(contents["sbom.cdx.json"])
    made = sorted([*folder.glob("catalogue-*"), *folder.glob(f"{NAME}_*")])
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in made)
    listing = folder / f"{name}.sha256"
    listing.write_text(sums)
    return [*made, listing]
