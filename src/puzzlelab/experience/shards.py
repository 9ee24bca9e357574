"""Folders of samples: `shard-00000.parquet`, `shard-00001.parquet` ..., and `teacher.json`, which says of what.

A shard ends with the game that fills it, so that no game is cut in two. It is written aside, then renamed: whoever is
killed loses one shard at most. The last one may have room; it is written anew when the folder is gone on with.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from puzzlelab.core.errors import BadFile
from puzzlelab.experience.schema import (
    Kind,
    SampleColumns,
    TrainingSamples,
    card_of,
    from_table,
    joined,
    need_arrow,
    to_table,
)

TEACHER = "teacher.json"


@dataclass(frozen=True)
class _State:
    """How far a folder is: replaced as a whole, so that Ctrl-C at any place leaves one that is right."""

    rows: int = 0
    """Samples, with those that wait to be written."""
    games: int = 0
    """Games that they come from, with those that gave none."""
    number: int = 0
    """The shard that is filled now."""
    first: int = 0
    """Its first game."""
    waiting: tuple[TrainingSamples, ...] = ()
    """Its samples."""
    held: int = 0
    """How many of them are in its file already."""

    @property
    def filled(self) -> int:
        """Samples in the shard that is filled now."""
        return sum(map(len, self.waiting))

    def with_more(self, samples: TrainingSamples, games: int) -> _State:
        """With the samples of the games before number `games`."""
        waiting = (*self.waiting, samples) if len(samples) else self.waiting
        return replace(self, rows=self.rows + len(samples), games=games, waiting=waiting)


class Shards:
    """A folder that grows in the order of the games; `settings` is what decides its contents."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], size: int) -> None:
        need_arrow()
        self.folder, self.size = folder, size
        self.settings = json.loads(json.dumps({**settings, "shard": size}))
        self._state = _State()
        begin(folder, self.settings)
        self._find()

    @property
    def rows(self) -> int:
        """Samples that are there."""
        return self._state.rows

    @property
    def games(self) -> int:
        """Games that they come from, with those that gave none."""
        return self._state.games

    def _find(self) -> None:
        """Find out how far the folder is."""
        paths = shard_paths(self.folder)
        for number, path in enumerate(paths):
            rows, card = facts(path)
            first, end = card["games"]
            if first != self.games:
                raise BadFile(f"{path} begins with game {first:,}, and the one before it ends before {self.games:,}")
            if rows >= self.size:
                self._state = _State(self.rows + rows, end, number + 1, end)
            elif number < len(paths) - 1:
                raise BadFile(f"{path} has fewer than {self.size:,} samples, and is not the last one")
            else:
                self._state = _State(self.rows + rows, end, number, first, (read_shard(path),), rows)

    def append(self, samples: TrainingSamples, games: int, most: int) -> None:
        """Add the samples of the games up to number `games` - 1, as far as the game that brings the rows to `most`."""
        while self.rows < most:
            room = min(self.size - self._state.filled, most - self.rows)
            if len(samples) < room:
                self._state = self._state.with_more(samples, games)
                return
            last = int(samples.game[room - 1])
            end = int(np.searchsorted(samples.game, last, side="right"))
            self._state = self._state.with_more(samples.rows(0, end), last + 1)
            samples = samples.rows(end, len(samples))
            if self._state.filled >= self.size:
                self.write()

    def write(self) -> None:
        """Write what waits: a full shard, or at the end the beginning of one."""
        state = self._state
        if state.filled > state.held:
            card = {**self.settings, "games": [state.first, state.games]}
            save(self.folder, state.number, joined(state.waiting), card)
            self._state = replace(state, held=state.filled)
        if state.filled >= self.size:
            self._state = _State(state.rows, state.games, state.number + 1, state.games)


def begin(folder: Path, settings: Mapping[str, Any]) -> None:
    """Make a folder for samples of these settings, or see that it was begun with them; one without a shard was not.

    Raises `BadFile` for a folder of something else, or one that cannot be written.
    """
    asked = json.loads(json.dumps(settings))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path, begun = folder / TEACHER, bool(shard_paths(folder))
        if not path.exists() and begun:
            raise BadFile(f"{folder} holds shards, and no {TEACHER} that says of what: give another folder")
        held = read_settings(folder) if path.exists() else None
        if held is not None and held != asked and begun:
            raise BadFile(f"{folder} was begun with other settings: {_differences(held, asked)}")
        if held != asked:
            text = json.dumps(asked, indent=1) + "\n"
            aside = folder / f"writing-{uuid.uuid4().hex}"
            aside.write_text(text, encoding="utf-8")
            aside.replace(path)
    except OSError as error:
        raise BadFile(f"cannot write {folder}: {error.strerror or error}") from None


def save(folder: Path, number: int, samples: SampleColumns, card: Mapping[str, Any], aside: str = "writing") -> Path:
    """Write a shard with what its samples are under the name `aside`, then rename it.

    Raises `BadFile` where that cannot be done.
    """
    import pyarrow.parquet as pq

    table, path = to_table(samples, card), shard_path(folder, number)
    repeated = [name for name in samples.columns if name in ("moves", "shares", "remaining")]
    form = {"row_group_size": max(1, len(samples)), "compression": "zstd", "use_dictionary": repeated}
    try:
        pq.write_table(table, folder / aside, **form)
        (folder / aside).replace(path)
    except OSError as error:
        raise BadFile(f"cannot write {folder}: {error.strerror or error}") from None
    return path


def shard_path(folder: Path, number: int) -> Path:
    """Where shard `number` of a folder is, or will be."""
    return folder / f"shard-{number:05}.parquet"


def _differences(held: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """In words: which settings differ."""
    names = [name for name in {**held, **asked} if held.get(name) != asked.get(name)]
    told = (f"{name} is {json.dumps(held.get(name))} there, not {json.dumps(asked.get(name))}" for name in names)
    return "; ".join(told)


def shard_paths(folder: Path) -> list[Path]:
    """The shards of a folder in their order."""
    return sorted(path for path in folder.glob("shard-*.parquet") if re.fullmatch(r"shard-\d{5,}", path.stem))


def numbers(folder: Path) -> list[int]:
    """The numbers of the shards of a folder in their order."""
    return sorted(int(path.stem.removeprefix("shard-")) for path in shard_paths(folder))


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


def facts(path: Path) -> tuple[int, Mapping[str, Any]]:
    """The number of rows of a shard and what it says of itself, from the end of the file alone; raises `BadFile`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(path)
    except (OSError, pa.ArrowException):
        raise BadFile(
            f"{path} is damaged: remove it and the shards after it, and the same command makes them again"
        ) from None
    return metadata.num_rows, card_of(metadata.schema.to_arrow_schema(), path)


def read_shard(path: Path, kind: type[Kind] = TrainingSamples) -> Kind:  # type: ignore[assignment]  # python/mypy#3737
    """All samples of one shard, which are of this kind; raises `BadFile`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return from_table(pq.read_table(path, partitioning=None), kind)
    except (OSError, pa.ArrowException):
        raise BadFile(f"{path} cannot be read as a shard of samples") from None


def read_shards(folder: Path) -> Iterator[TrainingSamples]:
    """The samples of a folder, shard by shard; raises `BadFile`."""
    need_arrow()
    read_settings(folder)
    for path in shard_paths(folder):
        yield read_shard(path)
