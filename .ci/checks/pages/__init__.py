"""The pages that people read: whether they hold, and the site that is built from them.

A page is a Markdown file of the repository. Nothing here knows what a page is about.
"""

import subprocess

from checks.base import ROOT


def pages():
    """Every page, sorted; the fixtures' exports have texts of their own."""
    listed = subprocess.run(("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"), cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.split()
    paths = {ROOT / name for name in listed}
    return sorted(path for path in paths if path.exists())


def outside_code(text):
    """The lines of a page with their numbers, without its blocks of code."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = line.lstrip()[:3]
        if fence:
            fence = None if mark == fence else fence
        elif mark in ("```", "~~~"):
            fence = mark
        else:
            yield number, line
