"""Many rows as columns, without an object for each row: made of answers, and written as JSON, as CSV and for Arrow.

Shapes: B = rows, L = moves of all rows together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from json.encoder import encode_basestring_ascii
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import CONFIRMED_BY, PROOFS, STOPS, UNSOLVED, Answers, BatchTime
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadInput
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, move_names, names_of, presentation_of
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Solver
from puzzlelab.runtime import libraries
from puzzlelab.storage.row import COLUMNS, Column, Row, solution_of, solutions_of, unanswered

HEADER = ",".join(column.name for column in COLUMNS)
"""The first line of a CSV file of rows."""
PLAIN = re.compile(r"[!#-+\--Z\\-~]+")
"""Matches names of moves that CSV can have with spaces between them."""
TEXT = 500
"""Rows that are written as one text: more of them would not stay in the cache of the processor."""


@dataclass(frozen=True, eq=False)
class MoveLists:
    """Lists of the names of moves."""

    names: Sequence[str]
    places: NDArray[np.int32]
    """[L]: the place of each move in `names`."""
    offsets: NDArray[np.int64]
    """[B + 1]: where the moves of each row begin in `places`; the last is L."""
    is_missing: NDArray[np.bool_]
    """[B]: rows without a list."""

    def lists(self) -> list[list[str] | None]:
        """Return the list of each row, or None."""
        texts = np.array(self.names, object)[self.places].tolist()
        return [None if missing else texts[begin:end] for begin, end, missing in self._spans(self.offsets)]

    def joined(self, names: Sequence[str], separator: str) -> list[str | None]:
        """Return the list of each row as one text, or None; `names`, in ASCII, are written instead of the names."""
        items = np.array([name + separator for name in names], "S")
        widths, cut = np.char.str_len(items), len(separator)
        text = items.take(self.places).tobytes().replace(b"\0", b"").decode("ascii")
        if (widths == items.itemsize).all():
            ends = self.offsets * items.itemsize
        else:
            ends = np.concatenate([[0], np.cumsum(widths.take(self.places))])[self.offsets]
        return [None if missing else text[begin : max(begin, end - cut)] for begin, end, missing in self._spans(ends)]

    def _spans(self, offsets: NDArray[np.int64]) -> zip[tuple[int, int, bool]]:
        """Return where each row begins and ends by these offsets `[B + 1]`, and whether it has no list."""
        numbers = offsets.tolist()
        return zip(numbers, numbers[1:], self.is_missing.tolist(), strict=False)


Values = MoveLists | Sequence[Any]
"""The values of a column, one for each row."""


@dataclass(frozen=True, eq=False)
class RowColumns:
    """The columns of many rows."""

    count: int
    values: Mapping[str, Values]
    """The values of each column by its name."""
    time: BatchTime | None = None
    """The time of those of the rows that have no seconds of their own."""

    @classmethod
    def of(cls, rows: Sequence[Row], time: BatchTime | None = None) -> RowColumns:
        """Return the columns of rows that are objects."""
        of_rows = list(map(vars, rows))
        return cls(len(rows), {each.name: [of_row[each.name] for of_row in of_rows] for each in COLUMNS}, time)

    def __len__(self) -> int:
        return self.count

    def rows(self) -> list[Row]:
        """Return the rows as objects."""
        names = [column.name for column in COLUMNS]
        columns = [
            values.lists() if isinstance(values, MoveLists) else values for values in map(self.values.get, names)
        ]
        return [Row.model_construct(None, **dict(zip(names, each, strict=True))) for each in zip(*columns, strict=True)]

    def json_texts(self) -> Iterator[str]:
        """Yield the rows as lines of JSON, as `Row.to_json` writes them, with their ends: `TEXT` rows in each text."""
        parts: list[Part] = []
        for column in COLUMNS:
            parts += _json_parts(column, self.values[column.name], ", " if parts else "{")
        return self._texts([*parts, "}\n"])

    def csv_texts(self) -> Iterator[str]:
        """Yield the rows as records of CSV, with their ends; None is an empty field."""
        parts: list[Part] = []
        for column in COLUMNS:
            parts += [_csv_part(column, self.values[column.name]), ","]
        return self._texts([*parts[:-1], "\n"])

    def _texts(self, parts: Sequence[Part]) -> Iterator[str]:
        """Yield the lines that consist of these parts."""
        merged: list[Part] = []
        for kind, some in groupby(parts, type):
            alike = list(some)
            merged += ["".join(alike)] if kind is str else alike  # type: ignore[arg-type]
        size = len(merged)
        texts = [""] * (self.count * size)
        for place, part in enumerate(merged):
            texts[place::size] = [part] * self.count if isinstance(part, str) else part
        for begin in range(0, len(texts), TEXT * size):
            yield "".join(texts[begin : begin + TEXT * size])

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table` with the columns of `arrow_schema`."""
        import pyarrow as pa

        schema = arrow_schema()
        try:
            arrays = [_array(self.values[field.name], field.type) for field in schema]
        except OverflowError:
            raise BadInput("a number in these rows is too large for a table of Arrow") from None
        return pa.table(arrays, schema=schema)


# --- made of answers ---


def row_columns(shared: Row, texts: Sequence[str], answers: Answers) -> RowColumns:
    """Return the rows of boards of one puzzle, solver and limit, with these answers or the errors of the boards.

    Args:
        shared: the columns that all rows share: a row without an answer, whose board is empty.
        texts: [B]: the board of each row.
        answers: [B].
    """
    puzzle, is_unsolved = answers.boards.puzzle, ~answers.is_solved
    rules = _decoded(answers.verified_by, CONFIRMED_BY)
    columns: dict[str, Any] = {column.name: [getattr(shared, column.name)] * len(answers) for column in COLUMNS}
    columns |= {
        "board": texts,
        "length": [None if length == UNSOLVED else length for length in answers.lengths.tolist()],
        "solution": solutions(answers),
        "solutions": _decoded(answers.proofs, [solutions_of(puzzle, proof) for proof in PROOFS]),
        "proof": _decoded(answers.proofs, PROOFS),
        "stop": _decoded(answers.stops, STOPS),
        "lower_bound": answers.lower_bounds.tolist(),
        "seconds": [None if seconds != seconds else round(seconds, 6) for seconds in answers.seconds.tolist()],
        "expanded": answers.expanded.tolist(),
        "generated": answers.generated.tolist(),
        "evaluations": answers.evaluations.tolist(),
        "verified": [each is not None for each in rules],
        "verified_by": rules,
    }
    for place, fields in answers.rare.items():
        for name, value in fields.items():
            columns[name][place] = names_of(puzzle, value) if name == "tried" else value
    for place, error in answers.boards.errors.items():
        columns["error"][place] = error
    columns["moves"] = MoveLists(*names_and_places(puzzle, answers.moves), answers.offsets, is_unsolved)
    return RowColumns(len(answers), columns, answers.batch)


def _decoded(codes: NDArray[np.uint8], values: Sequence[Any]) -> list[Any]:
    """Return the value of each code."""
    return np.array(values, object)[codes].tolist()  # type: ignore[no-any-return]


def names_and_places(puzzle: Puzzle, moves: NDArray[np.int32]) -> tuple[Sequence[str], NDArray[np.int32]]:
    """Return (names of moves, `int32[L]` the place of each of these moves among them)."""
    if names := move_names(cast(Hashable, puzzle)):
        return names, moves
    distinct, places = np.unique(moves, return_inverse=True)
    return [puzzle.write_move(move) for move in distinct.tolist()], places.astype(np.int32)


def solutions(answers: Answers) -> list[str | None]:
    """Return [B]: the boards after the moves, for a puzzle whose answer is a board; None for others."""
    boards, is_solved = answers.boards, answers.is_solved & (answers.verified_by > 0)
    texts: list[str | None] = [None] * len(answers)
    if not presentation_of(boards.puzzle).answer_is_board:
        return texts
    places = np.flatnonzero(is_solved).tolist()
    if answers.ends is None:
        ends: Sequence[str | None] = [solution_of(answers[place]) for place in places]
    else:
        ends = Boards(boards.puzzle, answers.ends[is_solved]).written()
    for place, text in zip(places, ends, strict=True):
        texts[place] = text
    return texts


def row_of(result: Result, solver: Solver, limit: Limit, board: str | None = None, seed: int | None = None) -> Row:
    """Return the row of an answer; `board` is the text of the board in the row, by default its canonical notation."""
    puzzle = result.board.puzzle
    text = puzzle.write(result.board.state) if board is None else board
    shared = unanswered(puzzle, "", solver, limit, seed)
    return row_columns(shared, [text], Answers.of(Boards.of([result.board]), [result])).rows()[0]


def table_of(answers: Iterable[tuple[Solver, Answers]], limit: Limit) -> Any:
    """Return the `pyarrow.Table` of the rows of these answers, each with its solver; boards are canonical."""
    require_pyarrow("a table")
    import pyarrow as pa

    tables, shared = [arrow_schema().empty_table()], None
    for solver, part in answers:
        puzzle = part.boards.puzzle
        if shared is None or shared.puzzle != puzzle.name:
            shared = unanswered(puzzle, "", solver, limit)
        tables.append(row_columns(shared, part.boards.written(), part).to_arrow())
    return pa.concat_tables(tables)


# --- lines ---

Part = str | list[str]
"""A part of many lines: one text for all, or a text for each."""


def _texts(column: Column, values: Sequence[Any], write: Callable[[Any], str]) -> Part:
    """Return what `write` makes of each value; one text where all values are equal."""
    if _are_equal(values):
        return write(values[0])
    if column.kind in ("word", "truth"):
        texts = {value: write(value) for value in set(values)}
        return [texts[value] for value in values]
    return list(map(write, values))


def _are_equal(values: Sequence[Any]) -> bool:
    return len(values) > 0 and values.count(values[0]) == len(values)


def _json_parts(column: Column, values: Values, before: str) -> list[Part]:
    """Return a key with `before` before it, and its values; a rare column without a value is left out."""
    key, encode = f'{before}"{column.name}": ', _JSON.get(column.kind, json.dumps)
    if isinstance(values, MoveLists):
        texts = values.joined(list(map(encode_basestring_ascii, values.names)), ", ")
        return [key, ["null" if text is None else f"[{text}]" for text in texts]]
    if None not in values:
        return [key, _texts(column, values, encode)]
    missing = "" if column.is_rare else f"{key}null"
    return [_texts(column, values, lambda value: missing if value is None else key + encode(value))]


def _csv_part(column: Column, values: Values) -> Part:
    """Return the fields of a column."""
    encode = _CSV.get(column.kind, str)
    if isinstance(values, MoveLists):
        if all(map(PLAIN.fullmatch, values.names)):
            return [text or "" for text in values.joined(values.names, " ")]
        values = values.lists()
    return _texts(column, values, (lambda value: "" if value is None else encode(value)) if None in values else encode)


def csv_text(text: str) -> str:
    """Return a text in a record of CSV, in quotes where it needs them."""
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _csv_moves(names: Sequence[str]) -> str:
    """Return the names of moves with spaces between, or as a JSON list where that would not be clear."""
    text = " ".join(names)
    is_clear = text.count(" ") == len(names) - 1 and text != "" and not text.startswith("[")
    return csv_text(text if is_clear or not names else json.dumps(names))


Writers = Mapping[str, Callable[[Any], str]]
_JSON: Writers = {"number": str, "seconds": repr, "text": encode_basestring_ascii}
"""Kinds of columns with a faster writer than `json.dumps`."""
_CSV: Writers = {
    "text": csv_text,
    "word": csv_text,
    "truth": json.dumps,
    "object": lambda value: csv_text(json.dumps(value)),
    "moves": _csv_moves,
}


# --- Arrow ---


def _array(values: Values, kind: Any) -> Any:
    """Return the values of a column as an array of Arrow of this type."""
    import pyarrow as pa

    if isinstance(values, MoveLists):
        names = pa.array(list(map(encodable, values.names)), pa.string())
        texts = pa.DictionaryArray.from_arrays(pa.array(values.places, pa.int32()), names)
        missing = pa.array(values.is_missing)
        return pa.ListArray.from_arrays(pa.array(values.offsets, pa.int32()), texts, mask=missing).cast(kind)
    if _are_equal(values):
        return pa.repeat(pa.scalar(_plain(values[0]), kind), len(values))
    return pa.array(map(_plain, values), kind)


def _plain(value: Any) -> Any:
    """Return an object as JSON, and texts without the characters that Arrow cannot hold."""
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, list):
        return value if "".join(value).isascii() else list(map(encodable, value))
    return encodable(value) if isinstance(value, str) else value


def encodable(text: str) -> str:
    """Return the text without half surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def require_pyarrow(subject: str = "a Parquet file") -> None:
    """Raise `BadInput` if pyarrow is not installed; `subject` is what needs it."""
    libraries.require(subject, ["pyarrow.parquet"], "table")


@cache
def arrow_schema() -> Any:
    """Return the columns of a table of rows: names of moves, and texts that many rows have, are dictionaries."""
    import pyarrow as pa

    word = pa.dictionary(pa.int32(), pa.string())
    types = {
        "text": pa.string(),
        "word": word,
        "object": word,
        "number": pa.int64(),
        "truth": pa.bool_(),
        "seconds": pa.float64(),
        "moves": pa.list_(pa.field("element", word)),
    }
    return pa.schema([(column.name, types[column.kind]) for column in COLUMNS])
