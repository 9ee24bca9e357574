"""What tests of dust share: random boards, boards half played, and true optima by a search that knows no kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from puzzlelab.puzzles.dust.rules import Dust

Columns = tuple[tuple[int, ...], ...]
"""The columns of a board from the left, each from the bottom to its top."""


def random_board(puzzle: Dust, seed: int, played: int = 0) -> np.ndarray:
    """A board with every cell of any colour, after so many random clicks (fewer where it is empty before that)."""
    random = np.random.default_rng((seed, puzzle.cells, puzzle.colours))
    state = random.integers(1, puzzle.colours + 1, puzzle.cells).astype(np.uint8)
    for _ in range(played):
        moves = np.flatnonzero(puzzle.legal(state))
        if moves.size == 0:
            break
        state = puzzle.apply(state, int(random.choice(moves)))
    return state


def clusters(columns: Columns) -> list[set[tuple[int, int]]]:
    """The clusters of a board, found by merging sets of cells; shares nothing with the package."""
    found: list[set[tuple[int, int]]] = []
    for x, column in enumerate(columns):
        for y, colour in enumerate(column):
            joined = {(x, y)}
            beside = {(x - 1, y)} if x and y < len(columns[x - 1]) and columns[x - 1][y] == colour else set()
            below = {(x, y - 1)} if y and column[y - 1] == colour else set()
            for cluster in [cluster for cluster in found if cluster & (beside | below)]:
                found.remove(cluster)
                joined |= cluster
            found.append(joined)
    return found


def without(columns: Columns, cluster: set[tuple[int, int]]) -> Columns:
    """The board after a click. Its columns need no closing row by row, only an order: heights rise to the line."""
    fallen = [[colour for y, colour in enumerate(column) if (x, y) not in cluster] for x, column in enumerate(columns)]
    line, height = len(columns) // 2, max(map(len, columns))
    halves = [fallen[:line][::-1], fallen[line:]]
    closed = []
    for half in halves:
        rows = [[column[y] for column in half if y < len(column)] for y in range(height)]
        closed.append([tuple(row[x] for row in rows if x < len(row)) for x in range(len(half))])
    return (*closed[0][::-1], *closed[1])


@cache
def least(columns: Columns) -> int:
    """The fewest clicks that clear a board, by trying everything; what was tried is remembered."""
    if not any(columns):
        return 0
    return 1 + min(least(renamed(without(columns, cluster))) for cluster in clusters(columns))


def renamed(columns: Columns) -> Columns:
    """The board with its colours numbered in the order in which they come."""
    names: dict[int, int] = {}
    return tuple(tuple(names.setdefault(colour, len(names)) for colour in column) for column in columns)


def optimum(puzzle: Dust, state: np.ndarray) -> int:
    """The fewest clicks that clear this board: the truth, for boards of up to 16 cells or so."""
    rows = state.reshape(puzzle.width, puzzle.height).tolist()
    return least(renamed(tuple(tuple(colour for colour in column if colour) for column in rows)))


class Plainly(NamedTuple):
    """What tests call."""

    board: Callable[..., np.ndarray]
    optimum: Callable[[Dust, np.ndarray], int]


@pytest.fixture(scope="session")
def plainly() -> Plainly:
    return Plainly(random_board, optimum)
