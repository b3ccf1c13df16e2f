"""Whether every link in the pages leads to a file, and to a heading of it where it names one; and whether README.md, which
is where readers start, names every page.

rumdl looks at the links. Addresses elsewhere are not asked: a check that fails because another site is away says nothing
about the pages.
"""

import re

from checks.base import ROOT, expect, run
from checks.pages import pages
from checks.tools import of_pip

RUMDL = ("rumdl-0.3.0", "rumdl==0.3.0")
# Headings that links name, and files.
RULES = "MD051,MD057"
PAGE = re.compile(r"\]\(([^)\s#]+\.md)\)")


def check():
    named = {ROOT / "README.md", *(ROOT / page for page in PAGE.findall((ROOT / "README.md").read_text()))}
    unnamed = [str(page.relative_to(ROOT)) for page in pages() if page not in named]
    expect(not unnamed, f"README.md does not name {', '.join(unnamed)}")
    told = run(of_pip(*RUMDL) / "rumdl", "check", "--no-config", "--no-cache", "--no-exclude", "--enable", RULES, *pages(),
               cwd=ROOT)
    expect(f"in {len(pages())} files" in told, f"rumdl did not look at all {len(pages())} pages: {told}")
    print(f"README.md names {len(pages())} pages, and every link in them leads somewhere")
