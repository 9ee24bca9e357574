"""Dust boards for networks: a number for each colour in each cell, planes for each colour, and what the rules say.

Shapes: B = boards, W = columns, H = rows, N = W * H cells, C = colours, E = W (H - 1) + (W - 1) H pairs of neighbours,
P = pairs of cells that may come to touch, F = N + P + 4 N.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Symbols
from puzzlelab.engine.network_io import one_hot

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust


@dataclass(frozen=True)
class DustPlanes:
    """The view `Planes` of dust."""

    puzzle: Dust
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
        """F: a number for each colour, and for empty, in each cell."""
        return self.puzzle.cells * (self.puzzle.colours + 1)

    def planes(self, states: Board) -> NDArray[np.float32]:
        """Return `float32[B, N * (C + 1)]` from `states[B, N]`: cell by cell, a 1 at its colour (0 for empty)."""
        return one_hot(states, 0, self.puzzle.colours)

    def symmetries(self, states: Board) -> tuple[tuple[Board, NDArray[np.int64]], ...]:
        """Return the boards and, where the halves are equally wide, their mirror images."""
        same = (states, np.arange(self.puzzle.cells))
        if self.puzzle.width % 2:
            return (same,)
        mirrored = np.arange(self.puzzle.cells).reshape(self.grid)[::-1].reshape(-1)
        return same, (states[..., mirrored], mirrored)

    @property
    def symbols(self) -> Symbols:
        """The C colours, each with N + E inputs; each answers for every cell."""
        return Symbols(
            shape=(self.puzzle.colours, self.puzzle.cells + neighbours(*self.grid)[0].size),
            outputs=self.puzzle.cells,
            planes=self._colour_planes,
            output_index=self._output_index,
            permuted=self._permuted,
            feature_shape=(self.puzzle.colours, 5 * self.puzzle.cells + pairs(*self.grid)[0].size),
            features=partial(features, self.puzzle),
        )

    def _colour_planes(self, states: Board) -> NDArray[np.uint8]:
        """Return `uint8[B, C, N + E]`: for each colour a 1 in its cells, and for each pair of neighbours that have
        it.
        """
        colours = np.arange(1, self.puzzle.colours + 1, dtype=np.uint8)
        first, second = neighbours(*self.grid)
        of_pairs = states[:, first] * (states[:, first] == states[:, second])  # the common colour, or 0
        equal: NDArray[np.bool_] = np.concatenate([states, of_pairs], axis=1)[:, None, :] == colours[:, None]
        return equal.view(np.uint8)

    def _output_index(self, states: Board) -> NDArray[np.int64]:
        """Return `int64[B, N]`: the colour of a cell answers for it; for an empty one, the first."""
        colour = np.maximum(states, 1).astype(np.int64) - 1
        return colour * self.puzzle.cells + np.arange(self.puzzle.cells)

    def _permuted(self, states: Board, order: NDArray[np.int64]) -> tuple[Board, NDArray[np.int64]]:
        """Return the boards with colour c + 1 in the place of colour `order[c]` + 1.

        The cells to click stay the same.
        """
        names = np.zeros(self.puzzle.colours + 1, np.uint8)
        names[order + 1] = np.arange(1, self.puzzle.colours + 1)
        return names[states], np.arange(self.puzzle.cells)


@cache
def neighbours(width: int, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the E pairs of neighbouring cells: those above each other, then those side by side."""
    cells = np.arange(width * height).reshape(width, height)
    first = np.concatenate([cells[:, :-1].ravel(), cells[:-1].ravel()])
    return first, np.concatenate([cells[:, 1:].ravel(), cells[1:].ravel()])


SIZE_SCALE, NEXT_SCALE = 1 / 4, 1 / 2
"""Factors of a cluster's size, and of what the next click joins, which make them about as large as other inputs."""
NOTHING = -1000
"""Less than any click joins: of a board without clusters."""


def features(puzzle: Dust, states: Board) -> NDArray[np.float32]:
    """Return `float32[B, C, F]` from `states[B, N]`.

    For each colour these are a 1 in its cells, a 1 for each pair of its cells that may come to touch, and for each of
    its clusters four numbers at its first cell: a 1, the size, how many clusters its click joins, and how many the best
    click after it joins. From the cells alone a network needs many boards to learn which clusters a click joins.
    """
    colours = np.arange(1, puzzle.colours + 1, dtype=np.uint8)
    own = states[:, None, :] == colours[:, None]
    first, second = pairs(puzzle.width, puzzle.height)
    sizes, joined, joined_next = _clicks(puzzle, states)
    numbers = (sizes > 0, sizes * SIZE_SCALE, joined, joined_next * NEXT_SCALE)
    parts = [own, own[..., first] & own[..., second], *(own * number[:, None, :] for number in numbers)]
    return np.concatenate(parts, axis=2, dtype=np.float32)


def _clicks(puzzle: Dust, states: Board) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int16]]:
    """Return sizes, clusters that a click joins, and clusters that the best click after it joins: each `int16[B, N]`.

    The kernels are imported here, so that planes alone need no compiler.
    """
    from puzzlelab.puzzles.dust.estimate_kernels import click_all
    from puzzlelab.puzzles.dust.kernels import rules

    chosen = rules(puzzle)
    working = np.ascontiguousarray(chosen.encode(states))
    children = np.empty((*states.shape, chosen.size), np.uint64)
    sizes, joined, joined_next = (np.zeros(states.shape, np.int16) for _ in range(3))
    click_all(chosen.tables, working, children, True, sizes, joined)
    after = children[sizes > 0]
    sizes_after, joined_after = (np.zeros((len(after), puzzle.cells), np.int16) for _ in range(2))
    click_all(chosen.tables, after, np.empty((1, 1, chosen.size), np.uint64), False, sizes_after, joined_after)
    best = joined_after.max(axis=1, initial=NOTHING, where=sizes_after > 0)
    joined_next[sizes > 0] = np.where(best > NOTHING, best, 0)
    return sizes, joined, joined_next


@cache
def pairs(width: int, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all P pairs of cells in the same or in neighbouring columns: those that falls alone may bring together."""
    columns = np.arange(width * height) // height
    first, second = np.triu_indices(width * height, 1)
    near = columns[second] - columns[first] <= 1
    return first[near], second[near]
