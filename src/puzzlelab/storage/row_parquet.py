"""Files of rows in Parquet, which are written in parts; see `storage.parquet_parts`."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import accumulate
from json import loads
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.core.result import LIMITS
from puzzlelab.storage.parquet_parts import PartFiles, TableFile, files_of, require_pyarrow
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_columns import (
    COLUMNS,
    RowColumns,
    arrow_schema,
    parquet_dictionaries,
    parquet_options,
    rows_of_table,
    stored_schema,
)
from puzzlelab.storage.row_index import Question, options_text

GROUP = 50_000
"""Rows of a row group, and the most of a part."""
PART_SECONDS = 1.0
"""Rows that wait are written as a part with the next rows after this time."""
BATCH = 5_000
"""Rows that are made into objects at once."""
KEPT_GROUPS = 2
"""Row groups that are kept after they were read."""
QUESTION = ("puzzle", "board", "solver", "options", "net", "seed", "stop")


class ParquetRows:
    """A Parquet file; a list of names for the moves, and JSON as text."""

    def __init__(self, path: Path) -> None:
        require_pyarrow()
        self.path, self.lock = path, path.with_name(f"{path.name}.making")
        self._groups: list[tuple[int, int]] = []
        """(file, row group) of all row groups that are stored."""
        self._begins: list[int] = [0]
        """The number of the first row of each group, and of all rows."""
        self._read_groups: OrderedDict[int, Any] = OrderedDict()
        self._parts: PartFiles | None = None
        self._waiting: list[Any] = []
        self._waiting_rows, self._written_at = 0, -PART_SECONDS

    def rows(self, note: Callable[[str], object]) -> Iterator[tuple[int, Row]]:
        """See `RowStore`; the number is that of the row."""
        with reading(self.path):
            files = self._files()
            if not files:
                raise BadFile(f"cannot read {self.path}: No such file or directory")
            number = 0
            for file in files:
                for table in _tables(file, BATCH):
                    for row in rows_of_table(table):
                        number += 1
                        yield number, row

    def _files(self) -> list[Path]:
        """Return the files that hold the stored rows; raises `BadFile` for one of something else."""
        if self.path.is_dir():
            raise BadFile(f"{self.path} is a folder: give the files in it, as in {self.path / '*.parquet'}")
        files = [file for file in files_of(self.path) if file != self.path or file.stat().st_size]
        for file in files:
            with TableFile(file) as opened:
                check_columns(self.path, opened.schema)
        return files

    def questions(self) -> Iterator[tuple[int, Question, bool]]:
        """See `RowStore`."""
        text_of = lru_cache(maxsize=256)(lambda text: options_text(loads(text)))
        with reading(self.path):
            files = self._files()
            counts = []
            for number, file in enumerate(files):
                with TableFile(file) as opened:
                    self._groups += [(number, group) for group in range(len(opened.group_sizes))]
                    counts += opened.group_sizes
            self._begins = list(accumulate(counts, initial=0))
            place = 0
            for file in files:
                for table in _tables(file, BATCH, QUESTION):
                    columns = [table.column(name).to_pylist() for name in QUESTION]
                    for puzzle, board, solver, options, net, seed, stop in zip(*columns, strict=True):
                        yield place, (puzzle, board, solver, text_of(options or "{}"), net, seed), stop not in LIMITS
                        place += 1

    def begin(self) -> None:
        """See `RowStore`."""
        with reading(self.path):
            if self.lock.stat().st_size:
                raise BadFile(f"{self.path} holds something else: give another name, or remove it first")
            self._parts = PartFiles(self.path, parquet_dictionaries(), parquet_options())

    def read(self, places: Sequence[int]) -> list[Row]:
        """See `RowStore`."""
        rows: dict[int, Row] = {}
        by_group: dict[int, list[int]] = {}
        for place in sorted(set(places)):
            by_group.setdefault(bisect_right(self._begins, place) - 1, []).append(place)
        with reading(self.path):
            for group, members in by_group.items():
                table = self._group(group).take([place - self._begins[group] for place in members])
                rows.update(zip(members, rows_of_table(table), strict=True))
        return [rows[place] for place in places]

    def _group(self, number: int) -> Any:
        """Return a row group that is stored."""
        if number not in self._read_groups:
            if len(self._read_groups) >= KEPT_GROUPS:
                self._read_groups.popitem(last=False)
            file, group = self._groups[number]
            with TableFile(files_of(self.path)[file]) as opened:
                self._read_groups[number] = opened.read(group)
        return self._read_groups[number]

    def append(self, rows: RowColumns) -> None:
        """See `RowStore`; the rows are written when there are enough of them, or after a time."""
        if len(rows):
            self._waiting.append(rows.to_arrow())
            self._waiting_rows += len(rows)
        if self._waiting_rows >= GROUP or time.monotonic() - self._written_at >= PART_SECONDS:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa

        assert self._parts is not None, "the file is not open for writing"
        if self._waiting_rows:
            self._parts.append(pa.concat_tables(self._waiting))
            self._waiting, self._waiting_rows, self._written_at = [], 0, time.monotonic()

    def close(self) -> None:
        """See `RowStore`; the parts are joined."""
        if self._parts is None:
            return
        self._write()
        self._parts.join(GROUP)
        self._parts = None
        self.lock.unlink(missing_ok=True)


def check_columns(path: Path, schema: Any) -> None:
    """Raise `BadFile` unless a file has the columns of rows, with their types; others may be missing or added."""
    expected, of_parts = stored_schema(), arrow_schema()
    names = set(schema.names) & set(COLUMNS)
    if not {"puzzle", "board", "solver"} <= names:
        raise BadFile(f"{path} holds something else, and no rows: give another name, or remove it first")
    for name in names:
        if schema.field(name).type not in (expected.field(name).type, of_parts.field(name).type):
            raise BadFile(f"{path}: the column '{name}' has another type than in a file of rows")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of Arrow about a damaged file into a `BadFile`."""
    try:
        yield
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or shorten(str(error), 120)}") from None
    except ValueError as error:
        raise BadFile(f"{path}: no file of rows ({shorten(str(error), 120)})") from None


def _tables(file: Path, size: int, names: Sequence[str] | None = None) -> Iterator[Any]:
    """Yield tables of the rows of a file, of some of its columns."""
    import pyarrow as pa

    with TableFile(file) as opened:
        present = None if names is None else [name for name in names if name in opened.schema.names]
        for table in opened.tables(size, present):
            for name in set(names or ()).difference(table.column_names):
                table = table.append_column(name, pa.nulls(len(table)))
            yield table
