"""Every check of the project, in two tiers, as `.ci/run` runs them.

The gate is what each change passes: nothing in it waits for a deadline. The trials hold the real command to its promises
under faults; they take longer and run at night. CONTRIBUTING.md says which of them belong to which room.
"""

import os
import sys

from checks import schedule
from checks.base import ROOT, TARGET
from checks.schedule import Step
from checks.tools import of_debian

MINUTE = 60
UNIT_TESTS = (sys.executable, "-B", "-m", "unittest", "discover", "--verbose", "--start-directory", ".ci/checks",
              "--top-level-directory", ".ci")
# What Cargo compiles takes all cores, and one Cargo at a time.
CARGO = (
    Step("test", (".ci/snapshots", ".ci/with-services", "make", "test"), 40 * MINUTE),
    Step("lint", ("make", "lint"), 20 * MINUTE),
    Step("doc", ("make", "doc"), 15 * MINUTE),
)
# Those below the first that has a need try the command that the tests have built.
BESIDE = (
    Step("checks", UNIT_TESTS, 5 * MINUTE),
    Step("spelling", (".ci/sources", "spelling"), 5 * MINUTE),
    Step("links", (".ci/pages", "links"), 5 * MINUTE),
    Step("words", (".ci/pages", "words"), 5 * MINUTE),
    Step("sizing", (".ci/pages", "sizing"), 5 * MINUTE),
    Step("workflows", (".ci/sources", "workflows"), 5 * MINUTE),
    Step("unused", (".ci/sources", "unused"), 20 * MINUTE),
    Step("licences", (".ci/sources", "licences"), 30 * MINUTE),
    Step("openapi", (".ci/contract", "openapi"), 5 * MINUTE, ("test",)),
    Step("contract", (".ci/schemathesis", "100"), 10 * MINUTE, ("test",)),
    Step("messages", (".ci/contract", "messages"), 5 * MINUTE, ("test",)),
    Step("client", (".ci/contract", "clients", "python"), 10 * MINUTE, ("test",)),
    Step("commands", (".ci/pages", "commands"), 5 * MINUTE, ("test",)),
    Step("browser", (".ci/browser",), 5 * MINUTE, ("test",)),
    Step("smoke", (".ci/dist", "check"), 10 * MINUTE, ("test",)),
)
TRIALS = (
    Step("build", (".ci/cargo", "build", "--workspace"), 30 * MINUTE),
    Step("crash", (".ci/crash", "sample"), 20 * MINUTE, ("build",)),
    Step("disk", (".ci/crash", "disk"), 20 * MINUTE, ("build",)),
    Step("kill", (".ci/faults", "kill", "10"), 10 * MINUTE, ("build",)),
    Step("store", (".ci/faults", "store", "2"), 10 * MINUTE, ("build",)),
    Step("revoke", (".ci/faults", "revoke", "10"), 10 * MINUTE, ("build",)),
    Step("log", (".ci/faults", "log", "2"), 10 * MINUTE, ("build",)),
    Step("full", (".ci/faults", "full", "30"), 10 * MINUTE, ("build",)),
    Step("clock", (".ci/faults", "clock", "10"), 10 * MINUTE, ("build",)),
    Step("storm", (".ci/cluster", "300"), 15 * MINUTE, ("build",)),
    Step("switch", (".ci/cluster", "switch"), 10 * MINUTE, ("build",)),
    Step("rolling", (".ci/cluster", "rolling"), 10 * MINUTE, ("build",)),
    Step("redis", (".ci/cluster", "redis"), 10 * MINUTE, ("build",)),
    Step("outages", (".ci/cluster", "outages"), 20 * MINUTE, ("build",)),
    Step("restarts", (".ci/restarts", "5"), 10 * MINUTE, ("build",)),
    Step("stores", (".ci/s3",), 15 * MINUTE, ("build",)),
    Step("valkey", (".ci/valkey",), 20 * MINUTE),
    Step("units", (".ci/units",), 10 * MINUTE, ("build",)),
    Step("deploy", (".ci/deploy",), 10 * MINUTE, ("build",)),
    Step("image", (".ci/image",), 10 * MINUTE, ("build",)),
    Step("container", (".ci/container",), 10 * MINUTE, ("build",)),
    Step("alerts", (".ci/alerts",), 10 * MINUTE, ("build",)),
    Step("backup", (".ci/backup",), 10 * MINUTE, ("build",)),
    Step("tls", (".ci/tls",), 10 * MINUTE, ("build",)),
    Step("clients", (".ci/contract", "clients"), 30 * MINUTE, ("build",)),
)
# Lanes run beside each other.
TIERS = {"gate": (CARGO, BESIDE), "trials": (TRIALS,)}


def chosen(names):
    """The lanes of a tier, or one lane of the steps that are named, which then need only each other."""
    if len(names) <= 1 and {*names} <= TIERS.keys():
        return TIERS[names[0] if names else "gate"]
    steps = {step.name: step for lanes in TIERS.values() for lane in lanes for step in lane}
    if unknown := [name for name in names if name not in steps]:
        raise ValueError(f"no step is called {', '.join(unknown)}; .ci/run --list names all")
    return (tuple(steps[name] for name in dict.fromkeys(names)),)


def show_all():
    for tier, lanes in TIERS.items():
        print(f"{tier}:")
        for step in (step for lane in lanes for step in lane):
            print(f"  {step.name:<10} {step.limit // MINUTE:>3} min  {step.shown()}")


def main(names):
    if names == ["--list"]:
        return show_all()
    try:
        lanes = chosen(names)
    except ValueError as error:
        sys.exit(f"run: {error}")
    os.chdir(ROOT)
    os.environ["CI"] = "true"
    # Without it some faults would be left out.
    of_debian(strace="strace")
    if any(step.name in ("test", "build") for lane in lanes for step in lane):
        os.environ.setdefault("CATALOGUE", str(TARGET / "debug" / "catalogue"))
    return schedule.run(lanes)
