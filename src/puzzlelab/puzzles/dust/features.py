"""Dust boards for networks, with what the rules say about them: clusters, and what every click joins.

From the cells alone a network needs many boards to learn which clusters a click joins.

Shapes: B = boards, W = columns, H = rows, N = W * H cells, C = colours, P = pairs of cells, F = N + P + 4 N.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust

SIZE_SCALE, NEXT_SCALE = 1 / 4, 1 / 2
"""Factors of a cluster's size, and of what the next click joins, which make them about as large as other inputs."""
NOTHING = -1000
"""Less than any click joins: of a board without clusters."""


def shape(puzzle: Dust) -> tuple[int, int]:
    """Return (C, F)."""
    return puzzle.colours, 5 * puzzle.cells + pairs(puzzle.width, puzzle.height)[0].size


def of(puzzle: Dust, states: Board) -> NDArray[np.float32]:
    """Return `float32[B, C, F]` from `states[B, N]`.

    For each colour these are a 1 in its cells, a 1 for each pair of its cells that may come to touch, and for each of
    its clusters four numbers at its first cell: a 1, the size, how many clusters its click joins, and how many the best
    click after it joins.
    """
    colours = np.arange(1, puzzle.colours + 1, dtype=np.uint8)
    own = states[:, None, :] == colours[:, None]
    first, second = pairs(puzzle.width, puzzle.height)
    sizes, joined, joined_next = _clicks(puzzle, states)
    numbers = (sizes > 0, sizes * SIZE_SCALE, joined, joined_next * NEXT_SCALE)
    parts = [own, own[..., first] & own[..., second], *(own * number[:, None, :] for number in numbers)]
    return np.concatenate(parts, axis=2, dtype=np.float32)


def _clicks(puzzle: Dust, states: Board) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int16]]:
    """Return sizes, clusters that a click joins, and clusters that the best click after it joins: each `int16[B, N]`.

    The kernels are imported here, so that planes alone need no compiler.
    """
    from puzzlelab.puzzles.dust.features_kernels import click_all
    from puzzlelab.puzzles.dust.kernels import rules

    chosen = rules(puzzle)
    working = np.ascontiguousarray(chosen.encode(states))
    children = np.empty((*states.shape, chosen.size), np.uint64)
    sizes, joined, joined_next = (np.zeros(states.shape, np.int16) for _ in range(3))
    click_all(chosen.tables, working, children, True, sizes, joined)
    after = children[sizes > 0]
    sizes_after, joined_after = (np.zeros((len(after), puzzle.cells), np.int16) for _ in range(2))
    click_all(chosen.tables, after, np.empty((1, 1, chosen.size), np.uint64), False, sizes_after, joined_after)
    best = joined_after.max(axis=1, initial=NOTHING, where=sizes_after > 0)
    joined_next[sizes > 0] = np.where(best > NOTHING, best, 0)
    return sizes, joined, joined_next


@cache
def pairs(width: int, height: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all P pairs of cells in the same or in neighbouring columns: those that falls alone may bring together."""
    columns = np.arange(width * height) // height
    first, second = np.triu_indices(width * height, 1)
    near = columns[second] - columns[first] <= 1
    return first[near], second[near]
