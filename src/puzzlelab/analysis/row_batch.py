"""The rows of many boards as columns, and as lines of a file, without an object for each row.

Shapes: B = boards, R = boards that could be read, L = moves of all solutions together.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result_batch import PROOFS, STOPS, UNSOLVED, ResultBatch
from puzzlelab.core.row import Row, answered
from puzzlelab.core.solver import move_names
from puzzlelab.core.verify import Answer
from puzzlelab.engine.batch_answers import CONFIRMED_BY, AnswerBatch

SHARED = ("solver", "options", "net", "seed", "limit", "version")
"""The columns between the board and the moves, which all rows of a batch share."""
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
        """The rows as objects."""
        answers, rows = iter(self.answers), []
        for place, text in enumerate(self.texts):
            row = self.shared.model_copy(update={"board": text})
            error = self.errors.get(place)
            rows.append(answered(row, next(answers)) if error is None else row.model_copy(update={"error": error}))
        return rows

    def json_lines(self) -> list[str]:
        """Each row as JSON on one line, as `Row.to_json` writes it."""
        if not isinstance(self.answers, AnswerBatch):
            return [row.to_json() for row in self.rows()]
        begin = f'{{"puzzle": {json.dumps(self.shared.puzzle)}, "board": '
        middle = f", {json.dumps({name: getattr(self.shared, name) for name in SHARED})[1:-1]}, "
        ends = self._json_ends(self.answers)
        return [f"{begin}{text}{middle}{end}" for text, end in zip(map(ENCODER.encode, self.texts), ends, strict=True)]

    def _json_ends(self, answers: AnswerBatch) -> Sequence[str]:
        """[B]: the columns from the moves on."""
        ends = list(_json_ends(answers))
        for place in answers.results.rare:
            ends[place] = _json_end(answered(self.shared, answers[place]))
        if not self.errors:
            return ends
        rest = iter(ends)
        errors = [self.errors.get(place) for place in range(len(self))]
        return [
            next(rest) if error is None else _json_end(self.shared.model_copy(update={"error": error}))
            for error in errors
        ]


def _json_end(row: Row) -> str:
    """The columns of a row from the moves on."""
    values = {name: value for name, value in row.to_dict().items() if name not in ("puzzle", "board", *SHARED)}
    return json.dumps(values)[1:]


def _json_ends(answers: AnswerBatch) -> Iterator[str]:
    """The columns of each row from the moves on, as if no result had one of the rare columns."""
    results = answers.results
    proofs, stops = ([json.dumps(name) for name in names] for names in (PROOFS, STOPS))
    confirmed = [_json_of_rules(name) for name in CONFIRMED_BY]
    shares = ("", f', "seconds_shared": true, "batch": {json.dumps(results.batch)}')
    for moves, length, proof, stop, bound, seconds, expanded, generated, evaluations, rules, share in zip(
        _json_moves(results),
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
    ):
        yield (
            f'"moves": {moves}, "length": {"null" if length == UNSOLVED else length}, "proof": {proofs[proof]}, '
            f'"reason": "", "stop": {stops[stop]}, "lower_bound": {bound}, "seconds": {round(seconds, 6)!r}, '
            f'"expanded": {expanded}, "generated": {generated}, "evaluations": {evaluations}, '
            f"{confirmed[rules]}{shares[share]}}}"
        )


def _json_of_rules(name: str | None) -> str:
    return '"verified": false' if name is None else f'"verified": true, "verified_by": {json.dumps(name)}'


def _json_moves(results: ResultBatch) -> Iterator[str]:
    """The moves of each board as a JSON list of their names, or null."""
    names, places = names_and_places(results.boards.puzzle, results.moves)
    encoded = np.array([json.dumps(name) for name in names], object)[places].tolist()
    offsets = results.offsets.tolist()
    for length, begin, end in zip(results.lengths.tolist(), offsets, offsets[1:], strict=False):
        yield "null" if length == UNSOLVED else f"[{', '.join(encoded[begin:end])}]"


def names_and_places(puzzle: Puzzle, moves: NDArray[np.int32]) -> tuple[Sequence[str], NDArray[np.int32]]:
    """(names of moves, `int32[L]` the place of each of these moves among them)."""
    if names := move_names(cast(Hashable, puzzle)):
        return names, moves
    distinct, places = np.unique(moves, return_inverse=True)
    return [puzzle.write_move(move) for move in distinct.tolist()], places.astype(np.int32)
