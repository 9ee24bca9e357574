"""Permutation search: list the permutations of every row, choose one row by row, and exclude conflicting ones.

After constraint propagation, few permutations of a row fit its candidates. The search takes the row with the fewest,
chooses one of them, and excludes the permutations of the other rows with one of its digits in the same column or box.
Each unit and digit has a bit set over the permutations, so that operations on words exclude 64 at once. 'Row' stands
for the units of the puzzle's first kind.

Source: the idea is from Berg, "Parallel sudoku solver" (2018), which searches the product of the rows' permutations.

Shapes: D = digits and rows, U = units of the other kinds, K = the most of a cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Count, Result, Stop
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Candidates
from puzzlelab.engine.driver import EXHAUSTED, Clock, Machine
from puzzlelab.engine.enumeration import Enumerator, counted, listed
from puzzlelab.engine.record_parts import new_control
from puzzlelab.solvers._candidates import propagated, view, writer
from puzzlelab.solvers._permutation_kernels import (
    CONTROL,
    PermutationLists,
    PermutationRecord,
    Walk,
    index_digits,
    step,
    walk,
)

MAX_BYTES = 2**29
"""The memory limit of the lists and of all threads together."""


def record_of(lists: PermutationLists) -> PermutationRecord:
    """Return the start of a search."""
    size = len(lists.having_begin)
    counts = np.zeros((size + 1, size), np.int64)
    counts[0] = np.diff(lists.firsts)
    whole = np.zeros(int(lists.words[-1]), np.uint64)
    for row in range(size):
        bits = np.zeros(int(lists.words[row + 1] - lists.words[row]) * 64, np.uint8)
        bits[: counts[0, row]] = 1
        whole[lists.words[row] : lists.words[row + 1]] = np.packbits(bits, bitorder="little").view(np.uint64)
    alive = np.zeros((size + 1, whole.size), np.uint64)
    alive[0] = whole
    rows, chosen = np.zeros(size + 1, np.int64), np.full(size + 1, -1)
    rows[0] = np.argmin(counts[0])
    checks = np.zeros(size * lists.cell_units.shape[2], np.int64)
    return PermutationRecord(lists, new_control(CONTROL), alive, counts, rows, chosen, checks, whole)


def machine(instance: Instance, lists: PermutationLists) -> Machine:
    """Return the search; every row has a permutation."""
    cells = next(iter(view(instance).units.kinds.values()))
    digits, moves_of = np.zeros(cells.size, np.int64), writer(instance)

    def solution(record: PermutationRecord) -> tuple[int, ...]:
        rows = record.rows[:-1]
        digits[cells[rows]] = lists.digits[lists.firsts[rows] + record.chosen[:-1]]
        return moves_of(digits)

    return Machine(
        record_of(lists),
        step,
        lambda record: list(solution(record)),
        lambda record, room: None,
        lambda record: EXHAUSTED,
    )


class Permutation(Enumerator):
    """The search row by row over the permutations of every row.

    It counts the permutations first, because rows of large boards with few clues have too many to list. With `jobs`
    above 1, that many threads share the rest of a search that takes longer than a tenth of a second. The answers and
    their order are always the same.
    """

    name: ClassVar[str] = "permutation"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)

    jobs: int = Field(default=1, ge=1, le=1024)
    """Threads that share the work of one board."""

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield every solution, in the order of the search. Nodes are chosen permutations."""
        clock = _clock(instance, limit)
        lists = prepare(instance, clock, self.jobs)
        if isinstance(lists, Result):
            yield replace(lists, seconds=clock.seconds)
        elif self.jobs == 1:
            yield from listed(machine(instance, lists), limit, clock)
        else:
            from puzzlelab.solvers._permutation_threads import listed_by_threads

            another = partial(machine, instance, lists)
            yield from listed_by_threads(another(), another, clock, self.jobs)

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Count the solutions without listing them."""
        clock = _clock(instance, limit)
        lists = prepare(instance, clock, self.jobs)
        if isinstance(lists, Result):
            yield Count(0, lists.stop, 0, clock.seconds)
        elif self.jobs == 1:
            yield from counted(machine(instance, lists), limit, most, clock)
        else:
            from puzzlelab.solvers._permutation_threads import counted_by_threads

            another = partial(machine, instance, lists)
            yield from counted_by_threads(another(), another, clock, most, self.jobs)


def _clock(instance: Instance, limit: Limit) -> Clock:
    """Return a clock that starts after the kernels are compiled."""
    PermutationRows.of(instance)
    _load()
    return Clock(limit)


@cache
def _load() -> None:
    """Compile or load the kernels, with a board of one cell."""
    step(record_of(PermutationRows(np.ones((1, 1), np.uint32), np.zeros((1, 1, 2), np.int32)).list([1])), 0)


def prepare(instance: Instance, clock: Clock, jobs: int) -> PermutationLists | Result:
    """Return the permutations of all rows, or the result of a search that cannot begin."""
    rows = PermutationRows.of(instance)
    if rows is None:
        return Result(None)
    memory = min(clock.room(), MAX_BYTES) // (1 if jobs == 1 else jobs + 1)
    max_count = max(memory // rows.bytes_each, 0)
    counts, stop = rows.count(max_count, clock)
    if stop == "memory":
        reason = f"the rows have more than {max_count:,} permutations, and a list of them would take too much memory"
        return Result(None, stop=stop, reason=reason)
    if stop is not None or 0 in counts:
        return Result(None, stop=stop or "done")
    return rows.list(counts)


# --- the permutations of the rows -------------------------------------------------------------------------------------

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
        return PermutationRows(masks[cells], units.of_cells[cells][:, :, 1:] - len(cells))

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


SOLVER = Permutation
