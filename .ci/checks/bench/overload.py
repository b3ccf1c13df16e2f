"""Five times the lists that the service can answer, for minutes: what it answers, how it refuses, how it recovers.

Thousands of clients ask for lists, each of them for another one, so that none is remembered; beside them, others ask for
boats. Before each request they wait, so long that together they ask as often as is wanted while answers come at once.
"""

import itertools
import resource
import statistics
from concurrent.futures import ThreadPoolExecutor

from checks.bench.get import boats_of, targets
from checks.bench.lists import IN_ORDER, LISTS_A_SECOND_MAX, ours, unlike_lists, write_lines
from checks.bench.load import serving, wrk
from checks.bench.results import keep, row
from checks.tools import of_debian

TIMES = 5
# The share of the greatest rate that comes before and after the overload, and for how many seconds.
NORMAL, NORMAL_SECONDS = 0.6, 10
# Runs to find the greatest rate, by clients that each ask again at once.
PEAKS, PEAK_CLIENTS, PEAK_SECONDS = 3, 32, 4
# Below what one address may have of the usual 10,000.
CLIENTS = {"lists": 2_400, "boats": 64}


def run_size(surroundings, boats):
    work, data = surroundings.work, surroundings.data(boats)
    heads, seeds = data.write_heads(work / "heads"), itertools.count()

    def others(count):
        """Lists that were not asked for before, but for a few by chance."""
        return write_lines(work / "many", itertools.starmap(ours, unlike_lists(boats, round(count), next(seeds))))

    def peak():
        said = wrk(server, PEAK_SECONDS, others(LISTS_A_SECOND_MAX * PEAK_SECONDS), heads, IN_ORDER, PEAK_CLIENTS)
        return (said["answers"] - said["refused"]) / said["seconds"]

    def phase(times, seconds):
        """So many times the lists that can be answered, and as many boats as that at most."""
        rates = {"lists": times * rate, "boats": min(times, 1) * rate}
        # A client asks for a list or two more than its share.
        paths = {"lists": (others(rates["lists"] * seconds + 2 * CLIENTS["lists"]), IN_ORDER),
                 "boats": (targets(boats_of(boats)), 1)}
        ask = lambda kind: wrk(server, seconds, paths[kind][0], heads, paths[kind][1], CLIENTS[kind],
                               round(1000 * CLIENTS[kind] / rates[kind]))
        with ThreadPoolExecutor() as threads:
            return dict(zip(rates, threads.map(ask, rates), strict=True))

    with serving(*surroundings.serve_command(data), log=work / "server.log") as server:
        rate = statistics.median(peak() for _ in range(PEAKS))
        before = server.status_kibibytes("VmRSS") / 1024
        phases = {"before": phase(NORMAL, NORMAL_SECONDS), "overload": phase(TIMES, surroundings.overload),
                  "right after": phase(NORMAL, NORMAL_SECONDS)}
        most = server.status_kibibytes("VmHWM") / 1024
    report(boats, rate, phases)
    print(f"\n{before:,.0f} MiB before, {most:,.0f} at most", flush=True)
    keep("overload", {"boats": boats, "peak": rate, "phases": phases, "mebibytes": {"before": before, "most": most}})


def report(boats, rate, phases):
    print(f"\n{TIMES} x the lists that can be answered, {boats} boats, {CLIENTS['lists']} clients; {PEAK_CLIENTS} clients "
          f"that ask at once have {rate:,.0f} different lists a second\n")
    row("", "asked/s", "answered/s", "of the greatest", "refused/s", "lost", "ms, half", "ms, 99 %")
    row("---", *["--:"] * 7)
    for name, kinds in phases.items():
        for kind, said in kinds.items():
            answered = (said["answers"] - said["refused"]) / said["seconds"]
            row(f"{name}, {kind}", f"{said['answers'] / said['seconds']:,.0f}", f"{answered:,.0f}", f"{answered / rate:.0%}",
                f"{said['refused'] / said['seconds']:,.0f}", said["lost"], f"{said['median']:,.1f}", f"{said['slow']:,.1f}")


def run(surroundings, sizes):
    of_debian(wrk="wrk")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for boats in sizes:
        run_size(surroundings, boats)
