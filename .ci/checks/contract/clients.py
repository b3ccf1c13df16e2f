"""Clients made from the document, by the generators of others: each asks a server of the sample for a record, a list
page by page and a 304, and sees typed values and typed errors.

What is generated is compiled and run as its users would, but for TypeScript, which is held to more than `strict`.
"""

import os
import pathlib
import sys
import time

from checks.base import CACHE, ROOT, Broken, binary, run
from checks.command import sample
from checks.tools import of_npm, of_pip

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ROOT / "server" / "src" / "http" / "docs" / "clients"
NPM = ("openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "typescript@5.9.3", "@types/node@24.10.1")
STRICTER = ("--strict", "--noUncheckedIndexedAccess", "--noPropertyAccessFromIndexSignature", "--noUnusedLocals")
OPENAPI_PYTHON_CLIENT = "0.29.1"
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
tokio = { version = "=1.54.1", features = ["macros", "rt"] }

[profile.dev]
debug = false
"""


def check(folder):
    document = folder / "openapi.json"
    document.write_text(run(binary(), "openapi"))
    with sample() as data:
        key = data.new_key("tests")["key"]
        with data.served("--log", "warn") as server:
            environment = {**os.environ, "BASE": server.base, "KEY": key}
            for name, client in [("TypeScript", typescript), ("Python", python), ("Rust", rust)]:
                started = time.monotonic()
                try:
                    client(folder, document, environment)
                except Broken as failed:
                    raise Broken(f"{name}: {failed}".replace(key, "KEY")) from None
                print(f"the {name} client does what the document says ({time.monotonic() - started:.0f} s)", flush=True)


def typescript(folder, document, environment):
    modules = of_npm("openapi-typescript-7.13.0", *NPM)
    (folder / "node_modules").symlink_to(modules)
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
    (folder / "client.ts").write_text((HERE / "client.ts").read_text())
    tool = modules / ".bin"
    run("node", tool / "openapi-typescript", document, "--output", folder / "api.d.ts", cwd=folder)
    run("node", tool / "tsc", *STRICTER, "--target", "es2023", "--module", "nodenext", "--types", "node", "client.ts",
        cwd=folder)
    run("node", "client.js", cwd=folder, env=environment)


def python(folder, document, environment):
    tool = of_pip(f"openapi-python-client-{OPENAPI_PYTHON_CLIENT}", f"openapi-python-client=={OPENAPI_PYTHON_CLIENT}")
    # It looks for the linter that cleans what it made.
    path = {**environment, "PATH": f"{tool}{os.pathsep}{environment['PATH']}"}
    run(tool / "openapi-python-client", "generate", "--fail-on-warning", "--meta", "none", "--path", document,
        "--output-path", folder / "boat_catalogue_client", cwd=folder, env=path)
    run(tool / "python", HERE / "client.py", env={**environment, "PYTHONPATH": str(folder),
                                                 "PYTHONDONTWRITEBYTECODE": "1"})


def rust(_folder, document, environment):
    """In the cache, so that what it needs is compiled once."""
    crate = CACHE / "tools" / "progenitor-0.15.1"
    crate.mkdir(parents=True, exist_ok=True)
    # As the guide says: its generator reads OpenAPI 3.0.
    converted = run(sys.executable, "-B", PROGRAMS / "openapi_3_0.py", input=document.read_text())
    for name, text in [("Cargo.toml", CARGO), ("openapi.json", converted),
                       ("client.rs", (HERE / "client.rs").read_text()),
                       ("rust-toolchain.toml", (ROOT / "rust-toolchain.toml").read_text())]:
        path = crate / name
        # What has not changed is not compiled anew.
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    run("cargo", "run", "--quiet", cwd=crate, env={**environment, "CARGO_TARGET_DIR": str(crate / "target")})
