"""Folders of samples: `shard-00000.parquet`, `shard-00001.parquet` ..., and `teacher.json`, the settings behind them.

A shard ends with the game that fills it, so that no game is cut in two. It is written in one step: a killed process
loses one shard at most. The last shard may have room; it is replaced when the folder is continued.
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
from puzzlelab.core.files import make_folder, replace_file, replacing, writing
from puzzlelab.core.settings import with_new_names
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
RENAMED = {"detours": "branches"}
"""Old name of a setting in `teacher.json` -> its name."""


@dataclass(frozen=True)
class _State:
    """The progress of a folder. It is replaced as a whole, so that Ctrl-C at any point leaves a consistent one."""

    rows: int = 0
    """Samples, those that are not yet written included."""
    games: int = 0
    """Games so far, those without samples included."""
    number: int = 0
    """The current shard."""
    first: int = 0
    """Its first game."""
    parts: tuple[TrainingSamples, ...] = ()
    """Its samples, in parts."""
    written: int = 0
    """How many of them are written already."""

    @property
    def filled(self) -> int:
        """Samples in the current shard."""
        return sum(map(len, self.parts))

    def with_more(self, samples: TrainingSamples, games: int) -> _State:
        """The progress after adding the samples of the games up to number `games` - 1."""
        parts = (*self.parts, samples) if len(samples) else self.parts
        return replace(self, rows=self.rows + len(samples), games=games, parts=parts)


class Shards:
    """A folder that grows in the order of the games; its contents depend on `settings` alone."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], size: int) -> None:
        need_arrow()
        self.folder, self.size = folder, size
        self.settings = json.loads(json.dumps({**settings, "shard": size}))
        self._state = _State()
        begin(folder, self.settings)
        self._resume()

    @property
    def rows(self) -> int:
        """The number of samples."""
        return self._state.rows

    @property
    def games(self) -> int:
        """The number of games, those without samples included."""
        return self._state.games

    def _resume(self) -> None:
        """Determine the progress of the folder; raises `BadFile` where its shards do not fit together."""
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

    def append(self, samples: TrainingSamples, games: int, max_rows: int) -> None:
        """Add the samples of the games up to number `games` - 1, or to the game that brings the rows to `max_rows`."""
        while self.rows < max_rows:
            room = min(self.size - self._state.filled, max_rows - self.rows)
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
        """Write the current shard, and begin the next one if it is full."""
        state = self._state
        if state.filled > state.written:
            card = {**self.settings, "games": [state.first, state.games]}
            save(self.folder, state.number, joined(state.parts), card)
            self._state = replace(state, written=state.filled)
        if state.filled >= self.size:
            self._state = _State(state.rows, state.games, state.number + 1, state.games)


def begin(folder: Path, settings: Mapping[str, Any]) -> None:
    """Make a folder for samples of these settings, or check that its shards belong to these settings.

    Raises `BadFile` for a folder of other samples, or one that cannot be written.
    """
    settings = json.loads(json.dumps(settings))
    with writing(folder):
        make_folder(folder)
        path, begun = folder / TEACHER, bool(shard_paths(folder))
        if not path.exists() and begun:
            raise BadFile(f"{folder} holds shards, and no {TEACHER} that says of what: give another folder")
        old = read_settings(folder) if path.exists() else None
        if old is not None and not begun and not old.keys() & settings.keys():
            raise BadFile(f"{path} does not say what {folder} holds: give another folder")
        if old is not None and old != settings and begun:
            raise BadFile(f"{folder} was begun with other settings: {_differences(old, settings)}")
        if old != settings:
            text = json.dumps(settings, indent=1) + "\n"
            replace_file(path, text, folder / f"writing-{uuid.uuid4().hex}")


def save(
    folder: Path, number: int, samples: SampleColumns, card: Mapping[str, Any], temporary: str = "writing"
) -> Path:
    """Write a shard and its description `card` in one step; raises `BadFile`.

    `temporary` is the name of the file until it is complete.
    """
    import pyarrow.parquet as pq

    table, path = to_table(samples, card), shard_path(folder, number)
    repeated = [name for name in samples.columns if name in ("moves", "shares", "remaining")]
    options = {"row_group_size": max(1, len(samples)), "compression": "zstd", "use_dictionary": repeated}
    with writing(folder), replacing(path, folder / temporary) as new:
        pq.write_table(table, new, **options)
    return path


def shard_path(folder: Path, number: int) -> Path:
    """The path of shard `number` of a folder."""
    return folder / f"shard-{number:05}.parquet"


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The settings that differ, in words."""
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    return "; ".join(f"{name} is {json.dumps(old.get(name))} there, not {json.dumps(new.get(name))}" for name in names)


def shard_paths(folder: Path) -> list[Path]:
    """The shards of a folder in their order."""
    return sorted(path for path in folder.glob("shard-*.parquet") if re.fullmatch(r"shard-\d{5,}", path.stem))


def numbers(folder: Path) -> list[int]:
    """The numbers of the shards of a folder in their order."""
    return sorted(int(path.stem.removeprefix("shard-")) for path in shard_paths(folder))


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings of a folder's samples; raises `BadFile`."""
    path = folder / TEACHER
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise BadFile(f"{path} does not say what {folder} holds: give another folder")
    return with_new_names(values, RENAMED)


def facts(path: Path) -> tuple[int, Mapping[str, Any]]:
    """(number of rows, description) of a shard, read from the end of its file alone; raises `BadFile`."""
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
    """All samples of one shard, as this class; raises `BadFile`."""
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
