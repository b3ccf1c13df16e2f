"""What a page shows of a terminal: commands, and what each of them prints.

Two runs never print the same names, times and durations. These are compared by their form, and what the page calls by
one name is called by that name in later commands too. A line `…` stands for any number of lines.
"""

import re
from dataclasses import dataclass

ANY = "…"
# What names something, and comes again in later commands.
NAMES = {
    "release": r"\d{8}T\d{6}Z-[0-9a-f]{16}",
    "key": r"boat_(?:live|test)_[0-9A-Za-z]{36}",
    "prefix": r"boat_(?:live|test)_[0-9A-Za-z]{6}(?![0-9A-Za-z])",
    "id": r"\bkey_[0-9A-Za-z]{16}",
    "address": r"127\.0\.0\.1:\d+",
}
# What is another in each run, and is asked for by nobody.
PASSING = (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", "<time>"),
    (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", "<date>"),
    (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "<request id>"),
    (r"(?<=-reset: )\d+", "<seconds>"),
    (r"(\"uptimeSeconds\":)\d+", r"\1<seconds>"),
    (r"\b\d+\.\d+ (?=m?s\b)", "<duration> "),
    (r"\d+ [kMG]B(?= are free)", "<size>"),
)
NAME = re.compile("|".join(f"(?P<{kind}>{form})" for kind, form in NAMES.items()))


@dataclass
class Command:
    """One command of a page, with the lines that the page shows behind it; `first` is the line of the command."""

    text: str
    output: list
    first: int


def commands(text):
    """The commands of all `console` blocks of a page."""
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = not inside and line == "```console"
        elif inside and line.startswith("$ "):
            found.append(Command(line[2:], [], number))
        elif inside and found and found[-1].text.endswith("\\"):
            found[-1].text += "\n" + line
        elif inside and found:
            found[-1].output.append(line)
    for one in found:
        while one.output and not one.output[-1]:
            one.output.pop()
    return found


def form(line):
    """A line without what is another in each run."""
    line = NAME.sub(lambda name: f"<{name.lastgroup}>", line.rstrip())
    for passing, instead in PASSING:
        line = re.sub(passing, instead, line)
    return re.sub(r" {2,}", "  ", line)


def pairs(shown, printed):
    """The lines of the page, each with the line that was printed for it; None where they differ."""
    if not shown:
        return None if printed else []
    if shown[0] == ANY:
        for skipped in range(len(printed) + 1):
            rest = pairs(shown[1:], printed[skipped:])
            if rest is not None:
                return rest
        return None
    if not printed or form(shown[0]) != form(printed[0]):
        return None
    rest = pairs(shown[1:], printed[1:])
    return None if rest is None else [(shown[0], printed[0]), *rest]


class Names:
    """What the page calls things, and what they are called in this run."""

    def __init__(self):
        self.real = {}

    def learn(self, found):
        for shown, printed in found:
            names = ([name[0] for name in NAME.finditer(line)] for line in (shown, printed))
            self.real.update(zip(*names))
            # A key is named by its beginning later on.
            self.real.update({page[:16]: real[:16] for page, real in self.real.items() if re.fullmatch(NAMES["key"], page)})

    def to_real(self, text):
        return NAME.sub(lambda name: self.real.get(name[0], name[0]), text)

    def to_page(self, text):
        shown = {real: page for page, real in self.real.items()}
        return NAME.sub(lambda name: shown.get(name[0], name[0]), text)
