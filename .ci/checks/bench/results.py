"""Results of benchmarks as JSON, a file each, from which the plots are drawn.

They are written where RESULTS says and nowhere without it, so that no trial replaces the figures of a whole run.
"""

import json
import os
import pathlib
import platform
import statistics
import time


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


def middle(loads):
    """The medians of turns of one side."""
    names = ("rate", "rate_of_processor", "median", "slow")
    return {name: statistics.median(getattr(one, name) for one in loads) for name in names}


def kept(directory, name):
    """What was found last; `None` if nothing was kept."""
    path = pathlib.Path(directory) / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def processor():
    """Its name, where the system tells."""
    with open("/proc/cpuinfo") as lines:
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
