"""The picture of a terminal in README.md: what the real command shows, as a drawing that needs no font and no script.

tmux is the terminal, 80 columns wide. What is another in each run, names and durations, is always the same in the
picture, so that it changes only where the command does.
"""

import html
import os
import re
import signal
import subprocess
import time

from checks.base import ENVIRONMENT, PATIENCE, ROOT, binary, expect, run, work_directory
from checks.pages.transcript import NAMES
from checks.tools import of_debian

PICTURE = ROOT / "server" / "guides" / "start.svg"
COLUMNS, ROWS = 80, 60
SCRIPT = r"""
shown() { printf '\033[1m$ %s\033[0m\n' "$1"; }
shown 'catalogue import fixtures/sample'; catalogue import fixtures/sample
shown 'catalogue serve'; exec catalogue serve --listen 127.0.0.1:0 --admin off 2>log
"""
ALWAYS = (
    (NAMES["release"], "20261121T112810Z-ceaada0973494abe"),
    (NAMES["address"], "127.0.0.1:8080"),
    (r"made in \d+\.\d s", "made in 0.1 s"),
)
# The 16 colours of a terminal, on a dark ground.
COLOURS = ("#6e7681", "#ff7b72", "#7ee787", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#e6edf3")
WIDTH, HEIGHT, MARGIN = 8.4, 18, 16


def screen(command, folder):
    """The lines that a terminal shows once the server listens, with their colours."""
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    (folder / "catalogue").symlink_to(command)
    (folder / "script").write_text(SCRIPT)
    tmux = ("tmux", "-S", folder / "socket", "-f", "/dev/null")
    environment = ENVIRONMENT | {"PATH": f"{folder}:{ENVIRONMENT['PATH']}", "LC_ALL": "C.UTF-8"}
    run(*tmux, "new-session", "-d", "-x", COLUMNS, "-y", ROWS, "-c", folder, "bash script", env=environment)
    pane = int(run(*tmux, "display-message", "-p", "#{pane_pid}"))
    try:
        deadline = time.monotonic() + PATIENCE
        while "listening on" not in (shown := run(*tmux, "capture-pane", "-e", "-p")):
            expect(time.monotonic() < deadline, f"the server does not listen:\n{shown}")
            time.sleep(0.1)
    finally:
        # A server outlives its terminal.
        os.kill(pane, signal.SIGTERM)
        subprocess.run([str(part) for part in (*tmux, "kill-server")], check=False)
    return shown.rstrip().splitlines()


def spans(line):
    """The parts of a line of one style each: their column, words and style."""
    column, style = 0, {}
    for number, part in enumerate(re.split(r"\x1b\[([\d;]*)m", line)):
        if number % 2 == 0:
            if part.strip():
                yield column, part, dict(style)
            column += len(part)
            continue
        for code in map(int, filter(None, part.split(";"))) if part else (0,):
            if code in (0, 39):
                style.pop("fill", None)
            if code in (0, 22):
                style.pop("font-weight", None)
                style.pop("opacity", None)
            if code == 1:
                style["font-weight"] = "bold"
            if code == 2:
                style["opacity"] = "0.7"
            if 30 <= code <= 37 or 90 <= code <= 97:
                style["fill"] = COLOURS[code % 10]


def drawing(lines):
    width, height = COLUMNS * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height}" role="img" '
             'aria-label="A terminal: an import of the sample export, then the server">',
             f'<rect width="{width:g}" height="{height}" rx="8" fill="#0d1117"/>',
             '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#e6edf3">']
    for row, line in enumerate(lines):
        for column, words, style in spans(line):
            blank = len(words) - len(words.lstrip())
            written = html.escape(words.strip())
            x, y = MARGIN + (column + blank) * WIDTH, MARGIN + (row + 0.75) * HEIGHT
            # The length holds columns in place, whichever font there is.
            styles = "".join(f' {name}="{value}"' for name, value in style.items())
            parts.append(f'<text x="{x:g}" y="{y:g}" textLength="{len(words.strip()) * WIDTH:g}" xml:space="preserve"'
                         f'{styles}>{written}</text>')
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def check(rewrite):
    of_debian(tmux="tmux")
    with work_directory() as folder:
        lines = screen(binary(), folder)
    for passing, always in ALWAYS:
        lines = [re.sub(passing, always, line) for line in lines]
    drawn = drawing(lines)
    if rewrite:
        PICTURE.write_text(drawn)
    expect(PICTURE.exists() and PICTURE.read_text() == drawn,
           f"{PICTURE.relative_to(ROOT)} is not what the command shows; .ci/pages still --write")
    print(f"{PICTURE.relative_to(ROOT)} is what the command shows")
