# mypy: allow-untyped-defs
"""The kernels of permutation search: the lists of permutations, the record of a search, and its step.

The method as in `permutation`. Shapes: D = digits and rows, U = units of the other kinds, K = the most of a cell,
L = permutations of a row, W = 64-bit words for a bit each of them, rounded up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import DONE, IMPROVED, RUNNING, compiled, inlined, population
from puzzlelab.engine.record_parts import Control, control_type
from puzzlelab.solvers._candidates_kernels import ONE, ZERO


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
        # Depth-first over the cells of the row; the lowest digit that is not tried yet comes next.
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
        # A whole permutation: written, or only counted, since rows of large boards may have too many.
        if len(rows) > 0:
            for place in range(size):
                rows[position[1], place] = record.digits[place]
        position[1] += 1


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
        # Permutation number 64 w + k of a row is bit k of its word w.
        bit, word = ONE << np.uint64(index & 63), index >> 6
        for place in range(size):
            digit = np.int64(lists.digits[number, place])
            for kind in range(lists.cell_units.shape[2]):
                unit = np.int64(lists.local[row, lists.cell_units[row, place, kind]])
                lists.permutations_with[lists.having_begin[row] + (unit * size + digit) * width + word] |= bit


CONTROL = control_type("found most level first_level")


class PermutationRecord(NamedTuple):
    """The state of one search. A level is the number of rows chosen."""

    lists: PermutationLists
    control: Control
    """`expanded` counts chosen permutations, `generated` those without a conflict; the search ends when it would
    backtrack below `first_level`."""
    alive: NDArray[np.uint64]
    """[D + 1, words]: the remaining permutations at each level."""
    counts: NDArray[np.int64]
    """[D + 1, D]: their number by row; 0 for chosen rows."""
    rows: NDArray[np.int64]
    """[D + 1]: the row that is chosen at each level."""
    chosen: NDArray[np.int64]
    """[D + 1]: the chosen permutation of it, -1 before the first."""
    checks: NDArray[np.int64]
    """[D * K]: scratch for `exclude_conflicts`."""
    whole: NDArray[np.uint64]
    """[words]: every permutation."""


@inlined
def row_with_fewest(record, level):
    """Return the row with the fewest remaining permutations, or -1 if all rows are chosen."""
    # Minimum remaining values, as in backtracking; a chosen row counts 0.
    best, fewest = -1, np.int64(2**62)
    for row in range(record.counts.shape[1]):
        if 0 < record.counts[level, row] < fewest:
            best, fewest = row, record.counts[level, row]
    return best


@inlined
def next_permutation(record, level):
    """Return the next permutation to choose at this level, -1 if there is none."""
    lists, row = record.lists, record.rows[level]
    first, last = lists.words[row], lists.words[row + 1]
    # The bits above the permutation chosen last at this level.
    number = record.chosen[level] + 1
    word = first + (number >> 6)
    if word >= last:
        return -1
    # Find the next bit that is set, first the word and then the place in it.
    bits = record.alive[level, word] >> np.uint64(number & 63)
    while bits == ZERO:
        word += 1
        if word >= last:
            return -1
        bits = record.alive[level, word]
        number = (word - first) << 6
    while bits & ONE == ZERO:
        bits >>= ONE
        number += 1
    return number


@inlined
def exclude_conflicts(record, level):
    """Write the permutations that agree with the choice of this level to the next; False if a row has none."""
    lists, chosen = record.lists, record.rows[level]
    size = lists.digits.shape[1]
    # Berg's test for two permutations that agree, for all permutations of a row at once.
    digits = lists.digits[lists.firsts[chosen] + record.chosen[level]]
    for row in range(size):
        record.counts[level + 1, row] = 0
        if row == chosen or record.counts[level, row] == 0:
            continue
        first, width = lists.words[row], lists.words[row + 1] - lists.words[row]
        # The bit sets of those permutations of this row that repeat a digit of the choice in a common unit.
        checks = 0
        for place in range(size):
            for kind in range(lists.cell_units.shape[2]):
                unit = np.int64(lists.local[row, lists.cell_units[chosen, place, kind]])
                if unit >= 0:
                    record.checks[checks] = lists.having_begin[row] + (unit * size + np.int64(digits[place])) * width
                    checks += 1
        # Exclude them, 64 permutations at once.
        count = np.int64(0)
        for word in range(width):
            bits = record.alive[level, first + word]
            if bits != ZERO:
                for i in range(checks):
                    bits &= ~lists.permutations_with[record.checks[i] + word]
                count += np.int64(population(bits))
            record.alive[level + 1, first + word] = bits
        # Forward checking: a row without a permutation ends this branch before it is reached.
        if count == 0:
            return False
        record.counts[level + 1, row] = count
    return True


@inlined
def choose_and_propagate(record, level):
    """Apply the choice of this level; returns the next row, -1 if all rows are chosen, -2 for a dead end."""
    if not exclude_conflicts(record, level):
        return -2
    row = row_with_fewest(record, level + 1)
    record.rows[level + 1], record.chosen[level + 1] = row, -1
    return row


@compiled
def apply_choice(record, level):
    """Call `choose_and_propagate` for callers that are not compiled."""
    return choose_and_propagate(record, level)


@compiled
def step(record, budget):
    """Run one slice: choose at most `budget` permutations."""
    control = record.control
    while budget > 0:
        level = control.level
        # Everything below this piece of the search is done.
        if level < control.first_level:
            return DONE
        # Choose the next permutation of this level's row, or backtrack.
        number = next_permutation(record, level)
        if number < 0:
            control.level -= 1
            continue
        record.chosen[level] = number
        budget -= 1
        control.expanded += 1
        row = choose_and_propagate(record, level)
        if row == -2:
            continue
        control.generated += 1
        # A row is left for the next level; otherwise all rows agree, and this is a solution.
        if row >= 0:
            control.level += 1
            continue
        control.found += 1
        if control.most == 0:
            return IMPROVED
        if control.found >= control.most:
            return DONE
    return RUNNING
