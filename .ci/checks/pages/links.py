"""Whether every link in the pages leads to a file of the repository, and to a heading of it where it names one.

Addresses elsewhere are not asked: a check that fails because another site is away says nothing about the pages.
"""

import re
import urllib.parse

from checks.base import ROOT, expect
from checks.pages import outside_code, pages

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|<(?:img|source|a)\b[^>]*?(?:src|srcset|href)=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")


def anchors(text):
    """What the headings of a page are called in addresses, as GitHub and mdBook name them."""
    found, seen = set(), {}
    for _, line in outside_code(text):
        if heading := re.match(r"#{1,6} +(.*?) *#*$", line):
            words = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
            name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            number = seen[name] = seen.get(name, -1) + 1
            found.add(f"{name}-{number}" if number else name)
    return found


def targets(text):
    """The links of a page, with their lines."""
    for number, line in outside_code(text):
        for link in LINK.finditer(re.sub(r"`[^`]*`", "``", line)):
            yield number, link[1] or link[2]


def fault(page, target):
    """What is wrong with a link of that page."""
    path, _, anchor = urllib.parse.unquote(target).partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists() or ROOT not in (file, *file.parents):
        return "no such file in the repository"
    if anchor and (file.suffix != ".md" or anchor not in anchors(file.read_text())):
        return "no such heading"
    return None


def check():
    found, broken = 0, []
    for page in pages():
        for number, target in targets(page.read_text()):
            if ELSEWHERE.match(target):
                continue
            found += 1
            if why := fault(page, target):
                broken.append(f"{page.relative_to(ROOT)}:{number}: {target}: {why}")
    expect(found, "the pages have no links, so the check does not see them")
    expect(not broken, "\n  ".join([f"{len(broken)} broken links", *broken]))
    print(f"{found} links lead somewhere")
