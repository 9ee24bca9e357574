"""Constraint propagation over bit masks, shared by the solvers that need the view `Candidates`.

Two rules remove candidates: a digit in a cell is no candidate of its peers, and a digit with one possible cell in a
unit is placed there.
Source: Norvig, "Solving every Sudoku puzzle" (2006).

Shapes: N = cells, D = digits, U = units, K = the most units of a cell, P = the most peers of a cell.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.views import Candidates, Units
from puzzlelab.solvers._candidates_kernels import Grid, propagate_all


def grid_of(units: Units) -> Grid:
    """Return the units with new scratch arrays."""
    count, cells = len(units.all), units.peers.shape[0]
    return Grid(
        units.all,
        units.of_cells,
        units.peers,
        np.zeros(cells, np.int32),
        np.zeros(count, np.uint8),
        np.zeros(count, np.int32),
    )


def view(instance: Instance) -> Candidates:
    """Return the view `Candidates` of the puzzle, which these solvers need."""
    candidates = instance.puzzle.view(Candidates)
    assert candidates is not None
    return candidates


def masks_of(instance: Instance) -> NDArray[np.uint32]:
    """Return `uint32[N]`: bit d is set for the digit d of a cell, or for the candidate d of a blank cell."""
    puzzle, state = view(instance), instance.state
    digits, candidates = puzzle.digits(state), puzzle.candidates(state)
    bits = np.uint32(1) << np.arange(candidates.shape[1], dtype=np.uint32)
    masks: NDArray[np.uint32] = (candidates * bits).sum(axis=1, dtype=np.uint32)
    masks[digits >= 0] = bits[digits[digits >= 0]]
    return masks


def writer(instance: Instance) -> Callable[[NDArray[np.signedinteger]], tuple[int, ...]]:
    """Return a function from the digits `[N]` of a solution to the moves that fill the blank cells, increasing."""
    puzzle = view(instance)
    blanks = np.flatnonzero(puzzle.digits(instance.state) < 0)
    lowest = blanks * puzzle.units.all.shape[1]
    return lambda digits: tuple((lowest + digits[blanks]).tolist())


def digits_of(masks: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Return `int64[N]`: the digit of each mask with one bit, -1 for the others."""
    single = (masks & (masks - np.uint32(1))) == 0
    return np.where(single, np.round(np.log2(np.maximum(masks, 1))), -1).astype(np.int64)


def propagated(instance: Instance) -> NDArray[np.uint32] | None:
    """Return `masks_of` after propagation; None for a contradiction, which proves that there is no solution."""
    masks = masks_of(instance)
    return None if propagate_all(grid_of(view(instance).units), masks) < 0 else masks
