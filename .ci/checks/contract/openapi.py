"""The OpenAPI document as linters see it: Spectral with the rules of OpenAPI and OWASP, and Redocly.

No finding is let pass, of whatever severity. A rule that does not hold for this API is switched off in
spectral.yaml with the reason, and one that would find nothing any more may not stay switched off.
"""

import json
import pathlib
import re

from checks.base import Broken, binary, run
from checks.tools import of_npm

HERE = pathlib.Path(__file__).resolve().parent
SPECTRAL = ("@stoplight/spectral-cli@6.16.3", "@stoplight/spectral-owasp-ruleset@2.0.1")
REDOCLY = ("@redocly/cli@2.77.0",)
# A linter ends with 1 where it finds something.
LINTED = (0, 1)
SWITCHED_OFF = re.compile(r"^  (\S+): off\n", re.MULTILINE)


def check(folder):
    document = folder / "openapi.json"
    document.write_text(run(binary(), "openapi"))
    spectral(document)
    redocly(document)


def spectral(document):
    modules = of_npm("spectral-6.16.3", *SPECTRAL)
    rules = (HERE / "spectral.yaml").read_text()
    found = findings(modules, document, rules)
    if found:
        raise Broken("Spectral:\n" + "\n".join(found.values()))
    reasons = set(SWITCHED_OFF.findall(rules))
    found = findings(modules, document, SWITCHED_OFF.sub("", rules).replace("\nrules:\n", "\nrules: {}\n"))
    needless = reasons - set(found)
    if needless:
        raise Broken(f"spectral.yaml switches off what would find nothing: {', '.join(sorted(needless))}")
    print(f"Spectral finds nothing; {len(reasons)} rules are switched off with a reason")


def findings(modules, document, rules):
    """What Spectral says with these rules: by rule, one line of each."""
    ruleset = document.with_name("spectral.yaml")
    ruleset.write_text(rules)
    link = document.with_name("node_modules")
    if not link.exists():
        link.symlink_to(modules)
    printed = run("node", modules / ".bin" / "spectral", "lint", "--quiet", "--format", "json", "--ruleset", ruleset,
                  document, cwd=document.parent, statuses=LINTED)
    # Where there is nothing, a sentence follows the list.
    found, _end = json.JSONDecoder().raw_decode(printed)
    return {one["code"]: f"  {one['code']} at {'.'.join(map(str, one['path']))}: {one['message']}"
            for one in found}


def redocly(document):
    modules = of_npm("redocly-2.77.0", *REDOCLY)
    printed = run("node", modules / ".bin" / "redocly", "lint", "--format", "json", "--config",
                  HERE / "redocly.yaml", document, cwd=document.parent, statuses=LINTED)
    problems = json.loads(printed)["problems"]
    if problems:
        raise Broken("Redocly:\n" + "\n".join(f"  {one['ruleId']}: {one['message']}" for one in problems))
    print("Redocly finds nothing")
