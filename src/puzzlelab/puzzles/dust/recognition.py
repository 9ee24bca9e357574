"""Recognises a dust board in cells and texts that are not in its own notation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.core.errors import BadBoard
from puzzlelab.puzzles.dust.notation import LETTERS, LONGEST, PICTURES, must_rest, read, write
from puzzlelab.puzzles.dust.rules import Dust, from_name

if TYPE_CHECKING:
    from puzzlelab.text.grids import TextGrid

COLOURS = ("red", "green", "blue", "yellow", "orange", "purple", "cyan", "magenta", "white")
"""The names of the colours 1 to 9; their first letters are those of the notation."""
BLANKS = frozenset(("", ".", "0", "-", "_", "empty"))
LEAST, MOST = 2, 16
"""The sides of boards that are taken for dust."""
USUAL = {(8, 6): 5, (6, 5): 4, (7, 6): 5, (8, 8): 5, (10, 8): 5}
"""The colours of the usual sizes (W, H); a word without a size is a board of one of these."""
USUAL_COLOURS = 5


def from_grid(grid: TextGrid, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield the puzzle and the board that these cells may be, the first row at the top, or a word of columns.

    Raises `BadBoard` if few of them are wrong. Where the puzzle has to be guessed, many different digits are not taken
    for colours.
    """
    width, height = grid.width, grid.height
    is_word = height == 1 and not grid.of_lists and all(len(cell) == 1 for cell in grid.cells)
    sizes = [(wide, high) for wide, high in USUAL if wide * high == width] if is_word else [(width, height)]
    if not width or not (name or (sizes and min(sizes[0]) >= LEAST and max(sizes[0]) <= MOST)):
        return
    values = [_value(cell.strip()) for cell in grid.cells]
    colours = {value for value in values if value}
    grid.blame(values, width, "is no colour of dust")
    if None in values or grid.has_gaps or (not name and not _may_be_colours(grid, values, is_word)):
        return
    rows = ["".join(map(str, values[start : start + width])) for start in range(0, len(values), width)]
    as_rows = "/".join(rows)
    as_columns = "/".join("".join(row[y] for row in rows) for y in reversed(range(width)))  # each from the bottom up
    if name and grid.of_lists:
        yield from ((name, board) for board in _that_fit(as_rows, as_columns, (height, width), name))
    elif name and height > 1:
        yield name, as_rows
    for wide, high in () if name else sizes:
        yield f"dust-{wide}x{high}x{max(USUAL.get((wide, high), USUAL_COLOURS), *colours)}", as_rows
    if grid.of_lists and not name:
        yield f"dust-{height}x{width}x{max(USUAL_COLOURS, *colours)}", as_columns


def _that_fit(as_rows: str, as_columns: str, shape: tuple[int, int], name: str) -> list[str]:
    """Return the boards of `shape[0]` lists of `shape[1]` cells that have the rows and columns of the puzzle."""
    puzzle = from_name(name.partition("-")[2])
    sides = puzzle.height, puzzle.width
    fitting = [board for board, each in ((as_rows, sides), (as_columns, sides[::-1])) if each == shape]
    if not fitting:
        has = f"{puzzle.width} columns of {puzzle.height} from the bottom up, or {puzzle.height} rows of {puzzle.width}"
        raise BadBoard(f"{shape[0]} list{'s' * (shape[0] != 1)} of {shape[1]} cells; {name} has {has} from the top")
    return fitting


def _may_be_colours(grid: TextGrid, values: Sequence[int | None], is_word: bool) -> bool:
    """Tell whether colours are there more than once, unlike numbers of tiles, and numbers are no more than usual."""
    filled = [value for value in values if value]
    if not filled or len(set(filled)) == len(filled):
        return False
    has_digits = any(cell.strip().isdigit() and value for cell, value in zip(grid.cells, values, strict=True))
    return max(filled) <= USUAL_COLOURS or not (has_digits or is_word)


def from_text(text: str, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield the puzzle and the board of a table whose first or last line has the numbers of its columns.

    The notation of a puzzle that is named reads it.
    """
    cut = (
        [line.partition("|") for line in text.splitlines() if "|" in line] if not name and len(text) <= LONGEST else []
    )
    headers = [rest.split() for label, _, rest in cut if not label.strip()]
    wide, high = len(headers[0]) if len(headers) == 1 else 0, len(cut) - 1
    if not (LEAST <= wide <= MOST and LEAST <= high <= MOST):
        return
    try:
        state = read(text, Dust(wide, high, len(LETTERS)))
        must_rest(state, Dust(wide, high, len(LETTERS)))
    except BadBoard:
        return
    if np.unique(state[state > 0]).size < np.count_nonzero(state):  # not each one once
        yield f"dust-{wide}x{high}x{max(USUAL.get((wide, high), USUAL_COLOURS), int(state.max()))}", write(state)


def _value(cell: str) -> int | None:
    """Return the colour of a cell, 0 for empty; None for what is no colour."""
    if cell.lower() in BLANKS:
        return 0
    if cell in PICTURES:
        return PICTURES[cell]
    if cell.lower() in COLOURS:
        return COLOURS.index(cell.lower()) + 1
    if len(cell) == 1 and cell in "123456789":
        return int(cell)
    place = LETTERS.find(cell.upper()) if len(cell) == 1 else -1
    return place + 1 if place >= 0 else None
