"""Simulated annealing: fill every box with its missing digits, and swap digits until rows and columns are valid.

'Box' stands for the units of the puzzle's last kind. A conflict is a digit that a unit of another kind lacks. A swap
that adds conflicts is accepted with probability exp(-added / temperature). The temperature falls slowly from HOT to
COLD and is raised again; after some cycles the board is shuffled. On 17-clue boards the best temperatures are near
0.3: above 0.45 conflicts are added faster than they are removed, below 0.2 the board freezes with a few conflicts.

It finds solutions but proves nothing: it cannot show that a solution is unique or that there is none. On a board
without a solution it runs until a limit ends it.

Source: Lewis, "Metaheuristics can solve sudoku puzzles" (2007).

Shapes: N = cells, D = digits, K = kinds of units but the last, U = units of these kinds, P = pairs to swap,
T = temperatures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import Candidates
from puzzlelab.engine.driver import Clock
from puzzlelab.engine.kernels import DONE, EXPANDED, GENERATED, GOLDEN, OWN, RUNNING, compiled, inlined, scramble
from puzzlelab.solvers._candidates import digits_of, propagated, units_of_cells, view, writer

COST, LEAST_COST, PROPOSALS_LEFT, LEVEL, CYCLE = range(OWN, OWN + 5)
HOT, COLD, LEVELS = 0.4, 0.22, 30
SWEEPS = 50
"""Mean number of proposals of each pair at a temperature."""
SHUFFLE = 8
"""The same for the shuffle."""
CYCLES = 40
"""Cycles of the temperature before the board is shuffled."""


class AnnealingRecord(NamedTuple):
    """The state of one annealing."""

    control: NDArray[np.int64]
    """`EXPANDED` counts proposed swaps, `GENERATED` accepted ones; `COST` is the number of conflicts, `LEAST_COST`
    the least so far, `PROPOSALS_LEFT` the rest of the proposals at this temperature."""
    random: NDArray[np.uint64]
    """[1]: the state of the generator."""
    pairs: NDArray[np.int32]
    """[P, 2]: cells of one box that are no clues."""
    cell_units: NDArray[np.int32]
    """[N, K]: the units of each cell."""
    digits: NDArray[np.int32]
    """[N]: the digit in each cell."""
    counts: NDArray[np.int32]
    """[U, D]: the count of each digit in each unit."""
    acceptance: NDArray[np.uint64]
    """[T, 2 K + 1]: the probability of accepting a swap by the conflicts it adds, times 2**32; row 0 is the shuffle."""


@inlined
def conflicts_added(record, first, second, old, new):
    """The number of conflicts that swapping the digits `old` and `new` of two cells adds."""
    counts, more = record.counts, 0
    for kind in range(record.cell_units.shape[1]):
        unit_of_first, unit_of_second = record.cell_units[first, kind], record.cell_units[second, kind]
        if unit_of_first != unit_of_second:
            more += (counts[unit_of_first, old] == 1) - (counts[unit_of_first, new] == 0)
            more += (counts[unit_of_second, new] == 1) - (counts[unit_of_second, old] == 0)
    return more


@inlined
def swap(record, first, second, old, new):
    """Swap the digits of two cells."""
    counts = record.counts
    for kind in range(record.cell_units.shape[1]):
        unit_of_first, unit_of_second = record.cell_units[first, kind], record.cell_units[second, kind]
        counts[unit_of_first, old] -= 1
        counts[unit_of_first, new] += 1
        counts[unit_of_second, new] -= 1
        counts[unit_of_second, old] += 1
    record.digits[first], record.digits[second] = new, old


@inlined
def cool(control, levels, pairs):
    """Continue with the next temperature."""
    if control[LEVEL] + 1 < levels:
        control[LEVEL] += 1
    else:
        control[CYCLE] = (control[CYCLE] + 1) % CYCLES
        control[LEVEL] = 0 if control[CYCLE] == 0 else 1
    control[PROPOSALS_LEFT] = (SHUFFLE if control[LEVEL] == 0 else SWEEPS) * pairs


@compiled
def step(record, budget):
    """One slice: propose `budget` swaps, fewer if no conflict remains."""
    control, pairs, digits = record.control, record.pairs, record.digits
    state, cost, proposed = record.random[0], control[COST], 0
    while proposed < budget and cost > 0:
        if control[PROPOSALS_LEFT] == 0:
            cool(control, len(record.acceptance), len(pairs))
        control[PROPOSALS_LEFT] -= 1
        proposed += 1
        # the upper half of the word chooses the pair, the lower half whether a bad swap is accepted
        state += GOLDEN
        word = scramble(state)
        pair = np.int64(((word >> np.uint64(32)) * np.uint64(len(pairs))) >> np.uint64(32))
        first, second = pairs[pair, 0], pairs[pair, 1]
        old, new = digits[first], digits[second]
        more = conflicts_added(record, first, second, old, new)
        if more <= 0 or (word & np.uint64(0xFFFFFFFF)) < record.acceptance[control[LEVEL], more]:
            swap(record, first, second, old, new)
            control[GENERATED] += 1
            cost += more
            control[LEAST_COST] = min(control[LEAST_COST], cost)
    record.random[0], control[COST] = state, cost
    control[EXPANDED] += proposed
    return DONE if cost == 0 else RUNNING


def fill_boxes(instance: Instance, known: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """`int32[N]`: the digits with every box filled from what is `known: int64[N]`, and the pairs `int32[P, 2]`."""
    digits, pairs = known.copy(), []
    for box in list(view(instance).units.kinds.values())[-1]:
        blanks = box[known[box] < 0].tolist()
        digits[blanks] = np.setdiff1d(np.arange(len(box)), known[box])[: len(blanks)]
        pairs += [(first, second) for place, first in enumerate(blanks) for second in blanks[:place]]
    return digits.astype(np.int32), np.array(pairs, np.int32).reshape(-1, 2)


def record_of(instance: Instance, known: NDArray[np.int64], seed: int) -> AnnealingRecord:
    """The start of an annealing of the cells that are not `known: int64[N]`, -1 for blank."""
    units = view(instance).units
    size, kinds = units.all.shape[1], len(units.kinds) - 1
    cell_units = np.ascontiguousarray(units_of_cells(units)[:, :kinds])
    digits, pairs = fill_boxes(instance, known)
    counts = np.zeros((size * kinds, size), np.int32)
    np.add.at(counts, (cell_units, digits[:, None]), 1)
    temperatures = np.concatenate([[np.inf], np.geomspace(HOT, COLD, LEVELS)])
    acceptance = np.exp(-np.arange(2 * kinds + 1) / temperatures[:, None]) * 2**32
    control = np.zeros(16, np.int64)
    control[COST] = control[LEAST_COST] = np.count_nonzero(counts == 0)
    control[PROPOSALS_LEFT] = SHUFFLE * len(pairs)
    return AnnealingRecord(
        control, np.array([seed], np.uint64), pairs, cell_units, digits, counts, acceptance.astype(np.uint64)
    )


class Annealing(SolverSettings):
    """Simulated annealing over swaps of digits within boxes; proves nothing.

    One `seed` gives one result. Only the clues are fixed. With `singles` the digits that constraint propagation forces
    are fixed too, which leaves fewer cells (and none of most boards with one solution). It is off by default, because
    every 9x9 board tried so far was solved without it.
    """

    name: ClassVar[str] = "annealing"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)

    seed: int = Field(default=0, ge=0, lt=2**64)
    singles: bool = False

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress, then a solution; without a limit it may never end. Nodes are proposed swaps; O(N * D) memory."""
        known = view(instance).digits(instance.state)
        blanks = int(np.count_nonzero(known < 0))
        if self.singles:
            masks = propagated(instance)
            if masks is None:
                yield Result(None, reason="the digits that the rules force contradict each other", stop="dead end")
                return
            known = digits_of(masks)
        record = record_of(instance, known, self.seed)
        step(record, 0)
        clock = Clock(limit)
        stop: Stop | None = None if len(record.pairs) or record.control[COST] == 0 else "dead end"
        while stop is None:
            status = clock.work(step, record)
            proposed, accepted = int(record.control[EXPANDED]), int(record.control[GENERATED])
            if status == DONE:
                moves = writer(instance)(record.digits)
                yield Result(moves, "none", "", "done", blanks, proposed, accepted, 0, clock.seconds)
                return
            yield Progress(proposed, accepted, 0, blanks, clock.seconds)
            stop = clock.reached(proposed)
        proposed, accepted = int(record.control[EXPANDED]), int(record.control[GENERATED])
        yield Result(None, "none", reason_of(record), stop, blanks, proposed, accepted, 0, clock.seconds)


def reason_of(record: AnnealingRecord) -> str:
    """The least number of conflicts, in words."""
    fewest = int(record.control[LEAST_COST])
    what = "1 conflict was left" if fewest == 1 else f"{fewest} conflicts were left"
    return f"{what} at best, after {int(record.control[EXPANDED]):,} proposed swaps; annealing proves nothing"


SOLVER = Annealing
