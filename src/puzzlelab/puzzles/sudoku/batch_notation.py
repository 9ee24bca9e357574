"""Reads and writes many Sudokus at once: a board a line, alone or beside its solution.

Shapes: B = boards, N = digits, W = characters of a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.puzzles.sudoku.notation import BLANKS, MOST_DIGITS, SYMBOLS, VALUE_OF_BYTE, Board
from puzzlelab.text.board_blocks import translated

if TYPE_CHECKING:
    from puzzlelab.puzzles.sudoku.rules import Sudoku

Text = NDArray[np.uint8]
"""Characters in ASCII."""
BETWEEN = np.isin(np.arange(256), np.frombuffer(b" ,;\t", np.uint8))
"""The characters between a board and its solution."""
MOST_BETWEEN = 2


WITH_POINTS, WITH_ZEROS = ((blank + SYMBOLS).encode().ljust(256) for blank in ".0")
"""The character of each value, with two characters for blank."""
VALUES = VALUE_OF_BYTE.tobytes()
OTHER_BLANKS = [ord(sign) for sign in BLANKS - {"0"}]


@dataclass(frozen=True)
class SudokuLines:
    """The view `BatchNotation` of Sudoku."""

    puzzle: Sudoku

    def read_lines(self, lines: Text) -> tuple[Board, NDArray[np.bool_]]:
        """Read boards of one character a cell, alone or with their solution after a comma, a TAB or spaces."""
        cells, size = self.puzzle.cells, self.puzzle.size
        states, between = translated(lines[:, :cells], VALUES), lines.shape[1] - 2 * cells
        if lines.shape[1] == cells:
            return states, (states.max(axis=1) <= size) & ~_zero_may_be_digit(lines, size)
        if not 1 <= between <= MOST_BETWEEN:
            return np.zeros((len(lines), cells), np.uint8), np.zeros(len(lines), bool)
        solutions = translated(lines[:, -cells:], VALUES)
        fits = (solutions.min(axis=1) == 0) | ((states == 0) | (states == solutions)).all(axis=1)
        is_parted = BETWEEN[lines[:, cells:-cells]].all(axis=1)
        is_written = (states.max(axis=1) <= size) & (solutions.max(axis=1) <= size)
        return states, is_written & is_parted & fits & ~_zero_may_be_digit(lines[:, :cells], size)

    def write_lines(self, states: Board) -> Text:
        return translated(states, WITH_POINTS)

    def write_solved(self, notation: str, states: Board, ends: Board) -> Text | None:
        solutions = self.write_lines(ends)
        if notation == "line":
            return solutions
        if notation == "csv":
            return _side_by_side(translated(states, WITH_POINTS), b",", solutions)
        if notation == "pair":
            return _side_by_side(translated(states, WITH_ZEROS), b"  ", solutions)
        return None


def _zero_may_be_digit(lines: Text, size: int) -> NDArray[np.bool_]:
    """Tell which boards `notation.from_zero` may read otherwise: `bool[B]`."""
    if size <= MOST_DIGITS or b"0" not in lines.tobytes():
        return np.zeros(len(lines), bool)
    zeros = np.count_nonzero(lines == ord("0"), axis=1)
    may_be_digit: NDArray[np.bool_] = (zeros == size) | ((zeros > 0) & np.isin(lines, OTHER_BLANKS).any(axis=1))
    return may_be_digit


def _side_by_side(left: Text, between: bytes, right: Text) -> Text:
    lines = np.empty((len(left), left.shape[1] + len(between) + right.shape[1]), np.uint8)
    lines[:, : left.shape[1]], lines[:, -right.shape[1] :] = left, right
    lines[:, left.shape[1] : -right.shape[1]] = np.frombuffer(between, np.uint8)
    return lines
