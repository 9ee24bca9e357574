# mypy: allow-untyped-defs
"""What a fish is: a digit of some base units is held by as many cover units, but for its fins.

Shapes: W = 62, the most places of a digit that are looked at. A set of places is one number, with a bit for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.compiler import lowest
from puzzlelab.engine.kernels import inlined
from puzzlelab.puzzles.sudoku.logic.position import CELLS, UNITS, has
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

MOST_PLACES = 62
"""A digit with more places is left out: with so many none of its fish is of use."""
FINNED, FRANKEN, MUTANT = range(3)
ROW, COLUMN, BOX = 1, 2, 4
"""Kinds of units, as a set."""


class Fish(NamedTuple):
    """The search for fish of one shape and size."""

    shape: int
    size: int
    cells: NDArray[np.int64]
    """[W]: the cells that may hold the digit."""
    seen: NDArray[np.int64]
    """[W]: the places that each of them sees."""
    members: NDArray[np.int64]
    """[27]: the places in a unit."""
    base: NDArray[np.int64]
    """[size]: the base units."""
    cover: NDArray[np.int64]
    """[size]: the cover units; the last one has the candidate that is removed."""
    bodies: NDArray[np.int64]
    """[size + 1]: what is left of the first base units, together."""
    uncovered: NDArray[np.int64]
    """[size + 1]: what is left of the base outside the first cover units."""
    choices: NDArray[np.int64]
    """[size]: the kind of the cover unit that is tried next at each level."""


def new_fish(shape: int, size: int) -> Fish:
    """Make the record of one search."""
    lengths = (MOST_PLACES, MOST_PLACES, UNITS, size, size, size + 1, size + 1, size)
    return Fish(shape, size, *(np.zeros(length, np.int64) for length in lengths))


@inlined
def set_digit(fish, position, digit):
    """Number the places of a digit; returns how many there are, or 0 if there are too many."""
    for unit in range(UNITS):
        fish.members[unit] = 0
    count = 0
    for cell in range(CELLS):
        if has(position, cell, digit):
            if count == MOST_PLACES:
                return 0
            fish.cells[count] = cell
            fish.seen[count] = 0
            for other in range(count):
                if position.sees[cell, fish.cells[other]]:
                    fish.seen[count] |= np.int64(1) << other
                    fish.seen[other] |= np.int64(1) << count
            for kind in range(3):
                fish.members[position.homes[cell, kind]] |= np.int64(1) << count
            count += 1
    return count


@inlined
def lowest_place(places):
    """Return the number of the first place of a set that is not empty."""
    return np.int64(lowest(np.uint64(places)))


@inlined
def is_among(units, count, unit):
    """Tell whether a unit is one of the first units of a list."""
    is_there = False
    for i in range(count):
        is_there = is_there or units[i] == unit
    return is_there


@inlined
def kinds_of(units):
    """Return the kinds of units in a list."""
    kinds = 0
    for i in range(units.size):
        kinds |= 1 << units[i] // 9
    return kinds


@inlined
def has_shape(fish):
    """Tell whether base and cover are of the shape that is looked for, and of no simpler one."""
    base, cover = kinds_of(fish.base), kinds_of(fish.cover)
    is_crossed = not (base & COLUMN or cover & ROW) or not (base & ROW or cover & COLUMN)
    if fish.shape == MUTANT:
        return not is_crossed
    return fish.shape == FINNED or ((base | cover) & BOX) != 0


@inlined
def fins_of(fish):
    """Return the places of the base outside the cover, and those in two base units."""
    base, twice, cover = 0, 0, 0
    for i in range(fish.size):
        twice |= base & fish.members[fish.base[i]]
        base |= fish.members[fish.base[i]]
        cover |= fish.members[fish.cover[i]]
    return base & ~cover, twice


@inlined
def targets_of(fish, fins):
    """Return the places that the cover rules out, as far as they see all fins: those that it has more often."""
    base, cover, twice = 0, 0, 0
    for i in range(fish.size):
        base |= fish.members[fish.base[i]]
        twice |= cover & fish.members[fish.cover[i]]
        cover |= fish.members[fish.cover[i]]
    targets = ((cover & ~base) | twice) & ~fins
    while fins:
        targets &= fish.seen[lowest_place(fins)]
        fins &= fins - 1
    return targets


@inlined
def is_least(fish, places, covers):
    """Tell whether no smaller fish is in this one: some of its base units with few of its first `covers` cover units.

    Only `places` of the base count. If these are what the target leaves, k base units with k - 1 cover units are such
    a fish, and the last cover unit is not looked at; otherwise it is k with k.
    """
    for part in range(1, (1 << fish.size) - 1):
        body, units, used = 0, 0, 0
        for j in range(fish.size):
            if (part >> j) & 1:
                units += 1
                body |= fish.members[fish.base[j]] & places
        for i in range(covers):
            used += (fish.members[fish.cover[i]] & body) != 0
        if used + fish.size - covers <= units:
            return False
    return True


@inlined
def touches_base(fish, unit):
    """Tell whether a unit has a place of the base."""
    touching = 0
    for i in range(fish.size):
        touching |= fish.members[fish.base[i]] & fish.members[unit]
    return touching != 0


@inlined
def is_wanted(fish, fins):
    """Tell whether the fish that is set belongs to this search, and has no unit too many."""
    if not has_shape(fish) or not touches_base(fish, fish.cover[fish.size - 1]):
        return False
    if fins:
        return is_least(fish, fish.bodies[fish.size], fish.size - 1)
    return fish.shape != FINNED and is_least(fish, np.int64(-1), fish.size)


@inlined
def first_technique(fish, fins):
    """Return the name of the smallest fish of a kind; that of a larger one follows it."""
    if fish.size > 4:
        return (Technique.FINNED_MUTANT_SQUIRMBAG if fins else Technique.MUTANT_SQUIRMBAG) - 3
    if fish.shape == FRANKEN:
        return Technique.FINNED_FRANKEN_X_WING if fins else Technique.FRANKEN_X_WING
    if fish.shape == MUTANT:
        return Technique.FINNED_MUTANT_X_WING if fins else Technique.MUTANT_X_WING
    for i in range(fish.size):
        body = fish.members[fish.base[i]] & ~fins
        if not body & (body - 1):
            return Technique.SASHIMI_X_WING
    return Technique.FINNED_X_WING


@inlined
def technique_of(fish, fins):
    """Return the name of a fish."""
    return first_technique(fish, fins) + fish.size - 2
