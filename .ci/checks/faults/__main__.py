"""Keys and quotas under faults, proved on the real command.

    python3 .ci/faults kill [N]      N servers killed under load, one after the other on the same data directory
    python3 .ci/faults store [N]     each fault of the key store N times under load
    python3 .ci/faults revoke [N]    N keys revoked under load, on two servers of one data directory
    python3 .ci/faults log [N]       each fault of the log N times under load, each on a server of its own
    python3 .ci/faults full [N]      N keys revoked and disabled while the disk is full to the last byte
    python3 .ci/faults clock [N]     N jumps of the wall clock under load, forward and back, by days and months

Without N: 200, 20, 200, 20, 200, 60. SEED chooses other moments than usual. CATALOGUE is the binary; without it, .ci/cargo
builds one. The exit status is 1 where a promise is broken, and it is said what was expected and what was found. What needs
root or strace is skipped with a word where that is missing; clock needs a C compiler. In the end no key that was issued may
be in any file.
"""

import asyncio
import os
import random
import sys

# Nothing is to be left in the repository.
sys.dont_write_bytecode = True

import clock
import full
import kill
import log
import revoke
import store
from catalogue import Broken, binary, check_secrets, work_directory

TRIALS = {"kill": (kill.run, 200), "store": (store.run, 20), "revoke": (revoke.run, 200), "log": (log.run, 20),
          "full": (full.run, 200), "clock": (clock.run, 60)}


def main(arguments):
    match arguments:
        case [name] if name in TRIALS:
            trial, count = TRIALS[name]
        case [name, count] if name in TRIALS and count.isdecimal() and int(count):
            trial, count = TRIALS[name][0], int(count)
        case _:
            sys.exit(__doc__)
    seed = os.environ.get("SEED", "1")
    command = binary()
    with work_directory() as work:
        try:
            asyncio.run(trial(command, work, count, random.Random(seed)))
            check_secrets(work)
        except Broken as error:
            sys.exit(f"{name}: broken with SEED={seed}: {error}")


main(sys.argv[1:])
