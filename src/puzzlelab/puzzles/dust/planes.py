"""Dust boards for networks: a number for each colour in each cell, or a sheet for each colour; clusters for targets.

Shapes: B = boards, W = columns, H = rows, N = W * H cells, C = colours, E = W (H - 1) + (W - 1) H pairs of neighbours.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.kernels import compiled

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust


def one_hot(puzzle: Dust, states: Board) -> NDArray[np.float32]:
    """`float32[B, N * (C + 1)]` from `states[B, N]`: cell by cell, a 1 at its colour (0 for empty)."""
    colours = np.arange(puzzle.colours + 1, dtype=np.uint8)
    found: NDArray[np.bool_] = (states[..., None] == colours).reshape(*states.shape[:-1], puzzle.input_size)
    return found.astype(np.float32)


def symmetries(puzzle: Dust, states: Board) -> tuple[tuple[Board, NDArray[np.int64]], ...]:
    """The boards as they are and, where the halves are equally wide, in the mirror of the centre line."""
    same = (states, np.arange(puzzle.cells))
    if puzzle.width % 2:
        return (same,)
    mirrored = np.arange(puzzle.cells).reshape(puzzle.width, puzzle.height)[::-1].reshape(-1)
    return same, (states[..., mirrored], mirrored)


@cache
def neighbours(width: int, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The E pairs of neighbouring cells: those above each other, then those side by side."""
    cells = np.arange(width * height).reshape(width, height)
    first = np.concatenate([cells[:, :-1].ravel(), cells[:-1].ravel()])
    return first, np.concatenate([cells[:, 1:].ravel(), cells[1:].ravel()])


def sheets(puzzle: Dust, states: Board) -> NDArray[np.uint8]:
    """`uint8[B, C, N + E]`: for each colour a 1 in its cells, and for each pair of neighbours that both have it."""
    colours = np.arange(1, puzzle.colours + 1, dtype=np.uint8)
    cells = states[:, None, :] == colours[None, :, None]
    first, second = neighbours(puzzle.width, puzzle.height)
    pairs = cells[:, :, first] & cells[:, :, second]
    return np.concatenate([cells, pairs], axis=2).view(np.uint8)


def places(puzzle: Dust, states: Board) -> NDArray[np.int64]:
    """`int64[B, N]`: a cell is answered for on the sheet of its colour; an empty one, on the first."""
    colour = np.maximum(states, 1).astype(np.int64) - 1
    return colour * puzzle.cells + np.arange(puzzle.cells)


def exchanged(puzzle: Dust, states: Board, order: NDArray[np.int64]) -> tuple[Board, NDArray[np.int64]]:
    """The boards with colour c + 1 in the place of colour `order[c]` + 1; the cells to click stay the same."""
    names = np.zeros(puzzle.colours + 1, np.uint8)
    names[order + 1] = np.arange(1, puzzle.colours + 1)
    return names[states], np.arange(puzzle.cells)


def alike(puzzle: Dust, states: Board) -> NDArray[np.int64]:
    """`int64[B, N]`: the first cell of the cluster that each cell belongs to; -1 for an empty one."""
    found = np.empty(states.shape, np.int64)
    first, second = neighbours(puzzle.width, puzzle.height)
    label(np.ascontiguousarray(states), first, second, found)
    return found


@compiled
def label(states: Board, first: NDArray[np.int64], second: NDArray[np.int64], found: NDArray[np.int64]) -> None:
    """Give both cells of every pair of equal neighbours the lesser label of the two, until nothing changes."""
    for board in range(len(states)):
        for cell in range(states.shape[1]):
            found[board, cell] = cell if states[board, cell] else -1
        changed = True
        while changed:
            changed = False
            for pair in range(len(first)):
                a, b = first[pair], second[pair]
                if states[board, a] and states[board, a] == states[board, b] and found[board, a] != found[board, b]:
                    found[board, a] = found[board, b] = min(found[board, a], found[board, b])
                    changed = True
