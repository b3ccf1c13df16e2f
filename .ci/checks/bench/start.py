"""From the start of the server to where it listens, and the memory that it has then, by number of boats."""

import statistics

from checks.bench.results import keep
from checks.bench.surroundings import machine
from checks.bench.table import in_turns, show
from checks.bench.wrk import serving


def run(surroundings, sizes):
    sides = {}
    for boats in sizes:
        data = surroundings.data(boats)
        figures = {"seconds": [], "resident": [], "most": []}

        def start(_):
            with serving(*surroundings.serve_command(data), log=surroundings.work / "server.log", core=None) as server:
                figures["seconds"].append(server.started)
                figures["resident"].append(server.status_kibibytes("VmRSS") / 1024)
                figures["most"].append(server.status_kibibytes("VmHWM") / 1024)

        in_turns(surroundings.rounds, {"start": start})
        sides[boats] = figures
    figure = lambda name: {f"{boats} boats": figures[name] for boats, figures in sides.items()}
    show(f"start of the server, {machine()}", "seconds until it listens", figure("seconds"), digits=2, ratios=False)
    show("  then", "MiB resident", figure("resident"), ratios=False)
    show("  until then", "MiB resident, at most", figure("most"), ratios=False)
    middles = lambda figures: {name: statistics.median(values) for name, values in figures.items()}
    keep("start", {"sizes": [{"boats": boats, **middles(figures)} for boats, figures in sides.items()]})
