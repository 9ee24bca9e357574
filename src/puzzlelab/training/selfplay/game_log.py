"""How many games were played, by whom and how they went: a line for each shard, which outlives the shard.

A shard says the same of itself. So one whose writer was killed before it could add the line counts all the same, and
one that has its line twice counts once.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile
from puzzlelab.experience.shards import facts, numbers, shard_path
from puzzlelab.training.selfplay.jsonl import JsonLines, append


@dataclass(frozen=True)
class GameLogEntry:
    """One shard."""

    number: int
    network: str
    """Who played."""
    shifts: int
    """How hard the boards were: the most random moves that they were scrambled by."""
    games: int
    won: int
    moves: int
    """Of the games that were won."""
    samples: int
    seconds: float
    """For how long they were played."""
    at: float
    """When they were over, in seconds since 1970."""


class GameLog:
    """All entries by their numbers."""

    def __init__(self, path: Path, shards: Path) -> None:
        self.path, self.shards = path, shards
        self._lines = JsonLines(path)
        self._written: set[int] = set()
        self._entries: dict[int, GameLogEntry] = {}

    def entries(self) -> list[GameLogEntry]:
        """What there is by now; raises `BadFile`."""
        self._read()
        for number in numbers(self.shards):
            if number not in self._entries:
                self._take(number)
        return [self._entries[number] for number in sorted(self._entries)]

    def add(self, entry: GameLogEntry) -> None:
        """Add a line."""
        append(self.path, asdict(entry))

    def keep(self, number: int) -> None:
        """See that a shard that is about to go has its line."""
        self._read()
        if number not in self._written and number in self._entries:
            self.add(self._entries[number])

    def _read(self) -> None:
        for line in self._lines.read():
            entry = self._entry(line)
            self._written.add(entry.number)
            self._entries.setdefault(entry.number, entry)

    def _take(self, number: int) -> None:
        """What a shard says of itself, unless it has just gone."""
        path = shard_path(self.shards, number)
        try:
            self._entries[number] = self._entry(facts(path)[1]["played"])
        except (BadFile, KeyError):
            if path.exists():
                raise

    def _entry(self, line: dict[str, Any]) -> GameLogEntry:
        try:
            return GameLogEntry(**line)
        except TypeError:
            raise BadFile(f"{self.path} is damaged: one of its lines does not tell of a shard") from None
