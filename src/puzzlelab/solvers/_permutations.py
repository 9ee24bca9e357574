"""The permutations of a board's rows: their count, their list, and bit sets by unit and digit.

'Row' stands for a unit of the puzzle's first kind. A permutation fills a row with its digits in agreement with the
candidates after constraint propagation. Permutations are counted before they are listed.

Shapes: D = digits and rows, N = cells, U = units of the other kinds, L = permutations of a row, W = 64-bit words for a
bit each of them, rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Instance
from puzzlelab.core.result import Stop
from puzzlelab.engine.driver import Clock
from puzzlelab.engine.kernels import compiled
from puzzlelab.solvers._candidates import ONE, ZERO, propagated, units_of_cells, view

STEPS = 2_000_000
"""Steps of a walk between two readings of the clock."""
MOST_STEPS = 400_000_000
"""Steps after which a row is rejected as too large: about two seconds."""


class Walk(NamedTuple):
    """The state of an enumeration of the permutations of one row."""

    masks: NDArray[np.uint32]
    """[D]: the candidates of its cells, in the order of the walk: the fewest first."""
    order: NDArray[np.int64]
    """[D]: the index in the row of each of these cells."""
    untried: NDArray[np.uint32]
    """[D + 1]: the digits to try in each cell."""
    used: NDArray[np.uint32]
    """[D + 1]: the digits of the cells before."""
    digits: NDArray[np.uint8]
    """[D]: the permutation, by places in the row."""
    position: NDArray[np.int64]
    """[2]: the current cell, -1 at the end; the number of permutations so far."""


@compiled
def walk(record, rows, max_rows, budget):
    """Continue for `budget` steps, or until there are `max_rows` permutations.

    They are written into `rows: uint8[L, D]`, or only counted where that has no rows.
    """
    untried, used, position, size = record.untried, record.used, record.position, record.masks.size
    while budget > 0 and position[0] >= 0 and position[1] < max_rows:
        budget -= 1
        cell = position[0]
        rest = np.uint64(untried[cell])
        if rest == ZERO:
            position[0] -= 1
            continue
        bit = rest & (~rest + ONE)
        untried[cell] = rest ^ bit
        digit = 0
        while (bit >> np.uint64(digit)) != ONE:
            digit += 1
        record.digits[record.order[cell]] = digit
        if cell + 1 < size:
            used[cell + 1] = np.uint64(used[cell]) | bit
            untried[cell + 1] = np.uint64(record.masks[cell + 1]) & ~np.uint64(used[cell + 1])
            position[0] += 1
            continue
        if len(rows) > 0:
            for place in range(size):
                rows[position[1], place] = record.digits[place]
        position[1] += 1


def walk_of(masks: NDArray[np.uint32]) -> Walk:
    """The enumeration of a row whose cells have these candidates `[D]`."""
    order = np.argsort(np.bitwise_count(masks), kind="stable")
    size = len(masks)
    untried, used = np.zeros(size + 1, np.uint32), np.zeros(size + 1, np.uint32)
    untried[0] = masks[order[0]]
    return Walk(masks[order], order, untried, used, np.zeros(size, np.uint8), np.zeros(2, np.int64))


class PermutationLists(NamedTuple):
    """The permutations of all rows."""

    digits: NDArray[np.uint8]
    """[sum of L, D]: the digits of each, row by row."""
    firsts: NDArray[np.int64]
    """[D + 1]: where the permutations of each row begin."""
    words: NDArray[np.int64]
    """[D + 1]: where the bits of each row begin in a state of the search, which has a bit for each permutation."""
    local: NDArray[np.int32]
    """[D, U]: the number of a unit among those that cross the row, or -1."""
    permutations_with: NDArray[np.uint64]
    """The permutations with a digit in a unit: W words for each unit that crosses the row and each digit."""
    having_begin: NDArray[np.int64]
    """[D]: where the words of each row begin there."""
    cell_units: NDArray[np.int32]
    """[D, D, K]: the units of the other kinds of each cell, by rows."""


@compiled
def index_digits(lists, row):
    """Fill `lists.having` for one row."""
    size = lists.digits.shape[1]
    width = lists.words[row + 1] - lists.words[row]
    for number in range(lists.firsts[row], lists.firsts[row + 1]):
        index = number - lists.firsts[row]
        bit, word = ONE << np.uint64(index & 63), index >> 6
        for place in range(size):
            digit = np.int64(lists.digits[number, place])
            for kind in range(lists.cell_units.shape[2]):
                unit = np.int64(lists.local[row, lists.cell_units[row, place, kind]])
                lists.permutations_with[lists.having_begin[row] + (unit * size + digit) * width + word] |= bit


@dataclass(frozen=True)
class PermutationRows:
    """The rows of a board before their permutations are listed."""

    masks: NDArray[np.uint32]
    """[D, D]: the candidates of each cell, by rows."""
    cell_units: NDArray[np.int32]
    """[D, D, K]."""

    @staticmethod
    def of(instance: Instance) -> PermutationRows | None:
        """The rows of a board after propagation; None where that finds a contradiction."""
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
        """The permutations of each row, and a stop: 'memory' if there are more than `max_count`, or 'time'."""
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
        """The permutations, whose numbers by row are `counts`."""
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
