"""Backtracking with constraint propagation: write what must be, then guess in the cell with the fewest candidates.

Every guess is followed by the two rules of `_candidates`, which write all digits that are forced by it. A search that
ends has tried every possibility, so that it lists and counts all solutions, and proves that there is one only, or none.
Source: Norvig, "Solving every Sudoku puzzle" (2006).

Shapes: N = cells, D = digits, L = levels of the stack, one more than there are guesses on a path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.driver import EXHAUSTED, Machine
from puzzlelab.core.kernels import DONE, EXPANDED, GENERATED, IMPROVED, RUNNING, compiled, copy, inlined, population
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Candidates, Instance
from puzzlelab.core.settings import Settings
from puzzlelab.core.solutions import FOUND, MOST, OWN, Count, counted, listed, settled
from puzzlelab.core.solver import Attempt
from puzzlelab.solvers._candidates import (
    ONE,
    ZERO,
    Grid,
    begin,
    digits_of,
    grid_of,
    masks_of,
    place,
    view,
    writer,
)

PHASE, LEVEL, SOLVED, CLUES = range(OWN, OWN + 4)
START, SEARCH, FINISHED = range(3)


class Record(NamedTuple):
    """Where one search stands."""

    grid: Grid
    control: NDArray[np.int64]
    """`EXPANDED` counts guesses, `GENERATED` the digits that were written; the solution is at the level `SOLVED`."""
    stack: NDArray[np.uint32]
    """[L, N]: the candidates at each level, propagated."""
    cells: NDArray[np.int32]
    """[L]: where a digit is guessed."""
    rest: NDArray[np.uint32]
    """[L]: the digits to guess there that were not tried."""
    guesses: NDArray[np.int64]
    """[L]: how many were tried at each level, altogether."""


@inlined
def choose(record, level):
    """Note which cell to guess in: the first with the fewest candidates. False when every digit is known."""
    masks, cell, fewest = record.stack[level], -1, np.uint64(64)
    for i in range(masks.size):
        mask = np.uint64(masks[i])
        more = mask & (mask - ONE)
        if more == ZERO:
            continue
        if more & (more - ONE) == ZERO:
            cell = i
            break
        number = population(mask)
        if number < fewest:
            cell, fewest = i, number
    if cell < 0:
        return False
    record.cells[level], record.rest[level] = cell, masks[cell]
    return True


@inlined
def found(record, level):
    """Take note of a solution at this level; whether the search is to stop for it."""
    control = record.control
    control[FOUND] += 1
    control[SOLVED] = level
    return control[MOST] == 0 or control[FOUND] >= control[MOST]


@compiled
def step(record, budget):
    """One slice: at most `budget` guesses."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control[PHASE] == START:
        control[PHASE] = FINISHED
        written = begin(record.grid, record.stack[0])
        if written < 0:
            return DONE
        control[GENERATED] += written - control[CLUES]
        if not choose(record, 0):
            return IMPROVED if found(record, 0) and control[MOST] == 0 else DONE
        control[PHASE] = SEARCH
    if control[PHASE] == FINISHED:
        return DONE
    while True:
        level = control[LEVEL]
        rest = np.uint64(record.rest[level])
        if rest == ZERO:
            if level == 0:
                control[PHASE] = FINISHED
                return DONE
            control[LEVEL] -= 1
            continue
        if budget == 0:
            return RUNNING
        budget -= 1
        control[EXPANDED] += 1
        record.guesses[level] += 1
        bit = rest & (~rest + ONE)
        record.rest[level] = rest ^ bit
        copy(record.stack[level], record.stack[level + 1])
        written = place(record.grid, record.stack[level + 1], record.cells[level], bit)
        if written < 0:
            continue
        control[GENERATED] += written
        if choose(record, level + 1):
            control[LEVEL] += 1
        elif found(record, level + 1):
            if control[MOST] == 0:
                return IMPROVED
            control[PHASE] = FINISHED
            return DONE


def machine(instance: Instance) -> Machine:
    """The search on this board."""
    masks = masks_of(instance)
    blanks = int(np.count_nonzero(view(instance).digits(instance.state) < 0))
    levels = blanks + 2
    record = Record(
        grid_of(view(instance).units),
        np.zeros(16, np.int64),
        np.zeros((levels, masks.size), np.uint32),
        np.zeros(levels, np.int32),
        np.zeros(levels, np.uint32),
        np.zeros(levels, np.int64),
    )
    record.stack[0] = masks
    record.control[CLUES] = masks.size - blanks

    moves_of = writer(instance)

    def solution(record: Record) -> list[int]:
        return list(moves_of(digits_of(record.stack[record.control[SOLVED]])))

    return Machine(record, step, solution, lambda record, room: None, lambda record: EXHAUSTED)


class Backtracking(Settings):
    """Constraint propagation, and a guess in the cell with the fewest candidates where it says no more."""

    name: ClassVar[str] = "backtracking"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress, then the solution and whether it is the only one; O(N * N) memory. Nodes are guesses."""
        return settled(self.solutions(instance, limit))

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Every solution, in the order of the guesses."""
        return listed(machine(instance), limit)

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Counts without listing."""
        return counted(machine(instance), limit, most)

    def story(self, instance: Instance, limit: Limit | None = None) -> Iterator[str]:
        """What happens on the way to a solution, as pieces of text to print: singletons by rounds, then the search."""
        from puzzlelab.solvers._story import story

        return story(instance, machine(instance), limit or Limit())


SOLVER = Backtracking
