"""The forms of a file of rows: JSON lines, CSV and Parquet.

Each reads the rows that are stored and appends others. A place is a number by which a stored row is found again: its
offset in bytes, or its number in a Parquet file.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from pydantic import ValidationError

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.core.result import LIMITS
from puzzlelab.storage.files import (
    LONGEST_LINE,
    GrowingLines,
    half_line,
    line_at,
    placed_json_lines,
)
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_columns import COLUMNS, HEADER, RowColumns, row_of_record
from puzzlelab.storage.row_index import Question, question_of

ROW_BEGINS = '{"puzzle"'
REQUIRED = ("puzzle", "board", "solver")


def ignore(sentence: str) -> None:
    """Say nothing."""


class RowStore(Protocol):
    """A file of rows in one form."""

    lock: Path
    """The file whose lock a writer holds."""

    def rows(self, note: Callable[[str], object]) -> Iterator[tuple[int, Row]]:
        """Return the stored rows, each with its number in an error; raises `BadFile`."""

    def questions(self) -> Iterator[tuple[int, Question, bool]]:
        """Yield the place and the question of each stored row, and whether no limit ended it; raises `BadFile` for no
        row."""

    def begin(self) -> None:
        """Prepare to append: remove what a killed writer has left."""

    def read(self, places: Sequence[int]) -> list[Row]:
        """Return the stored rows at these places."""

    def append(self, rows: RowColumns) -> None:
        """Add rows at the end."""

    def close(self) -> None:
        """Finish; all rows are then on the disk."""


def row_error(path: Path, number: int, error: ValueError) -> BadFile:
    """Return the error about a line that is no row."""
    about = str(error)
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        about = f"'{where}' {first['msg']}" if where else first["msg"]
    return BadFile(f"{path}, line {number}: no row of results ({shorten(about, 120)})")


class JsonRows:
    """JSON lines: an object a row."""

    def __init__(self, path: Path) -> None:
        self.path = self.lock = path
        self._lines = GrowingLines(path)

    def rows(self, note: Callable[[str], object]) -> Iterator[tuple[int, Row]]:
        """See `RowStore`."""
        return ((number, row) for number, _, row in self._placed_rows(note))

    def _placed_rows(self, note: Callable[[str], object]) -> Iterator[tuple[int, int, Row]]:
        for number, offset, line in placed_json_lines(self.path, ROW_BEGINS, note):
            try:
                yield number, offset, Row.model_validate_json(line)
            except ValidationError as error:
                raise row_error(self.path, number, error) from None

    def questions(self) -> Iterator[tuple[int, Question, bool]]:
        """See `RowStore`."""
        for _, offset, row in self._placed_rows(ignore):
            yield offset, question_of(row), row.stop not in LIMITS

    def begin(self) -> None:
        """See `RowStore`."""
        self._lines.cut_half_line(ROW_BEGINS.encode())

    def read(self, places: Sequence[int]) -> list[Row]:
        """See `RowStore`."""
        return read_in_order(self.path, places, lambda file, place: Row.model_validate_json(line_at(file, place)))

    def append(self, rows: RowColumns) -> None:
        """See `RowStore`; the rows are written at once."""
        self._lines.append_texts(rows.json_lines())

    def close(self) -> None:
        """See `RowStore`."""
        if self.path.is_file():
            self._lines.sync()


def read_in_order(path: Path, places: Sequence[int], read: Callable[[BinaryIO, int], Row]) -> list[Row]:
    """Return the rows at these places, which are read in the order of the file; raises `BadFile`."""
    rows = {}
    try:
        with path.open("rb") as file:
            for place in sorted(set(places)):
                rows[place] = read(file, place)
    except (OSError, ValueError) as error:
        raise BadFile(f"cannot read {path}: it was changed by another program ({shorten(str(error), 120)})") from None
    return [rows[place] for place in places]


class CsvRows:
    """CSV with a header, in UTF-8; None is an empty field, and a text with line ends stands in quotes."""

    def __init__(self, path: Path) -> None:
        self.path = self.lock = path
        self._lines = GrowingLines(path)
        self._names: Sequence[str] = COLUMNS
        """The columns of the file."""
        self._end = 0
        """The offset after the last whole record."""
        self._has_begun = False
        """Whether rows were appended by this program."""

    def rows(self, note: Callable[[str], object]) -> Iterator[tuple[int, Row]]:
        """See `RowStore`."""
        return ((number, row) for number, _, row in self._placed_rows(note))

    def _placed_rows(self, note: Callable[[str], object]) -> Iterator[tuple[int, int, Row]]:
        """Yield (line, offset, row) of each record after the header."""
        if self.path.is_dir():
            raise BadFile(f"{self.path} is a folder: give the files in it, as in {self.path / '*.csv'}")
        records = self._records(note)
        first = next(records, None)
        if first is None:
            return
        self._names = first[2]
        if not set(REQUIRED) <= set(self._names):
            raise BadFile(f"{self.path}, line {first[0]}: no header of a file of rows")
        for number, offset, record in records:
            try:
                yield number, offset, row_of_record(self._names, record)
            except ValueError as error:
                raise row_error(self.path, number, error) from None

    def _records(self, note: Callable[[str], object]) -> Iterator[tuple[int, int, Sequence[str]]]:
        """Yield (line, offset, fields) of each whole record; half a record at the end is left out."""
        try:
            with self.path.open("rb") as file:
                lines = _CsvLines(file)
                reader = csv_reader(lines)
                while True:
                    number, offset = lines.number + 1, lines.offset
                    try:
                        record = next(reader, None)
                    except csv.Error as error:
                        if lines.is_whole and not lines.is_at_end:
                            raise row_error(self.path, number, ValueError(str(error))) from None
                        record = []
                    if record is None:
                        return
                    if lines.is_at_end or not lines.is_whole:
                        self._check_half(number, lines.last)
                        note(half_line(self.path, number))
                        return
                    self._end = lines.offset
                    if record:
                        yield number, offset, record
        except OSError as error:
            raise BadFile(f"cannot read {self.path}: {error.strerror}") from None

    def _check_half(self, number: int, line: str) -> None:
        """Raise `BadFile` for half a first line that does not begin a header."""
        text = line.partition("\0")[0]
        if number == 1 and not HEADER.startswith(text):
            raise BadFile(f"{self.path}, line 1: no header of a file of rows")

    def questions(self) -> Iterator[tuple[int, Question, bool]]:
        """See `RowStore`."""
        for _, offset, row in self._placed_rows(ignore):
            yield offset, question_of(row), row.stop not in LIMITS

    def begin(self) -> None:
        """See `RowStore`; raises `BadFile` for a file with other columns."""
        if tuple(self._names) != COLUMNS:
            raise BadFile(f"{self.path} has other columns than rows have today: give another name")
        if self.path.stat().st_size > self._end:
            self._lines.cut(self._end)

    def read(self, places: Sequence[int]) -> list[Row]:
        """See `RowStore`."""
        return read_in_order(self.path, places, self._row_at)

    def _row_at(self, file: BinaryIO, place: int) -> Row:
        file.seek(place)
        return row_of_record(self._names, next(csv_reader(_CsvLines(file, place))))

    def append(self, rows: RowColumns) -> None:
        """See `RowStore`; the rows are written at once."""
        is_stream = self.path.exists() and not self.path.is_file()
        is_new = not self._has_begun if is_stream else not self.path.exists() or self.path.stat().st_size == 0
        self._has_begun = True
        self._lines.append_texts([*([HEADER] if is_new else []), *rows.csv_records()])

    def close(self) -> None:
        """See `RowStore`."""
        if self.path.is_file():
            self._lines.sync()


class _CsvLines(Iterator[str]):
    """The lines of an open file as text, with their ends; `offset` is that after the last one."""

    def __init__(self, file: BinaryIO, offset: int = 0) -> None:
        self._file, self.offset = file, offset
        self.number = 0
        self.last = ""
        self.is_at_end = False

    @property
    def is_whole(self) -> bool:
        """Whether the last line has an end."""
        return self.last.endswith("\n")

    def __next__(self) -> str:
        line = self._file.readline(LONGEST_LINE + 1)
        if not line:
            self.is_at_end = True
            raise StopIteration
        self.last = line.decode(errors="replace")
        if self.offset == 0:
            self.last = self.last.removeprefix("\ufeff")
        self.offset += len(line)
        self.number += 1
        return self.last


def csv_reader(lines: Iterator[str]) -> Any:
    """Return a reader of records whose fields may be as long as a line of other files."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    return csv.reader(lines, strict=True)
