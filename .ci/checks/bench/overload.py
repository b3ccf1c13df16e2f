"""Five times the lists that the service can answer, for minutes: what it answers, how it refuses, how it recovers.

Each list is another, so that none is remembered; for each of them one boat is asked for too. Requests come on a
schedule, whether or not those before were answered, and what they take counts from when they were due.
"""

import itertools
import statistics

from checks.bench.lists import LISTS_A_SECOND_MAX, ours, unlike_lists, write_lines
from checks.bench.load import serving
from checks.bench.offered import milliseconds, offer
from checks.bench.results import keep, row

TIMES = 5
# The share of the greatest rate that comes before and after the overload.
NORMAL = 0.6
BEFORE_SECONDS, AFTER_SECONDS = 10, 20
# The greatest rate is the median of some short runs, each of which counts once it is warm.
PEAKS, PEAK_WARM, PEAK_SECONDS = 3, 2, 4
# Clients that each ask again at once, to find the greatest rate.
PEAK_CONNECTIONS = 32
# Below what one address may have of the usual 10,000.
CONNECTIONS = 2_400
KINDS = ("lists", "boats")
OUTCOMES = ("answered", "refused", "other", "failed", "unsent")


def run_size(surroundings, boats):
    work, data = surroundings.work, surroundings.data(boats)
    heads = data.write_heads(work / "heads")
    ids = write_lines(work / "ids", (f"/v1/boats/boat-{number}" for number in range(boats) if number % 50))

    def kinds(count, seed):
        lists = write_lines(work / "many", itertools.starmap(ours, unlike_lists(boats, count, seed)))
        return {"lists": (1, lists), "boats": (1, ids)}

    def peak(seed):
        """Different lists a second, where each client asks again at once."""
        seconds = PEAK_WARM + PEAK_SECONDS
        offered = offer(surroundings, server, heads, PEAK_CONNECTIONS, [("max", seconds)],
                        kinds(LISTS_A_SECOND_MAX * seconds, seed))
        return offered.count(["lists"], "answered", [(PEAK_WARM, seconds)]) / PEAK_SECONDS

    with serving(*surroundings.serve_command(data), log=work / "server.log") as server:
        rate = statistics.median(peak(seed) for seed in range(PEAKS))
        phases = [(round(2 * rate * NORMAL), BEFORE_SECONDS), (round(2 * rate * TIMES), surroundings.overload),
                  (round(2 * rate * NORMAL), AFTER_SECONDS)]
        before = server.status_kibibytes("VmRSS") / 1024
        count = round(sum(asked * seconds for asked, seconds in phases) / 2)
        offered = offer(surroundings, server, heads, CONNECTIONS, phases, kinds(count, PEAKS))
        memory = {"before": before, "most": server.status_kibibytes("VmHWM") / 1024}
    until = BEFORE_SECONDS + surroundings.overload
    windows = {"before": (0, BEFORE_SECONDS), "overload": (BEFORE_SECONDS, until), "after": (until, until + AFTER_SECONDS)}
    figures = {phase: {kind: in_window(offered, kind, window) for kind in KINDS} for phase, window in windows.items()}
    report(boats, rate, figures)
    late = [one["until"] - until for one in offered.slices
            if until < one["until"] and any(one[kind].get(outcome) for kind in KINDS for outcome in OUTCOMES[1:])]
    print(f"\n{memory['before']:,.0f} MiB before, {memory['most']:,.0f} at most; the last request that was not answered "
          f"came {max(late, default=0):.1f} s after the overload", flush=True)
    keep("overload", {"boats": boats, "peak": rate, "phases": figures, "mebibytes": memory,
                      "seconds_to_normal": max(late, default=0)})


def in_window(offered, kind, window):
    """Rates of outcomes, and what those that were answered or refused took."""
    figures = {outcome: offered.count([kind], outcome, [window]) / (window[1] - window[0]) for outcome in OUTCOMES}
    for outcome in ("answered", "refused"):
        histogram = offered.histogram([kind], outcome, [window])
        figures[f"{outcome} ms"] = {share: milliseconds(histogram, share / 100) for share in (50, 99)}
    return figures


def report(boats, rate, figures):
    print(f"\n{TIMES} x the lists that can be answered, {boats} boats, {CONNECTIONS} connections; the greatest rate of "
          f"different lists is {rate:,.0f} a second and as many of one boat\n")
    times = lambda found: " / ".join(f"{value:,.0f}" for value in found.values())
    row("", "answered/s", "of the greatest", "ms, half / 99 %", "refused/s", "ms, half / 99 %", "lost/s")
    row("---", *["--:"] * 6)
    for phase, kinds in figures.items():
        for kind, found in kinds.items():
            row(f"{phase}, {kind}", f"{found['answered']:,.0f}", f"{found['answered'] / rate:.0%}",
                times(found["answered ms"]), f"{found['refused']:,.0f}", times(found["refused ms"]),
                f"{sum(found[outcome] for outcome in OUTCOMES[2:]):,.0f}")


def run(surroundings, sizes):
    for boats in sizes:
        run_size(surroundings, boats)
