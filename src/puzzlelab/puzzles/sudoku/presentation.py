"""How Sudoku is shown to people: the usual solver, and drawings, which are pure functions of the board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Drawings, Presentation
from puzzlelab.puzzles.sudoku import examples
from puzzlelab.puzzles.sudoku.notation import SYMBOLS, Board, write

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


def drawing(puzzle: Sudoku) -> Drawings:
    """Return the drawing of the puzzle."""
    return Drawings(lambda state: svg(state, puzzle.box_rows, puzzle.box_columns))


def draw(board: Board, box_rows: int, box_columns: int) -> str:
    """Return the grid with bars; a blank is a space."""
    size = box_rows * box_columns
    ruler = f"* {' + '.join(['-' * (2 * box_columns - 1)] * box_rows)} *"
    cells = write(board, " ")
    lines = []
    for row in range(size):
        if row % box_rows == 0:
            lines.append(ruler)
        line = cells[row * size : (row + 1) * size]
        parts = [" ".join(line[start : start + box_columns]) for start in range(0, size, box_columns)]
        lines.append(f"| {' | '.join(parts)} |")
    return "\n".join([*lines, ruler])


def svg(
    board: Board, box_rows: int, box_columns: int, cell: int = 40, candidates: NDArray[np.bool_] | None = None
) -> str:
    """Return the grid as SVG, with small digits for `candidates: bool[N * N, N]` of blank cells."""
    size = box_rows * box_columns
    side = size * cell
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 {side + 4} {side + 4}" width="{side + 4}" '
        f'height="{side + 4}" role="img" aria-label="{write(board)}">',
        f'<rect width="{side}" height="{side}" fill="#fff"/>',
    ]
    for line in range(size + 1):
        for thick, path in (
            (line % box_rows == 0, f"M0 {line * cell}H{side}"),
            (line % box_columns == 0, f"M{line * cell} 0V{side}"),
        ):
            stroke = ("#2e3440", 3) if thick else ("#b8c0cc", 1)
            parts.append(f'<path d="{path}" stroke="{stroke[0]}" stroke-width="{stroke[1]}"/>')
    for place, value in enumerate(board.tolist()):
        row, column = divmod(place, size)
        if value:
            parts.append(_sign(SYMBOLS[value - 1], (column + 0.5) * cell, (row + 0.5) * cell, cell * 0.6))
        elif candidates is not None:
            for digit in np.flatnonzero(candidates[place]).tolist():
                up, along = divmod(digit, box_columns)
                x, y = column + (along + 0.5) / box_columns, row + (up + 0.5) / box_rows
                parts.append(_sign(SYMBOLS[digit], x * cell, y * cell, cell * 0.25))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _sign(sign: str, x: float, y: float, height: float) -> str:
    """Return a sign as SVG around a point."""
    return (
        f'<text x="{x:g}" y="{y:g}" dy=".35em" text-anchor="middle" '
        f'fill="#2e3440" font-family="sans-serif" font-size="{height:g}">{sign}</text>'
    )
