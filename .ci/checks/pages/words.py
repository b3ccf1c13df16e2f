"""Whether anything that people read has a phrase that sounds translated.

Exports and snapshots are not looked at: the former are in every language, the latter are made of what is.
"""

from checks.base import ROOT, expect, run

# What is not written, as whole words, and what is written instead.
INSTEAD = {
    "has not the": "does not have the",
    "be they JSON or": "whether JSON or",
    "where that is what there is": "if you use it",
    "nginx is what you have": "if you use it",
    "of which nothing remains": "that comes out empty",
    "no such answer": "no such response",
    "in a wrong form": "malformed",
    "the head of the answer": "the response headers",
    "fields of the head": "headers",
    "content coding": "encoding",
    "right of the key": "scope",
    "there is no key of that name": "no such API key",
    "look after a data directory": "check a data directory and suggest fixes",
    "take an export in": "import an export and activate it",
    "is answered with nothing": "returns an empty list",
    "it is told why": "the message says why",
    "on account of": "because of",
    "may not be had": "is not available",
    "it is said which": "the message says",
    "it is said what": "the message says",
    "of another form": "of another format",
    "mend": "fix",
    "mends": "fix",
    "mended": "fix",
    "the slowest hundredth": "the 99th percentile",
}
READ = ("*.md", "*.rs", "*.html", "*.txt", "*.toml", "*.sh", "*.mjs", "*.js", "*.yml", "*.yaml", "*.conf", "*.service",
        "Makefile", ".ci/*", ":!.ci/checks/test_*", ":!.ci/checks/pages/words.py", ":!fixtures", ":!snapshots", ":!Cargo.lock")
# git grep ends with 1 where it finds nothing.
FOUND, NOTHING = 0, 1


def check():
    patterns = [word for phrase in INSTEAD for word in ("-e", phrase)]
    broken = run("git", "grep", "--untracked", "-I", "--line-number", "--word-regexp", "--ignore-case", "--fixed-strings",
                 *patterns, "--", *READ, cwd=ROOT, statuses=(FOUND, NOTHING))
    advice = "\n".join(f"not `{phrase}` but `{instead}`" for phrase, instead in INSTEAD.items() if phrase in broken.lower())
    expect(not broken, f"write otherwise:\n{broken}{advice}")
    print(f"no text has any of {len(INSTEAD)} phrases")
