"""Recognises a Sudoku in a text that does not name its puzzle."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from puzzlelab.puzzles.sudoku.notation import BLANKS, SYMBOLS, from_zero, write
from puzzlelab.puzzles.sudoku.rules import Sudoku
from puzzlelab.text.notation import BoardNotation
from puzzlelab.text.text_grid import TextGrid

USUAL_SIZES = (9, 16, 25, 4, 6, 12)
"""N of the grids that are guessed of any board; boxes that are not square are taken to be wider than they are high."""
SIZES = (*USUAL_SIZES, 8, 10, 15, 20)
"""N of every grid; the others are guessed where their highest digit is on the board."""
MORE_BLANKS = BLANKS | frozenset("-?xX~") | {"", " "}
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXY"
LIBRARY = re.compile(r":[^:]*:[^:]*:([0-9.+]{81,}):.*")
"""A line of a library of HoDoKu: a plus stands before digits that a player has written."""


def board_in(text: str) -> str | None:
    """Return the board in a line of a HoDoKu library, or in a game of OpenSudoku."""
    if found := LIBRARY.fullmatch(text):
        return found[1].replace("+", "")
    head, _, rest = text.partition("\n")
    fields = rest.strip().split("|")[:-1] if head.startswith("version:") else []
    if len(fields) not in (3 * 81, 4 * 81):
        return None
    size = len(fields) // 81  # digit, notes, and 1 for a cell that a player may change
    return "".join(
        digit if can_change == "0" else "0"
        for digit, can_change in zip(fields[::size], fields[size - 1 :: size], strict=True)
    )


def boards_of(grid: TextGrid, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield puzzles and their boards that these cells may be; raises `BadBoard` if few of them are wrong.

    Grids that are empty or full are boards of a puzzle that is named.
    """
    size = round(len(grid.cells) ** 0.5)
    if size < 2 or size * size != len(grid.cells) or grid.width not in (size, size * size):
        return
    if not name and size not in SIZES:
        return
    has_numbers = any(cell.isdigit() and size < int(cell[:4]) for cell in grid.cells if len(cell) > 1)
    values = [_value(cell.strip(), size, size < 10 and has_numbers) for cell in grid.cells]
    if None in values and (letters := _letters(grid, size)):
        values = letters
    grid.blame(values, size, f"is no digit of a Sudoku with {size} rows")
    is_guessed = any(values) and not all(values) and (size in USUAL_SIZES or size in values)
    if None not in values and (name or is_guessed):
        is_zero = np.array([cell.strip() in ("0", "00") for cell in grid.cells])
        board = write(from_zero(np.array(values, np.uint8), is_zero, size))
        yield name or f"sudoku-{size}x{size}", board


def _letters(grid: TextGrid, size: int) -> list[int | None]:
    """Return the digits of cells that are letters alone, from A for 1; nothing for others."""
    cells = [cell.strip().upper() for cell in grid.cells]
    values = [0 if cell in MORE_BLANKS else ALPHABET[:size].find(cell) + 1 if len(cell) == 1 else 0 for cell in cells]
    is_blank = [cell in MORE_BLANKS for cell in cells]
    return list(values) if all(value or blank for value, blank in zip(values, is_blank, strict=True)) else []


def _value(cell: str, size: int, has_candidates: bool) -> int | None:
    """Return the digit of a cell, 0 for blank; None for what is no digit.

    Several different digits in a cell of a small grid are its candidates, so that it is blank.
    """
    if cell in MORE_BLANKS and not (cell in ("x", "X") and size > 24):
        return 0
    if cell.isdecimal() and len(cell) <= 2 and not has_candidates:
        return int(cell) if int(cell) <= size else None
    if has_candidates and cell.isdigit() and len(cell) > 1:
        return 0 if len(set(cell)) == len(cell) and all(0 < int(digit) <= size for digit in cell) else None
    place = SYMBOLS.find(cell.upper()) if len(cell) == 1 else -1
    return place + 1 if 0 <= place < size else None


def board_notation(puzzle: Sudoku) -> BoardNotation:
    """Return the view `BoardNotation`."""
    signs = frozenset((SYMBOLS[: puzzle.size] + "".join(MORE_BLANKS)).lower())
    return BoardNotation(puzzle.size, puzzle.size, signs, puzzle.read_plain)
