"""Every check of the project, as `.ci/run` runs them.

Compiling and testing take all cores, so they are alone. The command that the checks try is built after the tests: they
build it with features of their own, and cargo lists what it is made of only where it is asked for itself. Then what is
timed runs, one step after the other, and beside it what can wait: it has no deadlines and gets the processor time that is
left. Most of the time all of them wait for something. What would slow the timed ones even so comes after them.
"""

import os
import sys
import time

from checks import schedule
from checks.base import ROOT, TARGET
from checks.schedule import Step
from checks.tools import of_debian

UNIT_TESTS = (sys.executable, "-B", "-m", "unittest", "discover", "--start-directory", ".ci/checks", "--top-level-directory",
              ".ci")
# The promises of these are in seconds. Those come last that bear no request that is refused or lost: by then little is left
# to run beside them.
TIMED = {
    "kill": (".ci/faults", "kill", "10"),
    "store": (".ci/faults", "store", "2"),
    "revoke": (".ci/faults", "revoke", "10"),
    "log": (".ci/faults", "log", "2"),
    "full": (".ci/faults", "full", "30"),
    "clock": (".ci/faults", "clock", "10"),
    "tls": (".ci/tls",),
    "cluster": (".ci/cluster", "120", "pgbouncer"),
    "restarts": (".ci/restarts", "5", "5"),
    "backup": (".ci/backup",),
    "switch": (".ci/cluster", "switch"),
    "rolling": (".ci/cluster", "rolling"),
    "outages": (".ci/cluster", "outages"),
}
# What computes longest comes early.
PATIENT = {
    "checks": UNIT_TESTS,
    "spelling": (".ci/sources", "spelling"),
    "links": (".ci/pages", "links"),
    "words": (".ci/pages", "words"),
    "commands": (".ci/pages", "commands"),
    "still": (".ci/pages", "still"),
    "sizing": (".ci/pages", "sizing"),
    "book": (".ci/pages", "book"),
    "unused": (".ci/sources", "unused"),
    "licences": (".ci/sources", "licences"),
    "workflows": (".ci/sources", "workflows"),
    "doc": ("make", "doc"),
    "crash": (".ci/crash", "sample"),
    "browser": (".ci/browser",),
    "contract": (".ci/schemathesis", "100"),
    "clients": (".ci/contract", "clients"),
    "openapi": (".ci/contract", "openapi"),
    "messages": (".ci/contract", "messages"),
    "disk": (".ci/crash", "disk"),
    "units": (".ci/units",),
    "deploy": (".ci/deploy",),
    "image": (".ci/image",),
    "container": (".ci/container",),
    "alerts": (".ci/alerts",),
    "stores": (".ci/s3",),
}
# These take so much processor time, even at a low priority, that servers beside them answer late.
HEAVY = {"dist": (".ci/dist", "check")}


def steps():
    return [
        Step("lint", ("make", "lint")),
        Step("test", (".ci/snapshots", ".ci/with-services", "make", "test"), after=("lint",)),
        # What it runs is built by then.
        Step("valkey", (".ci/valkey",), after=("test",)),
        Step("build", (".ci/cargo", "build", "--workspace"), after=("valkey",)),
        *(Step(name, command, ("build",), "timed") for name, command in TIMED.items()),
        *(Step(name, command, ("build",), "patient", is_patient=True) for name, command in PATIENT.items()),
        *(Step(name, command, ("build", *TIMED), "patient", is_patient=True) for name, command in HEAVY.items()),
    ]


def main(names):
    if names == ["--list"]:
        for step in steps():
            print(f"{step.name:<10} {step.lane or 'alone':<8} {step.shown()}")
        return 0
    try:
        chosen = schedule.chosen(steps(), names)
    except ValueError as error:
        sys.exit(f"run: {error}; .ci/run --list names all")
    os.chdir(ROOT)
    os.environ["CI"] = "true"
    # Without it some faults would be left out.
    of_debian(strace="strace")
    if any(step.name == "build" for step in chosen):
        os.environ.setdefault("CATALOGUE", str(TARGET / "debug" / "catalogue"))
    began = time.monotonic()
    if status := schedule.run(chosen):
        return status
    print(f"\nall checks passed after {time.monotonic() - began:.0f} s")
    return 0
