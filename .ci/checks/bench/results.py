"""What benchmarks found: turns of several sides, a table of their medians and ratios, and the same as JSON.

A turn gives figures by name. They are kept where RESULTS says and nowhere without it, so that no trial replaces the figures
of a whole run.
"""

import json
import os
import pathlib
import platform
import statistics
import time

# What figures are called in tables, and how many decimals they have.
SHOWN = {
    "rate": ("answers/s", 0), "rate_of_processor": ("answers/processor s", 0),
    "rate_of_all": ("answers/processor s, engines too", 0),
    "median": ("ms, half", 3), "slow": ("ms, 99 %", 3), "failed": ("not 200", 0),
    "seconds": ("s", 2), "processor_seconds": ("processor s", 2), "mebibytes": ("MiB", 0),
    "resident": ("MiB", 0), "most": ("MiB, at most", 0),
}


def in_turns(rounds, sides):
    """Lets each of the sides, functions of the round, have its turn, round after round; what they gave."""
    given = {name: [] for name in sides}
    for number in range(rounds):
        for name, turn in sides.items():
            given[name].append(turn(number))
    return given


def middle(turns):
    """The medians of the turns of one side."""
    return {name: statistics.median(turn[name] for turn in turns) for name in turns[0]}


def show(title, given, columns, by=None):
    """A row for each side: its medians, and the first side's `by` divided by its own: the median of the rounds, and the
    lowest and the highest."""
    print(f"\n{title}; {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}\n")
    heads = [SHOWN[name][0] for name in columns]
    row("", *heads, *([f"first / this, {SHOWN[by][0]}"] if by else []))
    row("---", *["--:"] * (len(columns) + bool(by)))
    first = next(iter(given.values()))
    for side, turns in given.items():
        cells = [f"{middle(turns)[name]:,.{SHOWN[name][1]}f}" for name in columns]
        if by:
            ratios = [one[by] / other[by] for one, other in zip(first, turns, strict=True)]
            cells.append(f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
        row(side, *cells)


def row(*cells):
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def keep(name, figures):
    """Writes what a benchmark found, with when and on what."""
    directory = os.environ.get("RESULTS")
    if not directory:
        return
    about = {"benchmark": name, "day": time.strftime("%Y-%m-%d", time.gmtime()), "processor": processor(),
             "cores": os.cpu_count()}
    path = pathlib.Path(directory) / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**about, **figures}, indent=1) + "\n")


def kept(directory, name):
    """What was found last."""
    return json.loads((pathlib.Path(directory) / f"{name}.json").read_text())


def processor():
    """Its name, where the system tells."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
