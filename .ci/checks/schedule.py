"""Runs steps to their end: all of them, whatever one of them does, and then says which failed and what was left out.

A step is a command with a time limit. Steps run one after the other. A step that needs another one's result is left out
where that did not pass; nothing else keeps a step from running. The output of a step is printed as a whole when it ends.
"""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

# How long a step that is told to end may take, in seconds.
ENDS_WITHIN = 10
# How often a step is looked at, in seconds.
LOOKS_EVERY = 0.05
# How many of its last lines the summary shows of a step that failed.
LAST_LINES = 15
# What steps print of what they could not do: a line of ours, a test of Rust that is ignored, one of Python or Node.js that
# is skipped.
LEFT_OUT = re.compile(r"LEFT OUT: (.+)|(test \S.* \.\.\. ignored.*)|(\S.* \.\.\. skipped .+)|(.*# SKIP.*)")


@dataclass(frozen=True)
class Step:
    """`limit` is in seconds, `needs` are names of steps whose result it uses."""
    name: str
    command: tuple
    limit: int
    needs: tuple = ()

    def shown(self):
        return shlex.join(self.command)


@dataclass
class Outcome:
    """How a step ended. `failure` is empty where it passed; `left_out` is what it did not do."""
    step: Step
    failure: str = ""
    is_left_out: bool = False
    seconds: float = 0.0
    last_lines: list = field(default_factory=list)
    left_out: list = field(default_factory=list)

    @property
    def has_passed(self):
        return not (self.failure or self.is_left_out)


def failure(status):
    """What an exit status says of a process; nothing where it passed."""
    # A shell and our own scripts say by a status above 128 that what they ran was killed.
    number = -status if status < 0 else status - 128
    if number in {*signal.Signals}:
        return f"was killed by {signal.Signals(number).name}"
    return f"ended with status {status}" if status else ""


def end(process):
    """Ends a step and all that it started: the processes of its group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, number)
            process.wait(ENDS_WITHIN)


def wait(process, limit, signals):
    """Waits until a step ends, its limit is reached or a signal has come; says what failed."""
    until = time.monotonic() + limit
    while process.poll() is None:
        if signals:
            return "was stopped"
        if time.monotonic() > until:
            return f"was killed at its limit of {limit} s"
        time.sleep(LOOKS_EVERY)
    return failure(process.returncode)


def run_step(outcome, signals):
    """Runs a step within its limit, and prints its output, also where the whole run is stopped meanwhile."""
    step, began = outcome.step, time.monotonic()
    print(f"=== {step.name} began", flush=True)
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(step.command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                       process_group=0)
            outcome.failure = wait(process, step.limit, signals)
            end(process)
        except OSError as why:
            outcome.failure = f"could not start: {why}"
        outcome.seconds = time.monotonic() - began
        output.seek(0)
        show(outcome, output.read())


def show(outcome, output):
    """Prints what a step printed, and keeps of it what the summary tells."""
    step = outcome.step
    print(f"\n=== {step.name}: {step.shown()}", flush=True)
    sys.stdout.buffer.write(output)
    print(f"=== {step.name}: {f'FAILED: {outcome.failure}' if outcome.failure else 'passed'} after {outcome.seconds:.0f} s",
          flush=True)
    lines = output.decode(errors="replace").splitlines()
    outcome.last_lines = lines[-LAST_LINES:]
    outcome.left_out = [match[match.lastindex] for match in map(LEFT_OUT.fullmatch, lines) if match]


def run_steps(outcomes):
    """Runs steps in their order. A signal that would end this process ends the step that runs, and no other begins."""
    # Signals are only noted: one that raised an exception could come while a step starts, which nothing would end then.
    signals = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: signals.append(number))
    by_name = {one.step.name: one for one in outcomes}
    for outcome in outcomes:
        if signals:
            return
        missing = [name for name in outcome.step.needs if name in by_name and not by_name[name].has_passed]
        if missing:
            outcome.failure, outcome.is_left_out, outcome.left_out = "", True, [f"it needs {', '.join(missing)}"]
        else:
            run_step(outcome, signals)


def summary(outcomes):
    """Lines that name every step, what failed with its last lines, and all that was left out."""
    for one in outcomes:
        what = "left out" if one.is_left_out else "FAILED" if one.failure else "passed"
        yield f"{what:<9}{one.step.name:<11}{one.seconds:>5.0f} s"
    for one in outcomes:
        if one.failure:
            yield from ("", f"FAILED {one.step.name}: {one.failure}", *(f"    {line}" for line in one.last_lines))
    left_out = [f"    {one.step.name}: {what}" for one in outcomes for what in one.left_out]
    if left_out:
        yield from ("", "LEFT OUT", *left_out)
    counts = [sum(map(of, outcomes)) for of in (lambda one: one.has_passed, lambda one: bool(one.failure),
                                                lambda one: one.is_left_out)]
    yield from ("", "{} passed, {} failed, {} skipped".format(*counts))


def run(steps):
    """Runs all steps; 0 where all passed, otherwise 1. Where it is stopped, the summary says what had ended."""
    # Until it has ended, each counts as stopped.
    outcomes = [Outcome(step, "was stopped") for step in steps]
    run_steps(outcomes)
    print("\n" + "\n".join(summary(outcomes)), flush=True)
    return 0 if all(one.has_passed for one in outcomes) else 1
