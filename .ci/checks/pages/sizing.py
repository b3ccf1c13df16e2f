"""The table on the page about sizing: what several servers need, computed from the results of benchmarks.

It only multiplies; what a request costs, and what a server requests of its engines, is measured in `checks/bench`.
"""

import math

from checks.base import ROOT, expect
from checks.bench.results import kept

PAGE = ROOT / "server" / "deploy" / "sizing.md"
RESULTS = ROOT / "server" / "benches" / "results"
BEGIN, END = "<!-- begin: .ci/pages sizing --write -->\n", "<!-- end -->\n"
RATES = (1_000, 100_000, 1_000_000)
# Of a core, so that peaks and the loss of a server are borne.
LOAD = 0.5
CORES_OF_A_SERVER = 4
CONNECTIONS_OF_A_SERVER = 8
SECONDS_OF_A_MONTH = 730 * 3_600
# Dollars for a request in us-east-1, S3 Standard, November 2026: https://aws.amazon.com/s3/pricing/
PRICES = {"S3 get": 0.000_000_4, "S3 put or list": 0.000_005}


def rounded(value):
    """Two digits that count."""
    if value < 10:
        return f"{value:.1f}".removesuffix(".0")
    places = 2 - len(str(int(value)))
    return f"{round(value, places):,.0f}"


def needs(rate, a_core, with_engines, requests):
    """What so many requests a second need: rows of the table, in its order."""
    idle, busy, occasional = (requests[state] for state in ("idle, a second", "busy, a request", "occasional, a request"))
    cores = rate / a_core / LOAD
    servers = max(2, math.ceil(cores / CORES_OF_A_SERVER) + 1)
    redis_cores = rate * (1 / with_engines - 1 / a_core) / LOAD
    transactions = lambda each: servers * idle["PostgreSQL transactions"] + rate * each["PostgreSQL transactions"]
    monthly = {kind: servers * idle[kind] * SECONDS_OF_A_MONTH for kind in PRICES}
    return {
        f"servers of {CORES_OF_A_SERVER} cores, one of them to spare": servers,
        "PostgreSQL: connections at most": servers * CONNECTIONS_OF_A_SERVER,
        "PostgreSQL: transactions a second, busy subscriptions": transactions(busy),
        "PostgreSQL: transactions a second, occasional ones": transactions(occasional),
        "Redis: scripts a second": rate * busy["Redis scripts"] + servers * idle["Redis scripts"],
        "Redis: instances, of one core each": math.ceil(redis_cores),
        "S3: requests a month, in millions": sum(monthly.values()) / 1e6,
        "S3: dollars a month for them": sum(monthly[kind] * price for kind, price in PRICES.items()),
    }


def table():
    size = kept(RESULTS, "servers")["sizes"][-1]["sides"]["PostgreSQL and Redis"]["full"]
    requests = kept(RESULTS, "engines")
    columns = [needs(rate, size["rate_of_processor"], size["rate_of_all"], requests) for rate in RATES]
    head = ["Requests a second", *(f"{rate:,}" for rate in RATES)]
    rows = [[name, *(rounded(column[name]) for column in columns)] for name in columns[0]]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ["---", *["--:"] * len(RATES)], *rows))


def check(rewrite):
    text = PAGE.read_text()
    before, begin, rest = text.partition(BEGIN)
    shown, end, after = rest.partition(END)
    expect(begin and end, f"{PAGE.name} has no place for the table")
    if rewrite:
        PAGE.write_text(before + begin + table() + end + after)
    else:
        expect(shown == table(), f"{PAGE.name} has another table than the results give: .ci/pages sizing --write")
    print(f"the table of {PAGE.name} is what {len(RATES)} rates need by the results")
