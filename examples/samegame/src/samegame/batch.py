"""The rules, points and estimates for many boards at once, in NumPy: what `rules` and `estimates` do board by board.

Shapes: B = boards, W = columns, H = rows, N = W * H cells, C = colours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import BatchRules
from samegame.estimates import UNITS, WEIGHTS
from samegame.rules import ALL_CLEARED, Board, SameGame


class SameGameBatch:
    """The rules of one size of SameGame for batches."""

    def __init__(self, puzzle: SameGame) -> None:
        self.shape = puzzle.width, puzzle.height
        self.cells, self.colours = puzzle.cells, puzzle.colours

    def rules(self) -> BatchRules:
        """The view."""
        return BatchRules(self.legal, self.apply, self.solved, self.points)

    # --- rules ---

    def groups(self, states: Board) -> NDArray[np.int16]:
        """`int16[B, N]`: the first cell of the group of each cell, N for empty cells.

        Each cell takes the least number among itself and its equal neighbours, until nothing changes.
        """
        grid = states.reshape(-1, *self.shape)
        beside, above = grid[:, :-1] == grid[:, 1:], grid[:, :, :-1] == grid[:, :, 1:]
        own = np.where(states == 0, self.cells, np.arange(self.cells)).astype(np.int16)
        numbers = own.reshape(grid.shape)
        changing = np.arange(len(states))
        while changing.size:
            before = numbers[changing]
            after = before.copy()
            for is_equal, one, other in (
                (beside[changing], after[:, :-1], after[:, 1:]),
                (above[changing], after[:, :, :-1], after[:, :, 1:]),
            ):
                least = np.minimum(one, other)
                np.copyto(one, least, where=is_equal)
                np.minimum(other, least, out=other, where=is_equal)
            numbers[changing] = after
            changing = changing[(after != before).any(axis=(1, 2))]
        return numbers.reshape(states.shape)

    def _has_equal_neighbour(self, states: Board) -> NDArray[np.bool_]:
        """`bool[B, N]`: whether a cell belongs to a group of two or more."""
        grid = states.reshape(-1, *self.shape)
        found = np.zeros(grid.shape, bool)
        beside = (grid[:, :-1] == grid[:, 1:]) & (grid[:, 1:] != 0)
        above = (grid[:, :, :-1] == grid[:, :, 1:]) & (grid[:, :, 1:] != 0)
        found[:, :-1] |= beside
        found[:, 1:] |= beside
        found[:, :, :-1] |= above
        found[:, :, 1:] |= above
        return found.reshape(states.shape)

    def legal(self, states: Board) -> NDArray[np.bool_]:
        """`bool[B, N]`."""
        is_first: NDArray[np.bool_] = self.groups(states) == np.arange(self.cells)
        return is_first & self._has_equal_neighbour(states)

    def apply(self, states: Board, moves: NDArray[np.int64]) -> Board:
        """The boards `[B, N]` after one move each; the groups of equal boards that follow each other are found once."""
        is_new = np.append(True, (states[1:] != states[:-1]).any(axis=1))[: len(states)]
        groups = self.groups(states[is_new])[np.cumsum(is_new) - 1]
        clicked = np.take_along_axis(groups, moves[:, None], axis=1)
        grid = np.where(groups == clicked, 0, states).reshape(-1, *self.shape)
        fallen = np.take_along_axis(grid, np.argsort(grid == 0, axis=2, kind="stable"), axis=2)
        is_empty = ~fallen.any(axis=2)
        order = np.argsort(is_empty, axis=1, kind="stable")[:, :, None]
        return np.take_along_axis(fallen, order, axis=1).reshape(states.shape).astype(np.uint8)

    def solved(self, states: Board) -> NDArray[np.bool_]:
        """`bool[B]`."""
        return ~self._has_equal_neighbour(states).any(axis=1)

    def points(self, states: Board, moves: NDArray[np.int64], after: Board) -> NDArray[np.int64]:
        """`int64[B]`: those of the moves, and at the end of the game those of what is left."""
        removed = np.count_nonzero(states, axis=1) - np.count_nonzero(after, axis=1)
        counts = self.counts(after)
        penalties = np.where(counts > 0, (counts - 2) ** 2, 0).sum(axis=1)
        at_end = np.where(counts.any(axis=1), -penalties, ALL_CLEARED)
        return (removed - 2) ** 2 + np.where(self.solved(after), at_end, 0)

    def counts(self, states: Board) -> NDArray[np.int64]:
        """`int64[B, C]`: the cells of each colour."""
        return np.stack([np.count_nonzero(states == colour + 1, axis=1) for colour in range(self.colours)], axis=1)

    # --- estimates ---

    def bound(self, states: Board) -> NDArray[np.int64]:
        """`int64[B]`: the upper bound `colours`."""
        counts = self.counts(states)
        singles = (counts == 1).sum(axis=1)
        of_colours = np.where(counts > 1, (counts - 2) ** 2, 0).sum(axis=1)
        total = of_colours + np.where(singles > 0, -singles, ALL_CLEARED)
        return np.where(self.solved(states), 0, total)

    def guess(self, states: Board) -> NDArray[np.int64]:
        """`int64[B]`: the guess."""
        counts = self.counts(states)
        main = counts.argmax(axis=1)[:, None]
        of_count, of_single, of_points, of_group, of_pair = WEIGHTS.T
        colour_is_main = (np.arange(self.colours) == main).astype(np.int64)
        total = np.where(counts > 1, of_count[colour_is_main] * (counts - 2) ** 2, 0).sum(axis=1)

        groups = self.groups(states) + (self.cells + 1) * np.arange(len(states))[:, None]
        cells = np.bincount(groups.reshape(-1), minlength=(self.cells + 1) * len(states))
        sizes = cells.reshape(len(states), -1)[:, : self.cells]
        board, place = np.nonzero((sizes > 0) & (states > 0))
        size, is_main = sizes[board, place], (states[board, place] == main[board, 0] + 1).astype(np.int64)
        points = np.where(size == 1, of_single[is_main], of_points[is_main] * (size - 2) ** 2 + of_group[is_main])
        total += np.bincount(board, points, len(states)).astype(np.int64)

        grid = states.reshape(-1, *self.shape)
        for one, other in (
            (grid[:, :, :-2], grid[:, :, 2:]),
            (grid[:, :-1, :-1], grid[:, 1:, 1:]),
            (grid[:, :-1, 1:], grid[:, 1:, :-1]),
        ):
            is_pair = (one == other) & (one > 0)
            of_main = np.count_nonzero(is_pair & (one == main[:, :, None] + 1), axis=(1, 2))
            total += of_pair[1] * of_main + of_pair[0] * (np.count_nonzero(is_pair, axis=(1, 2)) - of_main)
        return np.where(self.solved(states), 0, total // UNITS)


def rules(puzzle: SameGame) -> BatchRules:
    """The view `BatchRules` of SameGame."""
    return SameGameBatch(puzzle).rules()
