"""The contract as others see it: linters, and clients that are made from it, on the real command.

    python3 .ci/contract openapi      Spectral and Redocly on the OpenAPI document
    python3 .ci/contract messages     httplint on the messages of every status of every endpoint
    python3 .ci/contract clients      clients made from the document: TypeScript, Python, Rust

CATALOGUE is the binary; without it, .ci/cargo builds one. The exit status is 1 where something is found. Needs npm,
python3 with pip, for the Rust client cargo; everything else is installed into the cache once, of exact versions.
"""

import pathlib
import sys
import tempfile
import time

# Nothing is to be left in the repository.
sys.dont_write_bytecode = True

import clients
import messages
import openapi
from tools import Failed

CHECKS = {"openapi": openapi.check, "messages": messages.check, "clients": clients.check}


def main(arguments):
    match arguments:
        case [name] if name in CHECKS:
            started = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="catalogue-contract-") as folder:
                try:
                    CHECKS[name](pathlib.Path(folder))
                except Failed as failed:
                    sys.exit(f"{name}: {failed}")
            print(f"{name}: nothing found in {time.monotonic() - started:.0f} s")
        case _:
            sys.exit(__doc__)


main(sys.argv[1:])
