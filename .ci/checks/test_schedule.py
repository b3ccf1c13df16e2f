"""Steps begin when they may, and no sooner; and the list of steps is one that comes to its end.

    .ci/run checks
"""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest

from checks import schedule, steps
from checks.schedule import Step, chosen, may_begin

LINT, TEST = Step("lint", ("true",)), Step("test", ("true",), after=("lint",))
FIRST, SECOND = (Step(name, ("true",), ("test",), "timed") for name in ("first", "second"))
BESIDE = Step("beside", ("true",), ("test",), "patient")
ALL = [LINT, TEST, FIRST, SECOND, BESIDE]


def names(steps):
    return [step.name for step in steps]


class Beginning(unittest.TestCase):
    def beginning(self, passed, running=()):
        return names(may_begin(ALL, set(passed), set(running)))

    def test_a_step_waits_for_those_before_it(self):
        self.assertEqual(self.beginning([]), ["lint"])
        self.assertEqual(self.beginning(["lint"]), ["test"])

    def test_a_step_that_runs_does_not_begin_again(self):
        self.assertEqual(self.beginning([], ["lint"]), [])

    def test_of_a_lane_one_step_runs_at_a_time_and_lanes_run_beside_each_other(self):
        self.assertEqual(self.beginning(["lint", "test"]), ["first", "beside"])
        self.assertEqual(self.beginning(["lint", "test"], ["first"]), ["beside"])
        self.assertEqual(self.beginning(["lint", "test", "first"], ["beside"]), ["second"])

    def test_steps_without_a_lane_that_nothing_holds_up_begin_together(self):
        self.assertEqual(names(may_begin([LINT, Step("other", ("true",))], set(), set())), ["lint", "other"])


class Choosing(unittest.TestCase):
    def test_named_steps_wait_only_for_those_that_are_named_too(self):
        self.assertEqual([(step.name, step.after) for step in chosen(ALL, ["beside", "test"])],
                         [("test", ()), ("beside", ("test",))])

    def test_without_a_name_all_are_chosen(self):
        self.assertEqual(chosen(ALL, []), ALL)

    def test_an_unknown_name_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no step is called nonsense"):
            chosen(ALL, ["lint", "nonsense"])


class Running(unittest.TestCase):
    def run_steps(self, *steps):
        """The status of a run, and the lines that it prints."""
        printed = io.TextIOWrapper(io.BytesIO(), write_through=True)
        with contextlib.redirect_stdout(printed):
            status = schedule.run(list(steps))
        return status, printed.buffer.getvalue().decode().splitlines()

    def test_what_a_step_prints_stands_between_its_name_and_its_end(self):
        status, lines = self.run_steps(Step("one", ("echo", "said")))
        self.assertEqual((status, lines), (0, ["", "=== one: echo said", "said", "=== one: passed after 0 s"]))

    def test_the_first_that_fails_ends_the_run_with_its_status(self):
        status, lines = self.run_steps(Step("one", ("sh", "-c", "exit 7")), Step("two", ("echo", "said"), ("one",)))
        self.assertEqual((status, lines[-1]), (7, "=== one: FAILED after 0 s"))

    def test_what_still_runs_when_one_fails_is_ended_with_all_that_it_started(self):
        with tempfile.NamedTemporaryFile() as lock:
            waits = Step("waits", ("sh", "-c", f"flock {lock.name} sleep 600 & wait"))
            fails = Step("fails", ("sh", "-c", f"while flock --nonblock {lock.name} true; do sleep 0.01; done; false"))
            status, lines = self.run_steps(waits, fails)
            self.assertEqual((status, lines[-3:]), (1, ["=== fails: FAILED after 0 s", "", "=== waits: ended after 0 s, before it was done"]))
            # A process that went on would hold it for ten minutes; one that is killed may take a moment to be gone.
            subprocess.run(["flock", "--timeout", "60", lock.name, "true"], check=True)

    def test_a_step_that_is_killed_has_a_status_that_is_no_success(self):
        self.assertEqual(self.run_steps(Step("one", ("sh", "-c", "kill -9 $$")))[0], 137)

    def test_a_patient_step_has_a_low_priority(self):
        _, lines = self.run_steps(Step("one", (sys.executable, "-c", "import os; print(os.nice(0))"), is_patient=True))
        self.assertEqual(int(lines[2]), min(19, os.nice(0) + schedule.PATIENT))


    def test_a_patient_step_cannot_raise_its_priority(self):
        status, lines = self.run_steps(Step("one", (sys.executable, "-c", "import os; os.nice(-1)"), is_patient=True))
        self.assertEqual((status, lines[-2]), (1, "PermissionError: [Errno 1] Operation not permitted"))


class Steps(unittest.TestCase):
    def test_every_step_comes_to_its_turn(self):
        passed = set()
        while turn := list(may_begin(steps.steps(), passed, set())):
            passed.update(names(turn))
        self.assertEqual(passed, set(names(steps.steps())))

    def test_no_two_steps_have_one_name(self):
        self.assertEqual(len(set(names(steps.steps()))), len(steps.steps()))


if __name__ == "__main__":
    unittest.main()
