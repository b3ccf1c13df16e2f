"""Whether anything that people read has a phrase that CONTRIBUTING.md says otherwise.

The table of that page is the list: its first column is what is not written, as a phrase of whole words. Exports and
snapshots are not looked at: the former are in every language, the latter are made of what is.
"""

import re

from checks.base import ROOT, expect, run

PAGE = "CONTRIBUTING.md"
HEADING = "| Not | But |\n|---|---|\n"
READ = ("*.md", "*.rs", "*.html", "*.txt", "*.toml", "*.sh", "*.mjs", "*.js", "*.yml", "*.yaml", "*.conf", "*.service",
        "Makefile", ".ci/*", ":!.ci/checks/test_*", f":!{PAGE}", ":!fixtures", ":!snapshots", ":!Cargo.lock")
# git grep ends with 1 where it finds nothing.
FOUND, NOTHING = 0, 1


def check():
    table = (ROOT / PAGE).read_text().partition(HEADING)[2]
    formers = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    phrases = [phrase for former in formers for phrase in re.findall(r"`([^`]+)`", former)]
    expect(len(phrases) >= 20, f"the table of {PAGE} has only {len(phrases)} phrases")
    patterns = [word for phrase in phrases for word in ("-e", phrase)]
    broken = run("git", "grep", "--untracked", "-I", "--line-number", "--word-regexp", "--ignore-case", "--fixed-strings",
                 *patterns, "--", *READ, cwd=ROOT, statuses=(FOUND, NOTHING))
    expect(not broken, f"{PAGE} says how to write otherwise:\n{broken}")
    print(f"no text has any of {len(phrases)} phrases")
