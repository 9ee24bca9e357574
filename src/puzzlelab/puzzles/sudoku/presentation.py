"""How Sudoku is shown to people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.core.puzzle import Presentation
from puzzlelab.puzzles.sudoku import examples

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Board, Sudoku

LEAST_CLUES = 17
"""No 9x9 puzzle with fewer clues has one solution only (McGuire, Tugemann, Civario, 2012)."""


def presentation(puzzle: Sudoku) -> Presentation:
    """Return the presentation: solutions are shown as boards, and a board is expected to have one."""

    def warnings(states: Board) -> Mapping[int, Sequence[str]]:
        if puzzle.size != 9:
            return {}
        clues = np.count_nonzero(states, axis=1)
        return {
            place: [f"{clues[place]} clues: with fewer than {LEAST_CLUES} clues the solution cannot be unique"]
            for place in np.flatnonzero(clues < LEAST_CLUES).tolist()
        }

    fastest = "bands" if (puzzle.box_rows, puzzle.box_columns) == (3, 3) else "dancing-links"
    return Presentation(
        usual_solver=(fastest, {}),
        provers=tuple((name, {}) for name in dict.fromkeys([fastest, "dancing-links", "backtracking"])),
        move_note="written like r3c5=7: a 7 in row 3, column 5",
        answer_is_board=True,
        unique_expected=True,
        examples=examples.of(puzzle.name),
        warnings=warnings,
    )
