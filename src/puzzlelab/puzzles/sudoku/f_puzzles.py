"""Sudokus as f-puzzles.com has them: JSON objects with a grid of cells and the rules beside those of Sudoku.

The boxes of a grid are wider than they are high, unless its cells say their regions.

Shapes: N = digits.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadBoard, BadOption
from puzzlelab.puzzles.sudoku import further_units
from puzzlelab.puzzles.sudoku.candidate_board import CandidateSudoku
from puzzlelab.puzzles.sudoku.notation import SYMBOLS, Board, write
from puzzlelab.puzzles.sudoku.rules import Sudoku
from puzzlelab.text.documents import cell_values, json_value

Facts = dict[str, Any]
DIAGONALS = "diagonal+", "diagonal-"
OTHER_RULES = re.compile(
    "antiking|antiknight|arrow|betweenline|clone|difference|entropicline|even|killercage|littlekillersum|lockout|"
    "maximum|minimum|modularline|negative|nonconsecutive|odd|palindrome|quadruple|ratio|regionsumline|renban|"
    "sandwichsum|skyscraper|thermometer|whispers|xsum|xv"
)
"""The names of rules that no puzzle here has."""


# --- writing ---


def facts_of(puzzle: Sudoku, board: Board, solution: Board | None, marks: NDArray[np.bool_] | None) -> Facts:
    """Return a puzzle as an object; `marks: bool[N * N, N]` are the candidates of a board that lacks some."""
    size = puzzle.size
    cells: list[Facts] = [{"value": digit, "given": True} if digit else {} for digit in board.tolist()]
    if marks is not None:
        for place in np.flatnonzero(board == 0).tolist():
            cells[place]["givenPencilMarks"] = (np.flatnonzero(marks[place]) + 1).tolist()
    if _regions_of(puzzle) != _regions_of(_usual(size)):
        for cell, sign in zip(cells, _regions_of(puzzle), strict=True):
            cell["region"] = SYMBOLS.index(sign)
    facts: Facts = {"size": size, "grid": [cells[start : start + size] for start in range(0, len(cells), size)]}
    if puzzle.diagonal:
        facts |= dict.fromkeys(DIAGONALS, True)
    if puzzle.disjoint:
        facts["disjointgroups"] = True
    if puzzle.windoku:
        names = [[puzzle.write_cell(cell).upper() for cell in unit] for unit in puzzle.units.kinds["window"].tolist()]
        facts["extraregion"] = [{"cells": each} for each in names]
    if solution is not None:
        facts["solution"] = solution.tolist()
    return facts


def _usual(size: int) -> Sudoku | None:
    """Return the Sudoku whose boxes are those of a grid that does not say them; None if they are its rows."""
    rows = max(each for each in range(1, math.isqrt(size) + 1) if size % each == 0)
    return Sudoku(rows, size // rows) if rows > 1 and size // rows <= 5 else None


def _regions_of(puzzle: Sudoku | None) -> str:
    """Return a sign for the box or the region of each cell, in normal form."""
    if puzzle is None or puzzle.regions:
        return puzzle.regions if puzzle else ""
    signs = np.zeros(puzzle.cells, "<U1")
    for sign, box in zip(SYMBOLS, puzzle.units.kinds["box"], strict=False):
        signs[box] = sign
    return "".join(signs)


# --- reading ---


def readings(text: str, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield the puzzle and the board of a text that is such an object; nothing for other texts.

    A grid without further rules is one of the puzzle `name`, if that has as many rows. Raises `BadBoard` for rules that
    no puzzle here has.
    """
    facts = json_value(text)
    grid = facts.get("grid") if isinstance(facts, dict) else None
    if not isinstance(grid, list) or not grid or not all(_is_row(row, len(grid)) for row in grid):
        return
    if rules := [rule for rule, value in facts.items() if value and OTHER_RULES.fullmatch(rule)]:
        raise BadBoard(f"this puzzle has rules beside those of Sudoku that are not known here: {', '.join(rules)}")
    puzzle = _puzzle_of(facts, grid)
    board = _board_of(cell_values(grid), puzzle)
    marks = [cell.get("givenPencilMarks") or [] for row in grid for cell in row]
    if any(marks):
        yield _with_marks(puzzle, board, marks)
    else:
        is_named = puzzle.is_plain and name is not None and name.startswith(puzzle.name)
        yield name if name is not None and is_named else puzzle.name, write(board)


def _is_row(row: Any, size: int) -> bool:
    return isinstance(row, list) and len(row) == size and all(isinstance(cell, dict) for cell in row)


def _puzzle_of(facts: Mapping[str, Any], grid: list[list[Facts]]) -> Sudoku:
    """Return the puzzle that has the units of an object; raises `BadBoard` if none has."""
    diagonals = [bool(facts.get(each)) for each in DIAGONALS]
    if any(diagonals) and not all(diagonals):
        raise BadBoard("this puzzle has one diagonal, and puzzles here have both or none")
    further: Facts = {"diagonal": all(diagonals), "disjoint": bool(facts.get("disjointgroups"))}
    try:
        puzzle = _with_boxes(grid, **further)
        extra = facts.get("extraregion") or []
        return puzzle if not extra else _with_windows(puzzle, extra, further)
    except BadOption as error:
        raise BadBoard(f"no puzzle here has the units of this one: {error}") from None


def _with_boxes(grid: list[list[Facts]], **further: Any) -> Sudoku:
    """Return the puzzle with the boxes or the regions of these cells."""
    size = len(grid)
    usual = _usual(size)
    own = [cell.get("region") for row in grid for cell in row]
    if usual is not None and all(region is None for region in own):
        return Sudoku(usual.box_rows, usual.box_columns, **further)
    default = [SYMBOLS.index(sign) for sign in _regions_of(usual)] or np.repeat(np.arange(size), size).tolist()
    numbers = [usual_one if region is None else region for region, usual_one in zip(own, default, strict=True)]
    if not all(isinstance(number, int) and 0 <= number < len(SYMBOLS) for number in numbers):
        raise BadBoard("a cell of this puzzle has no region")
    signs = further_units.normal_form("".join(SYMBOLS[number] for number in numbers), size)
    for rows in range(2, 6):
        if size % rows == 0 and 2 <= size // rows <= 5 and signs == _regions_of(Sudoku(rows, size // rows)):
            return Sudoku(rows, size // rows, **further)
    return Sudoku(regions=signs, **further)


def _with_windows(puzzle: Sudoku, extra: Any, further: Mapping[str, Any]) -> Sudoku:
    """Return the puzzle with windows, if these extra regions are that; raises `BadBoard`."""
    windoku = Sudoku(puzzle.box_rows, puzzle.box_columns, windoku=True, **further)
    windows = {frozenset(map(windoku.write_cell, unit)) for unit in windoku.units.kinds["window"].tolist()}
    if {frozenset(cell.lower() for cell in region.get("cells", ())) for region in extra} != windows:
        raise BadBoard("this puzzle has extra regions that are not the windows of windoku, and no puzzle here has such")
    return windoku


def _board_of(rows: list[list[Any]], puzzle: Sudoku) -> Board:
    values = [value or 0 for row in rows for value in row]
    for place, value in enumerate(values):
        if not (isinstance(value, int) and 0 <= value <= puzzle.size):
            raise BadBoard(f"{value!r} is no digit of {puzzle.name}", puzzle.write_cell(place))
    return np.array(values, np.uint8)


def _with_marks(puzzle: Sudoku, board: Board, marks: list[list[int]]) -> tuple[str, str]:
    """Return the puzzle and the board with these candidates of its blank cells; all for a cell without."""
    candidates = CandidateSudoku()
    if puzzle != Sudoku():
        raise BadBoard(f"boards with candidates are those of sudoku-9x9, and this one is of {puzzle.name}")
    notes = [sum(1 << (int(digit) - 1) for digit in cell) for cell in marks]
    return candidates.name, candidates.write(candidates.with_notes(board, np.array(notes)))
