"""Reads and writes many boards of sliding tiles at once: numbers with a space between, or one digit a cell.

Shapes: B = boards, N = cells, W = characters of a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.puzzles.tiles.notation import HEX_CELLS, Board

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles

Text = NDArray[np.uint8]
"""Characters in ASCII."""
SPACE, ZERO = ord(" "), ord("0")
_NONE = 255
_DIGIT_OF_BYTE = np.full(256, _NONE, np.uint8)
for _value, _digit in enumerate("0123456789abcdef"):
    _DIGIT_OF_BYTE[[ord(_digit), ord(_digit.upper())]] = _value


@dataclass(frozen=True)
class TilesLines:
    """The view `BatchNotation` of sliding tiles."""

    puzzle: Tiles

    def read_lines(self, lines: Text) -> tuple[Board, NDArray[np.bool_]]:
        """Read boards of numbers with two digits at most and one space between them, or of one hexadecimal digit a
        cell.
        """
        cells, width = self.puzzle.cells, lines.shape[1]
        states = np.zeros((len(lines), cells), np.uint8)
        if width == cells <= HEX_CELLS:
            states[:] = _DIGIT_OF_BYTE[lines]
            is_written = np.ones(len(lines), bool)
        else:
            values, is_end, is_written = _words(lines, cells)
            states[is_written] = values[is_written][is_end[is_written]].reshape(-1, cells)
        return states, is_written & (np.sort(states, axis=1) == np.arange(cells)).all(axis=1)

    def write_lines(self, states: Board) -> Text:
        has_two_digits = states > 9
        words = np.where(has_two_digits, 3, 2)
        ends = np.cumsum(words, axis=1)
        lines = np.full((len(states), int(words[0].sum()) if len(states) else 0), SPACE, np.uint8)
        boards = np.arange(len(states))[:, None]
        lines[boards, ends - 2] = states % 10 + ZERO
        tens = np.nonzero(has_two_digits)
        lines[tens[0], ends[tens] - 3] = states[tens] // 10 + ZERO
        return lines[:, :-1]

    def write_solved(self, notation: str, states: Board, ends: Board) -> Text | None:
        return None


def _words(lines: Text, cells: int) -> tuple[Board, NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the numbers at each character `[B, W]` if a word ends there, where words end, and `bool[B]`: N short
    words.
    """
    is_digit = (lines >= ZERO) & (lines < ZERO + 10)
    padded = np.pad(is_digit, ((0, 0), (2, 1)))
    before, two_before, after = padded[:, 1:-2], padded[:, :-3], padded[:, 3:]
    is_end = is_digit & ~after
    digits = np.where(is_digit, lines - ZERO, 0).astype(np.uint8)
    values = digits.copy()
    values[:, 1:] += np.where(before[:, 1:], 10 * digits[:, :-1], 0).astype(np.uint8)
    is_word = (is_digit | ((lines == SPACE) & before & after)) & ~(is_digit & before & two_before)
    return values, is_end, is_word.all(axis=1) & (np.count_nonzero(is_end, axis=1) == cells)
