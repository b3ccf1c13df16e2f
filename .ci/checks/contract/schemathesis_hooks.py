"""Changes made-up requests where OpenAPI cannot say what the API wants, so that what should be accepted is."""

import itertools
import json
import os
import pathlib
import re
import unicodedata
import zlib
from decimal import Decimal, InvalidOperation

import schemathesis

# The parameters of the document that is tested, which lies where this runs, and their types.
PARAMETERS = {parameter["name"]: parameter["schema"].get("type")
              for path in json.loads(pathlib.Path("openapi.json").read_text())["paths"].values()
              for parameter in path["get"].get("parameters", ())}
NUMBERS = {name for name, kind in PARAMETERS.items() if kind in ("integer", "number")}
# The first of each pair may not be greater.
RANGES = [(low, high) for low, high in itertools.permutations(sorted(NUMBERS), 2)
          if any((low, high) == (high.removesuffix(to) + by, low.removesuffix(by) + to)
                 for by, to in (("From", "To"), ("Min", "Max")))]


# The release that is served. That of another id is not there to compare with, and no schema says so.
ACTIVE = os.environ["BOAT_CATALOGUE_RELEASE"]
RELEASE = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{16}")

# Records of the sample, by the path that finds them.
RECORDS = {"/v1/boats/": "first-40.7", "/v1/manufacturers/": "angstrom-batar"}


@schemathesis.hook
def before_call(context, case, kwargs):
    find_a_record(case)
    query = case.query
    if not query:
        return
    # Without a value a parameter would not be sent at all, and rightly not be refused.
    for name, value in query.items():
        if value is None or value in ([], {}):
            query[name] = ""
    if RELEASE.fullmatch(str(query.get("since"))):
        query["since"] = ACTIVE
    if "search" in query:
        query["search"] = with_a_letter(query["search"])
    for name in NUMBERS & query.keys():
        query[name] = without_exponent(query[name])
    for low, high in RANGES:
        lower, upper = number(query.get(low)), number(query.get(high))
        if lower is not None and upper is not None and upper < lower:
            query[low], query[high] = query[high], query[low]


def find_a_record(case):
    """Half of the names that are made up become that of a record: otherwise only refusals would be seen."""
    for name, value in (case.path_parameters or {}).items():
        if zlib.crc32(str(value).encode("utf-8", "replace")) % 2:
            record, = (record for path, record in RECORDS.items() if case.operation.path.startswith(path))
            case.path_parameters[name] = record


def with_a_letter(value):
    """A text of the same length with something in it that can be searched for. Nothing else is changed."""
    if not isinstance(value, str) or not value:
        return value
    folded = unicodedata.normalize("NFKD", value)
    if any(unicodedata.category(character)[0] in "LN" for character in folded):
        return value
    return "a" + value[1:]


def number(value):
    """The number that a value is or spells."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        spelled = Decimal(str(value))
    except InvalidOperation:
        return None
    return spelled if spelled.is_finite() else None


def without_exponent(value):
    """A number with digits and at most one point, as the API reads them. Nothing else is changed."""
    spelled = number(value)
    if spelled is None or "e" not in str(value).lower():
        return value
    return format(spelled, "f")
