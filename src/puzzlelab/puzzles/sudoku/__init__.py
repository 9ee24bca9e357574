"""Sudoku of every box size from 2x2 to 5x5, also with further units, and with regions in place of boxes.

Start with `rules`, which also gives the views that the general constraint solvers need; `further_units` has what stands
beside rows, columns and boxes, and `kernels` are the compiled rules. `any_size` makes new puzzles of all
kinds. For 9x9 alone there are

- `candidate_board`, a board that says which candidates are left,

- `solvers` has `bands`: the module `bands` has its rules as formulas on vectors, `bands_kernels` the search over them,
- `generate`, which makes new puzzles, with its kernels in `hole_digging_kernels` and the scales that it offers.
"""

from puzzlelab.core.puzzle import Family
from puzzlelab.puzzles.sudoku.further_units import with_file
from puzzlelab.puzzles.sudoku.recognition import from_grid, from_text
from puzzlelab.puzzles.sudoku.rules import Sudoku, from_name


def make(rest: str) -> Sudoku:
    """Return the puzzle whose name is `sudoku-` and this."""
    if rest != "9x9:candidates":
        return from_name(rest)
    from puzzlelab.puzzles.sudoku.candidate_board import CandidateSudoku

    return CandidateSudoku()


FAMILY = Family(
    about="Sudoku: fill the grid so that every row, column and box holds each digit once.",
    make=make,
    names=(
        "sudoku-9x9",
        "sudoku-4x4",
        "sudoku-6x6",
        "sudoku-16x16",
        "sudoku-25x25",
        "sudoku-6x6:boxes=3x2",
        "sudoku-9x9:diagonal",
        "sudoku-9x9:windoku",
        "sudoku-9x9:disjoint",
        "sudoku-5x5:jigsaw=1122211322143334435544555",
        "sudoku-9x9:candidates",
    ),
    from_text=from_text,
    from_grid=from_grid,
    columns=(
        ("quiz", "quizzes", "sudoku", "sudokus", "clues", "givens", "data"),
        ("solution", "solutions", "answer"),
    ),
    packed="fpuzzles|fpuz|scl|scf",
    aliases={"sudoku": "9x9"},
    with_files=with_file,
)

__all__ = ["FAMILY", "Sudoku"]
