"""Files of rows: JSON lines, CSV or Parquet, as the ending of the name says.

`RowFile` grows by appending, and finds the rows of boards that were solved before. `read_rows` reads any of them.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from puzzlelab.core.errors import BadFile, visible
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import LIMITS
from puzzlelab.storage.files import line_count, make_folder, writing
from puzzlelab.storage.outputs import only_writer
from puzzlelab.storage.row import Row
from puzzlelab.storage.row_columns import RowColumns, RowList
from puzzlelab.storage.row_index import Question, RowIndex, question_of
from puzzlelab.storage.row_stores import CsvRows, JsonRows, RowStore

CSV, PARQUET = ".csv", ".parquet"
MANY = 4
"""The number of rows of a question above which an index of the rows that answer it is kept."""


def _warn(sentence: str) -> None:
    logging.getLogger("puzzlelab").warning("%s", visible(sentence))


def store_of(path: Path) -> RowStore:
    """Return the form of a file by the ending of its name: JSON lines unless it is `.csv` or `.parquet`."""
    if path.suffix == PARQUET:
        from puzzlelab.storage.row_parquet import ParquetRows

        return ParquetRows(path)
    return CsvRows(path) if path.suffix == CSV else JsonRows(path)


def read_rows(path: Path, note: Callable[[str], object] = _warn) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a file with the numbers of their lines; raises `BadFile` with that of an invalid line.

    Half a row at the end, as a killed program or a power cut leaves it, is left out; `note` is called with a sentence.
    Rows of Parquet have their own numbers, from 1; of a file that is not complete, the parts are read.
    """
    return store_of(path).rows(note)


def place_in_words(path: Path, number: int) -> str:
    """Return where a row is that `read_rows` gives with this number."""
    return f"{path}, {'row' if path.suffix == PARQUET else 'line'} {number}"


def count_rows(path: Path) -> int | None:
    """Return about how many rows a file has, quickly; None for a pipe or a device. Raises `OSError`."""
    if path.suffix == PARQUET:
        from puzzlelab.storage.parquet_parts import files_of, row_count

        return sum(map(row_count, files_of(path)))
    return line_count(path)


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

    As a context it keeps other programs from writing to the file; at the end all rows are on the disk. Raises
    `BadInput` if another program is writing to it, and `BadFile` for a file of something else, which is not changed.
    Of a stored row only 21 bytes are in memory.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._store = store_of(path)
        self._index = RowIndex()
        self._answers: dict[int, tuple[Question, Limit, list[int]]] = {}
        """Place in the index -> the places of the rows that answer a question with many rows under this limit."""
        self._lock = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as lock:
            with writing(self.path):
                make_folder(self.path.parent)
            lock.enter_context(only_writer(self._store.lock, self.path))
            if self._store.lock.is_file():  # a device has no end, and holds no rows
                self._index = RowIndex(self._store.questions())
                self._store.begin()
            self._lock = lock.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        try:
            self._store.close()
        except BadFile:
            if error is None:
                raise
        finally:
            self._lock.__exit__(kind, error, trace)

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
        rows = self._read([index for search in searches for index in search.indices if len(search.indices) <= MANY])
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
        rows = self._store.read([self._index.place(index) for index in indices])
        return dict(zip(indices, rows, strict=True))

    def _taken(self, question: Question, search: _StoredRows, rows: Mapping[int, Row], limit: Limit) -> Row | None:
        """Return the next row that answers this question, which is counted as taken; `rows` are those read already."""
        if search.following is not None:
            if search.following >= search.end:
                return None
            row = rows[search.following]
            if question_of(row) == question:
                self._index.take(search.begin)
                return row
        if len(search.indices) > MANY and search.begin in self._answers:
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
        if equal[0] == search.begin and len(equal) > MANY:
            self._answers[search.begin] = question, limit, answers
        return self._next(equal[0], answers)

    def _next(self, first: int, answers: Sequence[int]) -> Row | None:
        """Return the row of the next of these answers to the question whose rows begin with this one."""
        number = self._index.times_taken(first)
        self._index.take(first)
        return self._read([answers[number]])[answers[number]] if number < len(answers) else None

    def append(self, rows: Iterable[Row]) -> None:
        """Write rows at the end; see `append_batch`."""
        self.append_batch(RowList(list(rows)))

    def append_batch(self, rows: RowColumns) -> None:
        """Write rows at the end: all of them or, on a full disk, none.

        They are written at once, but for Parquet, where rows wait up to `row_parquet.PART_SECONDS` for others.
        """
        self._store.append(rows)
