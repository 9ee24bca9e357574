"""The log of played games: one line per shard, which remains when the shard is removed.

Each shard also holds its own entry. So a shard counts even if its writer was killed before it could append the line,
and a shard with two lines counts once.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.core.files import JsonLines
from puzzlelab.core.settings import with_new_names
from puzzlelab.engine import report
from puzzlelab.experience.shards import facts, numbers, set_aside, shard_path

RENAMED = {"shifts": "scramble_length"}
"""Old names of fields in files -> present ones."""


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
    """The entries of all shards by their numbers."""

    def __init__(self, path: Path, shards: Path, repairs: bool = False) -> None:
        """With `repairs`, damaged shards without a line are renamed, with a note; else they are passed over."""
        self.path, self.shards, self.repairs = path, shards, repairs
        self._lines = JsonLines(path, shared=True)
        self._logged: set[int] = set()
        self._entries: dict[int, GameLogEntry] = {}

    def entries(self) -> list[GameLogEntry]:
        """All entries so far; raises `BadFile`."""
        self._read()
        for number in numbers(self.shards):
            if number not in self._entries:
                self._read_shard(number)
        return [self._entries[number] for number in sorted(self._entries)]

    def add(self, entry: GameLogEntry) -> None:
        """Append a line, which is on the disk afterwards."""
        self._lines.append(asdict(entry))
        self._lines.sync()

    def ensure_logged(self, number: int) -> None:
        """Append the line of a shard that is about to be removed, if it is missing; all lines are then on the disk."""
        self._read()
        if number not in self._logged and number in self._entries:
            self.add(self._entries[number])
        self._lines.sync()

    def log_missing(self) -> None:
        """Append the lines that killed generators have not written."""
        for entry in self.entries():
            self.ensure_logged(entry.number)

    def _read(self) -> None:
        for line in self._lines.read():
            entry = self._entry(line)
            self._logged.add(entry.number)
            self._entries.setdefault(entry.number, entry)

    def _read_shard(self, number: int) -> None:
        """Read the entry in a shard, unless the shard is damaged or has just been removed."""
        path = shard_path(self.shards, number)
        with suppress(BadFile, KeyError, TypeError):
            entry = self._entry(facts(path)[1]["played"])
            if entry.number == number:
                self._entries[number] = entry
                return
        if path.exists() and self.repairs:
            report.note(f"{path} is damaged: its games are played again, and it is kept as {set_aside(path).name}")

    def _entry(self, line: dict[str, Any]) -> GameLogEntry:
        try:
            return ENTRY.validate_python(with_new_names(line, RENAMED))
        except (TypeError, ValueError, AttributeError):
            raise BadFile(
                f"{self.path} is damaged: the line {shorten(str(line), 60)} does not describe a shard; "
                "put the file back, or remove this line"
            ) from None
