"""Sudoku of every box size from 2x2 to 5x5.

Start with `rules`, which also gives the views that the general constraint solvers need; `kernels` are the compiled
rules. For 9x9 alone there are

- `solvers` has `bands`: the module `bands` has its rules as formulas on vectors, `bands_kernels` the search over them,
- `generate`, which makes new puzzles, with its kernels in `hole_digging_kernels`; `sampling` offers it as scales,
- `files`, which writes and reads files of many puzzles.
"""

import re

from puzzlelab.core.errors import BadBoard
from puzzlelab.core.puzzle import Family
from puzzlelab.puzzles.sudoku.pasted import boards_of
from puzzlelab.puzzles.sudoku.rules import Sudoku, from_name

SIZES = (9, 16, 25, 4, 6, 8, 10, 12, 15, 20)
"""N of every grid, the usual ones first."""


def guess(text: str) -> Sudoku | None:
    """Return the grid of which this text is a board with something left to fill in.

    The text is drawn with bars, or its first field is the board, one character a cell; what follows is passed over.
    Boxes that are not square are taken to be wider than they are high.
    """
    board = text if "|" in text else "".join(re.split(r"[\s,;]", text.strip(), maxsplit=1)[:1])
    for size in SIZES:
        if len(board) == size**2 or "|" in board:
            puzzle = from_name(f"{size}x{size}")
            try:
                state = puzzle.read(board).state
            except BadBoard:
                continue
            if not state.all():
                return puzzle
    return None


FAMILY = Family(
    about="Sudoku: fill the grid so that every row, column and box holds each digit once.",
    make=from_name,
    names=("sudoku-9x9", "sudoku-4x4", "sudoku-6x6", "sudoku-16x16", "sudoku-25x25", "sudoku-6x6:boxes=3x2"),
    guess=guess,
    from_grid=boards_of,
)

__all__ = ["FAMILY", "Sudoku"]
