"""The pages that people read: whether what they say holds.

A page is a Markdown file of the repository. Nothing here knows what a page is about.
"""

from checks.base import ROOT, run


def pages():
    """Every page that git knows or would take, sorted."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md", cwd=ROOT)
    return sorted(path for name in set(listed.split("\0")) - {""} if (path := ROOT / name).is_file())
