"""Simulated annealing: fill every box with its missing digits, and swap digits until rows and columns are valid.

'Box' stands for the units of the puzzle's last kind that share no cell and cover all. A conflict is a digit that a unit
of another kind lacks. A swap that adds conflicts is accepted with probability exp(-added / temperature). The
temperature falls slowly from HOT to COLD and is raised again; after some cycles the board is shuffled. On 17-clue
boards the best temperatures are near 0.3: above 0.45 conflicts are added faster than they are removed, below 0.2 the
board freezes with a few conflicts.

It finds solutions but proves nothing: it cannot show that a solution is unique or that there is none. On a board
without a solution it runs until a limit ends it.

Source: Lewis, "Metaheuristics can solve sudoku puzzles" (2007).

Shapes: N = cells, D = digits, K = columns of units, U = units of other kinds, P = pairs to swap,
T = temperatures.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import Candidates, Units
from puzzlelab.engine.driver import Clock
from puzzlelab.engine.kernels import DONE, RUNNING
from puzzlelab.engine.record_parts import new_control
from puzzlelab.solvers._annealing_kernels import CONTROL, SHUFFLE, AnnealingRecord, step
from puzzlelab.solvers._candidates import view, writer

HOT, COLD, LEVELS = 0.4, 0.22, 30
MANY = 1 << 20
"""The count of each digit in the unit that stands for none: no swap adds a conflict there."""


def boxes_and_others(units: Units) -> tuple[NDArray[np.int32], Units]:
    """Return the boxes `[D, D]`, and the units of the other kinds."""
    boxes = [kind for kind, cells in units.kinds.items() if len(np.unique(cells)) == cells.size == len(units.peers)][-1]
    return units.kinds[boxes], Units({kind: cells for kind, cells in units.kinds.items() if kind != boxes})


def in_columns(units: Units) -> NDArray[np.int32]:
    """Return `int32[N, K]`: the units of each cell, U for none; each unit is in one column alone, so that one that two
    cells share is beside itself.
    """
    count, size = units.all.shape
    columns: list[NDArray[np.int32]] = []
    for number, cells in enumerate(units.all):
        free = next((column for column in columns if (column[cells] == count).all()), None)
        if free is None:
            free = np.full(size * size, count, np.int32)
            columns.append(free)
        free[cells] = number
    return np.stack(columns, axis=1)


def fill_boxes(boxes: NDArray[np.int32], known: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return `int32[N]`: the digits with every box filled from what is `known: int64[N]`, and the pairs `int32[P,
    2]`.
    """
    digits, pairs = known.copy(), []
    for box in boxes:
        blanks = box[known[box] < 0].tolist()
        digits[blanks] = np.setdiff1d(np.arange(len(box)), known[box])[: len(blanks)]
        pairs += [(first, second) for place, first in enumerate(blanks) for second in blanks[:place]]
    return digits.astype(np.int32), np.array(pairs, np.int32).reshape(-1, 2)


def record_of(instance: Instance, known: NDArray[np.int64], seed: int) -> AnnealingRecord:
    """Return the start of an annealing of the cells that are not `known: int64[N]`, -1 for blank."""
    boxes, others = boxes_and_others(view(instance).units)
    (count, size), cell_units = others.all.shape, in_columns(others)
    digits, pairs = fill_boxes(boxes, known)
    counts = np.zeros((count + 1, size), np.int32)
    counts[count] = MANY
    np.add.at(counts, (cell_units, digits[:, None]), 1)
    temperatures = np.concatenate([[np.inf], np.geomspace(HOT, COLD, LEVELS)])
    acceptance = np.exp(-np.arange(2 * cell_units.shape[1] + 1) / temperatures[:, None]) * 2**32
    cost = int(np.count_nonzero(counts == 0))
    control = new_control(CONTROL, cost=cost, least_cost=cost, proposals_left=SHUFFLE * len(pairs))
    return AnnealingRecord(
        control, np.array([seed], np.uint64), pairs, cell_units, digits, counts, acceptance.astype(np.uint64)
    )


class Annealing(SolverSettings):
    """Simulated annealing over swaps of digits within boxes; proves nothing.

    One `seed` gives one result. Only the clues are fixed.
    """

    name: ClassVar[str] = "annealing"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)

    seed: int = Field(default=0, ge=0, lt=2**64)
    """The seed of the random numbers."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress, then a solution; without a limit it may never end. Nodes are proposed swaps; O(N * D)
        memory.
        """
        known = view(instance).digits(instance.state)
        blanks = int(np.count_nonzero(known < 0))
        record = record_of(instance, known, self.seed)
        step(record, 0)
        clock = Clock(limit)
        stop: Stop | None = None if len(record.pairs) or record.control.cost == 0 else "dead end"
        status, control = RUNNING, record.control
        while stop is None and (status := clock.work(step, record)) != DONE:
            yield Progress(int(control.expanded), int(control.generated), 0, blanks, clock.seconds)
            stop = clock.reached(int(control.expanded))
        yield Result(
            writer(instance)(record.digits) if status == DONE else None,
            reason="" if status == DONE else reason_of(record),
            stop=stop or "done",
            lower_bound=blanks,
            expanded=int(control.expanded),
            generated=int(control.generated),
            seconds=clock.seconds,
        )


def reason_of(record: AnnealingRecord) -> str:
    """Return the least number of conflicts, in words."""
    fewest = int(record.control.least_cost)
    what = "1 conflict was left" if fewest == 1 else f"{fewest} conflicts were left"
    return f"{what} at best, after {int(record.control.expanded):,} proposed swaps; annealing proves nothing"


SOLVER = Annealing
