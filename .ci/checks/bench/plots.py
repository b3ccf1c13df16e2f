"""Cost against size, as SVG, from the results that benchmarks kept."""

import pathlib
import statistics

from checks.bench.results import kept
from checks.bench.svg import chart

BOATS = "boats in the release"


def of_sides(sizes, figure):
    """Lines of each side's figure, in the order of the first size."""
    names = dict.fromkeys(name for size in sizes for name in size["sides"])
    return {name: [(size["boats"], size["sides"][name][figure]) for size in sizes if name in size["sides"]]
            for name in names}


def get(found):
    return {"get": chart("Get one boat, one core, every header field", BOATS, "answers a second of processor time",
                         of_sides(found["sizes"], "rate_of_processor"))}


def lists(found):
    def shapes(who, pick):
        return [(size["boats"], pick([shape[who] for shape in size["shapes"]])) for size in found["sizes"]]

    count = len(found["sizes"][0]["shapes"])
    without_http = {"service, slowest": shapes("ours", max), "DuckDB, slowest": shapes("duckdb", max),
                    "service, middle": shapes("ours", statistics.median),
                    "DuckDB, middle": shapes("duckdb", statistics.median)}
    over_http = {name: line for name, line in of_sides(found["sizes"], "rate_of_processor").items()
                 if name in ("list, not remembered", "ROAPI, list", "Datasette, list")}
    return {
        "lists": chart(f"Lists not remembered: medians of {count} kinds of queries, total included", BOATS,
                       "milliseconds", without_http),
        "lists-http": chart("Lists of a type, sorted, over HTTP, another each time, one core", BOATS,
                            "answers a second of processor time", over_http),
    }


def start(found):
    line = lambda figure: [(size["boats"], size[figure]) for size in found["sizes"]]
    return {"start": chart("Start of the server", BOATS, "seconds until it listens", {"seconds": line("seconds")}),
            "memory": chart("Memory of the server", BOATS, "MiB resident",
                            {"at most, starting": line("most"), "then": line("resident")})}


PLOTS = {"get": get, "lists": lists, "start": start}


def draw(results, plots):
    """Draws what results there are, but for those of a single size."""
    directory = pathlib.Path(plots)
    directory.mkdir(parents=True, exist_ok=True)
    for name, plot in PLOTS.items():
        found = kept(results, name)
        if found is None or len(found["sizes"]) < 2:
            print(f"no results of {name} with several sizes in {results}")
            continue
        for file, drawing in plot(found).items():
            (directory / f"{file}.svg").write_text(drawing)
            print(directory / f"{file}.svg")
