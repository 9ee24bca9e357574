# mypy: allow-untyped-defs
"""All that follows from one assumption: its assertions, each with those that it rests on.

Plain closures follow the links of the position. In dynamic ones a candidate that is found to be off is taken away, so
that further singles appear; an assertion then rests on all the assertions that made it a single.

Assertions are numbers as in `forcing_links`: 2 * candidate + 1 for on, 2 * candidate for off. In a closure they are
numbered in the order in which they are found. Shapes: A = 1458 assertions, W = 23 words of a set of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import inlined, population
from puzzlelab.puzzles.sudoku.logic.position import (
    CANDIDATES,
    CELLS,
    DIGITS,
    UNITS,
    Position,
    has,
    new_position,
    remove,
)

ASSERTIONS, WORDS = 2 * CANDIDATES, (2 * CANDIDATES + 63) // 64
ABSENT = -1
LATER_KIND = (2, 0, 1)
"""Boxes, rows, columns: the order in which the kinds of units are searched."""


class Closure(NamedTuple):
    """The assertions that follow from an assumption."""

    state: Position
    """The position without what is off, in dynamic closures."""
    numbers: NDArray[np.int64]
    """[A]: the number of an assertion, or ABSENT."""
    order: NDArray[np.int64]
    """[A]: the assertion of a number."""
    starts: NDArray[np.int64]
    """[A + 1]: where the numbers of those that it rests on begin in `parents`."""
    parents: NDArray[np.int64]
    """[P]."""
    behind: NDArray[np.uint64]
    """[A, W]: the numbers of all that an assertion rests on, and its own."""
    sizes: NDArray[np.int64]
    """[4]: assertions, parents, and the two that contradict each other, or ABSENT."""
    on: NDArray[np.int64]
    """[A]: assertions that wait, with a candidate that is on."""
    off: NDArray[np.int64]
    """[A]: with one that is off."""
    ends: NDArray[np.int64]
    """[4]: where these two queues begin and end."""


COUNT, PARENTS, FIRST, SECOND = range(4)
ON_BEGIN, ON_END, OFF_BEGIN, OFF_END = range(4)


def new_closure() -> Closure:
    """Make room for a closure."""
    return Closure(
        state=new_position(),
        numbers=np.full(ASSERTIONS, ABSENT, np.int64),
        order=np.zeros(ASSERTIONS, np.int64),
        starts=np.zeros(ASSERTIONS + 2, np.int64),
        parents=np.zeros(40 * ASSERTIONS, np.int64),
        behind=np.zeros((ASSERTIONS, WORDS), np.uint64),
        sizes=np.zeros(4, np.int64),
        on=np.zeros(ASSERTIONS, np.int64),
        off=np.zeros(ASSERTIONS, np.int64),
        ends=np.zeros(4, np.int64),
    )


@inlined
def copy_candidates(source, target):
    """Copy the candidates of a position."""
    for cell in range(CELLS):
        target.candidates[cell] = source.candidates[cell]
    for digit in range(DIGITS):
        for unit in range(UNITS):
            target.places[digit, unit] = source.places[digit, unit]


@inlined
def begin_closure(closure, position, assumption):
    """Begin with one assumption."""
    for i in range(closure.sizes[COUNT]):
        closure.numbers[closure.order[i]] = ABSENT
    closure.sizes[COUNT] = 0
    closure.sizes[PARENTS] = 0
    closure.sizes[FIRST] = ABSENT
    closure.sizes[SECOND] = ABSENT
    for i in range(4):
        closure.ends[i] = 0
    copy_candidates(position, closure.state)
    add_assertion(closure, assumption)


@inlined
def add_parent(closure, assertion):
    """Let the assertion that is added next rest on one that is there."""
    closure.parents[closure.sizes[PARENTS]] = closure.numbers[assertion]
    closure.sizes[PARENTS] += 1


@inlined
def forget_parents(closure):
    """Forget the parents of an assertion that is not added."""
    closure.sizes[PARENTS] = closure.starts[closure.sizes[COUNT]]


@inlined
def add_assertion(closure, assertion):
    """Add an assertion with the parents added before; it waits, or contradicts one that is there.

    Returns whether the closure goes on.
    """
    if closure.numbers[assertion] != ABSENT:
        forget_parents(closure)
        return True
    number = closure.sizes[COUNT]
    closure.order[number] = assertion
    closure.numbers[assertion] = number
    closure.sizes[COUNT] = number + 1
    closure.starts[number + 1] = closure.sizes[PARENTS]
    if closure.numbers[assertion ^ 1] != ABSENT:
        closure.sizes[FIRST] = closure.numbers[assertion ^ 1]
        closure.sizes[SECOND] = number
        return False
    if assertion & 1:
        closure.on[closure.ends[ON_END]] = assertion
        closure.ends[ON_END] += 1
    else:
        closure.off[closure.ends[OFF_END]] = assertion
        closure.ends[OFF_END] += 1
    return True


@inlined
def switch_off(closure, assertion, cell, digit):
    """Add that a candidate is off, because of a candidate that is on."""
    if not has(closure.state, cell, digit) or assertion >> 1 == 9 * cell + digit:
        return True
    add_parent(closure, assertion)
    return add_assertion(closure, 2 * (9 * cell + digit))


@inlined
def follow_on(closure, assertion, uses_cells):
    """Add what is off because a candidate is on; returns whether there is no contradiction."""
    cell, digit, state = assertion // 18, assertion // 2 % 9, closure.state
    if uses_cells:
        for other in range(DIGITS):
            if not switch_off(closure, assertion, cell, other):
                return False
    for kind in LATER_KIND:
        unit = state.homes[cell, kind]
        places = state.places[digit, unit]
        while places:
            other = state.units[unit, state.lowest[places]]
            places &= places - 1
            if not switch_off(closure, assertion, other, digit):
                return False
    return True


@inlined
def add_missing(closure, position, cell, digit):
    """Add as a parent that a candidate of the position is off, if it was taken away."""
    if has(position, cell, digit) and not has(closure.state, cell, digit):
        add_parent(closure, 2 * (9 * cell + digit))


@inlined
def follow_off(closure, position, assertion, uses_cells):
    """Add what is on because a candidate is off, as the last one; returns whether there is no contradiction."""
    cell, digit, state = assertion // 18, assertion // 2 % 9, closure.state
    digits = state.candidates[cell]
    if uses_cells and state.counts[digits] == 2:
        add_parent(closure, assertion)
        for other in range(DIGITS):
            add_missing(closure, position, cell, other)
        if not add_assertion(closure, 2 * (9 * cell + np.int64(state.lowest[digits & ~(1 << digit)])) + 1):
            return False
    for kind in LATER_KIND:
        unit = state.homes[cell, kind]
        places = state.places[digit, unit]
        if state.counts[places] == 2:
            add_parent(closure, assertion)
            for i in range(9):
                add_missing(closure, position, state.units[unit, i], digit)
            last = state.units[unit, state.lowest[places & ~(1 << state.spots[cell, kind])]]
            if not add_assertion(closure, 2 * (9 * last + digit) + 1):
                return False
    return True


@inlined
def propagate(closure, position, uses_cells, is_dynamic):
    """Add all that follows by singles; returns whether there is no contradiction."""
    ends = closure.ends
    while True:
        if ends[ON_BEGIN] < ends[ON_END]:
            ends[ON_BEGIN] += 1
            if not follow_on(closure, closure.on[ends[ON_BEGIN] - 1], uses_cells):
                return False
        elif ends[OFF_BEGIN] < ends[OFF_END]:
            ends[OFF_BEGIN] += 1
            assertion = closure.off[ends[OFF_BEGIN] - 1]
            if not follow_off(closure, position, assertion, uses_cells):
                return False
            if is_dynamic:
                remove(closure.state, assertion // 18, assertion // 2 % 9)
        else:
            return True


@inlined
def gather(closure, number):
    """Find all that an assertion rests on; those before it have been gathered. Returns how many these are."""
    words = (closure.sizes[COUNT] + 63) // 64
    behind = closure.behind
    for word in range(words):
        behind[number, word] = 0
    behind[number, number // 64] |= np.uint64(1) << np.uint64(number % 64)
    for i in range(closure.starts[number], closure.starts[number + 1]):
        parent = closure.parents[i]
        for word in range(words):
            behind[number, word] |= behind[parent, word]
    count = np.int64(0)
    for word in range(words):
        count += np.int64(population(behind[number, word]))
    return count
