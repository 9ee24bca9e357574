# mypy: allow-untyped-defs
"""Sets of cells as three numbers of 27 bits, one for each band of three rows, for techniques that compare many sets.

Shapes: a set is a row of int64[..., 3]; the cell c is the bit c % 27 of the number c // 27.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import inlined, outlined
from puzzlelab.puzzles.sudoku.logic.position import CELLS, DIGITS
from puzzlelab.puzzles.sudoku.rules import Sudoku

BANDS = 3
EVERYWHERE = (1 << 27) - 1


def peer_sets() -> NDArray[np.int64]:
    """Return the set of the cells that see a cell, for all cells: int64[81, 3]."""
    sets = np.zeros((CELLS, BANDS), np.int64)
    for cell, peers in enumerate(Sudoku().units.peers.tolist()):
        for peer in peers:
            sets[cell, peer // 27] |= 1 << peer % 27
    return sets


@inlined
def empty(cells):
    """Make a set empty."""
    for band in range(BANDS):
        cells[band] = 0


@inlined
def include(cells, cell):
    """Add a cell to a set."""
    cells[cell // 27] |= 1 << (cell % 27)


@inlined
def contains(cells, cell):
    """Tell whether a cell is in a set."""
    return (cells[cell // 27] >> (cell % 27)) & 1 != 0


@inlined
def is_within(part, whole):
    """Tell whether all cells of a set are in another one."""
    return (part[0] & ~whole[0]) | (part[1] & ~whole[1]) | (part[2] & ~whole[2]) == 0


@inlined
def meet(one, other):
    """Tell whether two sets have a cell in common."""
    return (one[0] & other[0]) | (one[1] & other[1]) | (one[2] & other[2]) != 0


@outlined
def set_view(peers, cells, view):
    """Make `view` the set of the cells that see all of `cells`; `peers` is of `peer_sets`."""
    for band in range(BANDS):
        view[band] = EVERYWHERE
    for cell in range(CELLS):
        if contains(cells, cell):
            for band in range(BANDS):
                view[band] &= peers[cell, band]


@outlined
def set_homes_of_digits(position, at):
    """Make `at: int64[9, 3]` for each digit the set of the cells that may hold it."""
    for digit in range(DIGITS):
        empty(at[digit])
    for cell in range(CELLS):
        digits = np.int64(position.candidates[cell])
        while digits:
            include(at[position.lowest[digits]], cell)
            digits &= digits - 1


@inlined
def set_common_view(one, other, among, result):
    """Add to `result` those cells of `among` that are in both of two sets; returns whether there are any."""
    some = 0
    for band in range(BANDS):
        common = one[band] & other[band] & among[band]
        result[band] |= common
        some |= common
    return some != 0
