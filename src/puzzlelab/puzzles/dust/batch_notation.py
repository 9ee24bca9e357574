"""Reads and writes many boards of dust at once: a word a line, one character a cell.

Shapes: B = boards, N = cells, W = characters of a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.puzzles.dust.notation import VALUE_OF_BYTE, Board, misplaced
from puzzlelab.text.board_blocks import translated

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Dust

Text = NDArray[np.uint8]
"""Characters in ASCII."""
VALUES = VALUE_OF_BYTE.tobytes()


@dataclass(frozen=True)
class DustLines:
    """The view `BatchNotation` of dust."""

    puzzle: Dust

    def read_lines(self, lines: Text) -> tuple[Board, NDArray[np.bool_]]:
        """Read boards that rest, as words in column order."""
        states = np.zeros((len(lines), self.puzzle.cells), np.uint8)
        if lines.shape[1] != self.puzzle.cells:
            return states, np.zeros(len(lines), bool)
        states[:] = translated(lines, VALUES)
        grids = states.reshape(-1, self.puzzle.width, self.puzzle.height)
        moves = [wrong.any(axis=(1, 2)) for wrong in misplaced(grids)]
        return states, (states.max(axis=1) <= self.puzzle.colours) & ~np.any(moves, axis=0)

    def write_lines(self, states: Board) -> Text:
        return (states + ord("0")).astype(np.uint8)

    def write_solved(self, notation: str, states: Board, ends: Board) -> Text | None:
        return None
