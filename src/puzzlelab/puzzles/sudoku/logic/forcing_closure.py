# mypy: allow-untyped-defs
"""All that follows from one assumption: its assertions, each with those that it rests on.

Plain closures follow the links of the position. In dynamic ones a candidate that is found to be off is taken away, so
that further singles appear; an assertion then rests on all the assertions that made it a single. Where no more singles
follow, a `deduce` may find steps of other techniques: what a step removes rests on the step, and the step on the
assertions that made it possible.

Assertions are numbers as in `forcing_links`: 2 * candidate + 1 for on, 2 * candidate for off. In a closure they and
the steps are numbered in the order in which they are found. Shapes: A = 1458 assertions, N = 2187 with the steps,
W = 35 words of a set of numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import inlined, kernel_name, population
from puzzlelab.puzzles.sudoku.logic.position import (
    CANDIDATES,
    CELLS,
    DIGITS,
    UNITS,
    Position,
    new_position,
    remove,
)

ASSERTIONS, NUMBERS = 2 * CANDIDATES, 3 * CANDIDATES
STEP = ASSERTIONS
"""Stands for a step among the assertions."""
ABSENT = -1
ZONES = CELLS + DIGITS * UNITS
LATER_KIND = (2, 0, 1)
"""Boxes, rows, columns: the order in which the kinds of units are searched."""


class Closure(NamedTuple):
    """The assertions that follow from an assumption."""

    state: Position
    """The position without what is off, in dynamic closures."""
    numbers: NDArray[np.int64]
    """[A + 1]: the number of an assertion, or ABSENT; the last is that of the last step."""
    order: NDArray[np.int64]
    """[N]: the assertion of a number, or STEP."""
    starts: NDArray[np.int64]
    """[N + 1]: where the numbers of those that it rests on begin in `parents`."""
    parents: NDArray[np.int16]
    """[P]; -1 - z stands for the zone z, whose missing candidates are parents too."""
    zones: NDArray[np.uint8]
    """[324]: 1 for a zone of the step that is added next. A zone is a cell, or 81 + 27 * digit + unit."""
    behind: NDArray[np.uint64]
    """[N, W]: the numbers of all that an assertion or step rests on, and its own."""
    steps: NDArray[np.int64]
    """[729, 2]: the numbers of the steps, and by how much more than one assertion each makes a net longer."""
    sizes: NDArray[np.int64]
    """[5]: numbers, parents, the two that contradict each other, or ABSENT, and steps."""
    on: NDArray[np.int64]
    """[A]: assertions that wait, with a candidate that is on."""
    off: NDArray[np.int64]
    """[A]: with one that is off."""
    ends: NDArray[np.int64]
    """[4]: where these two queues begin and end."""


NISHIO_NETS, MULTIPLE, DYNAMIC, PATTERNS = range(4)
"""The levels of closures: by the links of one digit, by those of the position, by the singles that appear on the way,
and by further techniques on the way."""
COUNT, PARENTS, FIRST, SECOND, STEPS = range(5)
ON_BEGIN, ON_END, OFF_BEGIN, OFF_END = range(4)


def new_closure() -> Closure:
    """Make room for a closure."""
    return Closure(
        state=new_position(),
        numbers=np.full(ASSERTIONS + 1, ABSENT, np.int64),
        order=np.zeros(NUMBERS, np.int64),
        starts=np.zeros(NUMBERS + 1, np.int64),
        parents=np.zeros(16 * ASSERTIONS + (CANDIDATES + ZONES) * CANDIDATES, np.int16),
        zones=np.zeros(ZONES, np.uint8),
        behind=np.zeros((NUMBERS, (NUMBERS + 63) // 64), np.uint64),
        steps=np.zeros((CANDIDATES, 2), np.int64),
        sizes=np.zeros(5, np.int64),
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
    closure.sizes[STEPS] = 0
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
def add_number(closure, assertion):
    """Give the next number to an assertion, or to a step, with the parents added before."""
    number = closure.sizes[COUNT]
    closure.order[number] = assertion
    closure.numbers[assertion] = number
    closure.sizes[COUNT] = number + 1
    closure.starts[number + 1] = closure.sizes[PARENTS]
    return number


@inlined
def add_assertion(closure, assertion):
    """Add an assertion with the parents added before; it waits, or contradicts one that is there.

    Returns whether the closure goes on.
    """
    if closure.numbers[assertion] != ABSENT:
        forget_parents(closure)
        return True
    number = add_number(closure, assertion)
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
def switch_off(closure, assertion, candidate):
    """Add that a candidate is off because of one that is on; returns whether there is no contradiction."""
    if closure.numbers[2 * candidate] != ABSENT:
        return True
    add_parent(closure, assertion)
    return add_assertion(closure, 2 * candidate)


@inlined
def follow_on(closure, assertion, uses_cells):
    """Add what is off because a candidate is on; returns whether there is no contradiction."""
    cell, digit, state = assertion // 18, assertion // 2 % 9, closure.state
    digits = np.int64(state.candidates[cell]) & ~(1 << digit) if uses_cells else 0
    while digits:
        if not switch_off(closure, assertion, 9 * cell + np.int64(state.lowest[digits])):
            return False
        digits &= digits - 1
    for kind in LATER_KIND:
        unit = state.homes[cell, kind]
        places = np.int64(state.places[digit, unit]) & ~(1 << state.spots[cell, kind])
        while places:
            if not switch_off(closure, assertion, 9 * state.units[unit, state.lowest[places]] + digit):
                return False
            places &= places - 1
    return True


@inlined
def add_zone(closure, position, zone):
    """Let the assertion or step that is added next rest on what is missing in a zone."""
    state = closure.state
    closure.parents[closure.sizes[PARENTS]] = -1 - zone
    closure.sizes[PARENTS] += 1
    if zone < CELLS:
        missing = np.int64(position.candidates[zone]) & ~np.int64(state.candidates[zone])
        while missing:
            add_parent(closure, 2 * (9 * zone + np.int64(state.lowest[missing])))
            missing &= missing - 1
    else:
        digit, unit = (zone - CELLS) // UNITS, (zone - CELLS) % UNITS
        missing = np.int64(position.places[digit, unit]) & ~np.int64(state.places[digit, unit])
        while missing:
            add_parent(closure, 2 * (9 * state.units[unit, state.lowest[missing]] + digit))
            missing &= missing - 1


@inlined
def follow_off(closure, position, assertion, uses_cells):
    """Add what is on because a candidate is off, as the last one; returns whether there is no contradiction."""
    cell, digit, state = assertion // 18, assertion // 2 % 9, closure.state
    digits = state.candidates[cell]
    if uses_cells and state.counts[digits] == 2:
        add_parent(closure, assertion)
        add_zone(closure, position, cell)
        if not add_assertion(closure, 2 * (9 * cell + np.int64(state.lowest[digits & ~(1 << digit)])) + 1):
            return False
    for kind in LATER_KIND:
        unit = state.homes[cell, kind]
        places = state.places[digit, unit]
        if state.counts[places] == 2:
            add_parent(closure, assertion)
            add_zone(closure, position, unit_zone(digit, unit))
            last = state.units[unit, state.lowest[places & ~(1 << state.spots[cell, kind])]]
            if not add_assertion(closure, 2 * (9 * last + digit) + 1):
                return False
    return True


@inlined
def unit_zone(digit, unit):
    """Return the zone of the places of a digit in a unit."""
    return CELLS + UNITS * digit + unit


@inlined
def add_step(closure, position, length):
    """Add a step that makes a net longer by `length`: it rests on the assumption and what is missing in the zones."""
    add_parent(closure, closure.order[0])
    for zone in range(ZONES):
        if closure.zones[zone]:
            add_zone(closure, position, zone)
            closure.zones[zone] = 0
    closure.steps[closure.sizes[STEPS], 0] = add_number(closure, STEP)
    closure.steps[closure.sizes[STEPS], 1] = length - 1
    closure.sizes[STEPS] += 1


@inlined
def remove_by_step(closure, candidate):
    """Add that a candidate is off by the last step; returns whether there is no contradiction."""
    add_parent(closure, STEP)
    return add_assertion(closure, 2 * candidate)


@kernel_name
def deduce(deductions, closure, position):
    """Add what the steps of other techniques remove from `closure.state`; returns whether there is no contradiction."""
    return True


@kernel_name
def close(deductions, closure, position, assumption, level):
    """Find all that follows from an assumption on a level: `fill_closure`, compiled for the type of the deductions."""
    raise NotImplementedError


@inlined
def fill_closure(deductions, closure, position, assumption, level):
    """Find all that follows from an assumption on a level."""
    begin_closure(closure, position, assumption)
    propagate(closure, deductions, position, level)


@inlined
def propagate(closure, deductions, position, level):
    """Add all that follows by singles, and by deductions; returns whether there is no contradiction."""
    ends = closure.ends
    while True:
        if ends[ON_BEGIN] < ends[ON_END]:
            ends[ON_BEGIN] += 1
            if not follow_on(closure, closure.on[ends[ON_BEGIN] - 1], level != NISHIO_NETS):
                return False
        elif ends[OFF_BEGIN] < ends[OFF_END]:
            ends[OFF_BEGIN] += 1
            assertion = closure.off[ends[OFF_BEGIN] - 1]
            if not follow_off(closure, position, assertion, level != NISHIO_NETS):
                return False
            if level != MULTIPLE:
                remove(closure.state, assertion // 18, assertion // 2 % 9)
        else:
            count = closure.sizes[COUNT]
            if level >= PATTERNS and not deduce(deductions, closure, position):
                return False
            if closure.sizes[COUNT] == count:
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
        parent = np.int64(closure.parents[i])
        if parent >= 0:
            for word in range(words):
                behind[number, word] |= behind[parent, word]
    count = np.int64(0)
    for word in range(words):
        count += np.int64(population(behind[number, word]))
    for i in range(closure.sizes[STEPS]):
        step = closure.steps[i, 0]
        if step <= number and behind[number, step // 64] >> np.uint64(step % 64) & np.uint64(1):
            count += closure.steps[i, 1]
    return count
