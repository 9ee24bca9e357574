# mypy: allow-untyped-defs
"""Finned and sashimi fish, and the search for all fish but the basic ones.

The search goes backwards from a candidate. If it were true, the places that it sees would be gone; where what is left
of n base units lies in n - 1 cover units, one place too few is left, so the candidate is false. The places of the base
that it sees are the fins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.basic_fish import BASE, COVER
from puzzlelab.puzzles.sudoku.logic.fish import (
    BOX,
    COLUMN,
    FINNED,
    MUTANT,
    ROW,
    Fish,
    fins_of,
    is_among,
    is_wanted,
    lowest_place,
    new_fish,
    set_digit,
    targets_of,
    technique_of,
)
from puzzlelab.puzzles.sudoku.logic.position import DIGITS, UNITS
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    REMOVED,
    UNIT,
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
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

BODY, FIN, ENDO_FIN = range(3)
"""Roles of the candidates of the base: those in the cover, those outside, and those in two base units."""
SHAPES = (
    ((ROW, COLUMN), (COLUMN, ROW)),
    ((ROW | BOX, COLUMN | BOX), (COLUMN | BOX, ROW | BOX)),
    ((ROW | COLUMN | BOX, ROW | COLUMN | BOX), (0, 0)),
)
"""The kinds of the base and of the cover units of each shape, in two directions."""


def families() -> Sequence[Fish]:
    """Return the records of the searches of this family."""
    return [new_fish(FINNED, size) for size in (2, 3, 4)]


@inlined
def needs_more(fish, position, places, kinds):
    """Tell whether places need more cover units than there are but one: so many of them share no unit, two by two."""
    apart = 0
    while places and apart < fish.size:
        cell = fish.cells[lowest_place(places)]
        for kind in range(3):
            if (kinds >> kind) & 1:
                places &= ~fish.members[position.homes[cell, kind]]
        apart += 1
    return apart == fish.size


@inlined
def next_base(fish, position, level, kinds, cover_kinds, rest):
    """Put the next base unit at a level whose places in `rest` are in none before; returns whether there is one."""
    for unit in range(fish.base[level] + 1, UNITS):
        body = fish.members[unit] & rest
        if (kinds >> unit // 9) & 1 and body and not body & fish.bodies[level]:
            fish.bodies[level + 1] = fish.bodies[level] | body
            if not needs_more(fish, position, fish.bodies[level + 1], cover_kinds):
                fish.base[level] = unit
                return True
    return False


@inlined
def set_cover(fish, level, kinds, cell_units, kind):
    """Take the unit of a cell as cover unit at a level, if it may be; returns whether it may."""
    unit = cell_units[kind]
    if not (kinds >> kind) & 1 or is_among(fish.base, fish.size, unit) or is_among(fish.cover, level, unit):
        return False
    fish.cover[level] = unit
    fish.uncovered[level + 1] = fish.uncovered[level] & ~fish.members[unit]
    return True


@inlined
def write_fish(fish, found, digit, fins, twice):
    """Write a fish, unless another one of its kind does the same; returns whether to stop."""
    begin_step(found, technique_of(fish, fins))
    targets = targets_of(fish, fins)
    while targets:
        mark(found, REMOVED, 0, 9 * fish.cells[lowest_place(targets)] + digit, 0)
        targets &= targets - 1
    if is_repeated(found):
        return False
    base = 0
    for i in range(fish.size):
        mark(found, UNIT, BASE, fish.base[i], 0)
        mark(found, UNIT, COVER, fish.cover[i], 0)
        base |= fish.members[fish.base[i]]
    while base:
        place = lowest_place(base)
        role = ENDO_FIN if (twice >> place) & 1 else FIN if (fins >> place) & 1 else BODY
        mark(found, CANDIDATE, role, 9 * fish.cells[place] + digit, 0)
        base &= base - 1
    return end_step(found)


@inlined
def covers(fish, position, found, digit, target, kinds):
    """Find the fish of the base units that are set; returns whether to stop."""
    last = fish.size - 1
    fish.uncovered[0] = fish.bodies[fish.size]
    level = 0
    fish.choices[0] = 0
    while level >= 0:
        if fish.choices[level] == 3 or (fish.uncovered[level] == 0) != (level == last):
            level -= 1
            continue
        kind = fish.choices[level]
        fish.choices[level] += 1
        place = target if level == last else lowest_place(fish.uncovered[level])
        if set_cover(fish, level, kinds, position.homes[fish.cells[place]], kind):
            if level < last:
                level += 1
                fish.choices[level] = 0
            else:
                outside, twice = fins_of(fish)
                fins = outside | twice
                if is_wanted(fish, fins) and write_fish(fish, found, digit, fins, twice):
                    return True
    return False


@inlined
def find_for(fish, position, found, digit, target, base_kinds, cover_kinds):
    """Find the fish that remove one candidate; returns whether to stop."""
    rest = ~(fish.seen[target] | (np.int64(1) << target))
    level = 0
    fish.base[0] = -1
    fish.bodies[0] = 0
    while level >= 0:
        if not next_base(fish, position, level, base_kinds, cover_kinds, rest):
            level -= 1
        elif level < fish.size - 1:
            level += 1
            fish.base[level] = fish.base[level - 1]
        elif covers(fish, position, found, digit, target, cover_kinds):
            return True
    return False


@implements(find, Fish)
def find_fish(fish, position, found):
    """Find the fish of one shape and size."""
    for digit in range(DIGITS):
        for target in range(set_digit(fish, position, digit)):
            for direction in range(1 if fish.shape == MUTANT else 2):
                base, cover = SHAPES[fish.shape][direction]
                if find_for(fish, position, found, digit, target, base, cover):
                    return


def fish_sentence(step: Evidence) -> str:
    """Explain a fish."""
    base, cover = (joined([unit_text(unit) for unit in sorted(step.by_role("units", role))]) for role in (BASE, COVER))
    fins = {candidate // 9 for role in (FIN, ENDO_FIN) for candidate in step.by_role("candidates", role)}
    digit, removed = digit_text(step.removed[0]), removed_text(step.removed)
    if not fins:
        return f"{base} have all their {digit}s in {cover}, which have no room for another {digit}: {removed}"
    cells = cells_text(list(fins))
    no_fin, all_fins = f"none of the fins {cells} is", "every fin"
    if len(fins) == 1:
        no_fin, all_fins = f"the fin {cells} is not", "the fin"
    return (
        f"if {no_fin} {digit}, {base} have their {digit}s in {cover}, which are "
        f"then full; what else lies there and sees {all_fins} is wrong in any case: {removed}"
    )


SENTENCES: Mapping[Technique, Sentence] = {
    technique: fish_sentence
    for technique in Technique
    if Technique.FINNED_X_WING <= technique <= Technique.SASHIMI_JELLYFISH
}
