"""Recognises a board of sliding tiles in a text that does not name its puzzle."""

from __future__ import annotations

from collections.abc import Iterator

from puzzlelab.core.errors import BadBoard
from puzzlelab.puzzles.tiles.rules import LARGEST, SMALLEST, Tiles
from puzzlelab.text.notation import BoardNotation
from puzzlelab.text.text_grid import TextGrid

BLANKS = frozenset(("", "0", "_", ".", "-", "*", "x", "X", "?", "#", "b", "B", "blank", "empty", "gap"))
MOST_MISSING = 0.2
"""The share of the numbers that may be missing in what still looks like sliding tiles."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
"""The tiles 1 to 26 in letters."""
HEX_CELLS = 16
"""The most cells that one digit a cell can name."""


def boards_of(grid: TextGrid, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield puzzles and their boards that these cells may be: each number is there once, and one cell is blank.

    Raises `BadBoard` for numbers of which some are there twice.
    """
    count = len(grid.cells)
    if not grid.width or (grid.has_gaps and " " not in grid.cells):
        return
    tiles = _tiles([cell.strip() for cell in grid.cells])
    if tiles is None:
        _find_repeated(grid)
        return
    side, width = round(count**0.5), grid.width
    sides = [(grid.height, width)]
    if min(grid.height, width) == 1:  # these are no rows
        sides = [(side, side)] if side * side == count else [(rows, count // rows) for rows in _divisors(count)]
        width = count
    lines = [" ".join(map(str, tiles[start : start + width])) for start in range(0, count, width)]
    for rows, columns in sides:
        if min(rows, columns) >= SMALLEST and max(rows, columns) <= LARGEST:
            yield f"tiles-{rows}x{columns}", "\n".join(lines)


def _tiles(cells: list[str]) -> list[int] | None:
    """Return the numbers of all cells, 0 for the blank; None if they are no board."""
    wanted = set(range(len(cells)))
    is_blank = [cell in BLANKS and cell != "0" for cell in cells]
    if sum(is_blank) == 1 and len(cells) > 4:  # the others are counted from 0, or letters
        bare = [cell.lower() for cell in cells if cell not in BLANKS or cell == "0"]
        if sorted(bare) == sorted(map(str, range(len(cells) - 1))):
            return [0 if blank else int(cell) + 1 for cell, blank in zip(cells, is_blank, strict=True)]
    values = [0 if cell in "_.-*?#0" else LETTERS.find(cell.lower()) + 1 if len(cell) == 1 else -1 for cell in cells]
    if set(values) == wanted:
        return values
    for base in (10, 16):
        numbers = [_number(cell, base if len(cell) == 1 and len(cells) <= HEX_CELLS else 10) for cell in cells]
        if set(numbers) == wanted:
            return [number for number in numbers if number is not None]
    return None


def _find_repeated(grid: TextGrid) -> None:
    """Raise `BadBoard` for cells that are nearly a board, with the number that stands there twice."""
    numbers = [_number(cell.strip(), 10) for cell in grid.cells]
    count = len(numbers)
    missing = sorted(set(range(count)) - {number for number in numbers if number is not None})
    is_shape = (grid.height > 1 or round(count**0.5) ** 2 == count) and count >= SMALLEST**2
    if None in numbers or not is_shape or not 0 < len(missing) <= MOST_MISSING * count:
        return
    for place, number in enumerate(numbers):
        if number is not None and (number >= count or number in numbers[:place]):
            why = "stands twice" if number < count else f"is more than {count - 1}"
            raise BadBoard(f"tile {number} {why}, and {missing[0]} is missing", f"cell {place + 1}")


def _number(cell: str, base: int) -> int | None:
    if cell in BLANKS and not (base == 16 and cell in "bB"):
        return 0
    try:
        return int(cell, base) if cell.isalnum() and cell.isascii() else None
    except ValueError:
        return None


def _divisors(count: int) -> list[int]:
    """Return the numbers of rows of a rectangle of this number of cells."""
    return [rows for rows in range(2, count // 2 + 1) if count % rows == 0]


def board_notation(puzzle: Tiles) -> BoardNotation:
    """Return the view `BoardNotation`."""
    digits = "0123456789abcdef" if puzzle.cells <= HEX_CELLS else "0123456789"
    letters = LETTERS[: puzzle.cells - 1]
    signs = frozenset(digits + letters + "".join(sign for sign in BLANKS if len(sign) == 1).lower())
    return BoardNotation(puzzle.rows, puzzle.columns, signs, puzzle.read_plain)
