"""What the solvers over the `Candidates` view share: boards as bit masks, and the two rules that shrink them.

A digit that is written in a cell is no candidate of its peers; a digit with one place left in a unit goes there.
Source: Norvig, "Solving every Sudoku puzzle" (2006).

Shapes: N = cells, D = digits, U = units, K = kinds of units, P = peers of a cell.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Instance
from puzzlelab.core.views import Candidates, Units
from puzzlelab.engine.kernels import compiled, inlined

ZERO, ONE = np.uint64(0), np.uint64(1)


class Grid(NamedTuple):
    """The units as arrays, and room for the work of `propagate`."""

    units: NDArray[np.int32]
    """[U, D]: the cells of each unit."""
    homes: NDArray[np.int32]
    """[N, K]: the units of each cell, one of each kind."""
    peers: NDArray[np.int32]
    """[N, P]."""
    queue: NDArray[np.int32]
    """[N]: cells whose digit has become known."""
    dirty: NDArray[np.uint8]
    """[U]: whether a cell of the unit has lost candidates since it was looked at."""
    waiting: NDArray[np.int32]
    """[U]: the dirty units."""


@lru_cache(maxsize=16)
def homes_of(units: Units) -> NDArray[np.int32]:
    """`int32[N, K]`: the units of each cell, by their places in `units.all`."""
    count, digits = units.all.shape
    homes = np.zeros((digits * digits, len(units.kinds)), np.int32)
    for unit in range(count):
        homes[units.all[unit], unit // digits] = unit
    return homes


def grid_of(units: Units) -> Grid:
    """The units with fresh room for work."""
    count, cells = len(units.all), units.peers.shape[0]
    return Grid(
        units.all,
        homes_of(units),
        units.peers,
        np.zeros(cells, np.int32),
        np.zeros(count, np.uint8),
        np.zeros(count, np.int32),
    )


def view(instance: Instance) -> Candidates:
    """The view of the puzzle that these solvers need, and have asked for."""
    candidates = instance.puzzle.view(Candidates)
    assert candidates is not None
    return candidates


def masks_of(instance: Instance) -> NDArray[np.uint32]:
    """`uint32[N]`: bit d is set where digit d stands, or could stand in a blank cell."""
    puzzle, state = view(instance), instance.state
    digits, candidates = puzzle.digits(state), puzzle.candidates(state)
    bits = np.uint32(1) << np.arange(candidates.shape[1], dtype=np.uint32)
    masks: NDArray[np.uint32] = (candidates * bits).sum(axis=1, dtype=np.uint32)
    masks[digits >= 0] = bits[digits[digits >= 0]]
    return masks


def writer(instance: Instance) -> Callable[[NDArray[np.signedinteger]], tuple[int, ...]]:
    """From the digits `[N]` of a solution to the moves that fill the blank cells with them, in increasing order."""
    puzzle = view(instance)
    blanks = np.flatnonzero(puzzle.digits(instance.state) < 0)
    lowest = blanks * puzzle.units.all.shape[1]
    return lambda digits: tuple((lowest + digits[blanks]).tolist())


def digits_of(masks: NDArray[np.uint32]) -> NDArray[np.int64]:
    """`int64[N]`: the digit of each mask with one bit, -1 for the others."""
    single = (masks & (masks - np.uint32(1))) == 0
    return np.where(single, np.round(np.log2(np.maximum(masks, 1))), -1).astype(np.int64)


def propagated(instance: Instance) -> NDArray[np.uint32] | None:
    """`masks_of` after the two rules have said all they can; None for a contradiction, so that there is no solution."""
    masks = masks_of(instance)
    return None if settle(grid_of(view(instance).units), masks) < 0 else masks


@inlined
def soil(grid, cell, pending):
    """Note that the units of a cell must be looked at; returns how many are waiting."""
    for kind in range(grid.homes.shape[1]):
        unit = grid.homes[cell, kind]
        if grid.dirty[unit] == 0:
            grid.dirty[unit] = 1
            grid.waiting[pending] = unit
            pending += 1
    return pending


@inlined
def clean(grid, pending):
    """Forget the waiting units; what a propagation that fails must do."""
    for i in range(pending):
        grid.dirty[grid.waiting[i]] = 0
    return -1


@inlined
def begin(grid, masks):
    """Propagate a whole board: every known digit, and every unit. As `propagate`."""
    pending, queued = 0, 0
    for cell in range(masks.size):
        pending = soil(grid, cell, pending)
        if masks[cell] & (masks[cell] - ONE) == ZERO:
            if masks[cell] == 0:
                return clean(grid, pending)
            grid.queue[queued] = cell
            queued += 1
    return propagate(grid, masks, queued, pending)


@inlined
def place(grid, masks, cell, bit):
    """Write a digit in a cell, and propagate. As `propagate`."""
    masks[cell] = bit
    grid.queue[0] = cell
    return propagate(grid, masks, 1, soil(grid, cell, 0))


@inlined
def propagate(grid, masks, queued, pending):
    """Apply the two rules to `masks: uint32[N]` until they say no more.

    Begins with so many cells in `grid.queue` and units in `grid.waiting`. Returns how many digits are written, those
    in the queue included, or -1 for a contradiction.
    """
    head, digits = 0, grid.units.shape[1]
    every = (ONE << np.uint64(digits)) - ONE
    while True:
        while head < queued:
            cell = grid.queue[head]
            head += 1
            bit = np.uint64(masks[cell])
            for i in range(grid.peers.shape[1]):
                peer = grid.peers[cell, i]
                mask = np.uint64(masks[peer])
                if mask & bit != ZERO:
                    mask &= ~bit
                    if mask == ZERO:
                        return clean(grid, pending)
                    masks[peer] = mask
                    pending = soil(grid, peer, pending)
                    if mask & (mask - ONE) == ZERO:
                        grid.queue[queued] = peer
                        queued += 1
        if pending == 0:
            return queued
        pending -= 1
        unit = grid.waiting[pending]
        grid.dirty[unit] = 0
        once, twice, known = ZERO, ZERO, ZERO
        for i in range(digits):
            mask = np.uint64(masks[grid.units[unit, i]])
            twice |= once & mask
            once |= mask
            if mask & (mask - ONE) == ZERO:
                known |= mask
        if once != every:
            return clean(grid, pending)
        alone = once & ~twice & ~known
        if alone == ZERO:
            continue
        for i in range(digits):
            cell = grid.units[unit, i]
            bit = np.uint64(masks[cell]) & alone
            if bit != ZERO:
                if bit & (bit - ONE) != ZERO:
                    return clean(grid, pending)
                masks[cell] = bit
                grid.queue[queued] = cell
                queued += 1
                pending = soil(grid, cell, pending)


@compiled
def settle(grid, masks):
    """`begin`, for a caller that is not compiled."""
    return begin(grid, masks)
