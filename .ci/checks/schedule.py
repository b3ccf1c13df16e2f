"""Runs steps to their end: all of them, whatever one of them does, and then says which failed and what was left out.

A step is a command with a time limit. Steps of a lane run one after the other, lanes beside each other. A step that needs
another one's result is left out where that did not pass; nothing else keeps a step from running. The output of a step is
printed as a whole when it ends.
"""

import asyncio
import contextlib
import os
import re
import shlex
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field

# How long a step that is told to end may take, in seconds.
ENDS_WITHIN = 10
# The niceness of a patient lane: a tenth of the processor time where others want all of it.
PATIENT = 10
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


def patience():
    """Lowers the priority of a command for good: root's processes may raise theirs again, as Chromium does, so they lose
    the right to."""
    bounded = ("setpriv", "--bounding-set", "-sys_nice", "--inh-caps", "-sys_nice") if os.geteuid() == 0 else ()
    return ("nice", "-n", str(PATIENT), *bounded)


async def end(process):
    """Ends a step and all that it started: the processes of its group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, TimeoutError):
            os.killpg(process.pid, number)
            await asyncio.wait_for(process.wait(), ENDS_WITHIN)


async def run_step(step, is_patient):
    """Runs one step within its limit, and prints its output, also where the whole run is stopped meanwhile."""
    outcome, began = Outcome(step, "was stopped"), time.monotonic()
    print(f"=== {step.name} began", flush=True)
    with tempfile.TemporaryFile() as output:
        try:
            # A group of its own, so that all of it can be ended, but no session: Linux may share processor time out among
            # sessions, whatever the priorities in them are.
            process = await asyncio.create_subprocess_exec(
                *(patience() if is_patient else ()), *step.command, stdin=asyncio.subprocess.DEVNULL, stdout=output,
                stderr=asyncio.subprocess.STDOUT, process_group=0)
        except OSError as why:
            outcome.failure = f"could not start: {why}"
            return show(outcome, b"")
        try:
            outcome.failure = failure(await asyncio.wait_for(process.wait(), step.limit))
        except TimeoutError:
            outcome.failure = f"was killed at its limit of {step.limit} s"
        finally:
            await end(process)
            outcome.seconds = time.monotonic() - began
            output.seek(0)
            show(outcome, output.read())
    return outcome


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
    return outcome


async def run_lane(steps, ended, is_patient):
    """Runs steps in their order; `ended` has a future of an outcome for each name."""
    for step in steps:
        needed = [await ended[name] for name in step.needs if name in ended]
        missing = [one.step.name for one in needed if not one.has_passed]
        if missing:
            outcome = Outcome(step, is_left_out=True, left_out=[f"it needs {', '.join(missing)}"])
        else:
            outcome = await run_step(step, is_patient)
        ended[step.name].set_result(outcome)


async def run_lanes(lanes, outcomes):
    """Runs all steps of all lanes, and fills in the outcomes as steps end. All lanes but the first are patient. A signal
    that would end the process ends the steps first."""
    loop, whole = asyncio.get_running_loop(), asyncio.current_task()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, whole.cancel)
    ended = {step.name: loop.create_future() for lane in lanes for step in lane}
    for one in ended.values():
        one.add_done_callback(lambda one: one.cancelled() or outcomes.update({one.result().step.name: one.result()}))
    async with asyncio.TaskGroup() as running:
        for number, lane in enumerate(lanes):
            running.create_task(run_lane(lane, ended, is_patient=number > 0))


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


def run(lanes):
    """Runs all steps; 0 where all passed, otherwise 1. Where it is stopped, the summary says what had ended."""
    outcomes, steps = {}, [step for lane in lanes for step in lane]
    with contextlib.suppress(asyncio.CancelledError):
        asyncio.run(run_lanes(lanes, outcomes))
    all_of_them = [outcomes.get(step.name) or Outcome(step, "was stopped") for step in steps]
    print("\n" + "\n".join(summary(all_of_them)), flush=True)
    return 0 if all(one.has_passed for one in all_of_them) else 1
