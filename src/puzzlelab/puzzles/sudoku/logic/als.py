# mypy: allow-untyped-defs
"""Chains of almost locked sets: ALS-XZ of two sets, ALS-XY-wings of three, longer ALS chains.

Each two neighbours are linked by a digit that is in one of them at most. So the first or the last set keeps all its
other digits, and a digit of both is removed from the cells that see all its places in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import implements, inlined, outlined
from puzzlelab.puzzles.sudoku.logic.almost_locked import (
    LINKS,
    SETS,
    AlmostLocked,
    collect,
    link_sets,
    new_almost_locked,
)
from puzzlelab.puzzles.sudoku.logic.cellsets import contains, set_common_view
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
    CELL,
    LINK,
    NODE,
    Evidence,
    Sentence,
    begin_step,
    cells_text,
    digit_text,
    digits_text,
    end_step,
    find,
    mark,
    removed_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

ALS_XZ, ALS_XY_WING, ALS_CHAIN = Technique.ALS_XZ, Technique.ALS_XY_WING, Technique.ALS_CHAIN
LONGEST = 8
NONE = -1


class SetChains(NamedTuple):
    """Chains of so many sets; the longest kind is of four or more, the shortest first."""

    size: int
    """2, 3 or 4."""
    sets: AlmostLocked
    removals: Removals
    before: NDArray[np.int64]
    """[A, 9]: the link by which a search came to a set, by the digit of that link; -1 where it did not."""
    queue: NDArray[np.int64]
    """[9A]: the links in the order in which a search took them."""
    path: NDArray[np.int64]
    """[8]: the links of a chain."""
    origins: NDArray[np.int64]
    """[E]: the set where a link begins."""


def families() -> Sequence[SetChains]:
    """Return the records of the searches of this family."""
    room = (
        new_almost_locked(),
        new_removals(),
        np.zeros((SETS, DIGITS), np.int64),
        np.zeros(SETS * DIGITS, np.int64),
        np.zeros(LONGEST, np.int64),
        np.zeros(LINKS, np.int64),
    )
    return [SetChains(size, *room) for size in (2, 3, 4)]


@outlined
def remove_common(family, one, other, digits):
    """Remove those of the `digits` (bits) from the cells that see all their places in two sets."""
    sets = family.sets
    for digit in range(DIGITS):
        if (digits & sets.digits[one] & sets.digits[other]) >> digit & 1:
            views = sets.views
            set_common_view(views[one, digit], views[other, digit], sets.at[digit], family.removals.cells[digit])


@inlined
def remove_locked(family, number, digits):
    """Remove those of the `digits` of a set from the cells that see all their places in it."""
    remove_common(family, number, number, digits)


@outlined
def mark_link(family, found, i):
    """Write the candidates by which two sets are linked: true in the first one, so not in the other."""
    sets, link = family.sets, family.path[i]
    digit = sets.common[link]
    for cell in range(CELLS):
        if contains(sets.places[family.origins[link], digit], cell):
            mark(found, NODE, 1, 2 * i, 9 * cell + digit)
        if contains(sets.places[sets.other[link], digit], cell):
            mark(found, NODE, 0, 2 * i + 1, 9 * cell + digit)
    mark(found, LINK, 0, 2 * i, 2 * i + 1)


@outlined
def mark_sets(family, found, count):
    """Write the sets of a chain of `count` links, and the candidates that link them, into a step."""
    sets = family.sets
    for i in range(count + 1):
        number = family.origins[family.path[i]] if i < count else sets.other[family.path[count - 1]]
        for cell in range(CELLS):
            if contains(sets.cells[number], cell):
                mark(found, CELL, i, cell, 0)
    for i in range(count):
        mark_link(family, found, i)
        if i:
            mark(found, LINK, 1, 2 * i - 1, 2 * i)


@outlined
def report(family, found, technique, count):
    """Write the chain of the first `count` links of `path` as a step, if it removes something new.

    A second link of two sets is marked too.
    """
    if not are_new(family.removals):
        return False
    begin_step(found, technique)
    mark_sets(family, found, count)
    if technique == ALS_XZ and family.path[1] != NONE:
        mark_link(family, found, 1)
    mark_removals(family.removals, found)
    return end_step(found)


@inlined
def other_link(sets, one, link):
    """Return another link between the two sets of a link, or -1."""
    for i in range(sets.first[one], sets.first[one + 1]):
        if i != link and sets.other[i] == sets.other[link]:
            return i
    return NONE


@outlined
def find_pairs(family, found):
    """Find two linked sets; where two digits link them, each is in one of the two, which are locked otherwise."""
    sets = family.sets
    for one in range(sets.total[0]):
        for link in range(sets.first[one], sets.first[one + 1]):
            other, second = sets.other[link], other_link(sets, one, link)
            if one < other and (second == NONE or link < second):
                linking = 1 << sets.common[link]
                begin_removals(family.removals)
                if second == NONE:
                    remove_common(family, one, other, ~linking)
                else:
                    linking |= 1 << sets.common[second]
                    remove_common(family, one, other, linking)
                    remove_locked(family, one, ~linking)
                    remove_locked(family, other, ~linking)
                family.path[0], family.path[1] = link, second
                if report(family, found, ALS_XZ, 1):
                    return


@outlined
def find_wings(family, found):
    """Find three sets of which one is linked with both others, by two digits."""
    sets, path = family.sets, family.path
    for pivot in range(sets.total[0]):
        for link in range(sets.first[pivot], sets.first[pivot + 1]):
            for second in range(link + 1, sets.first[pivot + 1]):
                one, other = sets.other[link], sets.other[second]
                linking = (1 << sets.common[link]) | (1 << sets.common[second])
                is_wing = one != other and sets.common[link] != sets.common[second]
                if is_wing and sets.digits[one] & sets.digits[other] & ~linking:
                    begin_removals(family.removals)
                    remove_common(family, one, other, ~linking)
                    path[0], path[1] = link_back(sets, link, pivot), second
                    if report(family, found, ALS_XY_WING, 2):
                        return


@inlined
def link_back(sets, link, origin):
    """Return a link seen from its other end."""
    for i in range(sets.first[sets.other[link]], sets.first[sets.other[link] + 1]):
        if sets.other[i] == origin and sets.common[i] == sets.common[link]:
            return i
    return NONE


@inlined
def trace(family, link):
    """Write the links of the chain that ends with this one into `path`; returns how many, or 0 for too many."""
    count = 0
    while link != NONE:
        if count == LONGEST:
            return 0
        family.path[count] = link
        count += 1
        link = family.before[family.sets.other[link], family.sets.common[link]] - LINKS
    for i in range(count // 2):
        family.path[i], family.path[count - 1 - i] = family.path[count - 1 - i], family.path[i]
    return count


@outlined
def find_long(family, found):
    """Find chains of four and more sets, by the shortest way from each set to each other one."""
    sets, before, queue = family.sets, family.before, family.queue
    for start in range(sets.total[0]):
        for number in range(sets.total[0]):
            for digit in range(DIGITS):
                before[number, digit] = NONE
        end = taken = 0
        number, digit, link = start, NONE, NONE
        while True:
            for i in range(sets.first[number], sets.first[number + 1]):
                other, common = sets.other[i], sets.common[i]
                if other != start and common != digit and before[other, common] == NONE:
                    # the link that led to this one, moved so that -1 is left for none at all
                    before[other, common] = link + LINKS
                    queue[end] = i
                    end += 1
            if taken == end:
                break
            link = queue[taken]
            number, digit = sets.other[link], sets.common[link]
            taken += 1
            if report_long(family, found, start, link):
                return


@inlined
def report_long(family, found, start, link):
    """Write the chain from a set that ends with a link as a step, if it is long and removes something."""
    sets = family.sets
    last = sets.other[link]
    if sets.digits[start] & sets.digits[last] == 0:
        return False
    count = trace(family, link)
    if count < 3:
        return False
    begin_removals(family.removals)
    remove_common(family, start, last, ~((1 << sets.common[link]) | (1 << sets.common[family.path[0]])))
    return report(family, found, ALS_CHAIN, count)


@implements(find, SetChains)
def find_set_chains(family, position, found):
    """Find chains of almost locked sets of one size."""
    sets = family.sets
    forget_removals(family.removals)
    collect(sets, position)
    link_sets(sets)
    for number in range(sets.total[0]):
        for link in range(sets.first[number], sets.first[number + 1]):
            family.origins[link] = number
    if family.size == 2:
        find_pairs(family, found)
    elif family.size == 3:
        find_wings(family, found)
    else:
        find_long(family, found)


def sets_text(step: Evidence) -> list[str]:
    """Return the cells of the sets of a step, in their order."""
    count = 1 + max(role for role, _ in step.cells)
    return [cells_text(step.by_role("cells", number)) for number in range(count)]


def shared_text(step: Evidence, link: int, names: Sequence[str]) -> str:
    """Say which digit links two sets."""
    return f"{digit_text(step.nodes[2 * link].candidates[0])} cannot be both in {names[0]} and in {names[1]}"


def set_chain(step: Evidence) -> str:
    """Explain a chain of sets by what each two neighbours share."""
    names = sets_text(step)
    links = [shared_text(step, i, names[i : i + 2]) for i in range(len(names) - 1)]
    return (
        f"each of these sets of cells can lack one of its digits only; {joined(links, ', and ')}; so {names[0]} or "
        f"{names[-1]} must have {digits_text(step.removed)}: {removed_text(step.removed)}"
    )


def two_sets(step: Evidence) -> str:
    """Explain two sets, linked by one digit or two."""
    names = sets_text(step)
    if len(step.nodes) == 2:
        return set_chain(step)
    links = [shared_text(step, i, names) for i in range(2)]
    return (
        f"each of two sets of cells can lack one of its digits only; {joined(links, ', and ')}; so each set has one of "
        f"these two digits and all its others: {removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {ALS_XZ: two_sets, ALS_XY_WING: set_chain, ALS_CHAIN: set_chain}
