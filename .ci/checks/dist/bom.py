"""What the command is made of, as CycloneDX lists it, and the licences of all of that.

cargo-cyclonedx makes the list from Cargo.lock; it writes beside each manifest, so that it is given a copy of them. The
texts of licences come with the sources of the crates. cargo-about, which also finds them, needs three minutes to compare
them with those it knows.
"""

import json
import pathlib
import re
import shutil
import tempfile
import tomllib

from checks.base import ENVIRONMENT, ROOT, run
from checks.tools import of_crates

CYCLONEDX = "0.5.9"
HEADING = "What the catalogue command is made of, and under which licences\n"
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)
DUCKDB_LICENCE = ("MIT", "Copyright 2018 Stichting DuckDB Foundation")


def version():
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]


def duckdb():
    """The library that the command is linked to, which no crate contains."""
    pinned = re.search(r"^version=(\S+)$", (ROOT / ".ci" / "libduckdb").read_text(), re.MULTILINE)[1]
    return {"type": "library", "bom-ref": f"libduckdb@{pinned}", "name": "libduckdb", "version": pinned,
            "licenses": [{"expression": DUCKDB_LICENCE[0]}], "copyright": DUCKDB_LICENCE[1],
            "purl": f"pkg:github/duckdb/duckdb@v{pinned}"}


def bill(triple, epoch):
    """The list, as CycloneDX 1.5 in JSON has it; `epoch` is its time."""
    tool = of_crates("cargo-cyclonedx", CYCLONEDX)
    with tempfile.TemporaryDirectory() as copy:
        copy = pathlib.Path(copy)
        for name in ("Cargo.toml", "Cargo.lock"):
            shutil.copy(ROOT / name, copy)
        for crate in ("cli", "server", "shared"):
            shutil.copytree(ROOT / crate, copy / crate)
        run(tool, "cyclonedx", "--manifest-path", copy / "cli" / "Cargo.toml", "--format", "json", "--spec-version", "1.5",
            "--target", triple, env=ENVIRONMENT | {"SOURCE_DATE_EPOCH": str(epoch)}, cwd=copy)
        text = (copy / "cli" / "cli.cdx.json").read_text().replace(f"path+file://{copy}", "path+file://.")
    listed = json.loads(text)
    library = duckdb()
    listed["components"].append(library)
    for depends in listed["dependencies"]:
        if "#libduckdb-sys@" in depends["ref"]:
            depends.setdefault("dependsOn", []).append(library["bom-ref"])
    listed["dependencies"].append({"ref": library["bom-ref"], "dependsOn": []})
    return listed


def crate_sources():
    """Where cargo has the sources of each crate, by name and version."""
    metadata = json.loads(run("cargo", "metadata", "--format-version", "1", "--locked", cwd=ROOT))
    return {(one["name"], one["version"]): pathlib.Path(one["manifest_path"]).parent for one in metadata["packages"]}


def licences(bill):
    """The text of every licence, once, below the names of what is under it."""
    sources, by_text = crate_sources(), {}
    for component in bill["components"]:
        if component["bom-ref"].startswith("path+file:"):
            continue
        name = f"{component['name']} {component['version']} ({expression(component)})"
        for text in texts(component, sources):
            # The same words may be broken into other lines.
            names, _text = by_text.setdefault(" ".join(text.split()), ([], text))
            names.append(name)
    rule = "=" * 80
    parts = [f"{rule}\n{chr(10).join(names)}\n{rule}\n\n{text.strip()}\n" for names, text in by_text.values()]
    return "\n".join([HEADING, *parts])


def expression(component):
    return " ".join(one.get("expression") or one["license"].get("id") or one["license"]["name"]
                    for one in component["licenses"])


def texts(component, sources):
    """The texts that come with it, or that of its licence where none does."""
    folder = sources.get((component["name"], component["version"]))
    files = sorted(folder.iterdir()) if folder else []
    own = [file.read_text(errors="replace") for file in files if LICENCE_FILE.match(file.name) and file.is_file()]
    if own:
        return own
    named = expression(component)
    if "Apache-2.0" in named:
        return [(ROOT / "LICENSE-APACHE").read_text()]
    if "MIT" in named:
        author = component.get("author", f"the authors of {component['name']}")
        holder = component.get("copyright", f"Copyright (c) {author}")
        text = (ROOT / "LICENSE-MIT").read_text()
        return [re.sub(r"^Copyright .*$", lambda _: holder, text, count=1, flags=re.MULTILINE)]
    return [f"Its sources have no text of its licence, which is that of https://spdx.org/licenses/{named}.html"]
