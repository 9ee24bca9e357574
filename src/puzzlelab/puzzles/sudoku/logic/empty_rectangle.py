# mypy: allow-untyped-defs
"""Empty rectangles: the places of a digit in a box lie in one row and one column, and a link begins in one of these.

A link is a unit with two places of the digit. If the place where its other end meets the other line had the digit, the
box would have no place left. Two empty rectangles of one box are found as one step too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.dual_kites import other_place
from puzzlelab.puzzles.sudoku.logic.position import BOXES, COLUMNS, DIGITS, UNITS, has
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    REMOVED,
    UNIT,
    Evidence,
    Sentence,
    begin_step,
    cell_text,
    digit_text,
    end_step,
    find,
    is_repeated,
    mark,
    removed_text,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

EMPTY_RECTANGLE, DUAL_EMPTY_RECTANGLE = Technique.EMPTY_RECTANGLE, Technique.DUAL_EMPTY_RECTANGLE
MOST = 108
"""The most empty rectangles of a box and a digit: nine crossings, six places in each of two lines."""
NEAR, FAR, IN_BOX = range(3)
"""Roles of candidates: the end of the link that sees the box, its other end, and the places of the box."""
BOX, LINE, LINK = range(3)
"""Roles of units."""


class EmptyRectangles(NamedTuple):
    """The search for empty rectangles, or for two of one box."""

    is_dual: int
    targets: NDArray[np.int64]
    """[MOST]: the cell from which each removes the digit."""
    links: NDArray[np.int64]
    """[MOST, 3]: the unit of the link, its near end and its far end."""
    lines: NDArray[np.int64]
    """[MOST, 2]: the line of the near end, and the line across."""


def families() -> Sequence[EmptyRectangles]:
    """Return the records of the searches of this family."""
    return [
        EmptyRectangles(is_dual, np.zeros(MOST, np.int64), np.zeros((MOST, 3), np.int64), np.zeros((MOST, 2), np.int64))
        for is_dual in (0, 1)
    ]


@inlined
def is_empty(position, digit, box, row, column):
    """Tell whether a digit has places of a box in both of these of its lines, and none outside."""
    places = np.int64(position.places[digit, box])
    in_row, in_column = 0b111 << 3 * row, 0b1001001 << column
    return not places & ~(in_row | in_column) and places & in_row & ~in_column and places & in_column & ~in_row


@inlined
def add_links(family, position, digit, box, line, across, count):
    """Add the empty rectangles whose links begin in `line` and cross it; returns how many there are then."""
    kind = line // 9
    for i in range(9):
        near = position.units[line, i]
        if position.homes[near, 2] != box:
            unit = position.homes[near, 1 - kind]
            far = other_place(position, digit, unit, near)
            if far >= 0:
                end = position.homes[far, kind]
                target = 9 * across + end - COLUMNS if kind else 9 * end + across - COLUMNS
                if position.homes[target, 2] != box and has(position, target, digit):
                    family.targets[count] = target
                    family.links[count, 0], family.links[count, 1], family.links[count, 2] = unit, near, far
                    family.lines[count, 0], family.lines[count, 1] = line, across
                    count += 1
    return count


@inlined
def set_box(family, position, digit, box):
    """Write the empty rectangles of a box; returns how many there are."""
    count, top, left = 0, (box - BOXES) // 3 * 3, (box - BOXES) % 3 * 3
    for crossing in range(9):
        if is_empty(position, digit, box, crossing // 3, crossing % 3):
            row, column = top + crossing // 3, COLUMNS + left + crossing % 3
            count = add_links(family, position, digit, box, row, column, count)
            count = add_links(family, position, digit, box, column, row, count)
    return count


@inlined
def mark_link(family, found, digit, number):
    """Mark the lines and the link of an empty rectangle."""
    mark(found, UNIT, LINE, family.lines[number, 0], 0)
    mark(found, UNIT, LINE, family.lines[number, 1], 0)
    mark(found, UNIT, LINK, family.links[number, 0], 0)
    mark(found, CANDIDATE, NEAR, 9 * family.links[number, 1] + digit, 0)
    mark(found, CANDIDATE, FAR, 9 * family.links[number, 2] + digit, 0)


@inlined
def write_step(family, position, found, digit, box, one, other):
    """Write two empty rectangles of a box, or one twice; returns whether to stop."""
    begin_step(found, DUAL_EMPTY_RECTANGLE if family.is_dual else EMPTY_RECTANGLE)
    mark(found, REMOVED, 0, 9 * family.targets[one] + digit, 0)
    if one != other:
        mark(found, REMOVED, 0, 9 * family.targets[other] + digit, 0)
    if is_repeated(found):
        return False
    mark(found, UNIT, BOX, box, 0)
    for i in range(9):
        if has(position, position.units[box, i], digit):
            mark(found, CANDIDATE, IN_BOX, 9 * position.units[box, i] + digit, 0)
    mark_link(family, found, digit, one)
    if one != other:
        mark_link(family, found, digit, other)
    return end_step(found)


@implements(find, EmptyRectangles)
def find_empty_rectangles(family, position, found):
    """Find empty rectangles, by digit and box."""
    for digit in range(DIGITS):
        for box in range(BOXES, UNITS):
            count = set_box(family, position, digit, box)
            for one in range(count):
                last = count if family.is_dual else one + 1
                for other in range(one + family.is_dual, last):
                    if (one == other or family.targets[one] != family.targets[other]) and write_step(
                        family, position, found, digit, box, one, other
                    ):
                        return


def rectangle(step: Evidence) -> str:
    """Explain an empty rectangle, or two."""
    (box,), links, lines = (step.by_role("units", role) for role in (BOX, LINK, LINE))
    near, far = (step.by_role("candidates", role) for role in (NEAR, FAR))
    digit = digit_text(near[0])
    reasons = [
        f"if {cell_text(far[i] // 9)} is not {digit}, {cell_text(near[i] // 9)} is, the other place in "
        f"{unit_text(link)}, and then {unit_text(box)} has its {digit} in {unit_text(lines[2 * i + 1])}"
        for i, link in enumerate(links)
    ]
    return (
        f"{unit_text(box)} has all its {digit}s in {joined([unit_text(line) for line in lines[:2]])}; "
        f"{'; '.join(reasons)}: {removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {EMPTY_RECTANGLE: rectangle, DUAL_EMPTY_RECTANGLE: rectangle}
