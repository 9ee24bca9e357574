# mypy: allow-untyped-defs
"""The kernels of the estimates of dust: lower bounds, a guide for beam search, and two orders for depth-first search.

Every click takes cells of one colour and one cluster of them, so that the colours left are a lower bound. The clusters
left are none: a click may join others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels as names
from puzzlelab.engine.compiler import lowest, ones
from puzzlelab.engine.kernels import FULL, compiled, implements, inlined
from puzzlelab.puzzles.dust.halves.boards_kernels import (
    COLUMNS,
    HalfBoards,
    bound,
    clear_states,
    has_capacity,
    is_exact,
    new_half,
    number_of,
)
from puzzlelab.puzzles.dust.halves.costs_kernels import begin_raising, raise_bound
from puzzlelab.puzzles.dust.kernels import (
    ABOVE,
    CELLS,
    NONE,
    DustTables,
    count_colours,
    count_planes,
    flood,
    mask,
    occupied,
    plane,
    rules,
    same_colour,
    settle,
)

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Dust

REMEMBERED, SLOTS = 5 << 19, 1 << 22
"""States of halves that this estimate remembers, and the size of their hash table; then it forgets them all."""


class ColoursTables(NamedTuple):
    """The tables of the estimate by the colours left."""

    tables: DustTables


class ClustersTables(NamedTuple):
    """The tables of the estimate by the clusters left."""

    tables: DustTables


class MixedTables(NamedTuple):
    """The tables of the estimate by the clusters left and twice the colours left."""

    tables: DustTables


class FittedTables(NamedTuple):
    """The tables of the estimate by clusters, colours and cells left, less for equal colours that nearly touch."""

    tables: DustTables


class CellsTables(NamedTuple):
    """The tables of the estimate by the cells left."""

    tables: DustTables


class BulkTables(NamedTuple):
    """The tables of the estimate by the cells left outside the largest cluster."""

    tables: DustTables


@inlined
def count_clusters(tables, state):
    """Return (how many clusters there are, the cells of the largest)."""
    left, none = occupied(tables, state), mask(tables, NONE)
    clusters, largest = np.int64(0), np.int64(0)
    while left != none:
        bit = lowest(left)
        cells = flood(tables, same_colour(tables, state, bit), bit)
        left = left & ~cells
        clusters += 1
        largest = max(largest, np.int64(ones(cells)))
    return clusters, largest


@implements(names.evaluate, ColoursTables)
def _colours(estimate, state, memo):
    return count_colours(estimate.tables, state)


@implements(names.evaluate, ClustersTables)
def _clusters(estimate, state, memo):
    clusters, _ = count_clusters(estimate.tables, state)
    return clusters


@implements(names.evaluate, MixedTables)
def _mixed(estimate, state, memo):
    clusters, _ = count_clusters(estimate.tables, state)
    return clusters + 2 * count_colours(estimate.tables, state)


@inlined
def count(cells):
    """Return how many cells these are."""
    return np.int64(ones(cells))


@inlined
def equal(tables, state, by):
    """Return the cells that have the colour of the cell this number of bits below."""
    found = mask(tables, CELLS)
    for p in range(count_planes(tables, state)):
        here = plane(tables, state, p)
        found = found & ~(here ^ (here << by))
    return found


@implements(names.evaluate, FittedTables)
def _fitted(estimate, state, memo):
    own = estimate.tables
    some, above, by = occupied(own, state), mask(own, ABOVE), own.stride
    one, two = np.uint64(1), np.uint64(2)
    upon, beside = equal(own, state, one) & some & above, equal(own, state, by) & some
    # Euler's formula counts clusters without a search; one that encloses others counts less, which is rare.
    clusters = count(some) - count(upon) - count(beside) + count(upon & (upon << by) & beside)
    column = equal(own, state, two) & some & mask(own, ABOVE + 1) & ~upon
    row = equal(own, state, by * two) & some & ~beside
    rising = equal(own, state, by + one) & some & above
    falling = equal(own, state, by - one) & some & ((some & above) << (by - one))
    nearly = 2 * count(column) + count(row) + 3 * (count(rising) + count(falling))
    return 16 * clusters + 36 * count_colours(own, state) + 3 * count(some) - nearly


@implements(names.evaluate, CellsTables)
def _cells(estimate, state, memo):
    return np.int64(ones(occupied(estimate.tables, state)))


@implements(names.evaluate, BulkTables)
def _bulk(estimate, state, memo):
    _, largest = count_clusters(estimate.tables, state)
    return np.int64(ones(occupied(estimate.tables, state))) - largest


class HalvesTables(NamedTuple):
    """The tables of an estimate by the costs of both halves alone, see `halves.boards_kernels`."""

    tables: DustTables
    left: HalfBoards
    right: HalfBoards


@inlined
def enter(half, tables, state, first, step):
    """Return the number of the half whose columns are `first`, `first + step` ... of a board, the outermost first."""
    own, stride = half.state, np.int64(tables.stride)
    wide, narrow = len(tables.like), len(half.tables.like)
    for i in range(own.size):
        own[i] = np.uint64(0)
    for k in range(half.shape[COLUMNS]):
        source, goal = (first + k * step) * stride, k * stride
        for p in range(count_planes(tables, state)):
            column = state[p * wide + source // 64] >> np.uint64(source % 64)
            column &= (np.uint64(1) << tables.stride) - np.uint64(1)
            own[p * narrow + goal // 64] |= column << np.uint64(goal % 64)
    return number_of(half)


@inlined
def cost(half, tables, state, first, step):
    """Return the cost of this half alone; a lower bound of it if there is no room to find it out."""
    if not has_capacity(half):
        clear_states(half)
    number, again = enter(half, tables, state, first, step), False
    while not is_exact(half, number):
        begin_raising(half, number)
        status, _ = raise_bound(half, np.int64(1 << 40))
        if status == FULL:
            if again:
                break
            clear_states(half)
            number, again = enter(half, tables, state, first, step), True
    return bound(half, number)


@implements(names.evaluate, HalvesTables)
def _halves(estimate, state, memo):
    own, columns = estimate.tables, estimate.left.shape[COLUMNS]
    last = columns + estimate.right.shape[COLUMNS] - 1
    left = cost(estimate.left, own, state, np.int64(0), np.int64(1))
    return (left + cost(estimate.right, own, state, last, np.int64(-1)) + 1) // 2


def halves_tables(puzzle: Dust) -> HalvesTables:
    line = puzzle.width // 2
    left = new_half(line, puzzle.height, puzzle.colours, REMEMBERED, SLOTS)
    right = left
    if puzzle.width % 2:
        right = new_half(puzzle.width - line, puzzle.height, puzzle.colours, REMEMBERED, SLOTS)
    return HalvesTables(rules(puzzle).tables, left, right)


TABLES: Mapping[str, Callable[[Dust], Any]] = {
    "fitted": lambda puzzle: FittedTables(rules(puzzle).tables),
    "clusters+2colours": lambda puzzle: MixedTables(rules(puzzle).tables),
    "clusters": lambda puzzle: ClustersTables(rules(puzzle).tables),
    "colours": lambda puzzle: ColoursTables(rules(puzzle).tables),
    "cells": lambda puzzle: CellsTables(rules(puzzle).tables),
    "cells-largest": lambda puzzle: BulkTables(rules(puzzle).tables),
    "halves": halves_tables,
}
"""Name of an estimate -> what makes its tables."""


# --- every click of many boards ---


@compiled
def click_all(
    tables: Any,
    states: NDArray[np.uint64],
    children: NDArray[np.uint64],
    keep: bool,
    sizes: NDArray[np.int16],
    joined: NDArray[np.int16],
) -> None:
    """Write for each cluster of working states `[B, S]`, at its first cell, its size and the clusters its click joins.

    A click joins K clusters if afterwards there are K fewer than without that cluster; clusters that fall apart count
    as negative. `sizes: int16[B, N]` and `joined: int16[B, N]` are zero before, and stay zero at other cells. With
    `keep`, the state after each click is written into `children: [B, N, S]`; else `[1, 1, S]` is a work buffer.
    """
    none = mask(tables, NONE)
    for row in range(len(states)):
        state = states[row]
        everything = occupied(tables, state)
        clusters, _ = count_clusters(tables, state)
        left = everything
        while left != none:
            bit = lowest(left)
            cells = flood(tables, same_colour(tables, state, bit), bit)
            left = left & ~cells
            cell = tables.cell[bit]
            child = children[row, cell] if keep else children[0, 0]
            settle(tables, state, everything & ~cells, child)
            remaining, _ = count_clusters(tables, child)
            sizes[row, cell] = count(cells)
            joined[row, cell] = clusters - 1 - remaining
