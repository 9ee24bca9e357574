"""Files of rows: JSON lines that grow, and the CSV and Parquet files that are made from them.

`RowFile` grows by appending, and finds the rows of boards that were solved before. The rows of `X.csv` and `X.parquet`
grow in `X.csv.jsonl` and `X.parquet.jsonl`, which stay; the export is made when the work ends. `read_rows` reads any
of these files.
"""

from __future__ import annotations

import json
import logging
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from puzzlelab.core.answers import BatchTime
from puzzlelab.core.errors import BadFile, BadInput, shorten, visible
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import LIMITS
from puzzlelab.storage.files import is_at, make_folder, replacing, without_waiting, writing
from puzzlelab.storage.lines import JsonLines, json_lines, line_at, line_count
from puzzlelab.storage.outputs import check_ending, check_replaceable, only_writer
from puzzlelab.storage.row import Question, Row
from puzzlelab.storage.row_columns import RowColumns
from puzzlelab.storage.row_exports import (
    CSV,
    JSON_LINES,
    PARQUET,
    Appender,
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

BEGINS = ('{"puzzle"', '{"batch"')
"""The beginnings of the lines of rows, and of those of batch times."""
ROW_ENDINGS = "", JSON_LINES, ".json", CSV, PARQUET
"""The endings of names of files of rows."""
TimedRow = tuple[Row, BatchTime | None]
"""A row, and the time of its batch if it has no seconds of its own."""


def _warn(sentence: str) -> None:
    logging.getLogger("puzzlelab").warning("%s", visible(sentence))


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
    for number, offset, line in json_lines(path, BEGINS, note):
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


def count_rows(path: Path) -> int | None:
    """Return about how many rows a file has, quickly; None for a pipe or a device. Raises `OSError`."""
    source = source_of(path)
    if source.suffix == PARQUET:
        import pyarrow.parquet as pq

        return int(pq.read_metadata(source).num_rows)
    return line_count(source)


# --- growing ---


class RowFile:
    """A file of rows that grows by appending; boards with a row in it need not be solved again.

    As a context it keeps other programs from writing to the file; at the end all rows are on the disk, and the CSV or
    Parquet file of this name has them too. Raises `BadInput` if another program is writing to it, and `BadFile` for a
    file of something else, which is not changed. Of a stored row only 17 bytes are in memory.
    """

    def __init__(self, path: Path) -> None:
        check_ending(path, ROW_ENDINGS)
        self.path, self.growing = path, growing_file(path)
        self._lines = JsonLines(self.growing, opener=without_waiting)
        self._hashes, self._offsets = _index(())
        self._is_taken = bytearray()
        """[N]: whether a row that is the only one of its question was taken."""
        self._answers: dict[tuple[Question, Limit], deque[int]] = {}
        """The indices of the rows that answer a question with several rows, and were not taken yet."""
        self._lock, self._export_files = ExitStack(), ExitStack()
        self._descriptor: int | None = None
        """The descriptor of the growing file; None for a device or a pipe."""
        self._lacks_rows = self._extends = False
        """Whether stored rows are in no export, finished or growing; and whether new ones are appended to it."""
        self._append_export: Appender | None = None

    def __enter__(self) -> Self:
        if is_export(self.path):
            check_export(self.path)
            check_can_grow(self.path, self.growing, f"puzzlelab convert {self.path} {self.growing}")
        with ExitStack() as lock:
            with writing(self.path):
                make_folder(self.path.parent)
            self._descriptor = lock.enter_context(only_writer(self.growing))
            if self.growing.is_file():  # a device has no end, and holds no rows
                self._hashes, self._offsets = _index(self._stored())
                self._is_taken = bytearray(len(self._hashes))
                self._lines.cut_half_line(*(text.encode() for text in BEGINS))
            self._lacks_rows = is_export(self.path) and not is_current(self.path, self.growing)
            self._extends = is_export(self.path) and (self.is_empty or not self._lacks_rows)
            self._lock = lock.pop_all()
        return self

    def _stored(self) -> Iterator[tuple[int, Row]]:
        """Yield each stored row with its offset; raises `BadFile`."""
        for _, offset, record in _placed_records(self.growing, lambda sentence: None):
            if isinstance(record, Row):
                yield offset, record

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
        if self._lacks_rows:
            self._drop_export()
            export(self.path, (row for _, row in self._stored()), self.growing)
        elif self._append_export is not None:
            self._append_export = None
            self._export_files.close()

    def _drop_export(self) -> None:
        """Remove the export that is not complete, if there is one."""
        self._append_export, self._extends = None, False
        with suppress(BadFile):
            self._export_files.__exit__(BadFile, BadFile("the export is not complete"), None)

    @property
    def is_empty(self) -> bool:
        """Whether no row was stored when the file was opened."""
        return not len(self._hashes)

    def take(self, shared: Row, boards: Sequence[str], limit: Limit) -> list[Row | None]:
        """Return the row that answers the question of each of these boards under this limit, or None.

        The other columns of the question are those of `shared`. A row is taken once.
        """
        if self.is_empty:
            return [None] * len(boards)
        puzzle, _, *others = shared.question
        questions = [cast(Question, (puzzle, board, *others)) for board in boards]
        hashes = np.fromiter(map(hash, questions), np.int64, len(questions))
        begins, ends = (np.searchsorted(self._hashes, hashes, side).tolist() for side in ("left", "right"))
        spans = map(range, begins, ends)
        indices = [self._next(question, span, limit) for question, span in zip(questions, spans, strict=True)]
        rows = self._read(index for index in indices if index is not None)
        return [
            rows[index] if index is not None and _answers(rows[index], question, limit) else None
            for question, index in zip(questions, indices, strict=True)
        ]

    def _next(self, question: Question, span: range, limit: Limit) -> int | None:
        """Return the index of the next row that may answer this question, whose hash the rows of `span` have."""
        if len(span) < 2:
            index = next(iter(span), None)
            if index is None or self._is_taken[index]:
                return None
            self._is_taken[index] = True
            return index
        answers = self._answers.get((question, limit))
        if answers is None:
            rows = {index: row for index, row in self._read(span).items() if _answers(row, question, limit)}
            final = [index for index, row in rows.items() if row.stop not in LIMITS]
            answers = self._answers[question, limit] = deque(sorted(final or rows))
        return answers.popleft() if answers else None

    def _read(self, indices: Iterable[int]) -> dict[int, Row]:
        """Return the stored rows with these indices."""
        rows = {}
        try:
            with self.growing.open("rb") as file:
                for index in sorted(set(indices), key=self._offsets.__getitem__):
                    rows[index] = Row.model_validate_json(line_at(file, int(self._offsets[index])))
        except (OSError, ValidationError) as error:
            changed = f"it was changed by another program ({shorten(str(error), 120)})"
            raise BadFile(f"cannot read {self.growing}: {changed}") from None
        return rows

    def append(self, rows: RowColumns) -> None:
        """Write rows at the end, and the time of their batch: all of it at once or, on a full disk, nothing."""
        self._lacks_rows = is_export(self.path)
        self._lines.append_texts([*rows.json_texts(), *([] if rows.time is None else [f"{rows.time.to_json()}\n"])])
        if not self._extends:
            return
        try:
            with writing(self.path):
                if self._append_export is None:
                    files = exporting(self.path, self.growing, begins=self.is_empty)
                    self._append_export = self._export_files.enter_context(files)
                self._append_export(rows)
            self._lacks_rows = False
        except (BadInput, ValueError):
            is_begun = self._append_export is not None
            self._drop_export()
            if is_begun:  # otherwise the old one cannot be continued: it is made anew at the end
                raise


def _index(stored: Iterable[tuple[int, Row]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the hashes of the questions of these rows, ascending, and the offset of each row: `int64[N]` both.

    Rows with equal hashes are in the order of the file.
    """
    hashes, offsets = array("q"), array("q")
    for offset, row in stored:
        hashes.append(hash(row.question))
        offsets.append(offset)
    order = np.argsort(np.array(hashes, np.int64), kind="stable")
    return np.array(hashes, np.int64)[order], np.array(offsets, np.int64)[order]


def _answers(row: Row, question: Question, limit: Limit) -> bool:
    """Tell whether a row answers this question under this limit."""
    return row.question == question and row.settles(limit)


# --- converting ---


def convert(source: Path, target: Path, note: Callable[[str], object] = _warn) -> int:
    """Write the rows of a file to another one, in the form that its name says; returns their number.

    A CSV or Parquet file of rows is replaced in one step. Raises `BadFile` for other files that exist, and for a target
    whose rows grow in another file than the source.
    """
    check_ending(target, ROW_ENDINGS)
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
        export(target, (record for record in counted() if isinstance(record, Row)))
    else:
        check_replaceable(target, lambda begin: False, "empty file")
        with writing(target), replacing(target) as temporary, temporary.open("w", encoding="utf-8") as file:
            file.writelines(f"{record.to_json()}\n" for record in counted())
    return count
