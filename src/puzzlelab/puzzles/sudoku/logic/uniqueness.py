# mypy: allow-untyped-defs
"""Unique rectangles of all types, hidden and avoidable ones; their cells may lack one of the two digits.

If blank cells of two rows, two columns and two boxes held two digits only, these could be swapped, whatever other
candidates the cells once had. So could digits that were placed: a rectangle with some of them is called avoidable.

Roles are those of `extras`; the units of a hidden rectangle and of type 6 are those where a digit has no other place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import implements, inlined, outlined
from puzzlelab.puzzles.sudoku.logic.extras import (
    IN_PATTERN,
    LARGEST,
    NONE,
    SUBSET,
    Pattern,
    add_cell,
    begin,
    begin_pattern,
    extras_of,
    locked_digits,
    new_pattern,
    one_cell,
    one_digit,
    sentences,
    subsets,
)
from puzzlelab.puzzles.sudoku.logic.loops import loop_rule
from puzzlelab.puzzles.sudoku.logic.position import ALL, CELLS, DIGITS
from puzzlelab.puzzles.sudoku.logic.steps import (
    UNIT,
    Evidence,
    Sentence,
    cell_text,
    cells_text,
    digit_text,
    end_step,
    find,
    mark,
    mark_digits,
    remove_from,
    removed_text,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

TYPES = tuple(Technique(Technique.UNIQUE_RECTANGLE_1 + kind) for kind in range(6))
HIDDEN_RECTANGLE = Technique.HIDDEN_RECTANGLE
AVOIDABLE = (Technique.AVOIDABLE_RECTANGLE_1, Technique.AVOIDABLE_RECTANGLE_2)


class Rectangles(NamedTuple):
    """The family."""

    pattern: Pattern
    corners: NDArray[np.int64]
    """[4]: the cells of a rectangle, around it."""


def families() -> Sequence[Rectangles]:
    """Return the records of the searches of this family."""
    return [Rectangles(new_pattern(), np.zeros(4, np.int64))]


@inlined
def set_corners(family, first, last):
    """Write the rectangle of two opposite corners; returns whether it lies in two boxes."""
    row, column, other_row, other_column = first // 9, first % 9, last // 9, last % 9
    corners = family.corners
    corners[0], corners[1], corners[2], corners[3] = first, 9 * row + other_column, last, 9 * other_row + column
    is_band, is_stack = row // 3 == other_row // 3, column // 3 == other_column // 3
    return row < other_row and column < other_column and is_band != is_stack


@inlined
def digits_of(position, cell):
    """Return the candidates of a cell, or its digit if that was placed."""
    value = np.int64(position.values[cell])
    if value:
        return np.int64(0) if position.givens[cell] else np.int64(1) << (value - 1)
    return np.int64(position.candidates[cell])


@outlined
def set_pattern(family, position, pair):
    """Write the pattern of a rectangle and two digits; returns how many cells are blank, or 0 if there is none."""
    blanks, digits, is_pattern = 0, np.int64(0), True
    begin_pattern(family.pattern)
    for i in range(4):
        own = digits_of(position, family.corners[i])
        blanks += position.values[family.corners[i]] == 0
        digits |= own
        is_pattern = is_pattern and own & pair != 0
        add_cell(family.pattern, family.corners[i], own & ~pair)
    return blanks if is_pattern and digits & pair == pair else 0


@outlined
def is_locked(family, position, digit, side):
    """Tell whether a digit has its places in the line of a side in the corners there, numbers `side` and the next."""
    kind = side % 2
    corner, following = family.corners[side], family.corners[(side + 1) % 4]
    both = (1 << position.spots[corner, kind]) | (1 << position.spots[following, kind])
    places = position.places[digit, position.homes[corner, kind]]
    return places != 0 and places & ~both == 0


@outlined
def mark_side(family, position, found, digit, side):
    """Mark the line of a side where a digit has no other place."""
    mark(found, UNIT, 0, position.homes[family.corners[side], side % 2], 0)
    mark_digits(position, found, family.corners[side], 1 << digit, SUBSET)
    mark_digits(position, found, family.corners[(side + 1) % 4], 1 << digit, SUBSET)


@outlined
def crossed_digits(family, position, found, pair):
    """Find the steps of type 6: of two corners with extras, neither holds a digit that is locked in parallel sides.

    With it in both, and the other digit in the other corners, no corner would hold an extra.
    """
    pattern = family.pattern
    for digit in range(DIGITS):
        for side in range(2):
            if (
                (pair >> digit) & 1
                and is_locked(family, position, digit, side)
                and is_locked(family, position, digit, side + 2)
            ):
                begin(pattern, position, found, TYPES[5])
                mark_side(family, position, found, digit, side)
                mark_side(family, position, found, digit, side + 2)
                removed = 0
                for i in range(2):
                    removed += remove_from(position, found, pattern.cells[i], 1 << digit)
                if removed and end_step(found):
                    return True
    return False


@outlined
def hidden_rectangles(family, position, found, pair):
    """Find the steps that remove a digit from a corner, because the other one is locked in both sides there.

    With it in the neighbours, the opposite corner without extras would hold the first digit.
    """
    for corner in range(4):
        opposite = family.corners[(corner + 2) % 4]
        for digit in range(DIGITS):
            bit, before = 1 << digit, (corner + 3) % 4
            is_usable = pair & bit and not np.int64(position.candidates[opposite]) & ~pair
            if (
                is_usable
                and is_locked(family, position, digit, corner)
                and is_locked(family, position, digit, before)
                and position.candidates[family.corners[(corner + 1) % 4]] & bit
                and position.candidates[family.corners[before]] & bit
            ):
                begin(family.pattern, position, found, HIDDEN_RECTANGLE)
                mark_side(family, position, found, digit, corner)
                mark_side(family, position, found, digit, before)
                if remove_from(position, found, family.corners[corner], pair & ~bit) and end_step(found):
                    return True
    return False


@outlined
def steps_of_rectangle(family, position, found, pair, blanks):
    """Find the steps of a rectangle and two digits."""
    pattern, first = family.pattern, TYPES[0] if blanks == 4 else AVOIDABLE[0]
    count, is_same = pattern.sizes[1], position.counts[extras_of(pattern)] == 1
    is_in_line = count == 2 and position.sees[pattern.cells[0], pattern.cells[1]] != 0
    if count == 1 and one_cell(pattern, position, found, first):
        return True
    second = first + (4 if blanks == 4 and not is_in_line else 1)
    if count > 1 and is_same and one_digit(pattern, position, found, second):
        return True
    if blanks < 4:
        return False
    for cells in range(1, LARGEST if is_in_line and not is_same else 1):
        if subsets(pattern, position, found, TYPES[2], cells, NONE, ALL):
            return True
    if is_in_line and locked_digits(pattern, position, found, TYPES[3]):
        return True
    if count == 2 and not is_in_line and crossed_digits(family, position, found, pair):
        return True
    return hidden_rectangles(family, position, found, pair)


@implements(find, Rectangles)
def find_rectangles(family, position, found):
    """Find the steps of all rectangles."""
    for first in range(CELLS):
        for last in range(first + 10, CELLS):
            if set_corners(family, first, last):
                for one in range(DIGITS):
                    for other in range(one + 1, DIGITS):
                        pair = (1 << one) | (1 << other)
                        blanks = set_pattern(family, position, pair)
                        if blanks and steps_of_rectangle(family, position, found, pair, blanks):
                            return


def avoidable_rule(step: Evidence) -> str:
    """Return what would be wrong with digits that were placed."""
    return f"none of {cells_text(step.by_role('cells', IN_PATTERN))} is a clue, and {loop_rule(step)}"


def locked_sides(step: Evidence) -> str:
    """Explain type 6, or a hidden rectangle."""
    locked = digit_text(step.by_role("candidates", SUBSET)[0])
    units = joined([unit_text(unit) for unit in step.by_role("units", 0)])
    cells = joined([cell_text(each // 9) for each in step.removed], " or ")
    return (
        f"{loop_rule(step)}; {locked} has no other place in {units}, so they would if {cells} were "
        f"{digit_text(step.removed[0])}: {removed_text(step.removed)}"
    )


one, two, three, four = sentences(loop_rule)
avoidable_one, avoidable_two, *_ = sentences(avoidable_rule)
SENTENCES: Mapping[Technique, Sentence] = {
    **dict(zip(TYPES, (one, two, three, four, two, locked_sides), strict=True)),
    HIDDEN_RECTANGLE: locked_sides,
    **dict(zip(AVOIDABLE, (avoidable_one, avoidable_two), strict=True)),
}
