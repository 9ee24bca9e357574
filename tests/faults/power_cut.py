"""Power cuts on paper: record the calls of a command, and rebuild what a disk may hold between any two of them.

Each `fsync` is recorded, and every call that opens, renames or removes a file of the watched folder, each with the
content of the folder at this moment. Of a file the disk has at least its content at the last `fsync` of the file, of a
folder at least its names at the last `fsync` of the folder. What came later is there, is missing, or is NUL bytes, by
variants (`VARIANTS`).

Words: a *tree* is the content of the watched folder: {path: (inode, blob)}, where the blob of a folder is None.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import random
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT_VARIABLE, JOURNAL_VARIABLE = "POWER_CUT_ROOT", "POWER_CUT_JOURNAL"
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink"}
"""The audit events of calls that change names or contents, beside those that open a file to write."""
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
Variant = tuple[str, str]
"""What has reached the disk of the names and of the data that were not synced."""
VARIANTS: tuple[Variant, ...] = (
    ("old", "lost"), ("new", "lost"), ("new", "zeros"), ("new", "kept"), ("mixed", "mixed"),
)  # fmt: skip
DOWNTIME = 60.0
"""Seconds that the machine is off."""


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
        for path in (self.root, *self.root.rglob("*")):
            try:
                blob = None if path.is_dir() else self._blob(path)
                tree[str(path.relative_to(self.root))] = path.stat().st_ino, blob
            except FileNotFoundError:
                continue
        return tree

    def _blob(self, path: Path) -> str:
        """Return the name of a copy of this content; the inode is kept from being used for another file."""
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


def begin(root: Path, journal: Path) -> tuple[Recorder, dict[str, object]]:
    """Begin a journal; return the recorder of its first and last event, and variables for programs to be recorded."""
    for name in ("pins", "blobs", "start"):
        (journal / name).mkdir(parents=True)
    start = f"import sys\nsys.path.append({str(Path(__file__).parent)!r})\nimport power_cut\npower_cut.install()\n"
    (journal / "start" / "sitecustomize.py").write_text(start)
    recorder = Recorder(root, journal)
    recorder.event("begin")
    return recorder, {ROOT_VARIABLE: root, JOURNAL_VARIABLE: journal}


@dataclass
class Disk:
    """What is certainly on the disk before each recorded call."""

    journal: Path
    events: list[dict[str, Any]]

    @classmethod
    def of(cls, journal: Path) -> Disk:
        """Read the journal of a command."""
        return cls(journal, [json.loads(line) for line in (journal / "events.jsonl").read_text().splitlines()])

    def rebuild(self, number: int, variant: Variant, folder: Path) -> None:
        """Make the folder as it may be after a power cut before the call of this number."""
        names, data, contents = self._durable(number)
        live = self.events[number]["tree"]
        chance = random.Random(f"{number} {variant}")
        self._rebuild(folder, live["."][0], variant, names, data, contents, _names_of(live), chance)

    def _durable(self, number: int) -> tuple[dict[int, dict[str, Any]], dict[int, str], dict[int, str | None]]:
        """Return ({folder: names when synced}, {file: blob when synced}, {file: last blob}) by inodes."""
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
                (folder / name).write_bytes(self._content(data.get(entry), contents[entry], kind))
                stamp = time.time() - DOWNTIME
                os.utime(folder / name, (stamp, stamp))

    def _content(self, synced: str | None, last: str, kind: str) -> bytes:
        before, after = (
            b"" if blob is None else (self.journal / "blobs" / blob).read_bytes() for blob in (synced, last)
        )
        kept = len(before) if after.startswith(before) else 0
        rest = after[kept:]
        half = after[: kept + len(rest) // 2]
        return {"lost": before, "zeros": after[:kept] + bytes(len(rest)), "half": half, "kept": after}[kind]


def _names_of(tree: Mapping[str, tuple[int, str | None]]) -> dict[int, dict[str, int]]:
    """Return {inode of a folder: {name in it: inode}}."""
    names: dict[int, dict[str, int]] = {inode: {} for inode, blob in tree.values() if blob is None}
    for path, (inode, _) in tree.items():
        if path != ".":
            names[tree[str(Path(path).parent)][0]][Path(path).name] = inode
    return names
