"""Five times the lists that the service can answer, for minutes: what it answers, how it refuses, how it recovers.

Each list is another, so that none is remembered; for each of them one boat is asked for too. Requests come on a
schedule, whether or not those before were answered, and what they take counts from when they were due.
"""

import itertools
import statistics

from checks.base import Broken
from checks.bench.lists import LISTS_A_SECOND_MAX, ours, unlike_lists, write_lines
from checks.bench.offered import milliseconds, offer
from checks.bench.results import keep
from checks.bench.surroundings import machine
from checks.bench.wrk import serving

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
WINDOW = 10
# What counts as normal again: no refusal, so much of the rate before, and 99 % within so many times what it was, or so
# many milliseconds.
NORMAL_SHARE, NORMAL_TIMES, NORMAL_MILLISECONDS = 0.9, 2, 50


def run_size(surroundings, boats):
    work, data = surroundings.work, surroundings.data(boats)
    heads = data.write_heads(work / "heads")
    ids = write_lines(work / "ids", (f"/v1/boats/boat-{number}" for number in range(boats) if number % 50))
    unlike = itertools.starmap(ours, unlike_lists(boats))
    lists = lambda count: {"lists": (1, write_lines(work / "many", itertools.islice(unlike, count))),
                           "boats": (1, ids)}
    with serving(*surroundings.serve_command(data), log=work / "server.log") as server:
        resident = lambda: server.status_kibibytes("VmRSS") / 1024
        rate = statistics.median(peak(surroundings, server, heads, lists) for _ in range(PEAKS))
        phases = [(round(2 * rate * NORMAL), BEFORE_SECONDS), (round(2 * rate * TIMES), surroundings.overload),
                  (round(2 * rate * NORMAL), AFTER_SECONDS)]
        count = round(sum(asked * seconds for asked, seconds in phases) / 2)
        quiet = resident()
        offered = offer(surroundings, server, heads, CONNECTIONS, phases, lists(count), watch=resident)
        Report(boats, rate, offered, surroundings.overload, quiet).show()


def peak(surroundings, server, heads, lists):
    """Different lists a second, where each client asks again at once."""
    seconds = PEAK_WARM + PEAK_SECONDS
    count = LISTS_A_SECOND_MAX * seconds
    offered = offer(surroundings, server, heads, PEAK_CONNECTIONS, [("max", seconds)], lists(count))
    if count < offered.count("lists", "answered") + PEAK_CONNECTIONS:
        raise Broken(f"more answers than the {count} different lists that there were")
    return offered.count("lists", "answered", PEAK_WARM, seconds) / PEAK_SECONDS


class Report:
    """The figures of one run, and the table of them."""

    def __init__(self, boats, peak, offered, seconds, quiet):
        self.boats, self.peak, self.offered, self.quiet = boats, peak, offered, quiet
        self.since, self.until = BEFORE_SECONDS, BEFORE_SECONDS + seconds

    def rate(self, kind, outcome, since, until):
        return self.offered.count(kind, outcome, since, until) / (until - since)

    def row(self, since, until):
        """Rates of outcomes, times and memory in a window."""
        row = {"since": since, "until": until}
        for kind in KINDS:
            for outcome in OUTCOMES:
                row[f"{kind} {outcome}"] = self.rate(kind, outcome, since, until)
            for outcome in ("answered", "refused"):
                histogram = self.offered.histogram(kind, outcome, since, until)
                row[f"{kind} {outcome} p50"] = milliseconds(histogram, 0.5)
                row[f"{kind} {outcome} p99"] = milliseconds(histogram, 0.99)
        row["MiB"] = max((value for at, value in self.offered.watched if since < at <= until), default=0)
        return row

    def windows(self):
        """Of ten seconds each, none of them in two phases."""
        edges = [0, *range(self.since, self.until, WINDOW), *range(self.until, self.until + AFTER_SECONDS + 1, WINDOW)]
        return [self.row(since, until) for since, until in zip(edges, edges[1:], strict=False)]

    def back_to_normal(self):
        """Seconds from the end of the overload until every second is as before it; `None`: never."""
        before = self.row(2, self.since)
        limits = {kind: max(NORMAL_TIMES * before[f"{kind} answered p99"], NORMAL_MILLISECONDS) for kind in KINDS}
        back = None
        for second in range(AFTER_SECONDS):
            row = self.row(self.until + second, self.until + second + 1)
            bad = any(row[f"{kind} {outcome}"] for kind in KINDS for outcome in OUTCOMES if outcome != "answered")
            slow = any((row[f"{kind} answered p99"] or 0) > limits[kind] for kind in KINDS)
            few = any(row[f"{kind} answered"] < NORMAL_SHARE * before[f"{kind} answered"] for kind in KINDS)
            if bad or slow or few:
                back = None
            elif back is None:
                back = second
        return back

    def figures(self):
        """What it comes down to."""
        whole, windows = self.row(self.since, self.until), self.windows()
        lowest = min(row["lists answered"] for row in windows if self.since <= row["since"] < self.until)
        sent = sum(whole[f"{kind} {outcome}"] for kind in KINDS for outcome in OUTCOMES if outcome != "unsent")
        refused = self.offered.histogram("lists", "refused", self.since, self.until)
        return {
            "boats": self.boats, "peak": self.peak, "sent_times": sent / (2 * self.peak),
            "answered_of_peak": whole["lists answered"] / self.peak, "lowest_of_peak": lowest / self.peak,
            "refused_milliseconds": {share: milliseconds(refused, share / 100) for share in (50, 90, 99)},
            "mebibytes": {"before": self.quiet, "most": max(row["MiB"] for row in windows)},
            "seconds_to_normal": self.back_to_normal(), "windows": windows,
        }

    def show(self):
        figures = self.figures()
        print(f"\n{TIMES} x the lists that can be answered, {self.boats} boats, {machine()}")
        print(f"greatest rate of different lists, {PEAK_CONNECTIONS} clients: {self.peak:,.0f} a second, and as many "
              f"of one boat;\nbefore and after: {NORMAL} x that; offered on {CONNECTIONS} connections\n")
        print("           |            lists: a second and ms            |   one boat: a second and ms  |  MiB of")
        print(" seconds   | answered  of peak  p50/p99  refused  p50/p99  other | answered  p50/p99  not 200 |  memory")
        for row in figures["windows"]:
            print(self.line(row), flush=True)
        back, memory = figures["seconds_to_normal"], figures["mebibytes"]
        print(f"\nsent: {figures['sent_times']:.1f} x the greatest rate; lists answered: "
              f"{figures['answered_of_peak']:.0%} of it, {figures['lowest_of_peak']:.0%} in the worst ten seconds\n"
              f"refused within ms, 50/90/99 %: {'/'.join(map(whole_number, figures['refused_milliseconds'].values()))};"
              f" memory {memory['before']:,.0f} MiB before, {memory['most']:,.0f} at most; "
              f"{'not back to normal' if back is None else f'back to normal after {back} s'}", flush=True)
        keep("overload", figures)

    def line(self, row):
        """A window in the table."""
        pair = lambda what: f"{whole_number(row[what + ' p50'])}/{whole_number(row[what + ' p99'])}"
        lists_lost = sum(row[f"lists {outcome}"] for outcome in ("other", "failed", "unsent"))
        boats_lost = sum(row[f"boats {outcome}"] for outcome in OUTCOMES if outcome != "answered")
        return (f" {row['since']:>4}-{row['until']:<4} | {row['lists answered']:>8,.0f} "
                f"{row['lists answered'] / self.peak:>8.0%} {pair('lists answered'):>9}"
                f" {row['lists refused']:>8,.0f} {pair('lists refused'):>9} {lists_lost:>5,.0f}"
                f" | {row['boats answered']:>8,.0f} {pair('boats answered'):>9} {boats_lost:>7,.0f}"
                f" | {row['MiB']:>7,.0f}")


def whole_number(value):
    return "-" if value is None else f"{value:,.0f}"


def run(surroundings, sizes):
    for boats in sizes:
        run_size(surroundings, boats)
