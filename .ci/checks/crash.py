#!/usr/bin/env python3
"""Crash safety of the data directory, proved on the real command.

    .ci/crash all           every point: takes long
    .ci/crash sample [N]    N points, the same ones every time, spread over all of them
    .ci/crash disk          a disk that is full at every possible place; needs root, to mount small disks

Each command that changes releases is traced once to learn every call it makes on its data directory. Then it runs
once per call and fault: killed before the call, or told by the call that the disk is broken or full. After each:
the active release is the old or the new one and every release is whole; a failure was reported as one; the next
import succeeds; and once pruned, the directory holds what one holds that never crashed.

A fault befalls a call of the main thread alone, but one of another thread together with the calls that other threads
have at the same place. Where one of those ends the command first, the point is masked: listed, but not proved here.
That a file written on another thread fails the release is for the unit tests of its writer.

Needs strace. CATALOGUE is the binary; without it, .ci/cargo builds one.
"""

import concurrent.futures
import contextlib
import errno
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "fixtures" / "sample"
POINTS_OF_A_SAMPLE = 300
# Calls that take a file or its name. `close` is left out: what it reports is too late for anybody.
CALLS = """open openat creat read pread64 readv write pwrite64 writev copy_file_range sendfile lseek ftruncate
fallocate fsync fdatasync sync_file_range syncfs flock fcntl rename renameat renameat2 link linkat symlinkat unlink
unlinkat mkdir mkdirat rmdir getdents64 chmod fchmod fchmodat stat lstat fstat newfstatat statx utimensat""".split()
# Calls that may need room on the disk; `openat` only where it creates.
GROWING = {"write", "pwrite64", "writev", "copy_file_range", "ftruncate", "fallocate", "fsync", "fdatasync",
           "rename", "renameat", "renameat2", "link", "linkat", "mkdir", "mkdirat"}
FAULTS = ("KILL", "EIO", "ENOSPC")
# Calls whose failure nobody may pass over: what was to be on the disk is not.
STORING = {"write", "pwrite64", "writev", "fsync", "fdatasync"}
# With this a debug build of the standard library makes sure that an open file is open, and aborts if it is not.
ASSERTED = "F_GETFD"


def stop(message):
    sys.exit(f"crash: {message}")


@dataclass(frozen=True)
class Case:
    """A command, and the data directory that it starts from."""
    name: str
    data: pathlib.Path
    arguments: list


@dataclass(frozen=True)
class Point:
    """A call of a case on some files, by its place among its thread's calls of that name, and what befalls it. Every
    traced thread that comes to that place is befallen, as strace counts each thread's calls by themselves."""
    case: Case
    call: str
    place: int
    fault: str
    files: tuple
    shown: str
    is_main: bool

    def __str__(self):
        return f"{self.case.name}: {self.fault} at {self.call} {self.place}: {self.shown}"


def run(data, *arguments, before=()):
    command = [*before, BINARY, "--data", data, *arguments]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=ENVIRONMENT)


def must(data, *arguments):
    """Runs a command that has to succeed; its answer."""
    done = run(data, *arguments, "--json")
    if done.returncode != 0:
        raise Broken(f"catalogue {' '.join(map(str, arguments))} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


class Broken(Exception):
    """A promise that was not kept."""


def expect(kept, otherwise):
    if not kept:
        raise Broken(otherwise)


# --- what a data directory holds -----------------------------------------------------------------------------------


def contents_of(release):
    """Names a release by its contents, because its id names the time as well."""
    files = json.loads((release / "manifest.json").read_text())["files"]
    return hashlib.sha256(json.dumps(files).encode()).hexdigest()[:8]


def active(data):
    """The contents of the active release, once every release has proved whole."""
    damaged = [release for release in must(data, "releases", "verify")["releases"] if release["damage"]]
    expect(not damaged, f"damaged: {damaged}")
    listed = must(data, "releases", "list")["releases"]
    active = [data / "releases" / release["id"] for release in listed if release["active"]]
    expect(len(active) < 2, "two releases are active")
    return contents_of(active[0]) if active else None


def tree(data):
    """Every path with its mode. Releases of the same contents, as one makes twice where the first could not be
    read, count as one."""
    def named(path):
        parts = path.relative_to(data).parts
        if 1 < len(parts) and parts[0] == "releases" and (release := data.joinpath(*parts[:2], "manifest.json")).exists():
            parts = ("releases", contents_of(release.parent), *parts[2:])
        return f"{'/'.join(parts)} {path.stat().st_mode:o}"
    return {named(path) for path in data.rglob("*")}


def publish_older(data, release, published_at):
    """Publishes the contents of a release under an earlier time."""
    manifest = json.loads((release / "manifest.json").read_text()) | {"publishedAt": published_at}
    text = json.dumps(manifest, indent=2) + "\n"
    name = re.sub("[-:]", "", published_at) + "-" + hashlib.sha256(text.encode()).hexdigest()[:16]
    older = data / "releases" / name
    shutil.copytree(release, older)
    (older / "manifest.json").write_text(text)
    # A release is as young as its directory.
    os.utime(older, (0, 0))


def change_sample(to):
    """The sample with one boat renamed."""
    shutil.copytree(SAMPLE, to)
    boats = to / "boats.ndjson"
    text = boats.read_text()
    expect(text.count('"model":"340"') == 1, "the sample no longer has just one model 340")
    boats.write_text(text.replace('"model":"340"', '"model":"341"'))
    return to


def cases(work):
    """Makes the data directories that the commands start from."""
    new = change_sample(work / "export")
    import_new = ["import", new]
    archive = work / "export.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(new, "export")
    empty, one, two, back, aged = (work / name for name in ("empty", "one", "two", "back", "aged"))
    must(one, "import", SAMPLE)
    old_id = must(one, "releases", "list")["releases"][0]["id"]
    shutil.copytree(one, two)
    must(two, *import_new)
    shutil.copytree(two, back)
    must(back, "releases", "rollback")
    new_id = next(release["id"] for release in must(back, "releases", "list")["releases"] if not release["active"])
    shutil.copytree(one, aged)
    for day in (1, 2, 3):
        publish_older(aged, two / "releases" / new_id, f"2020-01-0{day}T00:00:00Z")
    expect(old_id != new_id and active(aged), "the directories to start from are wrong")
    prunes = "prune" in run(one, "releases", "--help").stdout
    if not prunes:
        print("crash: this binary has no `releases prune`; nothing is pruned", file=sys.stderr)
    return import_new, prunes, [
        Case("first import", empty, ["import", archive]),
        Case("second import", one, import_new),
        Case("import of a former release", back, import_new),
        Case("activate", back, ["releases", "activate", new_id]),
        Case("rollback", two, ["releases", "rollback"]),
        *([Case("prune", aged, ["releases", "prune"])] if prunes else []),
    ]


# --- points ---------------------------------------------------------------------------------------------------------


def strace(output, calls, *options, threads=("-ff",)):
    """A file a thread, in a new directory; of the main thread alone without `threads`. Not with --seccomp-bpf: it would be faster, but some versions then lose the
    signal that kills."""
    output.mkdir()
    return ["strace", *threads, "-y", "-s", "0", "-o", output / "thread", "-e", f"trace={','.join(calls)}", *options]


def lines_of_threads(traced):
    return [file.read_text(errors="replace").splitlines() for file in traced.iterdir()]


def files_in(data, line):
    """The files of a call within `data`, without what it returned, named alike in each run."""
    call = line.rpartition(" = ")[0] or line
    files = re.findall(rf'{re.escape(str(data))}(?![^/">])([^">]*)', call)
    random = r"(?<=/\.staging-)\w+|(?<=/\.new-)\w+|(?<=/\.pruned-)[^/]+|(?<=/#)\d+|\d{8}T\d{6}Z-[0-9a-f]{16}"
    return tuple(re.sub(random, "*", file) for file in files)


def calls_on(data, traced):
    """Name, place in its thread and line of each call on files in `data`, and whether that is the main one, which comes first."""
    is_main = lambda lines: "".join(lines[:1]).startswith("execve(")
    for lines in sorted(lines_of_threads(traced), key=is_main, reverse=True):
        seen = {}
        for line in lines:
            call = line.partition("(")[0]
            seen[call] = seen.get(call, 0) + 1
            if str(data) in line:
                yield call, seen[call], line, is_main(lines)


def points(case, work):
    data, traced = work / "data", work / "traced"
    start(case, data)
    shutil.rmtree(traced, ignore_errors=True)
    done = run(data, *case.arguments, before=strace(traced, ["execve", *CALLS]))
    expect(done.returncode == 0, f"{case.name} fails undisturbed: {done.stderr}")
    tried = set()
    for call, place, line, is_main in calls_on(data, traced):
        files = files_in(data, line)
        if call not in CALLS or ASSERTED in line or (call, place, is_main, files) in tried:
            continue
        tried.add((call, place, is_main, files))
        shown = line.replace(str(data), "DATA")
        can_grow = call in GROWING or (call == "openat" and ("O_CREAT" in line or "O_TMPFILE" in line))
        for fault in FAULTS:
            if fault != "ENOSPC" or can_grow:
                yield Point(case, call, place, fault, files, shown, is_main)


def start(case, data):
    shutil.rmtree(data, ignore_errors=True)
    if case.data.exists():
        shutil.copytree(case.data, data)


# --- trying ---------------------------------------------------------------------------------------------------------


class Prover:
    """Knows what undisturbed commands come to, and holds disturbed ones to it."""

    def __init__(self, import_new, prunes, of_cases, work):
        self.import_new, self.prunes, self.ends = import_new, prunes, {}
        for case in of_cases:
            data = work / "undisturbed"
            start(case, data)
            before = active(data)
            must(data, *case.arguments)
            after = active(data)
            self.ends[case.name] = before, after, self.goes_on(data)

    def goes_on(self, data):
        """The tree once another import, and a clearing away, have succeeded."""
        must(data, *self.import_new)
        if self.prunes:
            must(data, "releases", "prune")
        return active(data), tree(data)

    def try_point(self, point):
        """Whether the point was reached, on its own file; raises where a promise is broken."""
        with tempfile.TemporaryDirectory(dir=WORK) as work:
            data, traced = pathlib.Path(work) / "data", pathlib.Path(work) / "traced"
            start(point.case, data)
            what = "signal=KILL" if point.fault == "KILL" else f"error={point.fault}"
            inject = f"inject={point.call}:{what}:when={point.place}"
            threads = () if point.is_main else ("-ff",)
            done = run(data, *point.case.arguments, before=strace(traced, [point.call], "-e", inject, threads=threads))
            befallen = befallen_calls(point, traced, done)
            self.check(point, data, done, befallen)
            return any(files_in(data, line) == point.files for line in befallen)

    def check(self, point, data, done, befallen):
        before, after, end = self.ends[point.case.name]
        now = active(data)
        expect(now in (before, after), f"the active release is neither the old nor the new one, but {now}")
        is_on_data = any(files_in(data, line) for line in befallen)
        # Of another thread's calls, the same place may be that of the message.
        is_silenced = any(line.startswith("write(2<") for line in befallen)
        if done.returncode == 0:
            expect(now == after, "the command says it succeeded, but did not")
            expect(not (is_on_data and point.call in STORING), "the command says it succeeded, but has not stored all")
        elif point.fault != "KILL" and is_on_data:
            check_told(done, (data, *point.case.arguments), point.fault, is_silenced)
        found = self.goes_on(data)
        expect(found[0] == end[0], f"after the next import {found[0]} is active instead of {end[0]}")
        expect(found[1] == end[1], f"left behind: {found[1] - end[1]}; missing: {end[1] - found[1]}")


def befallen_calls(point, traced, done):
    """The lines of the calls that the fault befell, on any thread."""
    lines = [line for lines in lines_of_threads(traced) for line in lines_of(point.call, lines)[point.place - 1:point.place]]
    if point.fault == "KILL":
        return lines if done.returncode == -signal.SIGKILL else []
    return [line for line in lines if "(INJECTED)" in line]


def lines_of(call, lines):
    return [line for line in lines if line.startswith(f"{call}(")]


def check_told(done, named, fault, is_silenced=False):
    """A failure has its exit status, and a message that names one of the files meant and the reason."""
    expect(done.returncode == 3, f"exit status {done.returncode}: {done.stderr}")
    if is_silenced:
        return
    reason = os.strerror(getattr(errno, fault))
    expect("error: " in done.stderr and any(str(name) in done.stderr for name in named) and reason in done.stderr,
           f"an unclear message: {done.stderr.strip()}")


def try_all(prover, chosen):
    missed, broken = [], []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        tries = {threads.submit(prover.try_point, point): point for point in chosen}
        for number, done in enumerate(concurrent.futures.as_completed(tries), 1):
            point = tries[done]
            try:
                if not done.result():
                    missed.append(point)
            except Broken as error:
                broken.append(point)
                print(f"BROKEN {point}\n       {error}", flush=True)
            if sys.stderr.isatty():
                print(f"\r{number} of {len(chosen)}", end="", file=sys.stderr, flush=True)
    for point in missed:
        print(f"{'not reached' if point.is_main else 'masked'}: {point}")
    masked = sum(not point.is_main for point in missed)
    print(f"{len(chosen)} points tried: {masked} masked, {len(missed) - masked} not reached, {len(broken)} broken")
    return not broken and not any(point.is_main for point in missed)


def crash(work, sample):
    if not shutil.which("strace"):
        stop("strace is missing; install it: apt-get install strace")
    import_new, prunes, of_cases = cases(work)
    every = [point for case in of_cases for point in points(case, work)]
    for case in of_cases:
        print(f"{case.name}: {sum(point.case is case for point in every)} points")
    count = min(sample or len(every), len(every))
    chosen = [every[index * len(every) // count] for index in range(count)]
    return try_all(Prover(import_new, prunes, of_cases, work), chosen)


# --- full disks -----------------------------------------------------------------------------------------------------


# What a disk runs out of: the size of one, and how many are taken.
RESOURCES = {"size": (4096, lambda disk: disk.f_blocks - disk.f_bfree),
             "nr_inodes": (1, lambda disk: disk.f_files - disk.f_ffree)}
ROOM = {"size": 64 * 1024 * 1024, "nr_inodes": 10_000}


@contextlib.contextmanager
def disk(at, option):
    at.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", option, "tmpfs", at], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", at], check=True)
        at.rmdir()


def limit(at, resource, amount):
    subprocess.run(["mount", "-o", f"remount,{resource}={amount}", at], check=True)


def try_disk(at, case, resource, more):
    """Whether the import fits onto a disk that has so much more than its data directory takes."""
    unit, taken = RESOURCES[resource]
    with disk(at, f"{resource}={ROOM[resource]}"):
        data = at / "data"
        shutil.copytree(case.data, data)
        before = active(data)
        limit(at, resource, (taken(os.statvfs(at)) + more) * unit)
        done = run(data, *case.arguments)
        if done.returncode == 0:
            return True
        check_told(done, [data], "ENOSPC")
        expect(active(data) == before, "the active release has changed")
        left = list(data.rglob(".*"))
        expect(not left, f"left behind: {left}")
        limit(at, resource, ROOM[resource])
        must(data, *case.arguments)
        expect(active(data) != before, "the next import did not change the active release")
        return False


def full_disks(work):
    if os.geteuid() != 0:
        print("crash: skipped full disks: only root can mount small ones")
        return True
    _, _, of_cases = cases(work)
    case = next(case for case in of_cases if case.name == "second import")
    for resource in RESOURCES:
        more = 0
        while not try_disk(work / "disk", case, resource, more):
            more += 1
        print(f"full disk: of {resource}, 0 to {more - 1} more were too few, as was told; {more} were enough")
    return True


def binary():
    if "CATALOGUE" in os.environ:
        return pathlib.Path(os.environ["CATALOGUE"]).resolve()
    subprocess.run([ROOT / ".ci" / "cargo", "build", "--quiet", "-p", "cli"], check=True, cwd=ROOT)
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    target = os.environ.get("CARGO_TARGET_DIR") or cache / "boat-catalogue" / "target"
    return pathlib.Path(target) / "debug" / "catalogue"


def main(arguments):
    match arguments:
        case ["all"]:
            return crash(WORK, None)
        case ["sample"]:
            return crash(WORK, POINTS_OF_A_SAMPLE)
        case ["sample", count] if count.isdecimal() and int(count):
            return crash(WORK, int(count))
        case ["disk"]:
            return full_disks(WORK)
        case _:
            stop(__doc__)


ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("CATALOGUE_")}
if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="catalogue-crash-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as directory:
        BINARY, WORK = binary(), pathlib.Path(directory)
        try:
            sys.exit(0 if main(sys.argv[1:]) else 1)
        except Broken as error:
            stop(error)
