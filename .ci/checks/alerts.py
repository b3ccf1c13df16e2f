#!/usr/bin/env python3
"""Checks what operators load into Prometheus and Grafana against a server that runs.

    .ci/alerts

- promtool finds the alert rules and the example configuration sound, and the rules do what their unit tests say;
- the metrics of a running server have help texts and names as Prometheus wants them;
- every metric that a rule or a panel names is one that this server tells;
- every expression of the dashboard is one that Prometheus can parse, and its panels have ids, units and a data source
  that the person who imports it chooses.

It ends with 1 where it finds something. promtool comes from Debian's package of Prometheus, which is downloaded and
unpacked into the cache, not installed, so that no service starts; PROMTOOL names another one. CATALOGUE is the binary;
without it, .ci/cargo builds one.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "boat-catalogue" / "tools"
PROMETHEUS = ROOT / "server" / "deploy" / "prometheus"
DASHBOARD = ROOT / "server" / "deploy" / "grafana" / "catalogue.json"

# Metrics that Prometheus makes itself.
ITS_OWN = {"up"}
# A name of a metric of ours or of a process, or one of Prometheus' own, wherever it stands in an expression.
NAMES = re.compile(r"\b(?:catalogue_\w+|process_\w+|up)\b")
# What Grafana puts in the place of its variables.
VARIABLES = {"$__rate_interval": "5m", "$instance": ".+"}
# The units that the panels use, as Grafana calls them.
UNITS = {"bytes", "none", "ops", "percentunit", "reqps", "s", "short"}


def run(*command, **options):
    """The output of a command that must succeed."""
    ended = subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)
    if ended.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{ended.stdout}{ended.stderr}")
    return ended.stdout


def candidate():
    """The version of the package that this machine would install, if it knows of one."""
    policy = run("apt-cache", "policy", "prometheus", env=os.environ | {"LC_ALL": "C"})
    found = re.search(r"Candidate: (\d\S*)", policy)
    return found and found[1]


def promtool():
    """The tool, unpacked once for each version of the package."""
    if named := os.environ.get("PROMTOOL"):
        return named
    version = candidate()
    if not version and os.geteuid() == 0:
        run("apt-get", "update", "-qq")
        version = candidate()
    if not version:
        sys.exit("no package of Prometheus is known; run apt-get update, or let PROMTOOL name a promtool")
    unpacked = TOOLS / f"prometheus-{version}"
    tool = unpacked / "usr" / "bin" / "promtool"
    if not tool.exists():
        TOOLS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=TOOLS) as directory:
            run("apt-get", "download", "-q", f"prometheus={version}", cwd=directory)
            whole = pathlib.Path(directory) / "whole"
            run("dpkg-deb", "-x", *pathlib.Path(directory).glob("*.deb"), whole)
            whole.rename(unpacked)
    return tool


def binary():
    """The command, built where CATALOGUE does not name one."""
    if named := os.environ.get("CATALOGUE"):
        return named
    built = run(ROOT / ".ci" / "cargo", "build", "--quiet", "--message-format", "json-render-diagnostics", "-p", "cli")
    return [made["executable"] for made in map(json.loads, built.splitlines()) if made.get("executable")][-1]


def scrape(catalogue, directory):
    """The metrics of a server of the sample catalogue that has one subscription with a key."""
    data = pathlib.Path(directory) / "data"
    do = lambda *arguments: run(catalogue, "--data", data, *arguments)
    do("import", ROOT / "fixtures" / "sample")
    do("subscriptions", "create", "tests")
    do("keys", "issue", "--subscription", "tests", "--scope", "boats.read")
    log = pathlib.Path(directory) / "log"
    command = [catalogue, "--data", data, "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
    with log.open("w") as err, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, text=True) as server:
        try:
            if "listening on " not in (server.stdout.readline() or ""):
                sys.exit(f"the server did not start:\n{log.read_text()}")
            events = map(json.loads, log.read_text().splitlines())
            address = next(event["admin.address"] for event in events if "admin.address" in event)
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
                return answer.read().decode()
        finally:
            server.terminate()


def told(metrics):
    """Every name that a query may use for what is told."""
    names = set()
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", metrics, re.MULTILINE):
        ends = ("_bucket", "_count", "_sum") if kind == "histogram" else ("",)
        names.update(name + end for end in ends)
    return names


def findings_of_dashboard(dashboard):
    """What is wrong with the form of the dashboard."""
    panels = dashboard["panels"]
    ids = [panel["id"] for panel in panels]
    if len(set(ids)) != len(ids):
        yield f"two panels have one id: {sorted(ids)}"
    if [one["name"] for one in dashboard["templating"]["list"] if one["type"] == "datasource"] != ["datasource"]:
        yield "there is no variable `datasource`"
    for panel in panels:
        title = panel["title"]
        if panel["fieldConfig"]["defaults"].get("unit") not in UNITS:
            yield f"{title}: no unit, or one that is not known"
        if not panel.get("description"):
            yield f"{title}: no description"
        if not panel["targets"]:
            yield f"{title}: no expression"
        for asked in [panel, *panel["targets"]]:
            if asked["datasource"] != {"type": "prometheus", "uid": "${datasource}"}:
                yield f"{title}: a data source that nobody can choose"
        place = panel["gridPos"]
        for other in panels:
            its = other["gridPos"]
            apart = (its["x"] + its["w"] <= place["x"] or place["x"] + place["w"] <= its["x"]
                     or its["y"] + its["h"] <= place["y"] or place["y"] + place["h"] <= its["y"])
            if other is not panel and not apart:
                yield f"{title} lies on {other['title']}"


def expressions(dashboard):
    """Every expression of the dashboard with the title of its panel, as Grafana sends it."""
    asked = [(panel["title"], target["expr"]) for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [(one["name"], one["expr"]) for one in dashboard["annotations"]["list"]]
    asked += [(one["name"], one["definition"]) for one in dashboard["templating"]["list"] if one["type"] == "query"]
    for title, expression in asked:
        for variable, value in VARIABLES.items():
            expression = expression.replace(variable, value)
        # What a variable takes its values from is a function of Grafana around a metric.
        yield title, re.sub(r"^label_values\((.*), \w+\)$", r"\1", expression)


def as_rules(asked):
    """The expressions as rules, which promtool parses. JSON is YAML."""
    rules = [{"record": f"dashboard:{place}", "expr": expression} for place, (_, expression) in enumerate(asked)]
    return json.dumps({"groups": [{"name": "dashboard", "rules": rules}]})


def main():
    tool = promtool()
    run(tool, "check", "config", PROMETHEUS / "prometheus.yml")
    run(tool, "check", "rules", PROMETHEUS / "alerts.yml")
    run(tool, "test", "rules", PROMETHEUS / "alerts_test.yml")
    dashboard = json.loads(DASHBOARD.read_text())
    asked = list(expressions(dashboard))
    with tempfile.TemporaryDirectory() as directory:
        metrics = scrape(binary(), directory)
        run(tool, "check", "metrics", input=metrics)
        rules = pathlib.Path(directory) / "dashboard.yml"
        rules.write_text(as_rules(asked))
        run(tool, "check", "rules", rules)
    found = list(findings_of_dashboard(dashboard))
    known = told(metrics) | ITS_OWN
    # The word of an annotation that is a metric's name is one too, so the rules are looked at line by line.
    rules = (PROMETHEUS / "alerts.yml").read_text()
    for where, text in [("alerts.yml", rules), *asked]:
        found += [f"{where}: no server tells {name}" for name in sorted(set(NAMES.findall(text)) - known)]
    unseen = {name for name in known if name.startswith("catalogue_")} - set(NAMES.findall(rules + repr(asked)))
    print(f"{len(known)} names of metrics, {len(asked)} expressions of the dashboard")
    print("in no rule and on no panel:", ", ".join(sorted(unseen)) or "none")
    for finding in found:
        print(f"error: {finding}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
