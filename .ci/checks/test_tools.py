"""That a registry is tried again and a half-made tool is never used, whatever is installed."""

import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

from checks import tools
from checks.base import Broken


class Installing(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(mock.patch.multiple(tools, TOOLS=pathlib.Path(folder), PAUSE=0))
        self.printed = self.enterContext(contextlib.redirect_stdout(io.StringIO()))
        # What each try finds in the folder.
        self.found = []

    def install(self, tries):
        """One that leaves something behind, and fails but for the last of so many tries."""
        def half_made(folder):
            self.found.append(list(folder.iterdir()))
            (folder / "half").touch()
            if len(self.found) < tries:
                raise Broken("npm failed:\nthe registry is away")

        return tools.installed("tool", half_made)

    def test_a_registry_that_hiccups_is_tried_again_from_the_beginning(self):
        self.install(tries=tools.TRIES)
        self.assertEqual(self.found, [[]] * tools.TRIES)
        self.assertIn("installing tool failed and is tried again: the registry is away\n", self.printed.getvalue())

    def test_a_registry_that_stays_away_is_told_and_leaves_nothing_that_is_used(self):
        with self.assertRaisesRegex(Broken, f"^tool could not be installed, tried {tools.TRIES} times"):
            self.install(tries=tools.TRIES + 1)
        self.install(tries=1)
        self.assertEqual(self.found[-1], [])

    def test_what_is_installed_is_used_as_it_is(self):
        for _ in range(2):
            folder = self.install(tries=1)
        self.assertEqual((folder.name, len(self.found)), ("tool", 1))


if __name__ == "__main__":
    unittest.main()
