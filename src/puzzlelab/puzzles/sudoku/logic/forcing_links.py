# mypy: allow-untyped-defs
"""The links between the candidates of a position that chains follow, and how long chains are rated.

An assertion says that a candidate is on (in the solution) or off. If a candidate is on, all others of its cell, and all
of its digit in its units, are off: weak links. If it is off and one other is left in its cell, or one other place of
its digit in a unit, that one is on: a strong link. As a number an assertion is 2 * candidate + 1 for on, 2 * candidate
for off.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import inlined
from puzzlelab.puzzles.sudoku.logic.position import CANDIDATES, CELLS, DIGITS, UNITS, has, new_position
from puzzlelab.puzzles.sudoku.logic.steps import LENGTH, begin_step, mark

ONE_DIGIT, PAIRS, ALL_LINKS = range(3)
"""Which links a chain may use: those of one digit; strong ones in cells of two candidates; all."""


class Links(NamedTuple):
    """The links of one position. Weak ones are kept where the candidate at their end has a strong one."""

    weak: NDArray[np.int16]
    """[729, 28]: those of the same digit, then those of the same cell."""
    weak_counts: NDArray[np.int16]
    """[729, 2]: of the same digit, and in all."""
    strong: NDArray[np.int16]
    """[729, 4]: those of the same digit, then the one of the same cell."""
    strong_counts: NDArray[np.int16]
    """[729, 2]: of the same digit, and in all."""
    present: NDArray[np.uint64]
    """[9, 2]: the cells that have a digit as a candidate, as bits."""
    peers: NDArray[np.uint64]
    """[81, 2]: the peers of a cell, as bits."""


def new_links() -> Links:
    """Make room for the links of a position."""
    return Links(
        weak=np.zeros((CANDIDATES, 28), np.int16),
        weak_counts=np.zeros((CANDIDATES, 2), np.int16),
        strong=np.zeros((CANDIDATES, 4), np.int16),
        strong_counts=np.zeros((CANDIDATES, 2), np.int16),
        present=np.zeros((DIGITS, 2), np.uint64),
        peers=_peers(),
    )


@cache
def _peers() -> NDArray[np.uint64]:
    """Return the peers of each cell as bits; kernels only read them."""
    peers = np.zeros((CELLS, 2), np.uint64)
    for cell, other in np.argwhere(new_position().sees).tolist():
        peers[cell, other // 64] |= np.uint64(1 << (other % 64))
    return peers


@inlined
def cell_bit(cell):
    """Return the bit of a cell in its word, which is number `cell // 64`."""
    return np.uint64(1) << np.uint64(cell % 64)


@inlined
def add_strong(links, first, second, kind):
    """Add a strong link of one candidate to another, unless it is there; `kind` is 1 in a cell."""
    count = links.strong_counts[first, 1]
    for i in range(count):
        if links.strong[first, i] == second:
            return
    links.strong[first, count] = second
    links.strong_counts[first, 1] = count + 1
    if kind == 0:
        links.strong_counts[first, 0] = count + 1


@inlined
def find_strong(links, position):
    """Find the strong links: two places of a digit in a unit, then two candidates in a cell."""
    links.strong_counts[:] = 0
    for digit in range(DIGITS):
        for unit in range(UNITS):
            places = position.places[digit, unit]
            if position.counts[places] == 2:
                first = 9 * position.units[unit, position.lowest[places]] + digit
                second = 9 * position.units[unit, position.lowest[places & (places - 1)]] + digit
                add_strong(links, first, second, 0)
                add_strong(links, second, first, 0)
    for cell in range(CELLS):
        digits = position.candidates[cell]
        if position.counts[digits] == 2:
            first = 9 * cell + np.int64(position.lowest[digits])
            second = 9 * cell + np.int64(position.lowest[digits & (digits - 1)])
            add_strong(links, first, second, 1)
            add_strong(links, second, first, 1)


@inlined
def add_weak(links, position, candidate, other):
    """Add a weak link to a candidate that has strong ones."""
    if has(position, other // 9, other % 9) and links.strong_counts[other, 1]:
        links.weak[candidate, links.weak_counts[candidate, 1]] = other
        links.weak_counts[candidate, 1] += 1


@inlined
def find_weak(links, position):
    """Find the weak links of all candidates."""
    links.weak_counts[:] = 0
    links.present[:] = 0
    for candidate in range(CANDIDATES):
        cell, digit = candidate // 9, candidate % 9
        if has(position, cell, digit):
            links.present[digit, cell // 64] |= cell_bit(cell)
            for i in range(position.peers.shape[1]):
                add_weak(links, position, candidate, 9 * position.peers[cell, i] + digit)
            links.weak_counts[candidate, 0] = links.weak_counts[candidate, 1]
            for other in range(DIGITS):
                if other != digit:
                    add_weak(links, position, candidate, 9 * cell + other)


@inlined
def find_links(links, position):
    """Find the links of a position."""
    find_strong(links, position)
    find_weak(links, position)


@inlined
def excludes(position, candidate, other):
    """Tell whether two candidates cannot both be on: they share a cell, or have one digit and share a unit."""
    if candidate // 9 == other // 9:
        return candidate != other
    return candidate % 9 == other % 9 and position.sees[candidate // 9, other // 9] != 0


@inlined
def lengthened(tenths, length):
    """Return a rating in tenths, raised for the `length` of a chain: its assertions beyond two.

    The steps are at 4, 6, 8, 12, 16, 24 and so on.
    """
    threshold, is_whole = 4, True
    while length > threshold:
        tenths += 1
        threshold = threshold * 3 // 2 if is_whole else threshold * 4 // 3
        is_whole = not is_whole
    return tenths


@inlined
def rank(tenths, length):
    """Return a number that orders chains by their rating, then by their length."""
    return (np.int64(lengthened(tenths, length)) << 16) + length


@inlined
def length_surcharge(found):
    """Return by how many tenths the length of the first step of `found` raises its rating."""
    return lengthened(0, (found.marks[found.heads[0, 1]] >> 12) & 0xFFF)


@inlined
def begin_chain(found, technique, length):
    """Begin a step with the length of its chain, as `length_surcharge` expects it."""
    begin_step(found, technique)
    mark(found, LENGTH, 0, min(length, 0xFFF), 0)
