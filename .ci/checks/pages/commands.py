"""Whether every command in the pages still prints what the page shows.

The `console` blocks of a page are one session, in an empty data directory, beside everything that the repository has at
its top. What needs another machine, root or a container stands in `sh` blocks, which are counted and not run.
"""

import contextlib
import difflib
import os
import re
import selectors
import shutil
import signal
import subprocess
import time

from checks.base import ENVIRONMENT, PATIENCE, ROOT, Broken, binary, expect, work_directory
from checks.pages import pages
from checks.pages.transcript import Names, commands, form, pairs
from checks.tools import of_debian

END = "-- the command has ended --"
# What changes more than the folder that it runs in.
ELSEWHERE = re.compile(r"\b(?:sudo|docker|systemctl|apt-get)\b")
# Servers take ports that are free: those of the pages may be taken.
SERVE, FREE = "catalogue serve", "catalogue serve --listen 127.0.0.1:0 --admin 127.0.0.1:0"


class Shell:
    """A shell that runs commands one after the other, with the command on its path."""

    def __init__(self, command, folder):
        for entry in ROOT.iterdir():
            if not entry.name.startswith("."):
                (folder / entry.name).symlink_to(entry)
        tools = folder / ".bin"
        tools.mkdir()
        (tools / "catalogue").symlink_to(command)
        environment = ENVIRONMENT | {"PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen(("bash", "--noprofile", "--norc"), cwd=folder, env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        start_new_session=True)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.rest = ""

    def run(self, command, enough):
        """What a command prints until it has ended and that is enough."""
        self.process.stdin.write(f"{command}\necho '{END}'\n")
        self.process.stdin.flush()
        deadline, ended, lines = time.monotonic() + PATIENCE, False, []
        while not (ended and enough(lines)):
            line = self.line(deadline)
            expect(line is not None, f"`{command}` printed only\n" + "\n".join(lines))
            # A line without a break may stand before the mark.
            before, mark, _ = line.partition(END)
            ended |= bool(mark)
            if before or not mark:
                lines.append(before)
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def line(self, deadline):
        """The next line; None where none comes in time."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while "\n" not in self.rest:
                if not selector.select(max(0, deadline - time.monotonic())):
                    return None
                if not (more := self.process.stdout.read()):
                    return None
                self.rest += more
        line, self.rest = self.rest.split("\n", 1)
        return line.rstrip("\r")

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def replay(page, command):
    """Runs the commands of a page; each that prints something else, with what it prints, in the names of the page."""
    names, changed = Names(), []
    with work_directory() as folder:
        shell = Shell(command, folder)
        try:
            for one in commands(page.read_text()):
                expect(not ELSEWHERE.search(one.text), f"{page}:{one.first}: `{one.text}` belongs in an `sh` block")
                # What goes on in the background prints after the shell asks again.
                waits = len(one.output) if one.text.endswith("&") else 0
                printed = shell.run(names.to_real(one.text).replace(SERVE, FREE), lambda lines: len(lines) >= waits)
                if (found := pairs(one.output, printed)) is None:
                    names.learn([(a, b) for a, b in zip(one.output, printed) if form(a) == form(b)])
                    changed.append((one, [names.to_page(line) for line in printed]))
                else:
                    names.learn(found)
        finally:
            shell.end()
    return changed


def write(page, changed):
    """Puts what was printed in the place of what the page shows."""
    lines = page.read_text().splitlines()
    for one, printed in reversed(changed):
        start = one.first + one.text.count("\n")
        lines[start:start + len(one.output)] = printed
    page.write_text("\n".join(lines) + "\n")


def check(rewrite):
    of_debian(curl="curl")
    command, run, broken = binary(), 0, []
    if shutil.which("bash") is None:
        raise Broken("the pages are tried with bash")
    for page in pages():
        name, text = page.relative_to(ROOT), page.read_text()
        shown = commands(text)
        run += len(shown)
        changed = replay(page, command) if shown else []
        if changed and rewrite:
            write(page, changed)
            print(f"{name}: {len(changed)} outputs rewritten")
            continue
        for one, printed in changed:
            difference = difflib.unified_diff([form(line) for line in one.output], [form(line) for line in printed],
                                              "the page", "the command", lineterm="")
            broken.append("\n".join([f"{name}:{one.first}: `{one.text}`", *difference]))
    expect(run, "the pages have no commands, so the check does not see them")
    expect(not broken, "\n\n".join([f"{len(broken)} commands print something else; .ci/pages commands --write", *broken]))
    left = sum(page.read_text().count("\n```sh\n") for page in pages())
    print(f"{run} commands print what the pages show; {left} blocks for other machines are not run")
