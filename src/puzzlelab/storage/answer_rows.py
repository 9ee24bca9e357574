"""The rows of answers: as columns, as one row, and as a table of Arrow.

Shapes: B = boards, L = moves of all solutions together.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import CONFIRMED_BY, PROOFS, STOPS, UNSOLVED, Answers
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, move_names, names_of, presentation_of
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Solver
from puzzlelab.storage.row import COLUMNS, Row, solution_of, solutions_of, unanswered
from puzzlelab.storage.row_columns import MoveLists, RowColumns, arrow_schema, require_pyarrow


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
        "solutions": _decoded(answers.proofs, [solutions_of(puzzle, proof, "") for proof in PROOFS]),
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
        if "reason" in fields:
            columns["solutions"][place] = solutions_of(puzzle, columns["proof"][place], fields["reason"])
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
    require_pyarrow("Tables")
    import pyarrow as pa

    tables, shared = [arrow_schema().empty_table()], None
    for solver, part in answers:
        puzzle = part.boards.puzzle
        if shared is None or shared.puzzle != puzzle.name:
            shared = unanswered(puzzle, "", solver, limit)
        tables.append(row_columns(shared, part.boards.written(), part).to_arrow())
    return pa.concat_tables(tables)
