"""The rows of many boards as columns, from the answers to those of them that could be read.

Shapes: B = boards, R = boards that could be read, L = moves of all solutions together.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Boards
from puzzlelab.core.puzzle import Puzzle, move_names, names_of, presentation_of
from puzzlelab.core.result_batch import PROOFS, STOPS, UNSOLVED, ResultBatch
from puzzlelab.core.verify import Answer
from puzzlelab.engine.solving import CONFIRMED_BY, AnswerBatch
from puzzlelab.storage.row import COLUMNS, BatchTime, Row, answered, solution_of, solutions_of
from puzzlelab.storage.row_columns import MoveLists, RowColumns, Same, Values


def row_columns(
    shared: Row,
    texts: Sequence[str],
    answers: Sequence[Answer],
    places: NDArray[np.int64],
    errors: Mapping[int, str],
) -> RowColumns:
    """Return the rows of consecutive boards of one puzzle, solver and limit.

    Args:
        shared: the columns that all rows share: a row without an answer, whose board is empty.
        texts: [B]: the board of each row.
        answers: [R]: of the boards that could be read; no object is made for each of those of an `AnswerBatch`.
        places: [R]: their places among the boards, in ascending order.
        errors: place -> why its text is no board, for all other places.
    """
    if isinstance(answers, AnswerBatch):
        columns = _columns_of(shared, texts if not errors else [texts[place] for place in places.tolist()], answers)
    else:
        rows = [answered(shared, each, texts[place]) for each, place in zip(answers, places.tolist(), strict=True)]
        seconds = [each.result.seconds for each in answers if each.result.batch]
        columns = RowColumns.of(rows, BatchTime(len(seconds), round(sum(seconds), 6)) if seconds else None)
    if not errors:
        return columns
    others = [
        shared.model_copy(update={"board": texts[place], "error": error}) for place, error in sorted(errors.items())
    ]
    return columns.with_others(shared, places, others)


def _columns_of(shared: Row, texts: Sequence[str], answers: AnswerBatch) -> RowColumns:
    """Return the rows of boards with these answers."""
    results, puzzle = answers.results, answers.results.boards.puzzle
    is_unsolved = results.lengths == UNSOLVED
    lengths = results.lengths.tolist()
    tried = _rare(results, "tried", ())
    values: dict[str, Values] = {column.name: Same(getattr(shared, column.name)) for column in COLUMNS} | {
        "board": texts,
        "moves": MoveLists(*names_and_places(puzzle, results.moves), results.offsets, is_unsolved),
        "length": [None if length == UNSOLVED else length for length in lengths] if is_unsolved.any() else lengths,
        "solution": _solutions(answers, is_unsolved),
        "solutions": _solution_counts(results),
        "cost": _rare(results, "cost", None),
        "score": _rare(results, "score", None),
        "proof": _coded(results.proofs, PROOFS),
        "reason": _rare(results, "reason", ""),
        "stop": _coded(results.stops, STOPS),
        "lower_bound": _numbers(results.lower_bounds),
        "upper_bound": _rare(results, "upper_bound", None),
        "seconds": _seconds(results),
        "expanded": _numbers(results.expanded),
        "generated": _numbers(results.generated),
        "evaluations": _numbers(results.evaluations),
        "verified": _coded(answers.verified_by, [rules is not None for rules in CONFIRMED_BY]),
        "verified_by": _coded(answers.verified_by, CONFIRMED_BY),
        "tried": Same(None) if isinstance(tried, Same) else [names_of(puzzle, moves) or None for moves in tried],
    }
    shared_seconds = results.seconds[results.shares_time]
    time = BatchTime(len(shared_seconds), round(float(shared_seconds.sum()), 6)) if len(shared_seconds) else None
    return RowColumns(len(results), values, time)


def names_and_places(puzzle: Puzzle, moves: NDArray[np.int32]) -> tuple[Sequence[str], NDArray[np.int32]]:
    """Return (names of moves, `int32[L]` the place of each of these moves among them)."""
    if names := move_names(cast(Hashable, puzzle)):
        return names, moves
    distinct, places = np.unique(moves, return_inverse=True)
    return [puzzle.write_move(move) for move in distinct.tolist()], places.astype(np.int32)


def _solutions(answers: AnswerBatch, is_unsolved: NDArray[np.bool_]) -> Values:
    """Return the boards after the moves, for a puzzle whose answer is a board."""
    boards = answers.results.boards
    if not presentation_of(boards.puzzle).answer_is_board:
        return Same(None)
    texts: list[Any] = Boards(boards.puzzle, answers.ends).written()
    of_others = np.flatnonzero(~answers.has_end | is_unsolved).tolist()
    return _with(texts, {place: solution_of(answers[place]) for place in of_others})


def _solution_counts(results: ResultBatch) -> Values:
    """Return how many solutions each board has."""
    puzzle = results.boards.puzzle
    counts = _coded(results.proofs, [solutions_of(puzzle, proof, "") for proof in PROOFS])
    others = {
        place: solutions_of(puzzle, PROOFS[results.proofs[place]], fields["reason"])
        for place, fields in results.rare.items()
        if "reason" in fields
    }
    if not any(others.values()):
        return counts
    return _with([counts.value] * len(results) if isinstance(counts, Same) else list(counts), others)


def _with(values: list[Any], others: Mapping[int, Any]) -> list[Any]:
    """Return the values, in which those at some places are others."""
    for place, value in others.items():
        values[place] = value
    return values


def _rare(results: ResultBatch, name: str, absent: Any) -> Same | list[Any]:
    """Return a field that few results have."""
    of_some = {place: fields[name] for place, fields in results.rare.items() if name in fields}
    return _with([absent] * len(results), of_some) if of_some else Same(absent)


def _coded(codes: NDArray[np.uint8], values: Sequence[Any]) -> Same | list[Any]:
    """Return the value of each code."""
    different = {values[code] for code in np.flatnonzero(np.bincount(codes)).tolist()}
    if len(different) == 1:
        return Same(*different)
    return [values[code] for code in codes.tolist()]


def _numbers(numbers: NDArray[np.int64]) -> Values:
    if len(numbers) and (numbers == numbers[0]).all():
        return Same(int(numbers[0]))
    return numbers.tolist()  # type: ignore[no-any-return]


def _seconds(results: ResultBatch) -> Values:
    """Return the seconds of boards that were solved alone."""
    if results.shares_time.all():
        return Same(None)
    pairs = zip(results.seconds.tolist(), results.shares_time.tolist(), strict=True)
    return [None if is_share else round(seconds, 6) for seconds, is_share in pairs]
