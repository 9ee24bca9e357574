# mypy: allow-untyped-defs
"""The kernels of annealing: the record of a run, and its step; the method and shapes as in `annealing`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import DONE, GOLDEN, RUNNING, compiled, inlined, scramble
from puzzlelab.engine.record_parts import Control, control_type

CONTROL = control_type("cost least_cost proposals_left level cycle")
SWEEPS = 50
"""Mean number of proposals of each pair at a temperature."""
SHUFFLE = 8
"""The state of the random numbers of the shuffle."""
CYCLES = 40
"""Cycles of the temperature before the board is shuffled."""


class AnnealingRecord(NamedTuple):
    """The state of one annealing."""

    control: Control
    """`expanded` counts proposed swaps, `generated` accepted ones; `cost` is the number of conflicts, `least_cost`
    the least so far, `proposals_left` the rest of the proposals at this temperature."""
    random: NDArray[np.uint64]
    """[1]: the state of the generator."""
    pairs: NDArray[np.int32]
    """[P, 2]: cells of one box that are no clues."""
    cell_units: NDArray[np.int32]
    """[N, K]: the units of each cell; the last row of `counts` stands for none."""
    digits: NDArray[np.int32]
    """[N]: the digit in each cell."""
    counts: NDArray[np.int32]
    """[U + 1, D]: the count of each digit in each unit."""
    acceptance: NDArray[np.uint64]
    """[T, 2 K + 1]: the probability of accepting a swap by the conflicts it adds, times 2**32; row 0 is the shuffle."""


@inlined
def conflicts_added(record, first, second, old, new):
    """Return the number of conflicts that swapping the digits `old` and `new` of two cells adds."""
    # A conflict is a digit that a unit lacks. A unit that gives away its only `old` has one more, a unit that had no
    # `new` one less. A swap within one unit changes nothing there.
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
    # The temperature falls level by level, and is raised to level 1 at the end. Level 0 comes after `CYCLES` of these:
    # its temperature is infinite, so that it shuffles the board.
    if control.level + 1 < levels:
        control.level += 1
    else:
        control.cycle = (control.cycle + 1) % CYCLES
        control.level = 0 if control.cycle == 0 else 1
    control.proposals_left = (SHUFFLE if control.level == 0 else SWEEPS) * pairs


@compiled
def step(record, budget):
    """Run one slice: propose `budget` swaps, fewer if no conflict remains."""
    control, pairs, digits = record.control, record.pairs, record.digits
    state, cost, proposed = record.random[0], control.cost, 0
    while proposed < budget and cost > 0:
        # The cooling schedule: a fixed number of proposals at each temperature.
        if control.proposals_left == 0:
            cool(control, len(record.acceptance), len(pairs))
        control.proposals_left -= 1
        proposed += 1
        # Propose a pair of cells of one box, by the upper half of a random word.
        state += GOLDEN
        word = scramble(state)
        pair = np.int64(((word >> np.uint64(32)) * np.uint64(len(pairs))) >> np.uint64(32))
        first, second = pairs[pair, 0], pairs[pair, 1]
        old, new = digits[first], digits[second]
        # The Metropolis rule, by the lower half of the word: a swap that adds conflicts is accepted sometimes.
        more = conflicts_added(record, first, second, old, new)
        if more <= 0 or (word & np.uint64(0xFFFFFFFF)) < record.acceptance[control.level, more]:
            swap(record, first, second, old, new)
            control.generated += 1
            cost += more
            control.least_cost = min(control.least_cost, cost)
    record.random[0], control.cost = state, cost
    control.expanded += proposed
    return DONE if cost == 0 else RUNNING
