"""From the start of the server to where it listens, and the memory that it has then, by number of boats."""

from checks import processes
from checks.bench.results import in_turns, keep, middle, show


def run(surroundings, sizes):
    def start(data):
        def turn(_):
            # On all cores, as an operator would.
            with processes.serving(*surroundings.serve_command(data), log=surroundings.work / "server.log") as server:
                return {"seconds": server.started, "resident": server.status_kibibytes("VmRSS") / 1024,
                        "most": server.status_kibibytes("VmHWM") / 1024}

        return turn

    given = in_turns(surroundings.rounds, {boats: start(surroundings.data(boats)) for boats in sizes})
    show("start of the server, by boats", given, ("seconds", "resident", "most"))
    keep("start", {"sizes": [{"boats": boats, **middle(turns)} for boats, turns in given.items()]})
