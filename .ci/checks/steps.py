"""Every check of the project, in two tiers, as `.ci/run` runs them.

The gate is what each change passes: little in it waits for a deadline, and for no more than ten seconds. The trials hold the real command to its promises
under faults; they take longer and run at night. CONTRIBUTING.md says which of them belong to which place.
"""

import os
import sys

from checks import schedule
from checks.base import ROOT, TARGET
from checks.schedule import Step

MINUTE = 60
UNIT_TESTS = (sys.executable, "-B", "-m", "unittest", "discover", "--verbose", "--start-directory", ".ci/checks",
              "--top-level-directory", ".ci")
# One after the other: Cargo takes all cores, and nothing computes beside a server that is asked.
GATE = (
    Step("compile", (".ci/cargo", "test", "--workspace", "--no-run"), 40 * MINUTE),
    Step("test", (".ci/snapshots", ".ci/with-services", "make", "test"), 40 * MINUTE),
    Step("lint", ("make", "lint"), 30 * MINUTE),
    Step("doc", ("make", "doc"), 30 * MINUTE),
    # These try the command that was compiled for the tests.
    Step("openapi", (".ci/contract", "openapi"), 20 * MINUTE, ("compile",)),
    Step("schemathesis", (".ci/schemathesis", "100"), 20 * MINUTE, ("compile",)),
    Step("messages", (".ci/contract", "messages"), 20 * MINUTE, ("compile",)),
    Step("client", (".ci/contract", "clients", "python"), 20 * MINUTE, ("compile",)),
    Step("commands", (".ci/pages", "commands"), 20 * MINUTE, ("compile",)),
    Step("browser", (".ci/browser",), 20 * MINUTE, ("compile",)),
    Step("smoke", (".ci/dist", "check"), 30 * MINUTE, ("compile",)),
    Step("checks", UNIT_TESTS, 20 * MINUTE),
    Step("spelling", (".ci/sources", "spelling"), 20 * MINUTE),
    Step("links", (".ci/pages", "links"), 20 * MINUTE),
    Step("words", (".ci/pages", "words"), 20 * MINUTE),
    Step("sizing", (".ci/pages", "sizing"), 20 * MINUTE),
    Step("workflows", (".ci/sources", "workflows"), 20 * MINUTE),
    Step("unused", (".ci/sources", "unused"), 30 * MINUTE),
    Step("licences", (".ci/sources", "licences"), 30 * MINUTE),
)
TRIALS = (
    Step("build", (".ci/cargo", "build", "--workspace"), 30 * MINUTE),
    Step("crash", (".ci/crash", "sample"), 20 * MINUTE, ("build",)),
    Step("kill", (".ci/faults", "kill", "10"), 10 * MINUTE, ("build",)),
    Step("store", (".ci/faults", "store", "2"), 10 * MINUTE, ("build",)),
    Step("revoke", (".ci/faults", "revoke", "10"), 10 * MINUTE, ("build",)),
    Step("full", (".ci/faults", "full", "30"), 10 * MINUTE, ("build",)),
    Step("storm", (".ci/cluster", "300"), 15 * MINUTE, ("build",)),
    Step("switch", (".ci/cluster", "switch"), 10 * MINUTE, ("build",)),
    Step("rolling", (".ci/cluster", "rolling"), 10 * MINUTE, ("build",)),
    Step("outages", (".ci/cluster", "outages"), 20 * MINUTE, ("build",)),
    Step("restarts", (".ci/restarts", "5"), 10 * MINUTE, ("build",)),
    Step("s3", (".ci/s3",), 15 * MINUTE, ("build",)),
    Step("valkey", (".ci/valkey",), 20 * MINUTE),
    Step("units", (".ci/units",), 10 * MINUTE, ("build",)),
    Step("readonly", (".ci/readonly",), 10 * MINUTE, ("build",)),
    Step("deploy", (".ci/deploy",), 10 * MINUTE, ("build",)),
    Step("image", (".ci/image",), 10 * MINUTE, ("build",)),
    Step("container", (".ci/container",), 10 * MINUTE, ("build",)),
    Step("alerts", (".ci/alerts",), 10 * MINUTE, ("build",)),
    Step("backup", (".ci/backup",), 10 * MINUTE, ("build",)),
    Step("tls", (".ci/tls",), 10 * MINUTE, ("build",)),
    Step("clients", (".ci/contract", "clients"), 30 * MINUTE, ("build",)),
    Step("copies", (".ci/contract", "copies", "60"), 15 * MINUTE, ("build",)),
    Step("tables", (".ci/contract", "tables"), 10 * MINUTE, ("build",)),
    Step("caches", (".ci/contract", "caches"), 10 * MINUTE, ("build",)),
)
TIERS = {"gate": GATE, "trials": TRIALS}


def chosen(names):
    """The steps of a tier, or those that are named, in their usual order; they need only each other."""
    if len(names) <= 1 and {*names} <= TIERS.keys():
        return TIERS[names[0] if names else "gate"]
    steps = {step.name: step for tier in TIERS.values() for step in tier}
    if unknown := [name for name in names if name not in steps]:
        raise ValueError(f"no step is called {', '.join(unknown)}; .ci/run --list names all")
    return tuple(step for name, step in steps.items() if name in names)


def show_all():
    for tier, steps in TIERS.items():
        print(f"{tier}:")
        for step in steps:
            print(f"  {step.name:<10} {step.limit // MINUTE:>3} min  {step.shown()}")


def main(names):
    if names == ["--list"]:
        return show_all()
    try:
        steps = chosen(names)
    except ValueError as error:
        sys.exit(f"run: {error}")
    os.chdir(ROOT)
    os.environ["CI"] = "true"
    if any(step.name in ("compile", "build") for step in steps):
        os.environ.setdefault("CATALOGUE", str(TARGET / "debug" / "catalogue"))
    return schedule.run(steps)
