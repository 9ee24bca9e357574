# mypy: allow-untyped-defs
"""Colouring: the places of a digit that strong links join take two colours in turn, of which one is true throughout.

A strong link is a unit with two places of the digit. Roles of candidates: the colours, 0 and 1 for the places that are
joined to each other, 2 and 3 for those of a second group; where one colour of the first is false, it is 0.

Shapes: W = 62, as in `fish`; a set of places is one number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.fish import MOST_PLACES, lowest_place, set_digit
from puzzlelab.puzzles.sudoku.logic.position import DIGITS, UNITS
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    REMOVED,
    Evidence,
    Sentence,
    begin_step,
    cells_text,
    digit_text,
    end_step,
    find,
    is_repeated,
    mark,
    removed_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

TRAP, WRAP = Technique.SIMPLE_COLOURS_TRAP, Technique.SIMPLE_COLOURS_WRAP
MULTI_1, MULTI_2 = Technique.MULTI_COLOURS_1, Technique.MULTI_COLOURS_2


class Colours(NamedTuple):
    """The search for one technique of colouring."""

    technique: int
    cells: NDArray[np.int64]
    """[W]: the cells that may hold the digit."""
    seen: NDArray[np.int64]
    """[W]: the places that each of them sees."""
    members: NDArray[np.int64]
    """[27]: the places in a unit."""
    colours: NDArray[np.int64]
    """[W / 2, 2]: the places of both colours of each group of places that are joined."""


def families() -> Sequence[Colours]:
    """Return the records of the searches of this family."""
    lengths = MOST_PLACES, MOST_PLACES, UNITS, (MOST_PLACES // 2, 2)
    return [
        Colours(int(technique), *(np.zeros(length, np.int64) for length in lengths))
        for technique in (TRAP, WRAP, MULTI_1, MULTI_2)
    ]


# --- groups of places ---


@inlined
def spread(family, group):
    """Colour the places that links join to those of a group; returns whether there are more of them now."""
    before = family.colours[group, 0] | family.colours[group, 1]
    for unit in range(UNITS):
        first = family.members[unit] & -family.members[unit]
        second = family.members[unit] ^ first
        if second and not second & (second - 1):
            for colour in range(2):
                for one, other in ((first, second), (second, first)):
                    if family.colours[group, colour] & one:
                        family.colours[group, 1 - colour] |= other
    return family.colours[group, 0] | family.colours[group, 1] != before


@inlined
def set_groups(family, count):
    """Colour the first `count` places; returns how many groups of joined ones there are.

    A group with a place of both colours, which no board with a solution has, is left out.
    """
    groups, done = 0, np.int64(0)
    for place in range(count):
        if not (done >> place) & 1:
            family.colours[groups, 0] = np.int64(1) << place
            family.colours[groups, 1] = 0
            while spread(family, groups):
                pass
            done |= family.colours[groups, 0] | family.colours[groups, 1]
            groups += family.colours[groups, 1] != 0 and not family.colours[groups, 0] & family.colours[groups, 1]
    return groups


@inlined
def seen_by(family, places):
    """Return the places that some of these see."""
    seen = np.int64(0)
    while places:
        seen |= family.seen[lowest_place(places)]
        places &= places - 1
    return seen


# --- the search ---


@inlined
def mark_places(family, found, kind, role, digit, places):
    """Mark the digit in these places."""
    while places:
        mark(found, kind, role, 9 * family.cells[lowest_place(places)] + digit, 0)
        places &= places - 1


@inlined
def add_step(family, found, digit, targets, group, colour, other):
    """Write a step that removes the digit from the `targets`, if there are any; returns whether to stop.

    `colour` of `group` gets the role 0; `other` is a second group, or the same.
    """
    if not targets:
        return False
    begin_step(found, family.technique)
    mark_places(family, found, REMOVED, 0, digit, targets)
    if is_repeated(found):
        return False
    mark_places(family, found, CANDIDATE, 0, digit, family.colours[group, colour])
    mark_places(family, found, CANDIDATE, 1, digit, family.colours[group, 1 - colour])
    if other != group:
        mark_places(family, found, CANDIDATE, 2, digit, family.colours[other, 0])
        mark_places(family, found, CANDIDATE, 3, digit, family.colours[other, 1])
    return end_step(found)


@inlined
def trapped(family, group):
    """Return the places outside a group that see both of its colours."""
    one, other = family.colours[group, 0], family.colours[group, 1]
    return seen_by(family, one) & seen_by(family, other) & ~(one | other)


@inlined
def wrapped(family, group, colour):
    """Return the places of a colour of which two see each other."""
    own = family.colours[group, colour]
    return own if seen_by(family, own) & own else np.int64(0)


@inlined
def trapped_between(family, group, other):
    """Return the places that are false because a colour of one group excludes one of the other.

    One of the two opposite colours is true then, and they see both.
    """
    targets = np.int64(0)
    for colour in range(2):
        seen = seen_by(family, family.colours[group, colour])
        opposite = seen_by(family, family.colours[group, 1 - colour])
        for other_colour in range(2):
            if seen & family.colours[other, other_colour]:
                targets |= opposite & seen_by(family, family.colours[other, 1 - other_colour])
    return targets


@inlined
def wrapped_between(family, group, colour, other):
    """Return the places of a colour that sees both colours of another group."""
    seen = seen_by(family, family.colours[group, colour])
    if seen & family.colours[other, 0] and seen & family.colours[other, 1]:
        return family.colours[group, colour]
    return np.int64(0)


@inlined
def targets_of(family, group, colour, other):
    """Return what a group removes, or with another group; `colour` is the one that is false."""
    if family.technique == TRAP:
        return trapped(family, group)
    if family.technique == WRAP:
        return wrapped(family, group, colour)
    if family.technique == MULTI_1:
        return trapped_between(family, group, other)
    return wrapped_between(family, group, colour, other)


@implements(find, Colours)
def find_colours(family, position, found):
    """Find the steps of one technique of colouring."""
    is_simple = family.technique in (TRAP, WRAP)
    for digit in range(DIGITS):
        groups = set_groups(family, set_digit(family, position, digit))
        for group in range(groups):
            for other in range(group if is_simple else 0, group + 1 if is_simple else groups):
                for colour in range(2):
                    if is_simple == (other == group):
                        targets = targets_of(family, group, colour, other)
                        if add_step(family, found, digit, targets, group, colour, other):
                            return


# --- sentences ---


def colour_text(step: Evidence, role: int) -> str:
    """Return the cells of a colour."""
    return cells_text([candidate // 9 for candidate in step.by_role("candidates", role)])


def group_text(step: Evidence, first: int) -> str:
    """Say of a group what the links between its cells mean."""
    return f"either in {colour_text(step, first)} or in {colour_text(step, first + 1)}"


def simple_trap(step: Evidence) -> str:
    """Explain a colour trap."""
    digit = digit_text(step.removed[0])
    return (
        f"units with two places put {digit} {group_text(step, 0)}; what sees some of both cannot be {digit}: "
        f"{removed_text(step.removed)}"
    )


def simple_wrap(step: Evidence) -> str:
    """Explain a colour wrap."""
    digit = digit_text(step.removed[0])
    return (
        f"units with two places put {digit} {group_text(step, 0)}; two of the first see each other, so it is in the "
        f"others: {removed_text(step.removed)}"
    )


def multi_trap(step: Evidence) -> str:
    """Explain multi colours of type 1."""
    digit = digit_text(step.removed[0])
    return (
        f"units with two places put {digit} {group_text(step, 0)}, and {group_text(step, 2)}; sets of which cells see "
        f"each other do not both hold it, and in each case that is left, {removed_text(step.removed)}"
    )


def multi_wrap(step: Evidence) -> str:
    """Explain multi colours of type 2."""
    digit = digit_text(step.removed[0])
    return (
        f"units with two places put {digit} {group_text(step, 2)}, and in all of {colour_text(step, 0)} or none; "
        f"these see some of both sets: {removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {
    TRAP: simple_trap,
    WRAP: simple_wrap,
    MULTI_1: multi_trap,
    MULTI_2: multi_wrap,
}
