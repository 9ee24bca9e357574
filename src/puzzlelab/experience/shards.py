"""Folders of samples: `shard-00000.parquet`, `shard-00001.parquet` ..., and `teacher.json`, the settings behind them.

A shard ends with the game that fills it, so that no game is cut in two. It is written in one step: a killed process
loses one shard at most. The last shard may have room; it is replaced when the folder is continued. A damaged shard is
set aside, and made again.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from puzzlelab.core.errors import BadFile, is_unicode
from puzzlelab.engine import report
from puzzlelab.experience.schema import (
    CHECKSUM,
    Kind,
    SampleColumns,
    TrainingSamples,
    card_of,
    checksum,
    from_table,
    joined,
    need_arrow,
    to_table,
)
from puzzlelab.storage.files import make_folder, replace_file, require_regular, writing

TEACHER = "teacher.json"


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
        """Return the progress after adding the samples of the games up to number `games` - 1."""
        parts = (*self.parts, samples) if len(samples) else self.parts
        return replace(self, rows=self.rows + len(samples), games=games, parts=parts)


class Shards:
    """A folder that grows in the order of the games; its contents depend on `settings` alone."""

    def __init__(self, folder: Path, settings: Mapping[str, Any], size: int) -> None:
        need_arrow()
        self.folder, self.size = folder, size
        self._state = _State()
        self.has_later = False
        """Whether there are shards after the current one, because it was damaged or missing: it is made again first."""
        self.settings = begin(folder, {**settings, "shard": size})
        self.resume()

    @property
    def rows(self) -> int:
        """The number of samples."""
        return self._state.rows

    @property
    def games(self) -> int:
        """The number of games, those without samples included."""
        return self._state.games

    @property
    def number(self) -> int:
        """The current shard."""
        return self._state.number

    def resume(self) -> None:
        """Determine the progress of the folder, up to the first shard that is missing, damaged or not full.

        A damaged shard, or one of other samples, is set aside, with a note. Raises `BadFile` where that fails.
        """
        self._state, last = _State(), max(numbers(self.folder), default=-1)
        while self.number <= last and self._advance(shard_path(self.folder, self.number)):
            pass
        self.has_later = self.number < last

    def _advance(self, path: Path) -> bool:
        """Add a shard to the progress; whether it is full."""
        try:
            rows, card = facts(path)
            check_card(card, self.settings, path)
            first, end = card["games"]
            if first != self.games:
                raise BadFile(f"{path} begins with game {first:,}, and the one before it ends before {self.games:,}")
            if rows >= self.size:
                self._state = _State(self.rows + rows, end, self.number + 1, end)
                return True
            self._state = _State(self.rows + rows, end, self.number, first, (read_shard(path),), rows)
        except BadFile as error:
            if path.exists():
                note_damaged(path, error)
        return False

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
            write_shard(self.folder, state.number, encoded(joined(state.parts), card))
            self._state = replace(state, written=state.filled)
        if state.filled >= self.size:
            self._state = _State(state.rows, state.games, state.number + 1, state.games)


def begin(folder: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Make a folder for samples of these settings, or check that its shards belong to them; the settings in its files.

    Raises `BadFile` for a folder of other samples, or one that cannot be written.
    """
    if not is_unicode(str(folder)):
        raise BadFile(f"{folder} is no Unicode, which the names of Parquet files must be: give another folder")
    new: dict[str, Any] = json.loads(json.dumps(settings))
    with writing(folder):
        make_folder(folder)
        path, begun = folder / TEACHER, bool(shard_paths(folder))
        old = _settings_in(folder, new) if path.exists() or begun else None
        if old is not None and not begun and not old.keys() & new.keys():
            raise BadFile(f"{path} does not say what {folder} holds: give another folder")
        if old is not None and not (differing := _differing(old, new)):
            return old
        if old is not None and begun:
            differences = (
                f"{name} is {json.dumps(old.get(name))} there, not {json.dumps(new.get(name))}" for name in differing
            )
            raise BadFile(f"{folder} was begun with other settings: {'; '.join(differences)}; give another folder")
        replace_file(path, json.dumps(new, indent=1) + "\n", folder / f"writing-{uuid.uuid4().hex}")
    return new


def _settings_in(folder: Path, settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the settings in `teacher.json`; if it is missing or damaged, None if shards of `settings` are in the
    folder.

    Raises `BadFile` if there are none.
    """
    try:
        stored_settings = read_settings(folder)
        if not _differing(stored_settings, settings) or not _shard_of(folder, settings):
            return stored_settings
        report.note(f"{folder / TEACHER} is damaged: the shards there have other settings; it is written again")
        return None
    except BadFile as error:
        if path := _shard_of(folder, settings):
            report.note(f"{error}; {path.name} says it, and {TEACHER} is written again")
            return None
        if not (folder / TEACHER).exists():
            raise BadFile(f"{folder} holds shards, and no {TEACHER} that says of what: give another folder") from None
        raise


def _shard_of(folder: Path, settings: Mapping[str, Any]) -> Path | None:
    """Return the first shard of these settings in a folder."""
    for path in shard_paths(folder):
        with suppress(BadFile):
            check_card(facts(path)[1], settings, path)
            return path
    return None


def encoded(samples: SampleColumns, card: Mapping[str, Any]) -> bytes:
    """Return the file of a shard with the description `card`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    repeated = [name for name in samples.columns if name in ("moves", "shares", "remaining")]
    options = {"row_group_size": max(1, len(samples)), "compression": "zstd", "use_dictionary": repeated}
    file = pa.BufferOutputStream()
    pq.write_table(to_table(samples, card), file, **options)
    return file.getvalue().to_pybytes()  # type: ignore[no-any-return]


def write_shard(folder: Path, number: int, content: bytes) -> Path:
    """Write the file of a shard in one step, and remove what killed processes have left of it; raises `BadFile`."""
    prefix, path = f"writing-{number:05}-", shard_path(folder, number)
    is_new = not path.exists()
    try:
        with writing(folder):
            replace_file(path, content, folder / (prefix + uuid.uuid4().hex))
    except BadFile:
        if not (is_new and path.exists()):  # or else another process has just made it, and removed the files of both
            raise
    for temporary in folder.glob(prefix + "*"):
        temporary.unlink(missing_ok=True)
    return path


def shard_path(folder: Path, number: int) -> Path:
    """Return the path of shard `number` of a folder."""
    return folder / f"shard-{number:05}.parquet"


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the names of the settings that differ."""
    return [name for name in {**old, **new} if old.get(name) != new.get(name)]


def shard_paths(folder: Path) -> list[Path]:
    """Return the shards of a folder in their order."""
    return sorted(path for path in folder.glob("shard-*.parquet") if re.fullmatch(r"shard-\d{5,}", path.stem))


def numbers(folder: Path) -> list[int]:
    """Return the numbers of the shards of a folder in their order."""
    return sorted(int(path.stem.removeprefix("shard-")) for path in shard_paths(folder))


def read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of a folder's samples; raises `BadFile`."""
    path = folder / TEACHER
    require_regular(path)
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise BadFile(f"{path} does not say what {folder} holds: give another folder, or remove this file")
    return values


def set_aside(path: Path) -> Path:
    """Rename a damaged shard, so that it can be made again and nothing is lost; its new path. Raises `BadFile`."""
    names = (f"{path.name}.damaged{f'-{number}' if number > 1 else ''}" for number in count(1))
    aside = next(new for name in names if not (new := path.with_name(name)).exists())
    with writing(path):
        path.replace(aside)
    return aside


def note_damaged(path: Path, error: BadFile) -> None:
    """Rename a shard that cannot be used because of this error, with a note that it is made again."""
    report.note(f"{error}: it is made again, and the old file is kept as {set_aside(path).name}")


def check_card(card: Mapping[str, Any], settings: Mapping[str, Any], path: Path) -> None:
    """Raise `BadFile` unless the description of a shard is that of samples with these settings."""
    if not settings.keys().isdisjoint(_differing(card, settings)) or not _is_range(card.get("games")):
        raise BadFile(f"{path} holds other samples than this folder")


def _is_range(games: object) -> bool:
    return isinstance(games, list) and len(games) == 2 and all(isinstance(number, int) for number in games)


def facts(path: Path) -> tuple[int, Mapping[str, Any]]:
    """Return (number of rows, description) of a shard, read from the end of its file alone; raises `BadFile`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    require_regular(path)
    try:
        metadata = pq.read_metadata(path)
        return metadata.num_rows, card_of(metadata.schema.to_arrow_schema(), path)
    except (OSError, ValueError, pa.ArrowException):
        raise BadFile(f"{path} is damaged") from None


def read_shard(path: Path, kind: type[Kind] = TrainingSamples) -> Kind:  # type: ignore[assignment]  # python/mypy#3737
    """Return all samples of one shard, as this class; raises `BadFile`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    require_regular(path)
    try:
        table = pq.read_table(path, partitioning=None)
        samples, card = from_table(table, kind), card_of(table.schema, path)
        intact = card.get(CHECKSUM) == checksum(samples)
    except (OSError, ValueError, pa.ArrowException):
        intact = False
    if not intact:
        raise BadFile(
            f"{path} is damaged, and cannot be read as a shard of samples; the command that made it makes it again"
        )
    return samples
