"""How a Sudoku grid is drawn: pure functions of the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from puzzlelab.core.puzzle import Drawings
from puzzlelab.puzzles.sudoku.notation import SYMBOLS, Board, write

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Sudoku


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


def svg(board: Board, box_rows: int, box_columns: int, clues: Board | None = None, cell: int = 40) -> str:
    """Return the grid as SVG; with `clues`, the digits that are none of them are lighter."""
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
        if value:
            row, column = divmod(place, size)
            fill = "#2e3440" if clues is None or clues[place] else "#3b6ea8"
            parts.append(
                f'<text x="{(column + 0.5) * cell:g}" y="{(row + 0.5) * cell:g}" dy=".35em" text-anchor="middle" '
                f'fill="{fill}" font-family="sans-serif" font-size="{cell * 0.6:g}">{SYMBOLS[value - 1]}</text>'
            )
    return "\n".join([*parts, "</svg>"]) + "\n"
