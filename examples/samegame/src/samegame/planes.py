"""SameGame boards for networks: a number for each colour in each cell, or planes for each colour.

Columns close to the left, so that the mirror image of a board is not equivalent to it; boards whose colours are
permuted are.

Shapes: B = boards, W = columns, H = rows, N = W * H cells, C = colours, E = W (H - 1) + (W - 1) H pairs of neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Symbols
from puzzlelab.engine.network_io import one_hot

if TYPE_CHECKING:
    from samegame.rules import Board, SameGame


@dataclass(frozen=True)
class SameGamePlanes:
    """The view `Planes` of SameGame."""

    puzzle: SameGame
    isomorphism: ClassVar[None] = None

    @property
    def grid(self) -> tuple[int, int]:
        """Columns and rows, in the order of the cells."""
        return self.puzzle.width, self.puzzle.height

    @property
    def cell_at(self) -> NDArray[np.int64]:
        """Cells are numbered from the bottom of a column to its top."""
        return np.arange(self.puzzle.cells).reshape(self.grid).T[::-1]

    @property
    def input_size(self) -> int:
        """A number for each colour, and for empty, in each cell."""
        return self.puzzle.cells * (self.puzzle.colours + 1)

    def planes(self, states: Board) -> NDArray[np.float32]:
        """`float32[B, N * (C + 1)]` from `states[B, N]`: cell by cell, a 1 at its colour (0 for empty)."""
        return one_hot(states, 0, self.puzzle.colours)

    def symmetries(self, states: Board) -> tuple[tuple[Board, NDArray[np.int64]], ...]:
        """The boards with their colours named round, 1 as 2 and so on; all orders are those of `symbols`."""
        colours = np.arange(self.puzzle.colours)
        return tuple(self._permuted(states, np.roll(colours, by)) for by in colours.tolist())

    @property
    def symbols(self) -> Symbols:
        """The C colours, each with N + E inputs; each answers for every cell."""
        return Symbols(
            shape=(self.puzzle.colours, self.puzzle.cells + neighbours(*self.grid)[0].size),
            outputs=self.puzzle.cells,
            planes=self._colour_planes,
            output_index=self._output_index,
            permuted=self._permuted,
        )

    def _colour_planes(self, states: Board) -> NDArray[np.uint8]:
        """`uint8[B, C, N + E]`: for each colour a 1 in its cells, and for each pair of neighbours that both have it."""
        colours = np.arange(1, self.puzzle.colours + 1, dtype=np.uint8)
        first, second = neighbours(*self.grid)
        of_pairs = states[:, first] * (states[:, first] == states[:, second])  # the common colour, or 0
        equal: NDArray[np.bool_] = np.concatenate([states, of_pairs], axis=1)[:, None, :] == colours[:, None]
        return equal.view(np.uint8)

    def _output_index(self, states: Board) -> NDArray[np.int64]:
        """`int64[B, N]`: the colour of a cell answers for it; for an empty one, the first."""
        colour = np.maximum(states, 1).astype(np.int64) - 1
        return colour * self.puzzle.cells + np.arange(self.puzzle.cells)

    def _permuted(self, states: Board, order: NDArray[np.int64]) -> tuple[Board, NDArray[np.int64]]:
        """The boards with colour c + 1 in the place of colour `order[c]` + 1; the cells to click stay the same."""
        names = np.zeros(self.puzzle.colours + 1, np.uint8)
        names[order + 1] = np.arange(1, self.puzzle.colours + 1)
        return names[states], np.arange(self.puzzle.cells)


@cache
def neighbours(width: int, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The E pairs of neighbouring cells: those above each other, then those side by side."""
    cells = np.arange(width * height).reshape(width, height)
    first = np.concatenate([cells[:, :-1].ravel(), cells[:-1].ravel()])
    return first, np.concatenate([cells[:, 1:].ravel(), cells[1:].ravel()])
