"""The rows of many boards as columns, and as lines of a file, without an object for each row.

Results whose `rare` columns are not empty are few, and are written one by one.

Shapes: B = boards, R = boards that could be read, L = moves of all solutions together.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, move_names, names_of
from puzzlelab.core.result_batch import PROOFS, RARE, STOPS, UNSOLVED, ResultBatch
from puzzlelab.core.verify import Answer
from puzzlelab.engine.solving import CONFIRMED_BY, AnswerBatch
from puzzlelab.storage.row import Row, answered
from puzzlelab.storage.row_columns import (
    COLUMNS,
    RowList,
    arrow_schema,
    csv_field,
    csv_moves,
    csv_text,
    encodable,
    is_word,
    plain,
)

SHARED = ("solver", "options", "net", "seed", "limit", "version")
"""The columns between the board and the moves, which all rows of a batch share."""
ANSWER = COLUMNS[COLUMNS.index("moves") :]
"""The columns from the moves on."""
ENCODER = json.JSONEncoder()


@dataclass(frozen=True, eq=False)
class RowBatch:
    """The rows of consecutive boards of one puzzle, solver and limit, as columns."""

    shared: Row
    """The columns that all rows share: a row without an answer, whose board is empty."""
    texts: Sequence[str]
    """[B]: the board of each row."""
    answers: Sequence[Answer]
    """[R]: of the boards that could be read; only those of an `AnswerBatch` are written without an object for each."""
    places: NDArray[np.int64]
    """[R]: their places among the boards, in ascending order."""
    errors: Mapping[int, str]
    """Place -> why its text is no board, for all other places."""

    def __len__(self) -> int:
        return len(self.texts)

    def rows(self) -> list[Row]:
        """Return the rows as objects."""
        answers, rows = iter(self.answers), []
        for place, text in enumerate(self.texts):
            error = self.errors.get(place)
            if error is None:
                rows.append(answered(self.shared, next(answers), text))
            else:
                rows.append(self.shared.model_copy(update={"board": text, "error": error}))
        return rows

    def json_lines(self) -> list[str]:
        """Return each row as JSON on one line, as `Row.to_json` writes it."""
        if not isinstance(self.answers, AnswerBatch):
            return [row.to_json() for row in self.rows()]
        begin = f'{{"puzzle": {json.dumps(self.shared.puzzle)}, "board": '
        middle = f", {json.dumps({name: getattr(self.shared, name) for name in SHARED})[1:-1]}, "
        ends = self._ends(self.answers, _json_ends(self.answers), _json_end)
        return [f"{begin}{text}{middle}{end}" for text, end in zip(map(ENCODER.encode, self.texts), ends, strict=True)]

    def csv_records(self) -> list[str]:
        """Return each row as a record of CSV, with the columns `COLUMNS`."""
        if not isinstance(self.answers, AnswerBatch):
            return RowList(self.rows()).csv_records()
        begin = csv_text(self.shared.puzzle)
        middle = ",".join(csv_field(name, getattr(self.shared, name)) for name in SHARED)
        ends = self._ends(self.answers, _csv_ends(self.answers), _csv_end)
        return [f"{begin},{text},{middle},{end}" for text, end in zip(map(csv_text, self.texts), ends, strict=True)]

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table` with the columns of `arrow_schema`."""
        import pyarrow as pa

        if not isinstance(self.answers, AnswerBatch):
            return RowList(self.rows()).to_arrow()
        texts = pa.array(_encodable(self.texts), pa.string())
        if not self.errors:
            return _table_of_answers(self.shared, texts, self.answers)
        table = _table_of_answers(self.shared, texts.take(pa.array(self.places)), self.answers)
        places = sorted(self.errors)
        failed = [
            self.shared.model_copy(update={"board": self.texts[place], "error": self.errors[place]}) for place in places
        ]
        order = np.argsort(np.concatenate([self.places, places]))
        return pa.concat_tables([table, RowList(failed).to_arrow()]).take(pa.array(order)).combine_chunks()

    def _ends(
        self, answers: AnswerBatch, ends_of_answers: Iterable[str], end_of: Callable[[Row], str]
    ) -> Sequence[str]:
        """Return [B]: the texts of the columns from the moves on; `ends_of_answers` do not have the rare columns."""
        ends = list(ends_of_answers)
        for place in answers.results.rare:
            ends[place] = end_of(answered(self.shared, answers[place]))
        if not self.errors:
            return ends
        rest = iter(ends)
        errors = [self.errors.get(place) for place in range(len(self))]
        return [
            next(rest) if error is None else end_of(self.shared.model_copy(update={"error": error})) for error in errors
        ]


# --- texts ---


def _json_end(row: Row) -> str:
    """Return the columns of a row from the moves on, as JSON."""
    values = {name: value for name, value in row.to_dict().items() if name not in ("puzzle", "board", *SHARED)}
    return json.dumps(values)[1:]


def _csv_end(row: Row) -> str:
    """Return the columns of a row from the moves on, as CSV."""
    return ",".join(csv_field(name, getattr(row, name)) for name in ANSWER)


def _json_ends(answers: AnswerBatch) -> Iterator[str]:
    """Yield the columns of each row from the moves on, as JSON, without the rare ones."""
    results = answers.results
    proofs, stops = ([json.dumps(name) for name in names] for names in (PROOFS, STOPS))
    confirmed = [_json_of_rules(name) for name in CONFIRMED_BY]
    shares = ("", f', "seconds_shared": true, "batch": {json.dumps(results.batch)}')
    for names, length, proof, stop, bound, seconds, expanded, generated, evaluations, rules, share in _fields(
        answers, json.dumps
    ):
        moves = 'null, "length": null' if names is None else f'[{", ".join(names)}], "length": {length}'
        yield (
            f'"moves": {moves}, "proof": {proofs[proof]}, '
            f'"reason": "", "stop": {stops[stop]}, "lower_bound": {bound}, "seconds": {round(seconds, 6)!r}, '
            f'"expanded": {expanded}, "generated": {generated}, "evaluations": {evaluations}, '
            f"{confirmed[rules]}{shares[share]}}}"
        )


def _json_of_rules(name: str | None) -> str:
    return '"verified": false' if name is None else f'"verified": true, "verified_by": {json.dumps(name)}'


def _csv_ends(answers: AnswerBatch) -> Iterator[str]:
    """Yield the columns of each row from the moves on, as CSV, without the rare ones."""
    are_words = all(map(is_word, names_and_places(answers.results.boards.puzzle, answers.results.moves)[0]))
    confirmed = ["false," if name is None else f"true,{name}" for name in CONFIRMED_BY]
    shares = (",", f"true,{csv_text(answers.results.batch)}")
    for names, length, proof, stop, bound, seconds, expanded, generated, evaluations, rules, share in _fields(
        answers, str
    ):
        if names is None:
            moves = ","
        elif are_words:
            moves = f"{csv_text(' '.join(names))},{length}"
        else:
            moves = f"{csv_text(csv_moves(names))},{length}"
        yield (
            f"{moves},,,{PROOFS[proof]},,{STOPS[stop]},{bound},,{round(seconds, 6)!r},"
            f"{expanded},{generated},{evaluations},{confirmed[rules]},,{shares[share]},"
        )


Fields = tuple[Sequence[str] | None, int, int, int, int, float, int, int, int, int, bool]
"""(moves or None, length, proof, stop, lower bound, seconds, expanded, generated, evaluations, rules, shares time)."""


def _fields(answers: AnswerBatch, encode: Callable[[str], str]) -> Iterator[Fields]:
    """Return the columns of each answer; `encode` is applied to the names of moves."""
    results = answers.results
    return zip(
        _moves(results, encode),
        results.lengths.tolist(),
        results.proofs.tolist(),
        results.stops.tolist(),
        results.lower_bounds.tolist(),
        results.seconds.tolist(),
        results.expanded.tolist(),
        results.generated.tolist(),
        results.evaluations.tolist(),
        answers.verified_by.tolist(),
        results.shares_time.tolist(),
        strict=True,
    )


def _moves(results: ResultBatch, encode: Callable[[str], str]) -> Iterator[Sequence[str] | None]:
    """Yield the names of the moves of each board, or None."""
    names, places = names_and_places(results.boards.puzzle, results.moves)
    encoded = np.array([encode(name) for name in names], object)[places].tolist()
    offsets = results.offsets.tolist()
    for length, begin, end in zip(results.lengths.tolist(), offsets, offsets[1:], strict=False):
        yield None if length == UNSOLVED else encoded[begin:end]


def names_and_places(puzzle: Puzzle, moves: NDArray[np.int32]) -> tuple[Sequence[str], NDArray[np.int32]]:
    """Return (names of moves, `int32[L]` the place of each of these moves among them)."""
    if names := move_names(cast(Hashable, puzzle)):
        return names, moves
    distinct, places = np.unique(moves, return_inverse=True)
    return [puzzle.write_move(move) for move in distinct.tolist()], places.astype(np.int32)


# --- Arrow ---


def _encodable(texts: Sequence[str]) -> list[str]:
    """Return the texts without half surrogates, which UTF-8 cannot encode."""
    return list(map(encodable, texts))


def _table_of_answers(shared: Row, texts: Any, answers: AnswerBatch) -> Any:
    """Return the rows of boards that were read; `texts` is an array of Arrow."""
    import pyarrow as pa

    results = answers.results
    solved = results.lengths != UNSOLVED
    columns = {
        "board": texts,
        "moves": _move_lists(results),
        "length": pa.array(results.lengths.astype(np.int64), mask=~solved),
        "proof": _dictionary(results.proofs, PROOFS),
        "stop": _dictionary(results.stops, STOPS),
        "lower_bound": pa.array(results.lower_bounds),
        "seconds": pa.array(_rounded(results.seconds)),
        "expanded": pa.array(results.expanded),
        "generated": pa.array(results.generated),
        "evaluations": pa.array(results.evaluations),
        "verified": pa.array(answers.verified_by > 0),
        "verified_by": _dictionary(answers.verified_by, CONFIRMED_BY),
        "seconds_shared": pa.array(results.shares_time, mask=~results.shares_time),
        "batch": _repeated("batch", results.batch or None, len(results), results.shares_time),
    }
    schema = arrow_schema()
    for field in schema:
        if field.name in RARE:
            columns[field.name] = _rare_column(field.name, field.type, shared, answers)
        elif field.name not in columns:
            columns[field.name] = _repeated(field.name, plain(field.name, getattr(shared, field.name)), len(results))
    return pa.table([columns[name] for name in schema.names], schema=schema)


def _move_lists(results: ResultBatch) -> Any:
    """Return the names of the moves of each board, without an object for each."""
    import pyarrow as pa

    names, places = names_and_places(results.boards.puzzle, results.moves)
    values = pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), _name_array(tuple(names)))
    offsets, is_unsolved = pa.array(results.offsets, pa.int32()), pa.array(results.lengths == UNSOLVED)
    return pa.ListArray.from_arrays(offsets, values, mask=is_unsolved).cast(arrow_schema().field("moves").type)


@lru_cache(maxsize=16)
def _name_array(names: tuple[str, ...]) -> Any:
    """Return the names of moves as an array of Arrow."""
    import pyarrow as pa

    return pa.array(_encodable(names), pa.string())


def _dictionary(numbers: NDArray[np.uint8], texts: Sequence[str | None]) -> Any:
    """Return the text of each number; null where that is None."""
    import pyarrow as pa

    known = [text for text in texts if text is not None]
    place_of = np.array([0 if text is None else known.index(text) for text in texts], np.int32)
    is_null = np.array([text is None for text in texts])
    indices = pa.array(place_of[numbers], mask=is_null[numbers])
    return pa.DictionaryArray.from_arrays(indices, pa.array(known, pa.string()))


def _repeated(name: str, value: Any, count: int, where: NDArray[np.bool_] | None = None) -> Any:
    """Return a column with one value, or with it where `where` is true and null elsewhere."""
    import pyarrow as pa

    kind = arrow_schema().field(name).type
    if value is None:
        return pa.nulls(count, kind)
    if not pa.types.is_dictionary(kind):
        return pa.repeat(pa.scalar(value, kind), count)
    indices = pa.array(np.zeros(count, np.int32), mask=None if where is None else ~where)
    return pa.DictionaryArray.from_arrays(indices, pa.array([value], pa.string()))


def _rare_column(name: str, kind: Any, shared: Row, answers: AnswerBatch) -> Any:
    """Return a column that few rows have."""
    import pyarrow as pa

    results = answers.results
    if not any(name in fields for fields in results.rare.values()):
        return _repeated(name, getattr(shared, name), len(results))
    values = [getattr(shared, name)] * len(results)
    for place, fields in results.rare.items():
        if name in fields:
            value = fields[name]
            values[place] = names_of(results.boards.puzzle, value) if name == "tried" else plain(name, value)
    if name == "tried":
        return pa.array(values, pa.list_(pa.field("element", pa.string()))).cast(kind)
    return pa.array(values, kind)


def _rounded(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round the seconds as rows have them; boards that share a time have equal ones."""
    distinct, places = np.unique(seconds, return_inverse=True)
    return np.array([round(each, 6) for each in distinct.tolist()])[places]
