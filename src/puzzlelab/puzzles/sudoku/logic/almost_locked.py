# mypy: allow-untyped-defs
"""Almost locked sets: cells of a unit that have one candidate digit more than they are cells.

If one of its digits is not in such a set, then all its others are. Two sets are linked by a digit (a restricted
common) that is in one of them at most, because all its places in the one see all its places in the other.

Shapes: A = most sets, E = most links. Cells are sets as in `cellsets`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled, inlined, outlined
from puzzlelab.puzzles.sudoku.logic.cellsets import (
    BANDS,
    empty,
    include,
    is_within,
    meet,
    peer_sets,
    set_homes_of_digits,
    set_view,
)
from puzzlelab.puzzles.sudoku.logic.position import BOXES, DIGITS, UNITS

SETS, LINKS = 3000, 400_000


class AlmostLocked(NamedTuple):
    """The almost locked sets of a position, and their links."""

    peers: NDArray[np.int64]
    """[81, 3]."""
    at: NDArray[np.int64]
    """[9, 3]: the cells that may hold a digit."""
    unions: NDArray[np.int64]
    """[512]: the digits of each choice of cells of a unit."""
    total: NDArray[np.int64]
    """[1]: how many sets there are."""
    digits: NDArray[np.int64]
    """[A]: bits."""
    cells: NDArray[np.int64]
    """[A, 3]."""
    places: NDArray[np.int64]
    """[A, 9, 3]: the cells of a set that may hold a digit."""
    views: NDArray[np.int64]
    """[A, 9, 3]: the cells that see all these; nothing for a digit that is not in the set."""
    first: NDArray[np.int64]
    """[A + 1]: where the links of a set begin."""
    other: NDArray[np.int64]
    """[E]: the set at the other end of a link."""
    common: NDArray[np.int64]
    """[E]: the digit of a link."""


def new_almost_locked() -> AlmostLocked:
    """Return a record of no sets."""
    return AlmostLocked(
        peers=peer_sets(),
        at=np.zeros((DIGITS, BANDS), np.int64),
        unions=np.zeros(512, np.int64),
        total=np.zeros(1, np.int64),
        digits=np.zeros(SETS, np.int64),
        cells=np.zeros((SETS, BANDS), np.int64),
        places=np.zeros((SETS, DIGITS, BANDS), np.int64),
        views=np.zeros((SETS, DIGITS, BANDS), np.int64),
        first=np.zeros(SETS + 1, np.int64),
        other=np.zeros(LINKS, np.int64),
        common=np.zeros(LINKS, np.int64),
    )


@outlined
def add_set(sets, position, unit, choice):
    """Add the cells of a unit that `choice` has as bits."""
    number = sets.total[0]
    sets.total[0] += 1
    sets.digits[number] = sets.unions[choice]
    empty(sets.cells[number])
    for digit in range(DIGITS):
        places = position.places[digit, unit] & choice
        empty(sets.places[number, digit])
        empty(sets.views[number, digit])
        for i in range(9):
            if (places >> i) & 1:
                include(sets.places[number, digit], position.units[unit, i])
                include(sets.cells[number], position.units[unit, i])
        if places:
            set_view(sets.peers, sets.places[number, digit], sets.views[number, digit])


@inlined
def is_in_one_box(choice):
    """Tell whether cells of a line are in one box, where they are found too."""
    return choice & ~7 == 0 or choice & ~(7 << 3) == 0 or choice & ~(7 << 6) == 0


@compiled
def collect(sets, position):
    """Find the almost locked sets of a position."""
    sets.total[0] = 0
    set_homes_of_digits(position, sets.at)
    for unit in range(UNITS):
        for choice in range(1, 512):
            digits = np.int64(position.candidates[position.units[unit, position.lowest[choice]]])
            rest = choice & (choice - 1)
            # 0 stands for a choice that has a filled cell
            known = digits and (rest == 0 or sets.unions[rest])
            sets.unions[choice] = (digits | (sets.unions[rest] if rest else 0)) if known else 0
            is_almost_locked = position.counts[sets.unions[choice]] == position.counts[choice] + 1
            if is_almost_locked and sets.total[0] < SETS and (unit >= BOXES or not is_in_one_box(choice)):
                add_set(sets, position, unit, choice)


@inlined
def are_linked(sets, one, other, digit):
    """Tell whether a digit of two sets is in one of them at most."""
    return (sets.digits[one] & sets.digits[other]) >> digit & 1 != 0 and is_within(
        sets.places[other, digit], sets.views[one, digit]
    )


@outlined
def link_sets(sets):
    """Find the links between the sets that have no cell in common."""
    links = 0
    for one in range(sets.total[0]):
        sets.first[one] = links
        for other in range(sets.total[0]):
            if not meet(sets.cells[one], sets.cells[other]):
                for digit in range(DIGITS):
                    if are_linked(sets, one, other, digit) and links < LINKS:
                        sets.other[links] = other
                        sets.common[links] = digit
                        links += 1
    sets.first[sets.total[0]] = links
