"""Constraint propagation over bit masks, shared by the solvers that need the view `Candidates`.

Two rules remove candidates: a digit in a cell is no candidate of its peers, and a digit with one possible cell in a
unit is placed there.
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
    """The units as arrays, and scratch arrays for `propagate`."""

    units: NDArray[np.int32]
    """[U, D]: the cells of each unit."""
    cell_units: NDArray[np.int32]
    """[N, K]: the units of each cell, one of each kind."""
    peers: NDArray[np.int32]
    """[N, P]."""
    queue: NDArray[np.int32]
    """[N]: queue of cells whose digit is placed."""
    dirty: NDArray[np.uint8]
    """[U]: whether a cell of the unit has lost candidates since the unit was checked."""
    dirty_units: NDArray[np.int32]
    """[U]: the dirty units."""


@lru_cache(maxsize=16)
def units_of_cells(units: Units) -> NDArray[np.int32]:
    """`int32[N, K]`: the units of each cell, as rows of `units.all`."""
    count, digits = units.all.shape
    cell_units = np.zeros((digits * digits, len(units.kinds)), np.int32)
    for unit in range(count):
        cell_units[units.all[unit], unit // digits] = unit
    return cell_units


def grid_of(units: Units) -> Grid:
    """The units with new scratch arrays."""
    count, cells = len(units.all), units.peers.shape[0]
    return Grid(
        units.all,
        units_of_cells(units),
        units.peers,
        np.zeros(cells, np.int32),
        np.zeros(count, np.uint8),
        np.zeros(count, np.int32),
    )


def view(instance: Instance) -> Candidates:
    """The view `Candidates` of the puzzle, which these solvers need."""
    candidates = instance.puzzle.view(Candidates)
    assert candidates is not None
    return candidates


def masks_of(instance: Instance) -> NDArray[np.uint32]:
    """`uint32[N]`: bit d is set for the digit d of a cell, or for the candidate d of a blank cell."""
    puzzle, state = view(instance), instance.state
    digits, candidates = puzzle.digits(state), puzzle.candidates(state)
    bits = np.uint32(1) << np.arange(candidates.shape[1], dtype=np.uint32)
    masks: NDArray[np.uint32] = (candidates * bits).sum(axis=1, dtype=np.uint32)
    masks[digits >= 0] = bits[digits[digits >= 0]]
    return masks


def writer(instance: Instance) -> Callable[[NDArray[np.signedinteger]], tuple[int, ...]]:
    """A function from the digits `[N]` of a solution to the moves that fill the blank cells, in increasing order."""
    puzzle = view(instance)
    blanks = np.flatnonzero(puzzle.digits(instance.state) < 0)
    lowest = blanks * puzzle.units.all.shape[1]
    return lambda digits: tuple((lowest + digits[blanks]).tolist())


def digits_of(masks: NDArray[np.uint32]) -> NDArray[np.int64]:
    """`int64[N]`: the digit of each mask with one bit, -1 for the others."""
    single = (masks & (masks - np.uint32(1))) == 0
    return np.where(single, np.round(np.log2(np.maximum(masks, 1))), -1).astype(np.int64)


def propagated(instance: Instance) -> NDArray[np.uint32] | None:
    """`masks_of` after propagation; None for a contradiction, which proves that there is no solution."""
    masks = masks_of(instance)
    return None if propagate_all(grid_of(view(instance).units), masks) < 0 else masks


@inlined
def mark_units(grid, cell, pending):
    """Mark the units of a cell as dirty; returns the number of dirty units."""
    for kind in range(grid.cell_units.shape[1]):
        unit = grid.cell_units[cell, kind]
        if grid.dirty[unit] == 0:
            grid.dirty[unit] = 1
            grid.dirty_units[pending] = unit
            pending += 1
    return pending


@inlined
def reset_queue(grid, pending):
    """Reset the dirty units after a contradiction; returns -1."""
    for i in range(pending):
        grid.dirty[grid.dirty_units[i]] = 0
    return -1


@inlined
def propagate_board(grid, masks):
    """Propagate all digits and units of a board; returns as `propagate`."""
    pending, queued = 0, 0
    for cell in range(masks.size):
        pending = mark_units(grid, cell, pending)
        if masks[cell] & (masks[cell] - ONE) == ZERO:
            if masks[cell] == 0:
                return reset_queue(grid, pending)
            grid.queue[queued] = cell
            queued += 1
    return propagate(grid, masks, queued, pending)


@inlined
def place_digit(grid, masks, cell, bit):
    """Place a digit in a cell and propagate; returns as `propagate`."""
    masks[cell] = bit
    grid.queue[0] = cell
    return propagate(grid, masks, 1, mark_units(grid, cell, 0))


@inlined
def propagate(grid, masks, queued, pending):
    """Apply the two rules to `masks: uint32[N]` until nothing changes.

    Starts with `queued` cells in `grid.queue` and `pending` units in `grid.dirty_units`. Returns the number of placed
    digits, including those queued at the start, or -1 for a contradiction.
    """
    head, digits = 0, grid.units.shape[1]
    all_digits = (ONE << np.uint64(digits)) - ONE
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
                        return reset_queue(grid, pending)
                    masks[peer] = mask
                    pending = mark_units(grid, peer, pending)
                    if mask & (mask - ONE) == ZERO:
                        grid.queue[queued] = peer
                        queued += 1
        if pending == 0:
            return queued
        pending -= 1
        unit = grid.dirty_units[pending]
        grid.dirty[unit] = 0
        once, twice, placed = ZERO, ZERO, ZERO
        for i in range(digits):
            mask = np.uint64(masks[grid.units[unit, i]])
            twice |= once & mask
            once |= mask
            if mask & (mask - ONE) == ZERO:
                placed |= mask
        if once != all_digits:
            return reset_queue(grid, pending)
        hidden_singles = once & ~twice & ~placed
        if hidden_singles == ZERO:
            continue
        for i in range(digits):
            cell = grid.units[unit, i]
            bit = np.uint64(masks[cell]) & hidden_singles
            if bit != ZERO:
                if bit & (bit - ONE) != ZERO:
                    return reset_queue(grid, pending)
                masks[cell] = bit
                grid.queue[queued] = cell
                queued += 1
                pending = mark_units(grid, cell, pending)


@compiled
def propagate_all(grid, masks):
    """`propagate_board`, for callers that are not compiled."""
    return propagate_board(grid, masks)
