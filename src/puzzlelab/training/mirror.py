"""A folder of a run, kept equal in two places by sending what has changed: the driver's folder, and that of a learner.

Each file is written by one side only. What is read together fits together: first the files that name others, such as
`champion`, then those that they name, and last the metrics, of which a saved state names the length. They are written
in the opposite order, so that a driver that is killed meanwhile has a folder from which the run goes on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from puzzlelab.storage.files import make_folder, not_a_link, replace_file, writing

POINTERS = ("champion", "best", "latest", "state.json", "done", "progress.json", "games.jsonl", "matches.jsonl")
"""Files that name others, or say that something is complete."""
NAMED_LENGTH = ("metrics.jsonl", "tensorboard/")
"""Files of which others name the length: a saved state has that of the metrics."""
APPENDED = ("metrics.jsonl", "games.jsonl", "matches.jsonl", "networks.jsonl", "tensorboard/")
"""Files that grow; of those only the new part is sent."""
LEFT_OUT = re.compile(r"(.*/)?([^/]*\.lock|writing-[^/]*|claiming-[^/]*|clock-[^/]*)|(?!tensorboard/).*\.\d+\.\d+")
"""Files of one machine: locks, and files that are being written."""

Stamp = tuple[int, int]
"""(time of the last change, bytes)."""


@dataclass(frozen=True)
class Changes:
    """The changes in a folder, by the names of its files."""

    whole: Mapping[str, bytes] = field(default_factory=dict)
    more: Mapping[str, tuple[int, bytes]] = field(default_factory=dict)
    """File -> (its length before, what was appended)."""
    removed: tuple[str, ...] = ()


@dataclass
class ChangedFiles:
    """The files of a folder that have changed since the last call of `take`."""

    folder: Path
    is_own: Callable[[str], bool] = lambda name: True
    """Whether this side writes a file; of the others only their removal counts."""
    _known: dict[str, Stamp] = field(default_factory=dict)
    _missing: set[str] = field(default_factory=set)
    """Files that had been removed at the last call: the next one tells it, after what has taken their place."""

    def take(self) -> Changes:
        """Return the changes since the last call; a file that is replaced meanwhile is left for the next one."""
        whole, more = dict[str, bytes](), dict[str, tuple[int, bytes]]()
        for name in POINTERS:
            with suppress(FileNotFoundError):
                self._read(name, whole, more)
        names = sorted(_names(self.folder), key=_reading_order)  # listed now: all that the pointers name is there
        for name in names:
            if name not in POINTERS:
                with suppress(FileNotFoundError):
                    self._read(name, whole, more)
        missing = self._known.keys() - set(names)
        removed = tuple(sorted(missing & self._missing))
        self._missing = set(missing - set(removed))
        for name in removed:
            del self._known[name]
        return Changes(whole, more, removed)

    def _read(self, name: str, whole: dict[str, bytes], more: dict[str, tuple[int, bytes]]) -> None:
        path = self.folder / name
        status = path.stat()
        before, stamp = self._known.get(name), (status.st_mtime_ns, status.st_size)
        if before == stamp:
            return
        if self.is_own(name):
            if before is not None and name.startswith(APPENDED) and before[1] <= stamp[1]:
                with path.open("rb") as file:
                    file.seek(before[1])
                    more[name] = before[1], file.read(stamp[1] - before[1])
            else:
                whole[name] = path.read_bytes()
                stamp = stamp[0], len(whole[name])
        self._known[name] = stamp


def write_changes(folder: Path, changes: Changes) -> None:
    """Make the changes in another folder, each file in one step; raises `BadFile`."""
    with writing(folder):
        for name in sorted([*changes.whole, *changes.more], key=_reading_order, reverse=True):
            if name in changes.whole:
                replace_file(_made(folder / name), changes.whole[name])
            else:
                _append(_made(folder / name), *changes.more[name])
        for name in changes.removed:
            (folder / name).unlink(missing_ok=True)


def _append(path: Path, length: int, content: bytes) -> None:
    """Append to what a file had before."""
    with open(path, "r+b" if path.exists() else "w+b", opener=not_a_link) as file:
        file.truncate(length)
        file.seek(length)
        file.write(content)


def _made(path: Path) -> Path:
    make_folder(path.parent)
    return path


def _names(folder: Path) -> list[str]:
    """Return the names of the files that are mirrored, relative to the folder."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return [name for name in names if not LEFT_OUT.fullmatch(name)]


def _reading_order(name: str) -> tuple[int, str]:
    return (0 if name in POINTERS else 2 if name.startswith(NAMED_LENGTH) else 1), name
