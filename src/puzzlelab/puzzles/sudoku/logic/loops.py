# mypy: allow-untyped-defs
"""Unique rectangles and loops: cells that would have two solutions if only two digits were left in all of them.

A loop is a closed path from cell to cell, each in a unit of the one before, in which every unit has no cell or two, at
an even and an odd place. If its cells held two digits only, these could be swapped. As a board has one solution, one of
the cells holds one of its other candidates, its extras. A rectangle is a loop of four cells.

Roles of cells: 0 the loop, 1 a naked subset beside it, 2 a hidden one; of candidates: 0 the two digits, 1 extras,
2 digits of the subset.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import ALL, CELLS
from puzzlelab.puzzles.sudoku.logic.steps import (
    CELL,
    UNIT,
    Evidence,
    Sentence,
    begin_step,
    cell_text,
    cells_text,
    digit_text,
    digits_text,
    end_step,
    find,
    joined,
    mark,
    mark_digits,
    remove_from,
    removed_text,
    surcharge,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

RECTANGLE, LOOP = Technique.UNIQUE_RECTANGLE_1, Technique.UNIQUE_LOOP_1
"""The techniques of type 1; those of types 2 to 4 follow."""
IN_LOOP, NAKED, HIDDEN = range(3)
PAIR, EXTRA, SUBSET = range(3)
MOST_CELLS, MOST_LOOPS = 18, 200
MOST_TENTHS = 9


class UniqueLoops(NamedTuple):
    """The family of unique rectangles and loops, the easiest first as the Explainer rates them."""

    hidden_bonus: int
    """By how many tenths a hidden subset of type 3 is rated below a naked one: 1 in version 1.2.1, 0 later."""
    path: NDArray[np.int64]
    """[MOST_CELLS + 1, 6]: by place the cell, the kind of unit it was reached through, how many neighbours were tried,
    the units of all cells of its parity up to there, how many cells have extras up to there, and which."""
    cells: NDArray[np.int64]
    """[MOST_LOOPS, MOST_CELLS]."""
    loops: NDArray[np.int64]
    """[MOST_LOOPS, 4]: length, the two digits as bits, and the set of cells as two words."""
    used: NDArray[np.int64]
    """[1]: how many loops there are."""


def family(hidden_bonus: int) -> UniqueLoops:
    """Return the record of a search."""
    return UniqueLoops(
        hidden_bonus,
        np.zeros((MOST_CELLS + 1, 6), np.int64),
        np.zeros((MOST_LOOPS, MOST_CELLS), np.int64),
        np.zeros((MOST_LOOPS, 4), np.int64),
        np.zeros(1, np.int64),
    )


def families() -> Sequence[UniqueLoops]:
    """Return the records of the searches of this family."""
    return [family(1)]


# --- the loops of a position ---

PLACE, KIND, TRIED, PARITY_UNITS, EXTRA_CELLS, EXTRAS = range(6)


@inlined
def units_of(position, cell):
    """Return the three units of a cell as bits."""
    return (1 << position.homes[cell, 0]) | (1 << position.homes[cell, 1]) | (1 << position.homes[cell, 2])


@inlined
def step_onto(family, position, depth, cell, kind, pair):
    """Put a cell on the path at `depth`; returns False if no loop with at most two kinds of extras goes there."""
    path, digits = family.path, np.int64(position.candidates[cell])
    own, extras = units_of(position, cell), digits & ~pair
    used = path[depth - 2, PARITY_UNITS] if depth > 1 else 0
    is_done = extras == 0 and cell < path[0, PLACE]
    if digits & pair != pair or used & own or is_done:
        return False
    count, all_extras = (extras != 0) + path[depth - 1, EXTRA_CELLS], extras | path[depth - 1, EXTRAS]
    if count > 2 and position.counts[all_extras] > 1:
        return False
    path[depth, PLACE], path[depth, KIND], path[depth, TRIED] = cell, kind, 0
    path[depth, PARITY_UNITS], path[depth, EXTRA_CELLS], path[depth, EXTRAS] = used | own, count, all_extras
    return True


@inlined
def collect_loops(family, position, start):
    """Collect the loops in which `start`, a cell with two candidates, is the first such cell."""
    path, pair = family.path, np.int64(position.candidates[start])
    path[0, PLACE], path[0, KIND], path[0, TRIED] = start, 3, 0
    path[0, PARITY_UNITS], path[0, EXTRA_CELLS], path[0, EXTRAS] = units_of(position, start), 0, 0
    depth = 0
    while depth >= 0:
        tried = path[depth, TRIED]
        path[depth, TRIED] += 1
        kind = tried // 9
        if tried == 27:
            depth -= 1
        elif kind != path[depth, KIND]:
            cell = position.units[position.homes[path[depth, PLACE], kind], tried % 9]
            if cell == start:
                if depth > 2 and path[depth, PARITY_UNITS] == path[depth - 1, PARITY_UNITS]:
                    keep_loop(family, depth + 1, pair)
            elif step_onto(family, position, depth + 1, cell, kind, pair):
                depth += 1


@inlined
def keep_loop(family, length, pair):
    """Keep the loop of the path, unless it is known."""
    low, high, number = 0, 0, family.used[0]
    for i in range(length):
        cell = family.path[i, PLACE]
        family.cells[number, i] = cell
        low |= (1 << cell) if cell < 60 else 0
        high |= (1 << (cell - 60)) if cell >= 60 else 0
    is_new = number < MOST_LOOPS - 1
    for i in range(number):
        loop = family.loops[i]
        is_new = is_new and (loop[1] != pair or loop[2] != low or loop[3] != high)
    if is_new:
        loop = family.loops[number]
        loop[0], loop[1], loop[2], loop[3] = length, pair, low, high
        family.used[0] += 1


# --- the steps of a loop ---


@inlined
def tenths_of_length(length):
    """Return by how much the Explainer rates a loop above a rectangle."""
    return 5 if length >= 10 else length // 2 - 2


@implements(surcharge, UniqueLoops)
def tenths_above_rectangles(family, found):
    """Return by how much the Explainer rates the first step that was found above 4.5."""
    length, naked, hidden = 0, 0, 0
    for i in range(found.heads[0, 1], found.heads[0, 2]):
        kind, role = found.marks[i] >> 28, (found.marks[i] >> 24) & 15
        length += kind == CELL and role == IN_LOOP
        naked += kind == CELL and role == NAKED
        hidden += kind == CELL and role == HIDDEN
    return tenths_of_length(length) + naked + hidden - (family.hidden_bonus if hidden else 0)


@inlined
def begin_loop(family, position, found, loop, kind):
    """Begin a step of type `kind + 1`, and mark the loop."""
    length, pair = family.loops[loop, 0], family.loops[loop, 1]
    begin_step(found, (RECTANGLE if length == 4 else LOOP) + kind)
    for i in range(length):
        cell = family.cells[loop, i]
        mark(found, CELL, IN_LOOP, cell, 0)
        mark_digits(position, found, cell, pair, PAIR)
        mark_digits(position, found, cell, ALL ^ pair, EXTRA)


@inlined
def sees_extras(family, position, loop, cell):
    """Tell whether a cell sees all cells of a loop that have extras."""
    for i in range(family.loops[loop, 0]):
        other = family.cells[loop, i]
        if np.int64(position.candidates[other]) & ~family.loops[loop, 1] and not position.sees[cell, other]:
            return False
    return True


@inlined
def one_extra(family, position, found, loop, ends):
    """Find the steps of a loop with one cell with extras (type 1), or with one digit as extra (type 2)."""
    count, first, extras = ends
    begin_loop(family, position, found, loop, 0 if count == 1 else 1)
    removed = remove_from(position, found, first, family.loops[loop, 1]) if count == 1 else 0
    for cell in range(CELLS if count > 1 else 0):
        if np.int64(position.candidates[cell]) & extras and sees_extras(family, position, loop, cell):
            removed += remove_from(position, found, cell, extras)
    return end_step(found) if removed else False


@inlined
def locked_digit(family, position, found, loop, ends):
    """Find the steps of type 4: two cells with extras are the only places of one of the digits in a unit."""
    for kind in range(3):
        unit = position.homes[ends[0], kind]
        for digit in range(9):
            bit = 1 << digit
            both = (1 << position.spots[ends[0], kind]) | (1 << position.spots[ends[1], kind])
            is_shared = unit == position.homes[ends[1], kind]
            if is_shared and family.loops[loop, 1] & bit and position.places[digit, unit] == both:
                begin_loop(family, position, found, loop, 3)
                mark(found, UNIT, 0, unit, 0)
                for end in ends:
                    remove_from(position, found, end, family.loops[loop, 1] & ~bit)
                if end_step(found):
                    return True
    return False


@inlined
def subsets(family, position, found, loop, ends, goal):
    """Find the steps of type 3: two cells with extras act as one that is part of a subset of a unit.

    Those that are rated `goal` tenths above the loop.
    """
    extras = np.int64(position.candidates[ends[0]] | position.candidates[ends[1]]) & ~family.loops[loop, 1]
    for kind in range(3):
        unit = position.homes[ends[0], kind]
        blanks, ends_spots = 0, (1 << position.spots[ends[0], kind]) | (1 << position.spots[ends[1], kind])
        for i in range(9):
            blanks |= (position.values[position.units[unit, i]] == 0) << i
        others = blanks & ~ends_spots if unit == position.homes[ends[1], kind] else 0
        chosen = others & -others
        while chosen:
            size, count = np.int64(position.counts[chosen]) + 1, np.int64(position.counts[blanks])
            digits = union_of(position, unit, chosen) | extras
            is_hidden = 2 * size > count and digits & family.loops[loop, 1] == 0
            tenths = count - size - 1 - family.hidden_bonus if is_hidden else size - 1
            if (
                position.counts[digits] == size
                and tenths == goal
                and add_subset(family, position, found, (loop, unit, chosen, others & ~chosen, digits, is_hidden))
            ):
                return True
            chosen = (chosen - others) & others
    return False


@inlined
def union_of(position, unit, spots):
    """Return the candidates of the cells at some places of a unit."""
    digits = np.int64(0)
    for i in range(9):
        if (spots >> i) & 1:
            digits |= np.int64(position.candidates[position.units[unit, i]])
    return digits


@inlined
def add_subset(family, position, found, subset):
    """Remove the digits of a naked subset from the other cells of a unit, which may be a hidden subset."""
    loop, unit, chosen, others, digits, is_hidden = subset
    begin_loop(family, position, found, loop, 2)
    mark(found, UNIT, 0, unit, 0)
    removed = 0
    for i in range(9):
        cell = position.units[unit, i]
        if (others >> i) & 1:
            removed += remove_from(position, found, cell, digits)
        if ((others if is_hidden else chosen) >> i) & 1:
            mark(found, CELL, HIDDEN if is_hidden else NAKED, cell, 0)
            mark_digits(position, found, cell, ALL ^ digits if is_hidden else digits, SUBSET)
    return end_step(found) if removed else False


@inlined
def steps_of_loop(family, position, found, loop, goal):
    """Find the steps of a loop that are rated `goal` tenths above the easiest of a rectangle."""
    count, extras, first, last = 0, 0, -1, -1
    for i in range(family.loops[loop, 0]):
        cell = family.cells[loop, i]
        own = np.int64(position.candidates[cell]) & ~family.loops[loop, 1]
        extras |= own
        if own:
            count, first, last = count + 1, (first if count else cell), cell
    more = goal - tenths_of_length(family.loops[loop, 0])
    is_same = position.counts[extras] == 1
    if more == 0 and (count == 1 or is_same) and one_extra(family, position, found, loop, (count, first, extras)):
        return True
    if more == 0 and count == 2 and locked_digit(family, position, found, loop, (first, last)):
        return True
    return more >= 0 and count == 2 and not is_same and subsets(family, position, found, loop, (first, last), more)


@implements(find, UniqueLoops)
def find_loops(family, position, found):
    """Find the steps of unique rectangles and loops, the easiest first."""
    family.used[0] = 0
    for start in range(CELLS):
        if position.counts[position.candidates[start]] == 2:
            collect_loops(family, position, start)
    for goal in range(MOST_TENTHS if family.used[0] else 0):
        for loop in range(family.used[0]):
            if steps_of_loop(family, position, found, loop, goal):
                return


def joined_or(candidates: Sequence[int]) -> str:
    """Return digits as in "1, 2 or 5"."""
    return joined(sorted({digit_text(each) for each in candidates}), " or ")


def loop_text(step: Evidence) -> str:
    """Return what would be wrong, and the rule."""
    digits = digits_text(step.by_role("candidates", PAIR))
    return (
        f"if {cells_text(step.by_role('cells', IN_LOOP))} held only {digits}, these could be swapped, and the board "
        f"would have two solutions"
    )


def loop_1(step: Evidence) -> str:
    """Explain type 1."""
    return f"{loop_text(step)}; so {cell_text(step.removed[0] // 9)} holds another digit: {removed_text(step.removed)}"


def loop_2(step: Evidence) -> str:
    """Explain type 2."""
    extras = step.by_role("candidates", EXTRA)
    cells = cells_text([each // 9 for each in extras])
    return f"{loop_text(step)}; so one of {cells} is {digit_text(extras[0])}, and {removed_text(step.removed)}"


def loop_3(step: Evidence) -> str:
    """Explain type 3."""
    extras = step.by_role("candidates", EXTRA)
    ends, (unit,) = cells_text([each // 9 for each in extras]), step.by_role("units", 0)
    naked, hidden = step.by_role("cells", NAKED), step.by_role("cells", HIDDEN)
    start = f"{loop_text(step)}; so one of {ends} is {joined_or(extras)}"
    if naked:
        digits = digits_text([*extras, *step.by_role("candidates", SUBSET)])
        rule = f"with {cells_text(naked)} it takes {digits}"
    else:
        digits = digits_text([*step.by_role("candidates", PAIR), *step.by_role("candidates", SUBSET)])
        rule = f"only {cells_text(hidden)} {'is' if len(hidden) == 1 else 'are'} left for all but one of {digits}"
    return f"{start}, and {rule} in {unit_text(unit)}: {removed_text(step.removed)}"


def loop_4(step: Evidence) -> str:
    """Explain type 4."""
    (unit,), ends = step.by_role("units", 0), cells_text([each // 9 for each in step.removed])
    (kept,) = {each % 9 for each in step.by_role("candidates", PAIR)} - {each % 9 for each in step.removed}
    return (
        f"{loop_text(step)}; in {unit_text(unit)} one of {ends} must be {kept + 1}; so neither can be "
        f"{digit_text(step.removed[0])}: {removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {
    Technique(first + kind): explain
    for first in (RECTANGLE, LOOP)
    for kind, explain in enumerate((loop_1, loop_2, loop_3, loop_4))
}
