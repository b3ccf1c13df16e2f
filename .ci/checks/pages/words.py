"""Whether anything that people read has a phrase that CONTRIBUTING.md says otherwise.

The table of that page is the list: its first column is what is not written, as a phrase of whole words. Exports and
snapshots are not looked at: the former are in every language, the latter are made of what is.
"""

import re
import subprocess

from checks.base import ROOT, expect

PAGE = "CONTRIBUTING.md"
HEADING = "| Not | But |"
READ = ("*.md", "*.rs", "*.html", "*.txt", "*.toml", "*.sh", "*.mjs", "*.js", "*.yml", "*.yaml", "*.conf", "*.service",
        "Makefile", ".ci/*", ":!.ci/checks/test_*", f":!{PAGE}", ":!fixtures", ":!snapshots", ":!Cargo.lock")


def rules(page):
    """Each phrase that is not written, with what is written."""
    _, found, table = page.partition(f"{HEADING}\n")
    expect(found, f"{PAGE} has no table `{HEADING}`")
    for line in table.splitlines()[1:]:
        if not line.startswith("|"):
            return
        former, latter = (cell.strip() for cell in line.strip("|").split("|"))
        for phrase in re.findall(r"`([^`]+)`", former):
            yield phrase, latter


def check():
    listed = subprocess.run(("git", "ls-files", "--cached", "--others", "--exclude-standard", *READ), cwd=ROOT, check=True,
                            stdout=subprocess.PIPE, text=True).stdout.split()
    found_rules = list(rules((ROOT / PAGE).read_text()))
    expect(len(found_rules) >= 20, f"the table of {PAGE} has only {len(found_rules)} phrases")
    forms = [(re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)", re.IGNORECASE), phrase, instead) for phrase, instead in found_rules]
    broken, looked_at = [], 0
    for name in listed:
        path = ROOT / name
        if not path.is_file():
            continue
        looked_at += 1
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            broken += [f"{name}:{number}: `{phrase}`: {instead}" for form, phrase, instead in forms if form.search(line)]
    expect(not broken, "\n  ".join([f"{len(broken)} phrases", *broken]))
    print(f"{looked_at} files have none of {len(found_rules)} phrases")
