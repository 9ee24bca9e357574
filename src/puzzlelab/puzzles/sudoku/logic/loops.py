# mypy: allow-untyped-defs
"""Unique rectangles and loops: cells that would have two solutions if only two digits were left in all of them.

A loop is a closed path from cell to cell, each in a unit of the one before, in which every unit has no cell or two, at
an even and an odd place. If its cells held two digits only, these could be swapped. As a board has one solution, one of
the cells holds one of its other candidates, its extras. A rectangle is a loop of four cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import implements, inlined, outlined
from puzzlelab.puzzles.sudoku.logic.extras import (
    BASE,
    HIDDEN,
    IN_PATTERN,
    NAKED,
    Pattern,
    add_cell,
    begin_pattern,
    count_cells,
    extras_of,
    locked_digits,
    new_pattern,
    one_cell,
    one_digit,
    sentences,
    subsets,
)
from puzzlelab.puzzles.sudoku.logic.position import CELLS
from puzzlelab.puzzles.sudoku.logic.steps import Evidence, Sentence, cells_text, digits_text, find, surcharge
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

RECTANGLE, LOOP = Technique.UNIQUE_RECTANGLE_1, Technique.UNIQUE_LOOP_1
"""The techniques of type 1; those of types 2 to 4 follow."""
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
    pattern: Pattern


def family(hidden_bonus: int) -> UniqueLoops:
    """Return the record of a search."""
    return UniqueLoops(
        hidden_bonus,
        np.zeros((MOST_CELLS + 1, 6), np.int64),
        np.zeros((MOST_LOOPS, MOST_CELLS), np.int64),
        np.zeros((MOST_LOOPS, 4), np.int64),
        np.zeros(1, np.int64),
        new_pattern(),
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


@outlined
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
    hidden = count_cells(found, HIDDEN)
    bonus = family.hidden_bonus if hidden else 0
    return tenths_of_length(count_cells(found, IN_PATTERN)) + count_cells(found, NAKED) + hidden - bonus


@outlined
def steps_of_loop(family, position, found, loop, goal):
    """Find the steps of a loop that are rated `goal` tenths above the easiest of a rectangle."""
    pattern, length, pair = family.pattern, family.loops[loop, 0], family.loops[loop, 1]
    begin_pattern(pattern)
    for i in range(length):
        cell = family.cells[loop, i]
        add_cell(pattern, cell, np.int64(position.candidates[cell]) & ~pair)
    technique, more = RECTANGLE if length == 4 else LOOP, goal - tenths_of_length(length)
    count, is_same = pattern.sizes[1], position.counts[extras_of(pattern)] == 1
    if more == 0 and count == 1 and one_cell(pattern, position, found, technique):
        return True
    if more == 0 and count > 1 and is_same and one_digit(pattern, position, found, technique + 1):
        return True
    if more == 0 and count == 2 and locked_digits(pattern, position, found, technique + 3):
        return True
    has_subsets = more >= 0 and count == 2 and not is_same
    return has_subsets and subsets(pattern, position, found, technique + 2, more, family.hidden_bonus, pair)


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


def loop_rule(step: Evidence) -> str:
    """Return what would be wrong."""
    digits = digits_text(step.by_role("candidates", BASE))
    return (
        f"if {cells_text(step.by_role('cells', IN_PATTERN))} held only {digits}, these could be swapped, and the board "
        f"would have two solutions"
    )


SENTENCES: Mapping[Technique, Sentence] = {
    Technique(first + kind): explain for first in (RECTANGLE, LOOP) for kind, explain in enumerate(sentences(loop_rule))
}
