"""How Sudoku is shown to people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Presentation
from puzzlelab.puzzles.sudoku import drawing, examples

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Board, Sudoku

LEAST_CLUES = 17
"""No 9x9 puzzle with fewer clues has one solution only (McGuire, Tugemann, Civario, 2012)."""


def presentation(puzzle: Sudoku) -> Presentation:
    """Return the presentation: solutions are shown as boards, and a board is expected to have one."""

    def warnings(state: Board) -> Sequence[str]:
        clues = int(np.count_nonzero(state))
        if puzzle.size == 9 and clues < LEAST_CLUES:
            return [f"{clues} clues: with fewer than {LEAST_CLUES} clues the solution cannot be unique"]
        return []

    def has_warnings(states: Board) -> NDArray[np.bool_]:
        return np.asarray((puzzle.size == 9) & (np.count_nonzero(states, axis=1) < LEAST_CLUES))

    fastest = "bands" if (puzzle.box_rows, puzzle.box_columns) == (3, 3) else "dancing-links"
    return Presentation(
        usual_solver=(fastest, {}),
        provers=tuple((name, {}) for name in dict.fromkeys([fastest, "dancing-links", "backtracking"])),
        move_note="written like r3c5=7: a 7 in row 3, column 5",
        answer_is_board=True,
        unique_expected=True,
        examples=examples.of(puzzle.name),
        notations=drawing.with_solution(puzzle.box_rows, puzzle.box_columns),
        warnings=warnings,
        has_warnings=has_warnings,
    )
