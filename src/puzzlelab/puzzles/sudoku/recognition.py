"""Recognises a Sudoku in cells and texts that are not in its own notation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadBoard
from puzzlelab.puzzles.sudoku.notation import LIBRARY, MORE_BLANKS, MOST_DIGITS, SYMBOLS, from_zero, write
from puzzlelab.puzzles.sudoku.rules import LARGEST, SMALLEST, Sudoku, from_name

if TYPE_CHECKING:
    from puzzlelab.text.grids import TextGrid

USUAL_SIZES = (9, 16, 25, 4, 6, 12)
"""N of the grids that are guessed of any board; boxes that are not square are taken to be wider than they are high."""
SIZES = (*USUAL_SIZES, 8, 10, 15, 20)
"""N of every grid; the others are guessed where their highest digit is on the board."""
WITH_CANDIDATES = "sudoku-9x9:candidates"
"""The name of the puzzle whose boards have candidates."""
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXY"
CANDIDATES = re.compile(f"(?:{''.join(f'[{digit}.0]' for digit in range(1, 10))}){{81}}")
"""The candidates of 81 cells: nine signs each, every digit in its place or a sign for its absence."""
SOLO = re.compile(r"(?:([2-5])x([2-5])|([1-9][0-9]?)j)([a-z0-9]*):((?:[a-z_]|[1-9][0-9]?)+)(?:,([a-z_]+))?")
"""A game of Solo in Simon Tatham's collection: a letter is a number of blanks, `_` stands between two numbers. A jigsaw
has its regions after a comma, see `_solo_regions`."""
SOLO_OPTIONS = re.compile(r"(x|a|r[24]|m[248]|md[24]|d[a-z])")
"""Both diagonals, the symmetry or the difficulty of a game of Solo."""
PUZZ_LINK = re.compile(r"sudoku/(?:v:/)?(\d{1,2})/(\d{1,2})/([!-~]+?)/?")
"""The columns, the rows and the cells in a link of puzz.link."""


def from_text(text: str, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield the puzzle and the board of a text as other programs write it, or of a grid of candidates.

    Raises `BadBoard` for such a text that is no board, or that says more than a board can.
    """
    if found := LIBRARY.fullmatch(text):
        yield _of_library(text, found[1], found[2], name)
    elif text.startswith("version:"):
        yield from _of_opensudoku(text, name)
    elif text.startswith("{"):
        from puzzlelab.puzzles.sudoku.f_puzzles import readings

        yield from readings(text, name)
    elif game := SOLO.fullmatch(text):
        yield _of_solo(game)
    elif link := PUZZ_LINK.fullmatch(text):
        yield _of_puzz_link(int(link[1]), int(link[2]), link[3])
    else:
        is_with_candidates = name == WITH_CANDIDATES
        puzzle = from_name(name.partition("-")[2]) if name and not is_with_candidates else Sudoku()
        if puzzle.size <= MOST_DIGITS and (cells := _candidate_cells(text, puzzle.size)):
            yield _of_candidates(puzzle, cells, is_with_candidates)


def _of_library(text: str, cells: str, removed: str | None, name: str | None) -> tuple[str, str]:
    """Return the puzzle and the board of a line of a library: with candidates where some are removed."""
    from puzzlelab.puzzles.sudoku.candidate_board import CandidateSudoku, in_library_line

    state, puzzle = in_library_line(text), CandidateSudoku()
    if (removed and removed.strip()) or name == WITH_CANDIDATES:
        return WITH_CANDIDATES, puzzle.write(state)
    return "sudoku-9x9", cells.replace("+", "")


def _of_opensudoku(text: str, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield the clues of a game; its notes too for the puzzle whose boards have candidates."""
    fields = text.partition("\n")[2].strip().split("|")[:-1]
    if len(fields) not in (3 * 81, 4 * 81):
        return
    size = len(fields) // 81  # digit, notes, and 1 for a cell that a player may change
    cells = zip(fields[::size], fields[size - 1 :: size], strict=True)
    board = "".join(digit if can_change == "0" else "0" for digit, can_change in cells)
    notes = fields[1::size]
    if name != WITH_CANDIDATES or not all(map(str.isdecimal, [board, *notes])) or not any(map(int, notes)):
        yield "sudoku-9x9", board
        return
    from puzzlelab.puzzles.sudoku.candidate_board import CandidateSudoku

    puzzle, digits = CandidateSudoku(), np.array([*map(int, board)], np.uint8)
    yield WITH_CANDIDATES, puzzle.write(puzzle.with_notes(digits, np.array([*map(int, notes)])))


def _of_solo(game: re.Match[str]) -> tuple[str, str]:
    """Return the puzzle and the board of a game of Solo, with so many boxes across and down, or with regions."""
    across, down, rows, options, cells, regions = game.groups()
    words = SOLO_OPTIONS.findall(options)
    if "".join(words) != options:
        raise BadBoard("this game of Solo has rules beside those of Sudoku, such as killer, which are not known here")
    if (rows is None) != (regions is None):
        raise BadBoard("a jigsaw of Solo has its regions after a comma, and another game has none")
    if rows:
        puzzle = Sudoku(diagonal="x" in words, regions=_solo_regions(regions, int(rows)))
    else:
        puzzle = Sudoku(int(across), int(down), diagonal="x" in words)
    runs = re.findall(r"[a-z]|[0-9]+", cells)
    values = [ord("a") - 1 - ord(run) if run.isalpha() else int(run) for run in runs]
    return puzzle.name, _written(values, puzzle, "this game of Solo")


def _solo_regions(text: str, size: int) -> str:
    """Return the regions of a jigsaw of Solo, a sign a cell.

    The text has the lines between neighbours in a row, row by row, then those in a column, column by column: a letter
    is a number of neighbours in one region before the next line, `z` 25 of them without a line, and `_` none.
    """
    lines = "".join(" " * 25 if sign == "z" else " " * (0 if sign == "_" else ord(sign) - 96) + "|" for sign in text)
    grid = np.arange(size * size).reshape(size, size)
    first = np.concatenate([grid[:, :-1].reshape(-1), grid[:-1].T.reshape(-1)])
    second = np.concatenate([grid[:, 1:].reshape(-1), grid[1:].T.reshape(-1)])
    owners = np.arange(size * size)
    for one, other, line in zip(first, second, lines, strict=False):
        if line == " ":
            owners[owners == owners[one]] = owners[other]
    names, places = np.unique(owners, return_inverse=True)
    if len(lines) != first.size + 1 or (np.bincount(places) != size).any() or names.size > len(SYMBOLS):
        raise BadBoard(f"the regions of this game of Solo are not {size} of {size} cells")
    return "".join(SYMBOLS[place] for place in places.tolist())


def _of_puzz_link(columns: int, rows: int, cells: str) -> tuple[str, str]:
    """Return the puzzle and the board of a link of puzz.link: hexadecimal digits, and letters from g for blanks."""
    side = round(rows**0.5)
    if columns != rows or side**2 != rows or side not in range(SMALLEST, LARGEST + 1):
        raise BadBoard(f"this link does not say the boxes of its grid of {columns}x{rows}: copy the board itself")
    runs, puzzle = re.findall(r"-[0-9a-f]{2}|.", cells), Sudoku(side, side)
    if strange := [run for run in runs if not re.fullmatch(r"[1-9a-z]|-[0-9a-f]{2}", run)]:
        raise BadBoard(f"'{strange[0]}' in this link is no digit of {puzzle.name}")
    values = [15 - int(run, 36) if "g" <= run <= "z" else int(run.removeprefix("-"), 16) for run in runs]
    return puzzle.name, _written(values, puzzle, "this link")


def _written(values: Sequence[int], puzzle: Sudoku, what: str) -> str:
    """Return the board of these digits, where -n stands for n blanks; raises `BadBoard`."""
    digits = [digit for value in values for digit in ([0] * -value or [value])]
    if len(digits) != puzzle.cells:
        raise BadBoard(f"{what} has {len(digits)} cells; {puzzle.name} has {puzzle.cells}")
    if max(digits) > puzzle.size:
        raise BadBoard(f"{what} has the digit {max(digits)}; {puzzle.name} has 1 to {puzzle.size}")
    return write(np.array(digits, np.uint8))


# --- candidates ---


def _candidate_cells(text: str, size: int) -> list[str]:
    """Return the digits of each cell of a grid of candidates, all of them for a blank; empty for other texts."""
    lines = [line for line in text.split("\n") if "---" not in line]
    words, digits = re.sub(r"[|:\s]+", " ", "\n".join(lines)).split(), SYMBOLS[:size]
    if size == MOST_DIGITS and CANDIDATES.fullmatch(signs := "".join(words)):
        return [re.sub(r"[.0]", "", signs[place : place + size]) for place in range(0, len(signs), size)]
    if len(words) != size**2 or not any(len(word) > 1 for word in words):
        return []
    cells = [digits if word in MORE_BLANKS else word for word in words]
    return cells if all(len(set(cell)) == len(cell) and not set(cell) - set(digits) for cell in cells) else []


def _of_candidates(puzzle: Sudoku, cells: Sequence[str], is_with_candidates: bool) -> tuple[str, str]:
    """Return the puzzle and the board of the candidates of all cells: that of its clues, if they say nothing else.

    Raises `BadBoard` where they do, for sizes whose boards have no candidates.
    """
    state = np.array([SYMBOLS.index(cell) + 1 if len(cell) == 1 else 0 for cell in cells], np.uint8)
    surplus = _beside_clues(puzzle, state, cells)
    if surplus is None and not is_with_candidates:
        return puzzle.name, write(state)
    if puzzle.size != MOST_DIGITS:
        raise surplus or AssertionError
    from puzzlelab.puzzles.sudoku.candidate_board import CandidateSudoku, in_cells

    return WITH_CANDIDATES, CandidateSudoku().write(in_cells(cells))


def _beside_clues(puzzle: Sudoku, state: NDArray[np.uint8], cells: Sequence[str]) -> BadBoard | None:
    """Return what the candidates of cells say that the clues in `state` do not say.

    That is a candidate that is left out though no clue excludes it, or a single one that may be a clue, or the last one
    that the other clues leave.
    """
    shown = np.array([[digit in cell for digit in SYMBOLS[: puzzle.size]] for cell in cells])
    missing = np.argwhere(puzzle.candidates(state) & ~shown)
    if missing.size:
        cell, digit = missing[0].tolist()
        return BadBoard(
            f"{SYMBOLS[digit]} is no candidate here, though no clue excludes it, and a board has no place for that: "
            "write its clues, and . for blank",
            puzzle.write_cell(cell),
        )
    for cell in [] if shown[state == 0].all() else np.flatnonzero(state).tolist():
        without = state.copy()
        without[cell] = 0
        if puzzle.candidates(without)[cell].sum() == 1:
            return BadBoard(
                f"the single candidate {SYMBOLS[state[cell] - 1]} may be a clue, or what the other clues leave of "
                "a blank cell: write the clues, and . for blank",
                puzzle.write_cell(cell),
            )
    return None


# --- cells ---


def from_grid(grid: TextGrid, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield puzzles and their boards that these cells may be; raises `BadBoard` if few of them are wrong.

    Grids that are empty or full are boards of a puzzle that is named.
    """
    size = round(len(grid.cells) ** 0.5)
    if size < 2 or size * size != len(grid.cells) or grid.width not in (size, size * size):
        return
    if not name and size not in SIZES:
        return
    values = [_value(cell.strip(), size) for cell in grid.cells]
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


def _value(cell: str, size: int) -> int | None:
    """Return the digit of a cell, 0 for blank; None for what is no digit."""
    if cell in MORE_BLANKS and not (cell in ("x", "X") and size > 24):
        return 0
    if cell.isdecimal() and len(cell) <= 2:
        return int(cell) if int(cell) <= size else None
    place = SYMBOLS.find(cell.upper()) if len(cell) == 1 else -1
    return place + 1 if 0 <= place < size else None
