"""The permutations of a board's rows: their count, their list, and bit sets by unit and digit.

'Row' stands for a unit of the puzzle's first kind. A permutation fills a row with its digits in agreement with the
candidates after constraint propagation. Permutations are counted before they are listed.

Shapes: D = digits and rows, N = cells, U = units of the other kinds, L = permutations of a row, W = 64-bit words for a
bit each of them, rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.result import Stop
from puzzlelab.engine.driver import Clock
from puzzlelab.solvers._candidates import propagated, units_of_cells, view
from puzzlelab.solvers._permutation_kernels import PermutationLists, Walk, index_digits, walk

STEPS = 2_000_000
"""Steps of a walk between two readings of the clock."""
MOST_STEPS = 400_000_000
"""Steps after which a row is rejected as too large: about two seconds."""


def walk_of(masks: NDArray[np.uint32]) -> Walk:
    """Return the enumeration of a row whose cells have these candidates `[D]`."""
    order = np.argsort(np.bitwise_count(masks), kind="stable")
    size = len(masks)
    untried, used = np.zeros(size + 1, np.uint32), np.zeros(size + 1, np.uint32)
    untried[0] = masks[order[0]]
    return Walk(masks[order], order, untried, used, np.zeros(size, np.uint8), np.zeros(2, np.int64))


@dataclass(frozen=True)
class PermutationRows:
    """The rows of a board before their permutations are listed."""

    masks: NDArray[np.uint32]
    """[D, D]: the candidates of each cell, by rows."""
    cell_units: NDArray[np.int32]
    """[D, D, K]."""

    @staticmethod
    def of(instance: Instance) -> PermutationRows | None:
        """Return the rows of a board after propagation; None where that finds a contradiction."""
        masks = propagated(instance)
        if masks is None:
            return None
        units = view(instance).units
        cells = next(iter(units.kinds.values()))
        return PermutationRows(masks[cells], units_of_cells(units)[cells][:, :, 1:] - len(cells))

    @property
    def crossing(self) -> list[NDArray[np.int32]]:
        """The units that cross each row."""
        return [np.unique(units) for units in self.cell_units]

    @property
    def bytes_each(self) -> int:
        """Bytes of one permutation: its digits, a bit for each digit of a unit, and one on each level."""
        size = len(self.masks)
        return size + (max(map(len, self.crossing)) * size + size + 2) // 8 + 1

    def count(self, max_count: int, clock: Clock) -> tuple[list[int], Stop | None]:
        """Return the permutations of each row, and a stop: 'memory' if there are more than `max_count`, or 'time'."""
        counts: list[int] = []
        no_rows = np.zeros((0, len(self.masks)), np.uint8)
        for masks in self.masks:
            record, steps = walk_of(masks), 0
            remaining = max_count - sum(counts)
            while record.position[0] >= 0:
                walk(record, no_rows, remaining + 1, STEPS)
                steps += STEPS
                if record.position[1] > remaining or steps > MOST_STEPS:
                    return counts, "memory"
                if clock.reached(0) == "time":
                    return counts, "time"
            counts.append(int(record.position[1]))
        return counts, None

    def list(self, counts: list[int]) -> PermutationLists:
        """Return the permutations, whose numbers by row are `counts`."""
        size, crossing = len(self.masks), self.crossing
        firsts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        widths = (np.array(counts, np.int64) + 63) // 64
        lengths = widths * [len(units) * size for units in crossing]
        local = np.full((size, self.cell_units.max() + 1), -1, np.int32)
        for row, units in enumerate(crossing):
            local[row, units] = np.arange(len(units))
        lists = PermutationLists(
            np.zeros((firsts[-1], size), np.uint8),
            firsts,
            np.concatenate([[0], np.cumsum(widths)]).astype(np.int64),
            local,
            np.zeros(int(lengths.sum()), np.uint64),
            np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
            np.ascontiguousarray(self.cell_units),
        )
        for row, masks in enumerate(self.masks):
            walk(walk_of(masks), lists.digits[firsts[row] : firsts[row + 1]], counts[row], 2**62)
            index_digits(lists, row)
        return lists
