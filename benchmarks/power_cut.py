"""Cut the power of commands that write files: rebuild what a disk may hold then, and run the same command there.

    python benchmarks/power_cut.py [--cuts N] [--case NAME ...] [--lines]

Each command runs once while its calls are recorded: every `fsync`, and every call that opens, renames or removes a
file of its folder, each with the content of the folder at this moment. A power cut is possible between any two of
them. What the disk then has is rebuilt in an empty folder: of a file at least its content at the last `fsync` of the
file, of a folder at least its names at the last `fsync` of the folder. What came later is there, is missing, or is NUL
bytes, by variants (`VARIANTS`). There the command runs again, and must end as the undisturbed run did. At the end of
a command its results must be on the disk without a further call.

Words: a *tree* is the content of the watched folder: {path: (inode, blob)}, where the blob of a folder is None.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fault_trials.works import SELFPLAY
from puzzlelab.nets.onnx_files import is_sealed

ROOT_VARIABLE, JOURNAL_VARIABLE = "POWER_CUT_ROOT", "POWER_CUT_JOURNAL"
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink"}
"""The audit events of calls that change names or contents, beside those that open a file to write."""
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
Variant = tuple[str, str]
"""What has reached the disk of the names and of the data that were not synced."""
VARIANTS: tuple[Variant, ...] = (
    ("old", "lost"),
    ("new", "lost"),
    ("new", "zeros"),
    ("new", "kept"),
    ("mixed", "mixed"),
)
STATUS = (".lock", ".claim", ".log", "progress.json", "state.json", "programs", "tensorboard", "events.out")
"""What names contain that need not be on the disk: it says what a program does, or repeats what other files have."""
SHARDS = "run/shards/"
"""Where a training keeps its samples."""
TEMPORARY = re.compile(r"\.\d+\.\d+$|/writing[^/]*$|\.parts/")
"""The names of files that are not complete yet."""
DOWNTIME = 60.0
"""Seconds that the machine is off."""


# --- recording ------------------------------------------------------------------------------------


class Recorder:
    """Records the calls of this process into a journal, which all processes of a command share."""

    def __init__(self, root: Path, journal: Path) -> None:
        self.root, self.journal = root, journal
        self._busy = threading.local()
        self._lock = threading.Lock()
        self._blobs: dict[tuple[int, int, int], str] = {}
        """(inode, size, time stamp) -> the blob of this content."""

    def install(self) -> None:
        """Observe all later calls of this process."""
        fsync = os.fsync

        def recorded_fsync(descriptor: Any) -> None:
            number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
            self.event("fsync", os.fstat(number).st_ino)
            fsync(number)

        os.fsync = recorded_fsync
        sys.addaudithook(self._audit)

    def _audit(self, name: str, values: tuple[Any, ...]) -> None:
        if getattr(self._busy, "now", False) or sys.is_finalizing():
            return
        if name == "open":
            path, mode, flags = values
            writes = any(sign in mode for sign in "wax+") if isinstance(mode, str) else bool((flags or 0) & WRITES)
            if writes and self._is_inside(path):
                self.event(name)
        elif name in CHANGES and (self._is_inside(values[0]) or any(isinstance(value, int) for value in values[1:2])):
            self.event(name)

    def _is_inside(self, path: object) -> bool:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return False
        return Path(os.path.abspath(os.fsdecode(path))).is_relative_to(self.root)  # noqa: PTH100

    def event(self, name: str, inode: int = 0) -> None:
        """Append an event with the present tree, before the call is made."""
        self._busy.now = True
        try:
            with self._lock, (self.journal / "lock").open("ab") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                line = {"call": name, "inode": inode, "tree": self._tree()}
                with (self.journal / "events.jsonl").open("a") as file:
                    file.write(json.dumps(line) + "\n")
        finally:
            self._busy.now = False

    def _tree(self) -> dict[str, tuple[int, str | None]]:
        tree: dict[str, tuple[int, str | None]] = {}
        for folder, folders, files in os.walk(self.root):
            for name in (".", *folders, *files) if folder == str(self.root) else (*folders, *files):
                path = Path(folder) / name
                try:
                    inode = path.stat().st_ino
                    blob = None if path.is_dir() else self._blob(path)
                except FileNotFoundError:
                    continue
                tree[str(path.relative_to(self.root))] = inode, blob
        return tree

    def _blob(self, path: Path) -> str:
        """The name of a copy of this content; the inode is kept from being used for another file."""
        stat = path.stat()
        key = stat.st_ino, stat.st_size, stat.st_mtime_ns
        if key not in self._blobs:
            pin = self.journal / "pins" / str(stat.st_ino)
            if not pin.exists():
                os.link(path, pin)
            data = path.read_bytes()
            blob = hashlib.sha1(data, usedforsecurity=False).hexdigest()
            copy = self.journal / "blobs" / blob
            if not copy.exists():
                copy.write_bytes(data)
            self._blobs[key] = blob
        return self._blobs[key]


def install() -> None:
    """Record this process, if the environment says where."""
    if ROOT_VARIABLE in os.environ:
        Recorder(Path(os.environ[ROOT_VARIABLE]), Path(os.environ[JOURNAL_VARIABLE])).install()


def record(command: Sequence[str], root: Path, journal: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder `root`, and record it in the new folder `journal` on the same file system."""
    for name in ("pins", "blobs", "start"):
        (journal / name).mkdir(parents=True)
    start = f"import sys\nsys.path.append({str(Path(__file__).parent)!r})\nimport power_cut\npower_cut.install()\n"
    (journal / "start" / "sitecustomize.py").write_text(start)
    recorder = Recorder(root, journal)
    recorder.event("begin")
    paths = [str(journal / "start"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {"PYTHONPATH": os.pathsep.join(paths), ROOT_VARIABLE: str(root), JOURNAL_VARIABLE: str(journal)}
    done = run(command, root, environment)
    recorder.event("end")
    return done


def run(command: Sequence[str], folder: Path, variables: Mapping[str, str] = {}) -> subprocess.CompletedProcess[str]:
    """Run a command of Python there; the result has its output and its errors."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PUZZLELAB_BACKGROUND": "0", **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


# --- rebuilding -----------------------------------------------------------------------------------


@dataclass
class Disk:
    """What is certainly on the disk before each recorded call."""

    journal: Path
    events: list[dict[str, Any]]

    @classmethod
    def of(cls, journal: Path) -> Disk:
        """As the journal of a command says."""
        return cls(journal, [json.loads(line) for line in (journal / "events.jsonl").read_text().splitlines()])

    def rebuild(self, number: int, variant: Variant, folder: Path) -> None:
        """Make the folder as it may be after a power cut before the call of this number."""
        names, data, contents = self._durable(number)
        live = self.events[number]["tree"]
        chance = random.Random(f"{number} {variant}")
        self._rebuild(folder, live["."][0], variant, names, data, contents, _names_of(live), chance)

    def _durable(self, number: int) -> tuple[dict[int, dict[str, Any]], dict[int, str], dict[int, str | None]]:
        """({folder: its names when it was synced}, {file: its blob when it was synced}, {file: its last blob})."""
        first = self.events[0]["tree"]
        names = _names_of(first)
        data = {inode: blob for inode, blob in first.values() if blob is not None}
        contents: dict[int, str | None] = {}
        for event in self.events[: number + 1]:
            contents.update(event["tree"].values())
        for event in self.events[:number]:
            inode = event["inode"]
            blobs = dict(event["tree"].values())
            if event["call"] == "fsync" and inode in blobs:
                if blobs[inode] is None:
                    names[inode] = _names_of(event["tree"]).get(inode, {})
                else:
                    data[inode] = blobs[inode]
        return names, data, contents

    def _rebuild(self, folder: Path, inode: int, variant: Variant, *known: Any) -> None:
        names, data, contents, live, chance = known
        folder.mkdir(exist_ok=True)
        old, new = names.get(inode, {}), live.get(inode, {})
        for name in sorted({*old, *new}):
            which = chance.choice(("old", "new")) if variant[0] == "mixed" else variant[0]
            entry = (old if which == "old" else new).get(name)
            if entry is None:
                continue
            if contents.get(entry) is None:
                self._rebuild(folder / name, entry, variant, *known)
            else:
                kind = chance.choice(("lost", "zeros", "kept", "half")) if variant[1] == "mixed" else variant[1]
                content = self._content(data.get(entry), contents[entry], kind)
                (folder / name).write_bytes(content)
                stamp = time.time() - DOWNTIME
                os.utime(folder / name, (stamp, stamp))

    def _content(self, synced: str | None, last: str, kind: str) -> bytes:
        synced_bytes, last_bytes = self._bytes(synced), self._bytes(last)
        kept = len(synced_bytes) if last_bytes.startswith(synced_bytes) else 0
        rest = last_bytes[kept:]
        return {
            "lost": synced_bytes,
            "zeros": last_bytes[:kept] + bytes(len(rest)),
            "half": last_bytes[: kept + len(rest) // 2],
            "kept": last_bytes,
        }[kind]

    def _bytes(self, blob: str | None) -> bytes:
        return b"" if blob is None else (self.journal / "blobs" / blob).read_bytes()


def _names_of(tree: Mapping[str, tuple[int, str | None]]) -> dict[int, dict[str, int]]:
    """{inode of a folder: {name in it: inode}}."""
    names: dict[int, dict[str, int]] = {inode: {} for inode, blob in tree.values() if blob is None}
    for path, (inode, _) in tree.items():
        if path != ".":
            names[tree[str(Path(path).parent)][0]][Path(path).name] = inode
    return names


def content_of(folder: Path) -> dict[str, bytes]:
    """{path: content} of all files below a folder, but for temporary files, which killed programs leave behind."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not TEMPORARY.search(str(path))]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


# --- commands -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A command that writes files, and what of them must be equal after a power cut."""

    name: str
    command: tuple[str, ...]
    inputs: Mapping[str, str] = field(default_factory=dict)
    """The files that the command needs, as text."""
    grows: tuple[str, ...] = ()
    """Files of which no line is lost that was on the disk."""
    results: Callable[[Path], object] = content_of
    """What must be equal in the end."""
    refusal: str = ""
    """What the command says, in place of doing nothing, where everything is complete already."""


def rows_of(folder: Path) -> object:
    """The rows of all files, without the times, in their order of boards."""
    return {
        name: sorted(
            json.dumps({key: value for key, value in json.loads(line).items() if key not in ("seconds", "date")})
            for line in content.splitlines()
            if not line.startswith(b'{"batch"')
        )
        for name, content in content_of(folder).items()
        if name.endswith(".jsonl")
    }


def training_of(folder: Path) -> object:
    """The network and the metrics of a run, without the times."""
    times = ("seconds", "rate", "waited", "hours")
    lines = [json.loads(line) for line in (folder / "run" / "metrics.jsonl").read_text().splitlines()]
    metrics = [{name: value for name, value in line.items() if name not in times} for line in lines]
    name = (folder / "run" / "champion").read_text().strip()
    weights = (folder / "run" / "nets" / f"{name}.safetensors").read_bytes()
    is_whole = is_sealed((folder / "run" / "nets" / f"{name}.onnx").read_bytes())
    return metrics, name, hashlib.sha256(weights).hexdigest(), is_whole, (folder / "run" / "done").read_text()


def self_play_of(folder: Path) -> object:
    """Whether a run is done and its networks exist: after a kill another network may come out."""
    run_folder = folder / "run"
    nets = [(run_folder / name).read_text().strip() for name in ("champion", "latest", "done")]
    matches = [json.loads(line) for line in (run_folder / "matches.jsonl").read_text().splitlines()]
    files = [run_folder / "nets" / f"{net}{ending}" for net in nets for ending in (".safetensors", ".onnx")]
    return [path.exists() for path in files], bool(matches)


BOARDS = "".join(
    f"{board}\n" for board in ("867254301", "123456078", "812043765", "123480765", "536407182", "647850321")
)
TRAINING = 'learning = { steps = 40, batch_size = 20, precision = "float32", save_seconds = 0.05 }\nseed = 5\n'
IMITATION = f"""puzzle = "dust-4x3x3"
{TRAINING}
network = {{ kind = "dense", width = 8, depth = 1 }}
teacher = {{ solver_options = {{ width = 3 }} }}
data = {{ shard_games = 20, buffer_size = 100, replay_ratio = 2.0 }}
evaluation = {{ every = 10, boards = 4, teacher_games = 4 }}
"""
DQN = f"""puzzle = "tiles-2x3"
{TRAINING}
parallel_games = 20
max_moves = 12
network = {{ kind = "dense", width = 8, depth = 1, heads = ["q", "cost_to_go"] }}
replay = {{ size = 500, alpha = 0.6 }}
evaluation = {{ every = 10, boards = 4, scale = "uniform", max_moves = 20 }}
curriculum = {{ random_walk_share = 1.0, initial_difficulty = 4, max_difficulty = 20 }}
"""
COMPLETE = "exists already"
SUDOKU = ("generate", "sudoku-9x9", "--mix", "doubling", "--count", "3000", "--seed", "7", "--jobs", "1", "--out")


def _case(name: str, words: Sequence[str], inputs: Mapping[str, str] = {}, **more: Any) -> Case:
    return Case(name, ("-m", "puzzlelab", *words), inputs, **more)


def _training(name: str, config: str, words: Sequence[str], results: Callable[[Path], object] = training_of) -> Case:
    return _case(name, [*words, "--config", "small.toml"], {"small.toml": config}, results=results)


CASES = (
    _case(
        "solve",
        ("solve", "tiles-3x3", "--file", "boards.txt", "--out", "out/rows.jsonl", "--json"),
        {"boards.txt": BOARDS},
        grows=("out/rows.jsonl",),
        results=rows_of,
    ),
    _case(
        "bench",
        ("bench", "tiles-3x3", "boards.txt", "--with", "ida,greedy", "--jobs", "1", "--out", "rows"),
        {"boards.txt": BOARDS},
        results=rows_of,
    ),
    _case("generate", ("generate", "dust-4x3x3", "--level", "2", "--count", "30", "--seed", "7", "--out", "b.txt")),
    _case("generate csv", (*SUDOKU, "b.csv"), refusal=COMPLETE),
    _case("generate parquet", (*SUDOKU, "b.parquet"), refusal=COMPLETE),
    _case("teach", ("teach", "dust-4x3x3", "--count", "400", "--shard", "100", "--seed", "3", "--out", "samples")),
    _training("train imitation", IMITATION, ("train", "imitation", "--run", "run")),
    _training("train dqn", DQN, ("train", "dqn", "--run", "run")),
    _training("selfplay", SELFPLAY, ("selfplay", "run", "run", "--workers", "0"), self_play_of),
)


# --- trying ---------------------------------------------------------------------------------------


@dataclass
class Tries:
    """The power cuts of one command."""

    held: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """All of them."""
        return self.held + len(self.faults)


def try_case(case: Case, cuts: int | None = None) -> Tries:
    """Record a command, and cut its power at up to `cuts` moments, by default before every call."""
    tries = Tries()
    with tempfile.TemporaryDirectory() as name:
        base, root = Path(name), Path(name) / "whole"
        _prepare(case, root)
        done = record(case.command, root, base / "journal")
        if done.returncode > 1:  # 1: a board has no solution
            return Tries(0, [f"the command fails: {done.stderr.strip()[-300:]}"])
        disk, expected = Disk.of(base / "journal"), case.results(root)
        tries.faults += [f"at the end {path} is not on the disk" for path in lost_at_the_end(disk, root, base / "end")]
        tries.held += not tries.faults
        for number, variant, folder in _different_disks(disk, base, cuts):
            fault = _continue(case, folder, done.returncode, expected)
            if fault:
                tries.faults.append(f"before call {number} ({disk.events[number]['call']}), {variant}: {fault}")
            tries.held += not fault
            shutil.rmtree(folder)
    return tries


def _prepare(case: Case, root: Path) -> None:
    root.mkdir()
    for name, text in case.inputs.items():
        (root / name).write_text(text)


def lost_at_the_end(disk: Disk, root: Path, folder: Path) -> list[str]:
    """The files that a power cut after the end of the command would lose or change, but for status files.

    Files that the command removed may be there again. A finished training may lose its last shard: its generator is
    ended while it works ahead, perhaps between the renaming of a shard and the sync of the folder.
    """
    disk.rebuild(len(disk.events) - 1, ("old", "lost"), folder)
    left, whole = content_of(folder), content_of(root)
    paths = [path for path in whole if left.get(path) != whole[path]]
    last_shard = max((path for path in whole if path.startswith(SHARDS)), default="")
    return [path for path in paths if path != last_shard and not any(sign in path for sign in STATUS)]


def _different_disks(disk: Disk, base: Path, cuts: int | None) -> Iterator[tuple[int, Variant, Path]]:
    """(number of the call, variant, folder) of all disks that differ, at up to `cuts` moments."""
    last = len(disk.events) - 1
    count = last if cuts is None else min(cuts, last)
    numbers = sorted({round(index * last / count) for index in range(1, count + 1)})
    seen = set()
    for number in numbers:
        for variant in VARIANTS:
            folder = base / "cut"
            disk.rebuild(number, variant, folder)
            key = hashlib.sha256(repr(content_of(folder)).encode()).hexdigest()
            if key in seen:
                shutil.rmtree(folder)
                continue
            seen.add(key)
            yield number, variant, folder


def _continue(case: Case, folder: Path, code: int, expected: object) -> str:
    """Run the command again; what is wrong then, empty if nothing is."""
    before = {name: _good_lines(folder / name) for name in case.grows}
    done = run(case.command, folder)
    is_refusal = bool(case.refusal) and case.refusal in done.stderr
    if "Traceback" in done.stderr or (done.returncode != code and not is_refusal):
        return f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
    if lost := [name for name, lines in before.items() if not lines <= _good_lines(folder / name)]:
        return f"lines are lost of {', '.join(lost)}"
    try:
        return "" if case.results(folder) == expected else "other results than those of the undisturbed run"
    except (OSError, ValueError) as error:
        return f"the results cannot be read: {error}"


def _good_lines(path: Path) -> set[bytes]:
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return {line for line in lines if line.endswith(b"\n") and b"\0" not in line}


def main(words: Sequence[str] | None = None) -> int:
    """Print how many power cuts each command survives; 0 if all."""
    parser = argparse.ArgumentParser(description="Cut the power of commands that write files.")
    parser.add_argument("--cuts", type=int, help="moments of each command (all between two calls)")
    parser.add_argument("--case", action="append", choices=[case.name for case in CASES], help="only this command")
    parser.add_argument("--lines", action="store_true", help="print a line for each try, not a table")
    options = parser.parse_args(words)
    code = 0
    if not options.lines:
        print(f"{'command':<18} {'tries':>6} {'held':>6} {'lost':>6}")
    for case in CASES:
        if options.case and case.name not in options.case:
            continue
        tries = try_case(case, options.cuts)
        code = code or int(bool(tries.faults))
        if options.lines:
            lines = [f"held: {case.name}"] * tries.held + [f"lost: {case.name}, {fault}" for fault in tries.faults]
            print("\n".join(lines), flush=True)
            continue
        print(f"{case.name:<18} {tries.count:>6} {tries.held:>6} {len(tries.faults):>6}", flush=True)
        for fault in tries.faults:
            print(f"    {fault}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
