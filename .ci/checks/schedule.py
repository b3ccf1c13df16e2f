"""Steps that run side by side: which may begin when, and what is printed of them.

A step is a command. It begins once the steps before it have passed, if nothing runs that it does not bear beside it; so
order is by need, and of those that may begin the first in the list does. Output of steps that run at the same time is
kept apart, and printed as a whole when a step ends. The first that fails ends the run.
"""

import os
import selectors
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

# How long a step that is told to end may take, in seconds.
ENDS_WITHIN = 10
# The niceness of patient steps: a tenth of the processor time where others want all of it, so that the servers in them
# still answer in time.
PATIENT = 10


@dataclass(frozen=True)
class Step:
    """`after` are the names of those that have to have passed. Of the steps of a lane one runs at a time, in the order of
    the list. A patient one gets the processor time that the others leave."""
    name: str
    command: tuple
    after: tuple = ()
    lane: str = ""
    is_patient: bool = False
    environment: dict = field(default_factory=dict)

    def shown(self):
        return shlex.join(self.command)


def may_begin(steps, passed, running):
    """The steps that may begin now, in their order; `passed` and `running` are names."""
    busy = {step.lane for step in steps if step.lane and step.name in running}
    for step in steps:
        if step.name in passed or step.name in running or step.lane in busy or not passed.issuperset(step.after):
            continue
        if step.lane:
            busy.add(step.lane)
        yield step


def chosen(steps, names):
    """Only those that are named, which then need no others; all of them where none is named."""
    unknown = set(names) - {step.name for step in steps}
    if unknown:
        raise ValueError(f"no step is called {', '.join(sorted(unknown))}")
    names = names or [step.name for step in steps]
    return [Step(step.name, step.command, tuple(one for one in step.after if one in names), step.lane, step.is_patient,
                 step.environment) for step in steps if step.name in names]


def patience():
    """What makes a command a patient one. Root's processes may raise their priority again, as Chromium does with its own,
    so that they lose the right to."""
    bounded = ("setpriv", "--bounding-set", "-sys_nice", "--inh-caps", "-sys_nice") if os.geteuid() == 0 else ()
    return ("nice", "-n", str(PATIENT), *bounded)


class Running:
    """A step that has begun. Its process leads a group of its own, so that all that it has started can be ended, but no
    session: Linux may share processor time out among sessions, whatever the priorities in them are."""

    def __init__(self, step):
        self.step, self.began, self.output = step, time.monotonic(), tempfile.TemporaryFile()
        command = [*(patience() if step.is_patient else ()), *step.command]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.STDOUT,
                                        env=os.environ | step.environment, process_group=0)
        self.ended = os.pidfd_open(self.process.pid)

    def show(self):
        """Prints all of it, now that it has ended; its status."""
        status = self.process.wait()
        os.close(self.ended)
        print(f"\n=== {self.step.name}: {self.step.shown()}", flush=True)
        with self.output:
            self.output.seek(0)
            sys.stdout.buffer.write(self.output.read())
        what = "passed" if status == 0 else "FAILED"
        print(f"=== {self.step.name}: {what} after {time.monotonic() - self.began:.0f} s", flush=True)
        return status if 0 <= status else 128 - status

    def end(self):
        """Ends it and all that it has started."""
        print(f"\n=== {self.step.name}: ended after {time.monotonic() - self.began:.0f} s, before it was done", flush=True)
        self.output.close()
        os.close(self.ended)
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(ENDS_WITHIN)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue


def run(steps):
    """Runs all steps; 0, or the status of the first that failed."""
    passed, running = set(), {}
    with selectors.DefaultSelector() as selector:
        try:
            while len(passed) < len(steps):
                for step in list(may_begin(steps, passed, set(running))):
                    running[step.name] = Running(step)
                    selector.register(running[step.name].ended, selectors.EVENT_READ, step.name)
                if not running:
                    raise ValueError("steps wait for each other")
                for key, _ in selector.select():
                    one = running.pop(key.data)
                    selector.unregister(key.fd)
                    if status := one.show():
                        return status
                    passed.add(key.data)
        finally:
            for one in running.values():
                one.end()
    return 0
