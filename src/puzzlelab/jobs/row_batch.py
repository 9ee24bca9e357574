"""The rows of many boards as columns, from the answers to them.

Shapes: B = boards, L = moves of all solutions together.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import CONFIRMED_BY, PROOFS, STOPS, UNSOLVED, Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.puzzle import Puzzle, move_names, names_of, presentation_of
from puzzlelab.storage.row import COLUMNS, Row, solution_of, solutions_of
from puzzlelab.storage.row_columns import MoveLists, RowColumns, Same, Values


def row_columns(shared: Row, texts: Sequence[str], answers: Answers) -> RowColumns:
    """Return the rows of boards of one puzzle, solver and limit, with these answers or the errors of the boards.

    Args:
        shared: the columns that all rows share: a row without an answer, whose board is empty.
        texts: [B]: the board of each row.
        answers: [B].
    """
    puzzle, is_unsolved, errors = answers.boards.puzzle, ~answers.is_solved, answers.boards.errors
    lengths, tried = answers.lengths.tolist(), _rare(answers, "tried", ())
    values: dict[str, Values] = {column.name: Same(getattr(shared, column.name)) for column in COLUMNS} | {
        "board": texts,
        "moves": MoveLists(*names_and_places(puzzle, answers.moves), answers.offsets, is_unsolved),
        "length": [None if length == UNSOLVED else length for length in lengths] if is_unsolved.any() else lengths,
        "solution": _solutions(answers),
        "solutions": _solution_counts(answers),
        "cost": _rare(answers, "cost", None),
        "score": _rare(answers, "score", None),
        "proof": _coded(answers.proofs, PROOFS),
        "reason": _rare(answers, "reason", ""),
        "stop": _coded(answers.stops, STOPS),
        "lower_bound": _numbers(answers.lower_bounds),
        "upper_bound": _rare(answers, "upper_bound", None),
        "seconds": _seconds(answers),
        "expanded": _numbers(answers.expanded),
        "generated": _numbers(answers.generated),
        "evaluations": _numbers(answers.evaluations),
        "verified": _coded(answers.verified_by, [rules is not None for rules in CONFIRMED_BY]),
        "verified_by": _coded(answers.verified_by, CONFIRMED_BY),
        "tried": Same(None) if isinstance(tried, Same) else [names_of(puzzle, moves) or None for moves in tried],
        "error": _with([None] * len(answers), errors) if errors else Same(None),
    }
    return RowColumns(len(answers), values, answers.batch)


def names_and_places(puzzle: Puzzle, moves: NDArray[np.int32]) -> tuple[Sequence[str], NDArray[np.int32]]:
    """Return (names of moves, `int32[L]` the place of each of these moves among them)."""
    if names := move_names(cast(Hashable, puzzle)):
        return names, moves
    distinct, places = np.unique(moves, return_inverse=True)
    return [puzzle.write_move(move) for move in distinct.tolist()], places.astype(np.int32)


def _solutions(answers: Answers) -> Values:
    """Return the boards after the moves, for a puzzle whose answer is a board."""
    boards, is_solved = answers.boards, answers.is_solved
    if not presentation_of(boards.puzzle).answer_is_board:
        return Same(None)
    places = np.flatnonzero(is_solved).tolist()
    if answers.ends is None:
        texts = [solution_of(answers[place]) for place in places]
    else:
        texts = list(Boards(boards.puzzle, answers.ends[is_solved]).written())
    return texts if len(texts) == len(answers) else _with([None] * len(answers), dict(zip(places, texts, strict=True)))


def _solution_counts(answers: Answers) -> Values:
    """How many solutions each board has."""
    puzzle = answers.boards.puzzle
    counts = _coded(answers.proofs, [solutions_of(puzzle, proof, "") for proof in PROOFS])
    others = {
        place: solutions_of(puzzle, PROOFS[answers.proofs[place]], fields["reason"])
        for place, fields in answers.rare.items()
        if "reason" in fields
    }
    if not any(others.values()):
        return counts
    return _with([counts.value] * len(answers) if isinstance(counts, Same) else list(counts), others)


def _with(values: list[Any], others: Mapping[int, Any]) -> list[Any]:
    """Return the values, in which those at some places are others."""
    for place, value in others.items():
        values[place] = value
    return values


def _rare(answers: Answers, name: str, absent: Any) -> Same | list[Any]:
    """A field that few results have."""
    of_some = {place: fields[name] for place, fields in answers.rare.items() if name in fields}
    return _with([absent] * len(answers), of_some) if of_some else Same(absent)


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


def _seconds(answers: Answers) -> Values:
    """Return the seconds of boards that were solved alone."""
    is_shared = np.isnan(answers.seconds)
    if is_shared.all():
        return Same(None)
    pairs = zip(answers.seconds.tolist(), is_shared.tolist(), strict=True)
    return [None if is_nan else round(seconds, 6) for seconds, is_nan in pairs]
