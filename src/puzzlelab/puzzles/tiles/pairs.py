"""The learned estimate: Manhattan distance, and for each two tiles in near cells what they add to the moves.

It generalises linear conflicts (Hansson, Mayer and Yung, 1992): there two tiles of a line that are in the wrong order
add two moves. Here every two tiles have a weight wherever they lie, and all weights are learned together from solutions
of a beam search, which the estimate of the round before has guided (`benchmarks/learn_pairs.py`). It is no lower bound.

Shapes: N cells, P near pairs of cells, W weights.
"""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Estimate
from puzzlelab.puzzles.tiles.estimate_kernels import grid_distance
from puzzlelab.puzzles.tiles.kernels import rules
from puzzlelab.puzzles.tiles.pairs_kernels import UNITS, PairTables

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles

CLIP = 3
"""The most steps that are told apart."""


class NearPairs(NamedTuple):
    """The pairs of near cells, and the number of the weight of each two tiles in them."""

    cells: NDArray[np.int64]
    """[P, 2]."""
    place: NDArray[np.int32]
    """[P, N N]: the weight of the pieces p and q in the two cells, at N p + q; 0, which stays 0, of a piece twice. A
    pair and its image in the mirror share their weights."""
    weights: int
    """W."""


@cache
def near_pairs(side: int) -> NearPairs:
    """Return the near pairs of a square: cells of one line, and diagonal neighbours."""
    cells = side * side
    row, column = np.divmod(np.arange(cells), side)
    down, right = np.abs(row[:, None] - row), np.abs(column[:, None] - column)
    is_near = (down == 0) | (right == 0) | ((down == 1) & (right == 1))
    pairs = [(a, b) for a, b in itertools.combinations(range(cells), 2) if is_near[a, b]]
    image = np.arange(cells).reshape(side, side).T.reshape(-1)
    tiles = np.arange(cells)
    first, second = np.meshgrid(tiles, tiles, indexing="ij")
    place, blocks = np.zeros((len(pairs), cells, cells), np.int32), dict[tuple[int, int], int]()
    for number, (a, b) in enumerate(pairs):
        c, d = image[[a, b]].tolist()
        p, q = image[first], image[second]
        if c > d:
            (c, d), (p, q) = (d, c), (q, p)
        block = blocks.setdefault(min((a, b), (c, d)), len(blocks))
        here, there = first * cells + second, p * cells + q
        inside = here if (a, b) < (c, d) else there if (c, d) < (a, b) else np.minimum(here, there)
        place[number] = np.where(first != second, 1 + block * cells * cells + inside, 0)
    return NearPairs(np.array(pairs), place.reshape(len(pairs), -1), 1 + len(blocks) * cells * cells)


@cache
def alike_pairs(side: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return (`int32[P, N N]`, codes): numbers that two tiles in two cells share with all that look like them; and the
    code of each number, which is the same on boards of all sizes.

    Alike are pairs of the same steps, from one cell to the other and from each tile to its goal cell: anywhere on the
    board, turned, in a mirror, or in the other order. More than `CLIP` steps count as so many. 0 has a pair with the
    blank, or of a tile twice.
    """
    pairs, cells = near_pairs(side), side * side
    row, column = np.divmod(np.arange(cells), side)
    first, second = pairs.cells.T[:, :, None, None]
    p, q = np.arange(cells)[:, None], np.arange(cells)
    steps = [  # along columns and along rows: from cell to cell, from p home, from q home
        [
            np.broadcast_to(line[end] - line[start], (len(first), cells, cells))
            for start, end in ((first, second), (first, p), (second, q))
        ]
        for line in (row, column)
    ]
    codes = []
    for swapped, turned, down, right in itertools.product((False, True), (False, True), (1, -1), (1, -1)):
        lines = [[-line[0], line[2], line[1]] if swapped else line for line in steps]
        lines = [[sign * step for step in line] for sign, line in zip((down, right), lines, strict=True)]
        code = np.zeros((len(first), cells, cells), np.int64)
        for step in itertools.chain(*(reversed(lines) if turned else lines)):
            code = code * 32 + np.clip(step, -CLIP, CLIP) + 16
        codes.append(code)
    has_tiles = (p != q) & (p < cells - 1) & (q < cells - 1)
    known, number = np.unique(np.where(has_tiles, np.minimum.reduce(codes), -1), return_inverse=True)
    return number.reshape(len(first), -1).astype(np.int32), known


def pair_tables(puzzle: Tiles, weights: NDArray[np.int16], offset: int) -> PairTables:
    """Return the tables of these weights `[W]`, in units of 1 / `UNITS` of a move."""
    pairs, cells = near_pairs(puzzle.rows), puzzle.cells
    table = np.zeros((cells, cells, cells, cells), np.int16)
    near: list[list[int]] = [[] for _ in range(cells)]
    for (a, b), place in zip(pairs.cells.tolist(), pairs.place.reshape(-1, cells, cells), strict=True):
        table[:, a, b, :] = weights[place]
        table[:, b, a, :] = weights[place].T
        near[a].append(b)
        near[b].append(a)
    width = max(map(len, near))
    alone = grid_distance(puzzle.rows, puzzle.columns) * UNITS
    alone[-1] = 0
    return PairTables(
        geometry=rules(puzzle).tables,
        alone=alone.reshape(-1).astype(np.int16),
        weights=table.reshape(cells * cells, cells * cells),
        near=np.array([row + [cell] * (width - len(row)) for cell, row in enumerate(near)], np.int32),
        offset=np.int64(offset),
    )


@cache
def _tables(puzzle: Tiles) -> PairTables:
    with np.load(Path(__file__).with_name(f"pairs-{puzzle.rows}x{puzzle.rows}.npz")) as stored:
        return pair_tables(puzzle, stored["weights"], int(stored["offset"]))


def estimate_of(puzzle: Tiles, name: str) -> Estimate:
    """Return the estimate; its weights are read when the search begins."""
    return Estimate(name, admissible=False, kernel=lambda: _tables(puzzle))
