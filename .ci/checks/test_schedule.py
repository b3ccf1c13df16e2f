"""Every step runs to its end or its limit, and the summary tells all of it.

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
from checks.schedule import Step


def shell(name, script, limit=60, needs=()):
    return Step(name, ("sh", "-c", script), limit, needs)


def run(*steps):
    """The status of a run, and the lines that it prints, seconds left out."""
    printed = io.TextIOWrapper(io.BytesIO(), write_through=True)
    with contextlib.redirect_stdout(printed):
        status = schedule.run(steps)
    return status, printed.buffer.getvalue().decode().splitlines()


def ending(lines):
    """The lines from the last of this beginning on."""
    start = max(number for number, line in enumerate(lines) if line.startswith(("FAILED ", "LEFT OUT")))
    return lines[start:]


class Running(unittest.TestCase):
    def test_what_a_step_prints_stands_between_its_name_and_its_end(self):
        status, lines = run(shell("one", "echo said"))
        self.assertEqual((status, lines[:4]), (0, ["=== one began", "", "=== one: sh -c 'echo said'", "said"]))
        self.assertRegex(lines[4], r"^=== one: passed after \d+ s$")

    def test_a_step_that_fails_ends_no_other(self):
        status, lines = run(shell("one", "exit 7"), shell("two", "echo two ran"), shell("three", "echo three ran; exit 1"))
        self.assertEqual(status, 1)
        self.assertLessEqual({"two ran", "three ran"}, {*lines})
        self.assertIn("FAILED one: ended with status 7", lines)
        self.assertIn("FAILED three: ended with status 1", lines)
        self.assertEqual(lines[-1], "1 passed, 2 failed, 0 skipped")

    def test_a_step_whose_need_failed_is_left_out_and_named(self):
        status, lines = run(shell("build", "false"), shell("tries", "echo ran", needs=("build",)))
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed, 1 skipped"))
        self.assertIn("    tries: it needs build", lines)
        self.assertNotIn("ran", lines)

    def test_a_step_at_its_limit_is_killed_with_all_that_it_started(self):
        with tempfile.NamedTemporaryFile() as lock:
            status, lines = run(shell("endless", f"flock {lock.name} sleep 600 & while true; do sleep 1; done", limit=1))
            self.assertEqual(status, 1)
            self.assertIn("FAILED endless: was killed at its limit of 1 s", lines)
            # A process that went on would hold it for ten minutes; one that is killed may take a moment to be gone.
            subprocess.run(["flock", "--timeout", "60", lock.name, "true"], check=True)

    def test_a_step_that_is_killed_says_by_what_also_through_a_shell(self):
        for script in ("kill -9 $$", "sh -c 'kill -9 $$'"):
            status, lines = run(shell("one", script))
            self.assertEqual(status, 1)
            self.assertIn("FAILED one: was killed by SIGKILL", lines)

    def test_a_step_that_cannot_start_ends_no_other(self):
        status, lines = run(Step("one", ("no-such-program",), 60), shell("two", "echo two ran"))
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("two ran", lines)
        self.assertIn("FAILED one: could not start: [Errno 2] No such file or directory: 'no-such-program'", lines)

    def test_a_run_that_is_stopped_tells_what_had_ended_and_what_had_not(self):
        script = """import os, sys
from checks import schedule
from checks.schedule import Step
schedule.ENDS_WITHIN = 1
# It does not end when it is told to, and stops the run twice.
stop = f"trap '' TERM; echo $$; kill -TERM {os.getpid()}; sleep 0.2; kill -TERM {os.getpid()}; sleep 600"
steps = [Step("one", ("true",), 60), Step("two", ("sh", "-c", stop), 60), Step("three", ("true",), 60)]
sys.exit(schedule.run(steps))"""
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True,
                              cwd=steps.ROOT / ".ci")
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        self.assertIn("FAILED two: was stopped", lines)
        [step] = filter(str.isdecimal, lines)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(step), 0)
        self.assertEqual(lines[-1], "1 passed, 2 failed, 0 skipped")


class Summary(unittest.TestCase):
    def test_it_shows_the_last_lines_of_what_failed(self):
        _, lines = run(shell("one", "seq 100; false"))
        self.assertEqual(ending(lines)[:3], ["FAILED one: ended with status 1", "    86", "    87"])

    def test_it_names_what_steps_and_tests_left_out(self):
        script = """echo 'LEFT OUT: full: no right to mount'; echo 'test keys::one ... ignored, needs PostgreSQL'
            echo 'test keys::two ... ok'"""
        status, lines = run(shell("one", script))
        self.assertEqual(status, 0)
        self.assertEqual(ending(lines)[1:3], ["    one: full: no right to mount",
                                              "    one: test keys::one ... ignored, needs PostgreSQL"])


class Steps(unittest.TestCase):
    def test_no_two_steps_share_a_name(self):
        names = [step.name for tier in steps.TIERS.values() for step in tier]
        self.assertEqual(sorted(names), sorted({*names}))

    def test_what_a_step_needs_comes_before_it_in_its_tier(self):
        for tier in steps.TIERS.values():
            for number, step in enumerate(tier):
                self.assertLessEqual({*step.needs}, {one.name for one in tier[:number]}, step.name)

    def test_named_steps_run_in_their_usual_order_and_an_unknown_name_is_refused(self):
        for names in (["build", "crash"], ["crash", "build", "crash"]):
            self.assertEqual([step.name for step in steps.chosen(names)], ["build", "crash"])
        with self.assertRaisesRegex(ValueError, "no step is called nonsense"):
            steps.chosen(["lint", "nonsense"])


if __name__ == "__main__":
    unittest.main()
