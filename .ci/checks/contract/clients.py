"""Clients made from the document, by the generators of others: each asks a server of the sample for a record, a list
page by page and a 304, and sees typed values and typed errors.

What is generated is compiled and run as its users would, but for TypeScript, which is held to more than `strict`.
"""

import os
import pathlib
import sys

from checks.base import CACHE, ROOT, Broken, binary, expect, run
from checks.command import sample
from checks.contract.copies import NPM, PROGRAMS, STRICTER
from checks.contract.exchanges import EVERY_SCOPE
from checks.tools import alone, of_npm, of_pip

HERE = pathlib.Path(__file__).resolve().parent
OPENAPI_PYTHON_CLIENT = "0.29.1"
# Without this, it warns that it leaves the bodies of these out.
WHOLE_FILES = """\
content_type_overrides:
  application/x-ndjson: application/octet-stream
  application/vnd.apache.parquet: application/octet-stream
"""
CARGO = """\
# Made by .ci/contract: a client of the boat catalogue, which is no part of its workspace.
[package]
name = "catalogue-client"
version = "0.0.0"
edition = "2024"

[workspace]

[[bin]]
name = "catalogue-client"
path = "client.rs"

[dependencies]
chrono = { version = "=0.4.42", default-features = false, features = ["serde"] }
progenitor = "=0.15.1"
progenitor-client = "=0.15.1"
regress = "=0.11.1"
reqwest = { version = "=0.13.4", default-features = false }
serde = { version = "=1.0.228", features = ["derive"] }
serde_json = "=1.0.150"
tokio = { version = "=1.54.1", features = ["macros", "rt", "time"] }

[profile.dev]
debug = false
"""


def check(folder, names):
    """The clients of these names."""
    chosen = {name: client for name, client in CLIENTS.items() if name in names}
    document = folder / "openapi.json"
    document.write_text(run(binary(), "openapi"))
    with sample() as data:
        key = data.new_key("tests", *EVERY_SCOPE)["key"]
        with data.served("--log", "warn") as server:
            environment = {**os.environ, "BASE": server.base, "KEY": key}
            try:
                for client in chosen.values():
                    client(folder, document, environment)
            except Broken as failed:
                raise Broken(str(failed).replace(key, "KEY")) from None
            print(f"{', '.join(chosen)}: the client does what the document says", flush=True)


def expect_in_guide(file, *packages):
    """The commands of the guide install what is tried here."""
    commands = (PROGRAMS / file).read_text()
    missing = [package for package in packages if package not in commands]
    expect(not missing, f"{file} does not install {missing}")


def typescript(folder, document, environment):
    expect_in_guide("typescript.sh", *NPM[:2])
    modules = of_npm("openapi-typescript-7.13.0", *NPM)
    (folder / "node_modules").symlink_to(modules)
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
    (folder / "client.ts").write_text((HERE / "client.ts").read_text())
    tool = modules / ".bin"
    run("node", tool / "openapi-typescript", document, "--output", folder / "api.d.ts", cwd=folder)
    run("node", tool / "tsc", *STRICTER, "client.ts", cwd=folder)
    run("node", "client.js", cwd=folder, env=environment)


def python(folder, document, environment):
    expect_in_guide("python.sh", f"openapi-python-client=={OPENAPI_PYTHON_CLIENT}")
    tool = of_pip(f"openapi-python-client-{OPENAPI_PYTHON_CLIENT}", f"openapi-python-client=={OPENAPI_PYTHON_CLIENT}")
    # It looks for the linter that cleans what it made.
    path = {**environment, "PATH": f"{tool}{os.pathsep}{environment['PATH']}"}
    (folder / "python.yml").write_text(WHOLE_FILES)
    run(tool / "openapi-python-client", "generate", "--fail-on-warning", "--meta", "none", "--path", document,
        "--config", folder / "python.yml", "--output-path", folder / "boat_catalogue_client", cwd=folder, env=path)
    environment = {**environment, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    run(tool / "python", HERE / "client.py", env=environment)


def rust(_folder, document, environment):
    """In the cache, so that what it needs is compiled once."""
    expect_in_guide("rust.sh", "progenitor@0.15.1", "progenitor-client@0.15.1", "regress@0.11.1")
    crate = CACHE / "tools" / "progenitor-0.15.1"
    target = crate / "target"
    # As the guide says: its generator reads OpenAPI 3.0.
    converted = run(sys.executable, "-B", PROGRAMS / "openapi_3_0.py", input=document.read_text())
    texts = {"Cargo.toml": CARGO, "openapi.json": converted, "client.rs": (HERE / "client.rs").read_text(),
             "rust-toolchain.toml": (ROOT / "rust-toolchain.toml").read_text()}
    with alone(crate.name):
        crate.mkdir(exist_ok=True)
        for name, text in texts.items():
            path = crate / name
            # What has not changed is not compiled anew.
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
        run("cargo", "build", "--quiet", cwd=crate, env={**environment, "CARGO_TARGET_DIR": str(target)})
    run(target / "debug" / "catalogue-client", env=environment)


CLIENTS = {"python": python, "typescript": typescript, "rust": rust}
