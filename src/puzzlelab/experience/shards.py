"""Folders of samples: `shard-00000.parquet`, `shard-00001.parquet` ..., and `teacher.json`, which says of what.

A shard ends with the game that fills it, so that no game is cut in two. It is written aside, then renamed: whoever is
killed loses one shard at most. The last one may have room; it is written anew when the folder is gone on with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from puzzlelab.core.errors import BadFile
from puzzlelab.experience.schema import Samples, card_of, from_table, joined, need_arrow, to_table

TEACHER = "teacher.json"


class Shards:
    """A folder that grows in the order of the games; `settings` is what decides its contents."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], size: int) -> None:
        need_arrow()
        self.folder, self.size = folder, size
        self.settings = json.loads(json.dumps({**settings, "shard": size}))
        self.rows, self.games = 0, 0
        """Samples that are there, and games that they come from, with those that gave none."""
        self._waiting: list[Samples] = []
        self._first, self._number, self._held = 0, 0, 0
        try:
            self._begin()
        except OSError as error:
            raise BadFile(f"cannot write {folder}: {error.strerror or error}") from None

    def _begin(self) -> None:
        """Make the folder, or find out how far it is."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._examine()
        paths = shard_paths(self.folder)
        for number, path in enumerate(paths):
            rows, card = _facts(path)
            first, end = card["games"]
            if first != self.games:
                raise BadFile(f"{path} begins with game {first:,}, and the one before it ends before {self.games:,}")
            if rows < self.size:
                self._open(path, number, first, last=number == len(paths) - 1)
            else:
                self._number, self._first = number + 1, end
            self.rows, self.games = self.rows + rows, end

    def _open(self, path: Path, number: int, first: int, last: bool) -> None:
        """Go on with the last shard, which has room."""
        if not last:
            raise BadFile(f"{path} has fewer than {self.size:,} samples, and is not the last one")
        samples = read_shard(path)
        self._waiting, self._held = [samples], len(samples)
        self._number, self._first = number, first

    def _examine(self) -> None:
        """See that the folder is new, or was begun with these settings."""
        path = self.folder / TEACHER
        if path.exists():
            held = read_settings(self.folder)
            if held != self.settings:
                raise BadFile(f"{self.folder} was begun with other settings: {_differences(held, self.settings)}")
        elif shard_paths(self.folder):
            raise BadFile(f"{self.folder} holds shards, and no {TEACHER} that says of what: give another folder")
        else:
            aside = self.folder / "writing"
            aside.write_text(json.dumps(self.settings, indent=1) + "\n", encoding="utf-8")
            aside.replace(path)

    def append(self, samples: Samples, games: int, most: int) -> None:
        """Add the samples of the games up to number `games` - 1, as far as the game that brings the rows to `most`."""
        while self.rows < most:
            room = min(self.size - sum(map(len, self._waiting)), most - self.rows)
            if len(samples) < room:
                self._add(samples, games)
                return
            last = int(samples.game[room - 1])
            end = int(np.searchsorted(samples.game, last, side="right"))
            self._add(samples.rows(0, end), last + 1)
            samples = samples.rows(end, len(samples))
            if sum(map(len, self._waiting)) >= self.size:
                self.write()

    def _add(self, samples: Samples, games: int) -> None:
        if len(samples):
            self._waiting.append(samples)
        self.rows, self.games = self.rows + len(samples), games

    def write(self) -> None:
        """Write what waits: a full shard, or at the end the beginning of one."""
        import pyarrow.parquet as pq

        waiting = sum(map(len, self._waiting))
        if waiting > self._held:
            card = {**self.settings, "games": [self._first, self.games]}
            aside = self.folder / "writing"
            try:
                table = to_table(joined(self._waiting), card)
                pq.write_table(
                    table, aside, row_group_size=waiting, compression="zstd", use_dictionary=["moves", "remaining"]
                )
                aside.replace(self.folder / f"shard-{self._number:05}.parquet")
            except OSError as error:
                raise BadFile(f"cannot write {self.folder}: {error.strerror or error}") from None
            self._held = waiting
        if waiting >= self.size:
            self._number, self._first, self._held, self._waiting = self._number + 1, self.games, 0, []


def _differences(held: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """In words: which settings differ."""
    names = [name for name in {**held, **asked} if held.get(name) != asked.get(name)]
    told = (f"{name} is {json.dumps(held.get(name))} there, not {json.dumps(asked.get(name))}" for name in names)
    return "; ".join(told)


def shard_paths(folder: Path) -> list[Path]:
    """The shards of a folder in their order."""
    return sorted(path for path in folder.glob("shard-*.parquet") if re.fullmatch(r"shard-\d{5,}", path.stem))


def read_settings(folder: Path) -> dict[str, Any]:
    """What a folder holds; raises `BadFile`."""
    path = folder / TEACHER
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        held = None
    if not isinstance(held, dict):
        raise BadFile(f"{path} does not say what {folder} holds: give another folder")
    return held


def _facts(path: Path) -> tuple[int, Mapping[str, Any]]:
    """The number of rows of a shard and what it says of itself, from the end of the file alone."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(path)
    except (OSError, pa.ArrowException):
        raise BadFile(
            f"{path} is damaged: remove it and the shards after it, and the same command makes them again"
        ) from None
    return metadata.num_rows, card_of(metadata.schema.to_arrow_schema(), path)


def read_shard(path: Path) -> Samples:
    """All samples of one shard; raises `BadFile`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return from_table(pq.read_table(path, partitioning=None))
    except (OSError, pa.ArrowException):
        raise BadFile(f"{path} cannot be read as a shard of samples") from None


def read_shards(folder: Path) -> Iterator[Samples]:
    """The samples of a folder, shard by shard; raises `BadFile`."""
    need_arrow()
    read_settings(folder)
    for path in shard_paths(folder):
        yield read_shard(path)
