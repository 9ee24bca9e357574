# mypy: allow-untyped-defs
"""Death blossoms: a cell, the stem, and an almost locked set for each of its candidates, the petals.

The stem sees all places of its candidate in the petal, so whichever digit it holds, one petal keeps all its others. A
digit that is in all petals is removed from the cells that see all its places there. Petals may share cells.

Roles of cells: 0 the stem, 1 and up the petals; of candidates the same: those of the stem, each beside those that it
would take from its petal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import implements, inlined, outlined
from puzzlelab.puzzles.sudoku.logic.almost_locked import SETS, AlmostLocked, collect, new_almost_locked
from puzzlelab.puzzles.sudoku.logic.cellsets import BANDS, contains
from puzzlelab.puzzles.sudoku.logic.position import CELLS, DIGITS
from puzzlelab.puzzles.sudoku.logic.removals import (
    Removals,
    are_new,
    begin_removals,
    forget_removals,
    mark_removals,
    new_removals,
)
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    CELL,
    Evidence,
    Sentence,
    begin_step,
    cell_text,
    cells_text,
    digit_text,
    digits_text,
    end_step,
    find,
    mark,
    removed_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

DEATH_BLOSSOM = Technique.DEATH_BLOSSOM
STEM = 0


class Blossoms(NamedTuple):
    """The family, with room for a search petal by petal."""

    sets: AlmostLocked
    removals: Removals
    petals: NDArray[np.int64]
    """[9, A]: the sets that may be the petal of each candidate of the stem."""
    counts: NDArray[np.int64]
    """[9]: how many these are."""
    digits: NDArray[np.int64]
    """[9]: the candidates of the stem."""
    tried: NDArray[np.int64]
    """[9]: how many petals of each were tried."""
    targets: NDArray[np.int64]
    """[10, 9, 3]: the cells that lose a digit by the petals before one."""


def families() -> Sequence[Blossoms]:
    """Return the records of the searches of this family."""
    shapes = (DIGITS, SETS), DIGITS, DIGITS, DIGITS, (DIGITS + 1, DIGITS, BANDS)
    return [Blossoms(new_almost_locked(), new_removals(), *(np.zeros(shape, np.int64) for shape in shapes))]


@outlined
def set_petals(family, position, stem):
    """Write the candidates of a stem and the petals of each; returns how many candidates it has, or 0 without all."""
    sets, count, digits = family.sets, 0, np.int64(position.candidates[stem])
    for digit in range(DIGITS):
        if (digits >> digit) & 1:
            family.digits[count], family.counts[count] = digit, 0
            for number in range(sets.total[0]):
                if contains(sets.views[number, digit], stem) and sets.digits[number] & ~digits:
                    family.petals[count, family.counts[count]] = number
                    family.counts[count] += 1
            if family.counts[count] == 0:
                return 0
            count += 1
    return count


@inlined
def begin_targets(family, position, stem):
    """Begin with all other digits and cells as targets."""
    for digit in range(DIGITS):
        for band in range(BANDS):
            is_other = not (position.candidates[stem] >> digit) & 1
            family.targets[0, digit, band] = family.sets.at[digit, band] if is_other else 0


@inlined
def add_petal(family, depth, number):
    """Keep the targets that see all places of their digit in a petal too; returns whether any are left."""
    left = 0
    for digit in range(DIGITS):
        for band in range(BANDS):
            targets = family.targets[depth, digit, band] & family.sets.views[number, digit, band]
            family.targets[depth + 1, digit, band] = targets
            left |= targets
    return left != 0


@outlined
def add_blossom(family, position, found, stem, count):
    """Write the step of a stem and the petals that were tried last, if it removes something new."""
    begin_removals(family.removals)
    for digit in range(DIGITS):
        for band in range(BANDS):
            family.removals.cells[digit, band] = family.targets[count, digit, band]
    if not are_new(family.removals):
        return False
    begin_step(found, DEATH_BLOSSOM)
    mark_removals(family.removals, found)
    mark(found, CELL, STEM, stem, 0)
    for i in range(count):
        number, digit = family.petals[i, family.tried[i] - 1], family.digits[i]
        mark(found, CANDIDATE, i + 1, 9 * stem + digit, 0)
        for cell in range(CELLS):
            if contains(family.sets.cells[number], cell):
                mark(found, CELL, i + 1, cell, 0)
            if contains(family.sets.places[number, digit], cell):
                mark(found, CANDIDATE, i + 1, 9 * cell + digit, 0)
    return end_step(found)


@outlined
def blossoms_of(family, position, found, stem, count):
    """Find the blossoms of a stem with this many candidates; returns whether the search is to stop."""
    depth = 0
    family.tried[0] = 0
    begin_targets(family, position, stem)
    while depth >= 0:
        tried = family.tried[depth]
        family.tried[depth] += 1
        if tried == family.counts[depth]:
            depth -= 1
        elif add_petal(family, depth, family.petals[depth, tried]):
            if depth + 1 < count:
                depth += 1
                family.tried[depth] = 0
            elif add_blossom(family, position, found, stem, count):
                return True
    return False


@implements(find, Blossoms)
def find_blossoms(family, position, found):
    """Find death blossoms, those with the fewest petals first."""
    forget_removals(family.removals)
    collect(family.sets, position)
    for size in range(2, DIGITS + 1):
        for stem in range(CELLS):
            if position.counts[position.candidates[stem]] == size:
                count = set_petals(family, position, stem)
                if count and blossoms_of(family, position, found, stem, count):
                    return


def blossom(step: Evidence) -> str:
    """Explain a death blossom by its petals."""
    (stem,) = step.by_role("cells", STEM)
    count = max(role for role, _ in step.cells)
    petals = [
        f"{digit_text(step.by_role('candidates', i)[0])} from {cells_text(step.by_role('cells', i))}"
        for i in range(1, count + 1)
    ]
    return (
        f"whichever digit {cell_text(stem)} holds, it takes one from cells that have one digit more than they need: "
        f"{joined(petals, ' or ')}; so one of these sets holds {digits_text(step.removed)}, and "
        f"{removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {DEATH_BLOSSOM: blossom}
