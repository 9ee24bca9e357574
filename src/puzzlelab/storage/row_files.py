"""Files of rows: JSON lines that grow, and the CSV and Parquet files that are made from them.

`RowFile` grows by appending, and finds the rows of boards that were solved before. The rows of `X.csv` and `X.parquet`
grow in `X.csv.jsonl` and `X.parquet.jsonl`, which stay; the export is made when the work ends. `read_rows` reads any
of these files.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError
from pydantic_core import from_json

from puzzlelab.core.answers import BatchTime
from puzzlelab.core.errors import BadFile, BadInput, shorten, visible
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import LIMITS
from puzzlelab.storage.files import (
    GrowingLines,
    is_at,
    line_at,
    line_count,
    make_folder,
    placed_json_lines,
    replacing,
    writing,
)
from puzzlelab.storage.outputs import check_replaceable, only_writer
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_columns import RowColumns
from puzzlelab.storage.row_exports import (
    PARQUET,
    Appender,
    Record,
    check_can_grow,
    check_export,
    export,
    exported_rows,
    exporting,
    growing_file,
    is_current,
    is_export,
    row_error,
    source_of,
)
from puzzlelab.storage.row_index import Question, RowIndex, question_of

BEGINS = ('{"puzzle"', '{"batch"')
"""The beginnings of the lines of rows, and of those of batch times."""
INDEXED = 4
"""The number of rows of a question above which an index of the rows that answer it is kept."""


TimedRow = tuple[Row, BatchTime | None]
"""A row, and the time of its batch if it has no seconds of its own."""


def _warn(sentence: str) -> None:
    logging.getLogger("puzzlelab").warning("%s", visible(sentence))


def _ignore(sentence: str) -> None:
    """Say nothing."""


# --- reading ---


def read_rows(path: Path, note: Callable[[str], object] = _warn) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a file with the numbers of their lines; raises `BadFile` with that of an invalid line.

    Half a row at the end, as a killed program or a power cut leaves it, is left out; `note` is called with a sentence.
    Rows of Parquet have their own numbers, from 1. Of a CSV or Parquet file the growing file is read, if it is there.
    """
    return ((number, record) for number, record in read_records(path, note) if isinstance(record, Row))


def read_records(path: Path, note: Callable[[str], object] = _warn) -> Iterator[tuple[int, Row | BatchTime]]:
    """Yield what `read_rows` yields, and the times of batches, which only JSON lines have."""
    source = source_of(path)
    if is_export(source):
        return exported_rows(source)
    return ((number, record) for number, _, record in _placed_records(source, note))


def read_timed_rows(path: Path, note: Callable[[str], object] = _warn) -> list[TimedRow]:
    """Read the rows of a file with the times of their batches; raises `BadFile` as `read_rows` does."""
    rows: list[TimedRow] = []
    untimed: list[int] = []
    for _, record in read_records(path, note):
        if isinstance(record, BatchTime):
            first = max(0, len(untimed) - record.boards)
            for place in untimed[first:]:
                rows[place] = rows[place][0], record
            del untimed[first:]
            continue
        if record.seconds is None and record.error is None:
            untimed.append(len(rows))
        rows.append((record, None))
    return rows


def _placed_records(path: Path, note: Callable[[str], object]) -> Iterator[tuple[int, int, Row | BatchTime]]:
    """Yield (line, offset, row or time) of each line of a growing file."""
    for number, offset, line in placed_json_lines(path, BEGINS, note):
        try:
            yield number, offset, _time_of(line) if line.startswith(BEGINS[1]) else Row.model_validate_json(line)
        except ValueError as error:  # of pydantic too
            raise row_error(path, number, error) from None


def _time_of(line: str) -> BatchTime:
    """Return the time of a batch in a line; raises `ValueError`."""
    values = json.loads(line)["batch"]
    if not isinstance(values, dict) or type(values.get("boards")) is not int:
        raise ValueError("a batch without its boards")
    return BatchTime(values["boards"], float(values.get("seconds", 0)))


def _exported_records(path: Path) -> Iterator[Record]:
    """Yield the columns of each row of a growing file, whose lines were checked when it was opened."""
    for _, _, line in placed_json_lines(path, BEGINS, _ignore):
        if not line.startswith(BEGINS[1]):
            yield from_json(line)


def place_in_words(path: Path, number: int) -> str:
    """Return where a row is that `read_rows` gives with this number."""
    return f"{path}, {'row' if path.suffix == PARQUET else 'line'} {number}"


def count_rows(path: Path) -> int | None:
    """Return about how many rows a file has, quickly; None for a pipe or a device. Raises `OSError`."""
    source = source_of(path)
    if source.suffix == PARQUET:
        import pyarrow.parquet as pq

        return int(pq.read_metadata(source).num_rows)
    return line_count(source)


# --- growing ---


@dataclass(frozen=True)
class _StoredRows:
    """The stored rows that may answer a question."""

    begin: int
    end: int
    """The rows from `begin` to `end` - 1 of the index have its hash."""
    following: int | None
    """The row that answers it next, if it is one of this question; `end` or more if there is none. None: not known."""

    @property
    def indices(self) -> range:
        """The rows to read."""
        if self.following is None:
            return range(self.begin, self.end)
        return range(self.following, min(self.following + 1, self.end))


class RowFile:
    """A file of rows that grows by appending; boards with a row in it need not be solved again.

    As a context it keeps other programs from writing to the file; at the end all rows are on the disk, and the CSV or
    Parquet file of this name is made, if rows were added since it was made last. Raises `BadInput` if another program
    is writing to it, and `BadFile` for a file of something else, which is not changed. Of a stored row only 21 bytes
    are in memory.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.growing = path, growing_file(path)
        self._lines = GrowingLines(self.growing)
        self._index = RowIndex()
        self._answers: dict[int, tuple[Question, Limit, list[int]]] = {}
        """Place in the index -> the places of the rows that answer a question with many rows under this limit."""
        self._lock = ExitStack()
        self._descriptor: int | None = None
        """The descriptor of the growing file; None for a device or a pipe."""
        self._export = ExitStack()
        self._append_export: Appender | None = None
        """Appends to the export of a file that had no rows; the export of others is made at the end."""

    def __enter__(self) -> Self:
        if is_export(self.path):
            check_export(self.path)
            check_can_grow(self.path, self.growing, f"puzzlelab convert {self.path} {self.growing}")
        with ExitStack() as lock:
            with writing(self.path):
                make_folder(self.path.parent)
            self._descriptor = lock.enter_context(only_writer(self.growing))
            if self.growing.is_file():  # a device has no end, and holds no rows
                self._index = RowIndex(self._stored())
                self._lines.cut_half_line(*(text.encode() for text in BEGINS))
            if is_export(self.path) and self.is_empty:
                self._append_export = self._export.enter_context(exporting(self.path, self._temporary))
            self._lock = lock.pop_all()
        return self

    def _stored(self) -> Iterator[tuple[int, Question, bool]]:
        """Yield of each stored row the offset, the question, and whether no limit ended it; raises `BadFile`."""
        for _, offset, record in _placed_records(self.growing, _ignore):
            if isinstance(record, Row):
                yield offset, question_of(record), record.stop not in LIMITS

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        try:
            self._finish()
        except BadInput:
            if error is None:
                raise
        finally:
            self._drop_export()
            self._lock.__exit__(kind, error, trace)

    def _finish(self) -> None:
        """Wait until all rows are on the disk, and make the export, unless it has been made since the last row."""
        if self._descriptor is None or not is_at(self.growing, self._descriptor):  # removed: its lock says so
            return
        self._lines.sync()
        if not is_export(self.path) or is_current(self.path, self.growing):
            return
        if self._append_export is None:
            export(self.path, _exported_records(self.growing), self._temporary)
        else:
            self._append_export = None
            self._export.close()

    @property
    def _temporary(self) -> Path:
        """The name of an export that is not complete: that of a killed program is removed by the next one."""
        return self.path.with_name(f"{self.path.name}.new")

    def _drop_export(self) -> None:
        """Remove the export that is not complete, if there is one."""
        self._append_export = None
        with suppress(BadFile):
            self._export.__exit__(BadFile, BadFile("the export is not complete"), None)

    @property
    def is_empty(self) -> bool:
        """Whether no row was stored when the file was opened."""
        return not len(self._index)

    def take(self, question: Row, limit: Limit) -> Row | None:
        """Return the row that answers this question under this limit.

        The n-th call for one question takes the n-th row.
        """
        return self.take_many(question, [question.board], limit)[0]

    def take_many(self, shared: Row, boards: Sequence[str], limit: Limit) -> list[Row | None]:
        """Take the rows for the question of each of these boards; its other columns are those of `shared`."""
        if self.is_empty:
            return [None] * len(boards)
        question = question_of(shared)
        questions = [(question[0], board, *question[2:]) for board in boards]
        searches = self._searches(self._index.spans(questions))
        rows = self._read([index for search in searches for index in search.indices if len(search.indices) <= INDEXED])
        return [self._taken(each, search, rows, limit) for each, search in zip(questions, searches, strict=True)]

    def _searches(self, spans: Sequence[tuple[int, int]]) -> list[_StoredRows]:
        """Return the rows that may be those of each question."""
        searches: list[_StoredRows] = []
        times_in_block: Counter[int] = Counter()
        for begin, end in spans:
            following = None
            if begin < end and self._index.all_final(begin, end):
                following = begin + self._index.times_taken(begin) + times_in_block[begin]
                times_in_block[begin] += 1
            searches.append(_StoredRows(begin, end, following))
        return searches

    def _read(self, indices: Sequence[int]) -> dict[int, Row]:
        """Return the stored rows with these indices."""
        if not indices:
            return {}
        places = [self._index.place(index) for index in indices]
        rows = {}
        try:
            with self.growing.open("rb") as file:
                for place in sorted(set(places)):
                    rows[place] = Row.model_validate_json(line_at(file, place))
        except (OSError, ValidationError) as error:
            changed = f"it was changed by another program ({shorten(str(error), 120)})"
            raise BadFile(f"cannot read {self.growing}: {changed}") from None
        return {index: rows[place] for index, place in zip(indices, places, strict=True)}

    def _taken(self, question: Question, search: _StoredRows, rows: Mapping[int, Row], limit: Limit) -> Row | None:
        """Return the next row that answers this question, which is counted as taken; `rows` are those read already."""
        if search.following is not None:
            if search.following >= search.end:
                return None
            row = rows[search.following]
            if question_of(row) == question:
                self._index.take(search.begin)
                return row
        if len(search.indices) > INDEXED and search.begin in self._answers:
            kept_question, kept_limit, kept = self._answers[search.begin]
            if (kept_question, kept_limit) == (question, limit):
                return self._next(search.begin, kept)
        missing = [index for index in range(search.begin, search.end) if index not in rows]
        rows = {
            **self._read(missing),
            **{index: rows[index] for index in range(search.begin, search.end) if index in rows},
        }
        equal = [index for index in sorted(rows) if question_of(rows[index]) == question]
        if not equal:
            return None
        settled = [index for index in equal if rows[index].settles(limit)]
        answers = [index for index in settled if rows[index].stop not in LIMITS] or settled
        if equal[0] == search.begin and len(equal) > INDEXED:
            self._answers[search.begin] = question, limit, answers
        return self._next(equal[0], answers)

    def _next(self, first: int, answers: Sequence[int]) -> Row | None:
        """Return the row of the next of these answers to the question whose rows begin with this one."""
        number = self._index.times_taken(first)
        self._index.take(first)
        return self._read([answers[number]])[answers[number]] if number < len(answers) else None

    def append(self, rows: Iterable[Row]) -> None:
        """Write rows at the end; see `append_columns`."""
        self.append_columns(RowColumns.of(list(rows)))

    def append_columns(self, rows: RowColumns) -> None:
        """Write rows at the end, and the time of their batch: all of it at once or, on a full disk, nothing."""
        times = [] if rows.time is None else [rows.time.to_json()]
        self._lines.append_texts([*rows.json_lines(), *times])
        if self._append_export is not None:
            try:
                with writing(self.path):
                    self._append_export(rows)
            except BadInput:
                self._drop_export()
                raise


# --- converting ---


def convert(source: Path, target: Path, note: Callable[[str], object] = _warn) -> int:
    """Write the rows of a file to another one, in the form that its name says; returns their number.

    A CSV or Parquet file of rows is replaced in one step. Raises `BadFile` for other files that exist, and for a target
    whose rows grow in another file than the source.
    """
    source, count = source_of(source), 0

    def counted() -> Iterator[Row | BatchTime]:
        nonlocal count
        for _, record in read_records(source, note):
            count += isinstance(record, Row)
            yield record

    if is_export(target):
        check_export(target)
        growing = growing_file(target)
        if growing.exists() and growing.resolve() != source.resolve():
            raise BadFile(f"{target} is made from {growing}: give another name")
        export(target, (record.to_dict() for record in counted() if isinstance(record, Row)))
    else:
        check_replaceable(target, lambda begin: False, "empty file")
        with writing(target), replacing(target) as temporary, temporary.open("w", encoding="utf-8") as file:
            file.writelines(f"{record.to_json()}\n" for record in counted())
    return count
