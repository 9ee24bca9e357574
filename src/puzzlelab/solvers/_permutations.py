"""The permutations of a board's rows: how many there are, their list, and for each digit in a unit those that have it.

'Row' stands for a unit of the puzzle's first kind. A permutation fills a row with its digits, so that it agrees with
the clues and with what constraint propagation leaves. They are counted before they are listed.

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
from puzzlelab.solvers._candidates import ONE, ZERO, homes_of, propagated, view

STEPS = 2_000_000
"""Steps of a walk between two looks at the clock."""
MOST_STEPS = 400_000_000
"""Steps after which a row is given up as too large: some two seconds."""


class Walk(NamedTuple):
    """Where a walk through the permutations of one row stands."""

    masks: NDArray[np.uint32]
    """[D]: the candidates of its cells, in the order of the walk: the fewest first."""
    order: NDArray[np.int64]
    """[D]: the place in the row of each of these cells."""
    left: NDArray[np.uint32]
    """[D + 1]: the digits to try in each cell."""
    used: NDArray[np.uint32]
    """[D + 1]: the digits of the cells before."""
    digits: NDArray[np.uint8]
    """[D]: the permutation, by places in the row."""
    at: NDArray[np.int64]
    """[2]: the cell that the walk is at, -1 when it is over; the permutations so far."""


@compiled
def walk(record, rows, most, budget):
    """Go on for `budget` steps, or until there are `most` permutations.

    They are written into `rows: uint8[L, D]`, or only counted where that has no rows.
    """
    left, used, at, size = record.left, record.used, record.at, record.masks.size
    while budget > 0 and at[0] >= 0 and at[1] < most:
        budget -= 1
        cell = at[0]
        rest = np.uint64(left[cell])
        if rest == ZERO:
            at[0] -= 1
            continue
        bit = rest & (~rest + ONE)
        left[cell] = rest ^ bit
        digit = 0
        while (bit >> np.uint64(digit)) != ONE:
            digit += 1
        record.digits[record.order[cell]] = digit
        if cell + 1 < size:
            used[cell + 1] = np.uint64(used[cell]) | bit
            left[cell + 1] = np.uint64(record.masks[cell + 1]) & ~np.uint64(used[cell + 1])
            at[0] += 1
            continue
        if len(rows) > 0:
            for place in range(size):
                rows[at[1], place] = record.digits[place]
        at[1] += 1


def walk_of(masks: NDArray[np.uint32]) -> Walk:
    """The walk through the permutations of a row whose cells have these candidates `[D]`."""
    order = np.argsort(np.bitwise_count(masks), kind="stable")
    size = len(masks)
    left, used = np.zeros(size + 1, np.uint32), np.zeros(size + 1, np.uint32)
    left[0] = masks[order[0]]
    return Walk(masks[order], order, left, used, np.zeros(size, np.uint8), np.zeros(2, np.int64))


class PermutationLists(NamedTuple):
    """The permutations of all rows."""

    digits: NDArray[np.uint8]
    """[sum of L, D]: the digits of each, by places in its row; one row's after the other."""
    firsts: NDArray[np.int64]
    """[D + 1]: where the permutations of each row begin."""
    words: NDArray[np.int64]
    """[D + 1]: where the bits of each row begin in a state of the search, which has a bit for each permutation."""
    local: NDArray[np.int32]
    """[D, U]: the number of a unit among those that cross the row, or -1."""
    having: NDArray[np.uint64]
    """The permutations with a digit in a unit: W words for each unit that crosses the row and each digit."""
    places: NDArray[np.int64]
    """[D]: where the words of each row begin there."""
    homes: NDArray[np.int32]
    """[D, D, K]: the units of the other kinds of each cell, by rows."""


@compiled
def note(lists, row):
    """Fill `lists.having` for one row."""
    size = lists.digits.shape[1]
    width = lists.words[row + 1] - lists.words[row]
    for number in range(lists.firsts[row], lists.firsts[row + 1]):
        own = number - lists.firsts[row]
        bit, word = ONE << np.uint64(own & 63), own >> 6
        for place in range(size):
            digit = np.int64(lists.digits[number, place])
            for kind in range(lists.homes.shape[2]):
                unit = np.int64(lists.local[row, lists.homes[row, place, kind]])
                lists.having[lists.places[row] + (unit * size + digit) * width + word] |= bit


@dataclass(frozen=True)
class PermutationRows:
    """The rows of a board before their permutations are listed."""

    masks: NDArray[np.uint32]
    """[D, D]: the candidates of each cell, by rows."""
    homes: NDArray[np.int32]
    """[D, D, K]."""

    @staticmethod
    def of(instance: Instance) -> PermutationRows | None:
        """The rows of a board after propagation; None where that finds a contradiction."""
        masks = propagated(instance)
        if masks is None:
            return None
        units = view(instance).units
        cells = next(iter(units.kinds.values()))
        return PermutationRows(masks[cells], homes_of(units)[cells][:, :, 1:] - len(cells))

    @property
    def crossing(self) -> list[NDArray[np.int32]]:
        """The units that cross each row."""
        return [np.unique(homes) for homes in self.homes]

    @property
    def bytes_each(self) -> int:
        """What one permutation takes: its digits, a bit for each digit of a unit, and one on each level."""
        size = len(self.masks)
        return size + (max(map(len, self.crossing)) * size + size + 2) // 8 + 1

    def count(self, most: int, clock: Clock) -> tuple[list[int], Stop | None]:
        """How many permutations each row has, and a stop: 'memory' when they are more than `most`, or 'time'."""
        counts: list[int] = []
        nothing = np.zeros((0, len(self.masks)), np.uint8)
        for masks in self.masks:
            record, steps = walk_of(masks), 0
            left = most - sum(counts)
            while record.at[0] >= 0:
                walk(record, nothing, left + 1, STEPS)
                steps += STEPS
                if record.at[1] > left or steps > MOST_STEPS:
                    return counts, "memory"
                if clock.reached(0) == "time":
                    return counts, "time"
            counts.append(int(record.at[1]))
        return counts, None

    def list(self, counts: list[int]) -> PermutationLists:
        """The permutations, of which each row has so many."""
        size, crossing = len(self.masks), self.crossing
        firsts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        widths = (np.array(counts, np.int64) + 63) // 64
        lengths = widths * [len(units) * size for units in crossing]
        local = np.full((size, self.homes.max() + 1), -1, np.int32)
        for row, units in enumerate(crossing):
            local[row, units] = np.arange(len(units))
        lists = PermutationLists(
            np.zeros((firsts[-1], size), np.uint8),
            firsts,
            np.concatenate([[0], np.cumsum(widths)]).astype(np.int64),
            local,
            np.zeros(int(lengths.sum()), np.uint64),
            np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
            np.ascontiguousarray(self.homes),
        )
        for row, masks in enumerate(self.masks):
            walk(walk_of(masks), lists.digits[firsts[row] : firsts[row + 1]], counts[row], 2**62)
            note(lists, row)
        return lists
