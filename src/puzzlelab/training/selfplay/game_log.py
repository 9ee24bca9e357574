"""The log of played games: one line per shard, which remains when the shard is removed.

Each shard also holds its own entry. So a shard counts even if its writer was killed before it could append the line,
and a shard with two lines counts once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import ConfigDict, TypeAdapter

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.engine import report
from puzzlelab.experience.curriculum import StartSampler
from puzzlelab.experience.shards import facts, numbers, set_aside, shard_path
from puzzlelab.storage.lines import JsonLines

T = TypeVar("T")


@dataclass(frozen=True)
class GameLogEntry:
    """The games of one shard."""

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    number: int
    network: str
    """The network that played."""
    scramble_length: int
    """The difficulty of the boards: the greatest number of random moves from the goal."""
    games: int
    won: int
    moves: int
    """The moves of the games that were won."""
    samples: int
    seconds: float
    """The playing time."""
    at: float
    """The time when the games were finished, in seconds since 1970."""


ENTRY = TypeAdapter(GameLogEntry)
"""Checks the types of an entry's fields."""


class GameLog:
    """The complete shards, and the difficulty that results from their games.

    Entries are yielded once, and only those after a gap are kept, so that a long run needs little memory.
    """

    def __init__(
        self, path: Path, shards: Path, repairs: bool = False, start_sampler: StartSampler | None = None
    ) -> None:
        """Read the log. With `repairs`, damaged shards without a line are set aside, with a note; else they are passed
        over.

        `start_sampler` is the sampler of boards before the first game.
        """
        self.path, self.shards, self.repairs = path, shards, repairs
        self.below = 0
        """The least number of a shard that was never made."""
        self._later: dict[int, GameLogEntry] = {}
        """The entries of shards after the first gap."""
        self._start_sampler = start_sampler
        """The sampler of boards after the games before the first gap."""
        self._lines = JsonLines(path, shared=True)
        self._unlogged: dict[int, GameLogEntry] = {}
        """The entries that are only in their shards."""
        self._sizes: dict[int, int] = {}

    def __contains__(self, number: object) -> bool:
        """Tell whether the shard of this number was made, as far as `new_entries` has read."""
        return isinstance(number, int) and (number < self.below or number in self._later)

    def __len__(self) -> int:
        """Return the number of shards that were made, as far as `new_entries` has read."""
        return self.below + len(self._later)

    def new_entries(self) -> Iterator[GameLogEntry]:
        """Yield the entries of shards that were not there when it was called before; raises `BadFile`."""
        for line in self._lines.new_lines():
            entry = typed(ENTRY, line, self.path, "a shard")
            self._unlogged.pop(entry.number, None)
            if entry.number not in self:
                self._add(entry)
                yield entry
        for number in numbers(self.shards):
            if number not in self and (unlogged := self._read_shard(number)) is not None:
                self._unlogged[number] = unlogged
                self._add(unlogged)
                yield unlogged

    def update(self) -> None:
        """Read the new entries; raises `BadFile`."""
        for _ in self.new_entries():
            pass

    def _add(self, entry: GameLogEntry) -> None:
        self._later[entry.number] = entry
        while (complete := self._later.pop(self.below, None)) is not None:
            self.below += 1
            if self._start_sampler is not None:
                _count(complete, self._start_sampler)

    def start_sampler(self) -> StartSampler:
        """Return the sampler of boards at the difficulty that results from the games so far; raises `BadFile`."""
        self.update()
        assert self._start_sampler is not None
        start_sampler = replace(self._start_sampler)
        for number in sorted(self._later):
            _count(self._later[number], start_sampler)
        return start_sampler

    def sizes(self) -> dict[int, int]:
        """Return the number of samples of each complete shard that is there, in the order of their numbers."""
        present = [number for number in numbers(self.shards) if number in self]
        self._sizes = {number: self._sizes.get(number) or self._size(number) for number in present}
        return self._sizes

    def _size(self, number: int) -> int:
        with suppress(BadFile):
            return facts(shard_path(self.shards, number))[0]
        return 0

    def add(self, entry: GameLogEntry) -> None:
        """Append a line, which is on the disk afterwards."""
        self._lines.append(asdict(entry))
        self._lines.sync()

    def ensure_logged(self, number: int) -> None:
        """Append the line of a shard that is about to be removed, if it is missing; all lines are then on the disk."""
        self.update()
        if (entry := self._unlogged.pop(number, None)) is not None:
            self.add(entry)
        self._lines.sync()

    def log_missing(self) -> None:
        """Append the lines that killed generators have not written."""
        self.update()
        for number in sorted(self._unlogged):
            self.ensure_logged(number)

    def _read_shard(self, number: int) -> GameLogEntry | None:
        """Return the entry in a shard, None if the shard is damaged or has just been removed."""
        path = shard_path(self.shards, number)
        with suppress(BadFile, KeyError, TypeError):
            entry = typed(ENTRY, facts(path)[1]["played"], self.path, "a shard")
            if entry.number == number:
                return entry
        if path.exists() and self.repairs:
            report.note(f"{path} is damaged: its games are played again, and it is kept as {set_aside(path).name}")
        return None


def typed(adapter: TypeAdapter[T], line: dict[str, Any], path: Path, meaning: str) -> T:
    """Return a line of a log as a value of its type; raises `BadFile` if it does not describe, say, `a shard`."""
    try:
        return adapter.validate_python(line)
    except (TypeError, ValueError, AttributeError):
        raise BadFile(
            f"{path} is damaged: the line {shorten(str(line), 60)} does not describe {meaning}; "
            "put the file back, or remove this line"
        ) from None


def _count(entry: GameLogEntry, start_sampler: StartSampler) -> None:
    """Let games of the present difficulty count for the next one."""
    if entry.scramble_length == start_sampler.difficulty:
        start_sampler.ended(entry.games, entry.won)
