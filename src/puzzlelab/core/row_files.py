"""Files of rows: JSON lines, CSV or Parquet, as the ending of the name says.

`RowFile` grows by appending, and finds the rows of boards that were solved before. `read_rows` reads any of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from puzzlelab.core.errors import BadFile, visible
from puzzlelab.core.files import count_lines, make_folder, writing
from puzzlelab.core.limit import Limit
from puzzlelab.core.outputs import only_writer
from puzzlelab.core.result import LIMITS
from puzzlelab.core.row import Row
from puzzlelab.core.row_columns import RowColumns, RowList
from puzzlelab.core.row_index import Question, Questions, RowIndex
from puzzlelab.core.row_stores import CsvRows, JsonRows, RowStore

CSV, PARQUET = ".csv", ".parquet"
MANY = 4
"""Of a question with more rows than this, the places of those that answer it are kept."""


def _warn(sentence: str) -> None:
    logging.getLogger("puzzlelab").warning("%s", visible(sentence))


def store_of(path: Path) -> RowStore:
    """The form of a file by the ending of its name: JSON lines unless it is `.csv` or `.parquet`."""
    if path.suffix == PARQUET:
        from puzzlelab.core.row_parquet import ParquetRows

        return ParquetRows(path)
    return CsvRows(path) if path.suffix == CSV else JsonRows(path)


def read_rows(path: Path, note: Callable[[str], object] = _warn) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a file with the numbers of their lines; raises `BadFile` with that of an invalid line.

    Half a row at the end, as a killed program or a power cut leaves it, is left out; `note` is called with a sentence.
    Rows of Parquet have their own numbers, from 1; of a file that is not complete, the parts are read.
    """
    return store_of(path).rows(note)


def place_in_words(path: Path, number: int) -> str:
    """Where a row is that `read_rows` gives with this number."""
    return f"{path}, {'row' if path.suffix == PARQUET else 'line'} {number}"


def count_rows(path: Path) -> int | None:
    """About how many rows a file has, quickly; None for a pipe or a device. Raises `OSError`."""
    if path.suffix == PARQUET:
        from puzzlelab.core.parquet_parts import files_of, row_count

        return sum(map(row_count, files_of(path)))
    if not path.is_file():
        return None
    with path.open("rb") as lines:
        return count_lines(lines)


class RowFile:
    """A file of rows that grows by appending; boards with a row in it need not be solved again.

    As a context it keeps other programs from writing to the file; at the end all rows are on the disk. Raises
    `BadInput` if another program is writing to it, and `BadFile` for a file of something else, which is not changed.
    Of a stored row only 20 bytes are in memory.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._store = store_of(path)
        self._questions = Questions()
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
                self._index = RowIndex(self._store.questions(self._questions))
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

    def take(self, question: Row, limit: Limit) -> Row | None:
        """The row that answers this question under this limit; the n-th call for one question takes the n-th row."""
        return self.take_many(question, [question.board], limit)[0]

    def take_many(self, shared: Row, boards: Sequence[str], limit: Limit) -> list[Row | None]:
        """`take` for the question of each of these boards; its other columns are those of `shared`."""
        if not len(self._index):
            return [None] * len(boards)
        question = self._questions.of_row(shared)
        questions = [(question[0], board, *question[2:]) for board in boards]
        spans = self._index.spans(questions).tolist()
        single = [begin for begin, end in spans if end == begin + 1]
        places = [place for begin in single for place in self._index.places(begin, begin + 1)]
        rows = dict(zip(single, self._read(places), strict=True))
        taken: list[Row | None] = []
        for each, (begin, end) in zip(questions, spans, strict=True):
            if end <= begin + 1:
                row = rows.get(begin) if begin < end else None
                taken.append(None if row is None else self._taken([(begin, row)], each, limit))
            else:
                taken.append(self._taken_of_several(each, begin, end, limit))
        return taken

    def _read(self, places: Sequence[int]) -> list[Row]:
        """The stored rows at these places, with the names that options have today."""
        return list(map(self._questions.renamed, self._store.read(places))) if places else []

    def _taken(self, rows: Sequence[tuple[int, Row]], question: Question, limit: Limit) -> Row | None:
        """The next row that answers this question, of these with their places in the index, and count it as taken."""
        equal = [(place, row) for place, row in rows if self._questions.of_row(row) == question]
        if not equal:
            return None
        answers = answering([row for _, row in equal], limit)
        number = self._index.count(equal[0][0])
        return answers[number] if number < len(answers) else None

    def _taken_of_several(self, question: Question, begin: int, end: int, limit: Limit) -> Row | None:
        """`_taken` of the rows `begin` to `end` - 1 of the index."""
        kept = self._answers.get(begin)
        if kept is not None and kept[:2] == (question, limit):
            number = self._index.count(begin)
            return self._read([kept[2][number]])[0] if number < len(kept[2]) else None
        places = self._index.places(begin, end)
        rows = self._read(places)
        if len(rows) > MANY and all(self._questions.of_row(row) == question for row in rows):
            answers = set(map(id, answering(rows, limit)))
            chosen = [place for place, row in zip(places, rows, strict=True) if id(row) in answers]
            self._answers[begin] = question, limit, chosen
        return self._taken(list(zip(range(begin, end), rows, strict=True)), question, limit)

    def append(self, rows: Iterable[Row]) -> None:
        """Write rows at the end; see `append_batch`."""
        self.append_batch(RowList(list(rows)))

    def append_batch(self, rows: RowColumns) -> None:
        """Write rows at the end: all of them or, on a full disk, none.

        They are written at once, but for Parquet, where rows wait up to `row_parquet.PART_SECONDS` for others.
        """
        self._store.append(rows)


def answering(rows: Sequence[Row], limit: Limit) -> list[Row]:
    """Of the rows of one question, those that answer it under this limit; those that no limit ended, if there are."""
    settled = [row for row in rows if row.settles(limit)]
    return [row for row in settled if row.stop not in LIMITS] or settled
