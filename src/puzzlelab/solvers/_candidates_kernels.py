# mypy: allow-untyped-defs
"""The kernels of constraint propagation over bit masks; the rules and shapes as in `_candidates`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled, inlined

ZERO, ONE = np.uint64(0), np.uint64(1)


class Grid(NamedTuple):
    """The units as arrays, and scratch arrays for `propagate`."""

    units: NDArray[np.int32]
    """[U, D]: the cells of each unit."""
    cell_units: NDArray[np.int32]
    """[N, K]: the units of each cell; a cell in fewer repeats its last one."""
    peers: NDArray[np.int32]
    """[N, P]."""
    queue: NDArray[np.int32]
    """[N]: queue of cells whose digit is placed."""
    dirty: NDArray[np.uint8]
    """[U]: whether a cell of the unit has lost candidates since the unit was checked."""
    dirty_units: NDArray[np.int32]
    """[U]: the dirty units."""


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
    # All levels of a search share these scratch arrays, and the next guess must find them clean.
    for i in range(pending):
        grid.dirty[grid.dirty_units[i]] = 0
    return -1


@inlined
def propagate_board(grid, masks):
    """Propagate all digits and units of a board; returns as `propagate`."""
    # At first every unit is dirty, and rule 1 holds for every cell with a single candidate.
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
    # A guess is propagated from its cell alone, since the rest of the board has settled.
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
        # Rule 1: a placed digit is no candidate of its peers; a peer with one candidate left is placed too.
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
        # Rule 2: in a unit that has lost candidates, a digit with one possible cell is placed there.
        pending -= 1
        unit = grid.dirty_units[pending]
        grid.dirty[unit] = 0
        # For all digits at once, a bit each: whether it has a cell in the unit, two cells, or a cell of its own.
        once, twice, placed = ZERO, ZERO, ZERO
        for i in range(digits):
            mask = np.uint64(masks[grid.units[unit, i]])
            twice |= once & mask
            once |= mask
            if mask & (mask - ONE) == ZERO:
                placed |= mask
        # A digit without any cell is a contradiction.
        if once != all_digits:
            return reset_queue(grid, pending)
        hidden_singles = once & ~twice & ~placed
        if hidden_singles == ZERO:
            continue
        for i in range(digits):
            cell = grid.units[unit, i]
            bit = np.uint64(masks[cell]) & hidden_singles
            if bit != ZERO:
                # Two digits have this cell as their only place: a contradiction.
                if bit & (bit - ONE) != ZERO:
                    return reset_queue(grid, pending)
                masks[cell] = bit
                grid.queue[queued] = cell
                queued += 1
                pending = mark_units(grid, cell, pending)


@compiled
def propagate_all(grid, masks):
    """Call `propagate_board` for callers that are not compiled."""
    return propagate_board(grid, masks)
