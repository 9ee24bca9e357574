"""Recognises a Sudoku in a text that does not name its puzzle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from puzzlelab.core.text_grid import TextGrid
from puzzlelab.puzzles.sudoku.notation import BLANKS, SYMBOLS, from_zero, write

SHAPES = {4: ("4x4",), 6: ("6x6", "6x6:boxes=3x2"), 9: ("9x9",), 12: ("12x12",), 16: ("16x16",), 25: ("25x25",)}
"""The names of the grids of N rows, the usual one first."""
MORE_BLANKS = BLANKS | frozenset("-?xX~") | {"", " "}


def boards_of(grid: TextGrid) -> Iterator[tuple[str, str]]:
    """Yield puzzles and their boards that these cells may be; raises `BadBoard` if few of them are wrong."""
    size = round(len(grid.cells) ** 0.5)
    if size * size != len(grid.cells) or size not in SHAPES or grid.width not in (size, size * size):
        return
    has_numbers = any(cell.isdigit() and size < int(cell[:4]) for cell in grid.cells if len(cell) > 1)
    values = [_value(cell.strip(), size, size < 10 and has_numbers) for cell in grid.cells]
    grid.blame(values, size, f"is no digit of a Sudoku with {size} rows")
    if None not in values and any(values) and not all(values):
        is_zero = np.array([cell.strip() in ("0", "00") for cell in grid.cells])
        board = write(from_zero(np.array(values, np.uint8), is_zero, size))
        yield from ((f"sudoku-{shape}", board) for shape in SHAPES[size])


def _value(cell: str, size: int, has_candidates: bool) -> int | None:
    """Return the digit of a cell, 0 for blank; None for what is no digit.

    Several different digits in a cell of a small grid are its candidates, so that it is blank.
    """
    if cell in MORE_BLANKS and not (cell in "xX" and size > 24):
        return 0
    if cell.isdecimal() and len(cell) <= 2 and not has_candidates:
        return int(cell) if int(cell) <= size else None
    if has_candidates and cell.isdigit() and len(cell) > 1:
        return 0 if len(set(cell)) == len(cell) and all(0 < int(digit) <= size for digit in cell) else None
    place = SYMBOLS.find(cell.upper()) if len(cell) == 1 else -1
    return place + 1 if 0 <= place < size else None
