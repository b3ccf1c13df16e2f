"""The pages that people read: whether what they say holds.

A page is a Markdown file of the repository. Nothing here knows what a page is about.
"""

from checks.base import ROOT, run


def files(*patterns):
    """The files of the repository that git knows or would take, sorted."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns, cwd=ROOT)
    return sorted(path for name in set(listed.split("\0")) - {""} if (path := ROOT / name).is_file())


def pages():
    """Every page; the index of snapshots is made by a test."""
    return files("*.md", ":!snapshots")
