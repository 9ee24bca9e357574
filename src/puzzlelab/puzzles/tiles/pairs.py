"""The learned estimate: Manhattan distance, and what each two tiles in near cells and each trio add to the moves.

It generalises linear conflicts (Hansson, Mayer and Yung, 1992): there two tiles of a line that are in the wrong order
add two moves. Here every two tiles have a weight wherever they lie near each other, and each trio, three tiles whose
goal cells are neighbours, has one for where they lie, as in a pattern database (Culberson and Schaeffer, 1998). All
weights are learned together, from the layers of beam searches that the weights before have guided
(`benchmarks/learn_pairs.py`). It is no lower bound.

Shapes: N cells, P near pairs of cells, W weights of pairs, G trios, T trios of a piece.
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
"""The most steps that are told apart between the cells of pairs that look alike."""
TRIO_CLIP = 2
"""The most steps along each axis that are told apart between the tiles of a trio and their goal cells."""
DISPLACEMENTS = (2 * TRIO_CLIP + 1) ** 2
PLACES = 2 * DISPLACEMENTS**3
"""Of a trio: for a corner and for a line of three, and each displacement of its tiles."""


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


class Trios(NamedTuple):
    """Each three tiles whose goal cells are a corner or a line of three neighbours."""

    pieces: NDArray[np.uint8]
    """[G, 3]: the tile in the middle, and two neighbours of it."""
    codes: NDArray[np.int16]
    """[G, 3, N]: what the cells of the three add to the place, below `PLACES`, at which their weight stands."""


@cache
def trios(side: int) -> Trios:
    """Return the trios of a square.

    The place tells how far each tile is from its goal cell, along the axis from the middle one to the first neighbour,
    and along the other one, up to `TRIO_CLIP` steps; it does not tell where on the board that is.
    """
    cells = side * side
    at = np.stack(np.divmod(np.arange(cells), side), axis=1)
    steps = [np.array(step) for step in ((0, 1), (0, -1), (1, 0), (-1, 0))]
    pieces, codes = [], []
    for middle in range(cells - 1):
        for one, other in itertools.combinations(steps, 2):
            goals = at[middle] + [(0, 0), one, other]
            trio = goals @ (side, 1)
            if goals.min() < 0 or goals.max() >= side or cells - 1 in trio:
                continue
            is_line = not (one + other).any()
            axes = np.stack([one, one[::-1] if is_line else other], axis=1)
            steps_along = np.clip((at - goals[:, None]) @ axes, -TRIO_CLIP, TRIO_CLIP) + TRIO_CLIP
            place = steps_along @ (2 * TRIO_CLIP + 1, 1) * np.array([[DISPLACEMENTS**2], [DISPLACEMENTS], [1]])
            place[0] += DISPLACEMENTS**3 * is_line
            pieces.append(trio)
            codes.append(place)
    return Trios(np.array(pieces, np.uint8), np.array(codes, np.int16))


@cache
def alike_trios() -> NDArray[np.int32]:
    """Return `int32[PLACES]`: numbers that all places of trios share that look alike, on boards of all sizes.

    A corner looks like its mirror image, in which the two neighbours change places; a line looks like its mirror
    images, across and along.
    """
    span = 2 * TRIO_CLIP
    shape = (2, *[span + 1] * 6)
    is_line, *steps = np.unravel_index(np.arange(PLACES), shape)
    along, across = np.array(steps[0::2]), np.array(steps[1::2])

    def place(along: NDArray[np.int64], across: NDArray[np.int64]) -> NDArray[np.int64]:
        each = np.stack([along, across], axis=1).reshape(6, PLACES)
        return np.ravel_multi_index((is_line, *each), shape)

    other = [0, 2, 1]
    corner = np.minimum(place(along, across), place(across[other], along[other]))
    lines = [place(x, y) for x, y in ((along, across), (span - along[other], across[other]))]
    lines += [place(x, span - y) for x, y in ((along, across), (span - along[other], across[other]))]
    _, number = np.unique(np.where(is_line, np.minimum.reduce(lines), corner), return_inverse=True)
    return number.astype(np.int32)


def pair_tables(puzzle: Tiles, weights: NDArray[np.int16], trio_weights: NDArray[np.int16], offset: int) -> PairTables:
    """Return the tables of these weights, of pairs `[W]` and of trios that look alike, in `UNITS` to a move."""
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
    counts, partners, codes = _trios_of_pieces(puzzle.rows)
    return PairTables(
        geometry=rules(puzzle).tables,
        alone=alone.reshape(-1).astype(np.int16),
        weights=table.reshape(cells * cells, cells * cells),
        near=np.array([row + [cell] * (width - len(row)) for cell, row in enumerate(near)], np.int32),
        counts=counts,
        most=np.uint64(counts.max()),
        partners=partners.reshape(-1),
        codes=codes.reshape(-1),
        trios=trio_weights[alike_trios()],
        offset=np.int64(offset),
    )


def _trios_of_pieces(side: int) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int16]]:
    """Return (counts `[N]`, partners `[N, T, 2]`, codes `[N, T, 3, N]`) of the trios that each piece belongs to."""
    cells, found = side * side, trios(side)
    own = [np.argwhere(found.pieces == piece) for piece in range(cells)]
    counts = np.array(list(map(len, own)))
    partners = np.zeros((cells, counts.max(), 2), np.uint8)
    codes = np.zeros((cells, counts.max(), 3, cells), np.int16)
    for piece, places in enumerate(own):
        for i, (number, j) in enumerate(places):
            order = [j, *(k for k in range(3) if k != j)]
            partners[piece, i] = found.pieces[number, order[1:]]
            codes[piece, i] = found.codes[number, order]
    return counts, partners, codes


@cache
def _tables(puzzle: Tiles) -> PairTables:
    with np.load(Path(__file__).with_name(f"pairs-{puzzle.rows}x{puzzle.rows}.npz")) as stored:
        return pair_tables(puzzle, stored["weights"], stored["trio_weights"], int(stored["offset"]))


def estimate_of(puzzle: Tiles, name: str) -> Estimate:
    """Return the estimate; its weights are read when the search begins."""
    return Estimate(name, admissible=False, kernel=lambda: _tables(puzzle), memo=puzzle.cells)
