"""The learned estimate: Manhattan distance, and what each two tiles in near cells and each trio add to the moves.

It generalises linear conflicts (Hansson, Mayer and Yung, 1992): there two tiles of a line that are in the wrong order
add two moves. Here every two tiles have a weight wherever they lie near each other, and each trio, three tiles whose
goal cells are neighbours, has one for where they lie, as in a pattern database (Culberson and Schaeffer, 1998). All
weights are learned together, from the layers of beam searches that the weights before have guided
(`benchmarks/learn_pairs.py`). It is no lower bound.

The squares in `LEARNED` have weights of their own. All other boards have those that look alike anywhere on any board.

Shapes: N cells, P near pairs of cells, E near cells of a cell, W weights of pairs, G trios, T trios of a piece.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Estimate
from puzzlelab.puzzles.tiles.estimate_kernels import grid_distance
from puzzlelab.puzzles.tiles.kernels import rules
from puzzlelab.puzzles.tiles.pairs_kernels import UNITS, PairTables, evaluate
from puzzlelab.runtime.memory import require_memory

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles

LEARNED = (5, 6, 7, 8)
"""The sides of the squares that have weights of their own."""
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


def near_cells(rows: int, columns: int) -> list[tuple[int, int]]:
    """Return the near pairs of cells: of one line, and diagonal neighbours."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    down, right = np.abs(row[:, None] - row), np.abs(column[:, None] - column)
    is_near = (down == 0) | (right == 0) | ((down == 1) & (right == 1))
    return [(a, b) for a, b in itertools.combinations(range(rows * columns), 2) if is_near[a, b]]


@cache
def near_pairs(side: int) -> NearPairs:
    """Return the near pairs of a square, with a weight of their own for each two pieces."""
    cells, pairs = side * side, near_cells(side, side)
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
def trios(rows: int, columns: int) -> Trios:
    """Return the trios of a board.

    The place tells how far each tile is from its goal cell, along the axis from the middle one to the first neighbour,
    and along the other one, up to `TRIO_CLIP` steps; it does not tell where on the board that is.
    """
    cells = rows * columns
    at = np.stack(np.divmod(np.arange(cells), columns), axis=1)
    steps = [np.array(step) for step in ((0, 1), (0, -1), (1, 0), (-1, 0))]
    pieces, codes = [], []
    for middle in range(cells - 1):
        for one, other in itertools.combinations(steps, 2):
            goals = at[middle] + [(0, 0), one, other]
            trio = goals @ (columns, 1)
            if goals.min() < 0 or (goals >= (rows, columns)).any() or cells - 1 in trio:
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


def own_blocks(side: int, weights: NDArray[np.int16]) -> Iterator[NDArray[np.int16]]:
    """Yield `int16[N, N]` for each near pair of a square: the weights of two pieces there, of own ones `[W]`."""
    for place in near_pairs(side).place:
        yield weights[place].reshape(side**2, side**2)


def alike_blocks(rows: int, columns: int, weights: NDArray[np.int16]) -> Iterator[NDArray[np.int16]]:
    """Yield `int16[N, N]` for each near pair of a board: the weights of two tiles there, of those that look alike.

    `weights[down, right, p, q]`: of the steps from the first cell to the second one, and the steps of both tiles to
    their goal cells (`displacements`). 0 has a pair with the blank, or of a tile twice.
    """
    lines, codes = np.divmod(np.arange(rows * columns), columns), displacements(rows, columns)
    for a, b in near_cells(rows, columns):
        down, right = (int(np.clip(line[b] - line[a], -CLIP, CLIP)) + CLIP for line in lines)
        block = weights[down, right][codes[a][:, None], codes[b]]
        np.fill_diagonal(block, 0)
        block[-1] = block[:, -1] = 0
        yield block


def displacements(rows: int, columns: int) -> NDArray[np.int64]:
    """Return `int64[N, N]`: the steps from cell c to the goal cell of piece p, as one number, at [c, p]."""
    down, right = (
        np.clip(line - line[:, None], -CLIP, CLIP) + CLIP for line in np.divmod(np.arange(rows * columns), columns)
    )
    numbers: NDArray[np.int64] = down * (2 * CLIP + 1) + right
    return numbers


def alike_weights(side: int, weights: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return the weights for `alike_blocks`: means of the own ones `[W]` of all pairs of a square that look alike."""
    span = 2 * CLIP + 1
    lines, codes, number = np.divmod(np.arange(side**2), side), displacements(side, side), alike_pairs(side)[0]
    means = np.bincount(number.reshape(-1), weights[near_pairs(side).place].reshape(-1)) / np.bincount(
        number.reshape(-1)
    )
    means[0] = 0
    found = np.zeros((span, span, span**2, span**2), np.int16)
    for (a, b), numbers in zip(near_cells(side, side), number.reshape(-1, side**2, side**2), strict=True):
        down, right = (int(np.clip(line[b] - line[a], -CLIP, CLIP)) for line in lines)
        p, q = np.nonzero(numbers)
        values = np.round(means[numbers[p, q]])
        found[down + CLIP, right + CLIP, codes[a][p], codes[b][q]] = values
        found[CLIP - down, CLIP - right, codes[b][q], codes[a][p]] = values
    return found


def pair_tables(
    puzzle: Tiles, blocks: Iterable[NDArray[np.int16]], trio_weights: NDArray[np.int16], offset: int
) -> PairTables:
    """Return the tables of the weights of each near pair, and of trios that look alike, in `UNITS` to a move.

    Raises `NoRoom` where memory is short: those of 12x12 have 155 MB.
    """
    cells, pairs = puzzle.cells, near_cells(puzzle.rows, puzzle.columns)
    width = int(np.bincount(np.reshape(pairs, -1)).max())
    require_memory(f"the estimate 'pairs' of {puzzle.name}", 2 * width * cells**3)
    near = np.repeat(np.arange(cells, dtype=np.int32)[:, None], width, axis=1)
    table, filled = np.zeros((cells, width, cells, cells), np.int16), [0] * cells
    for (a, b), block in zip(pairs, blocks, strict=True):
        table[a, filled[a]], table[b, filled[b]] = block, block.T
        near[a, filled[a]], near[b, filled[b]] = b, a
        filled[a], filled[b] = filled[a] + 1, filled[b] + 1
    geometry = rules(puzzle).tables
    steps = geometry.steps.reshape(cells, 4).astype(np.int64)
    facing = np.argmax(near[:, None] == steps[:, :, None], axis=2) + width * np.arange(cells)[:, None]
    alone = grid_distance(puzzle.rows, puzzle.columns) * UNITS
    alone[-1] = 0
    counts, partners, codes = _trios_of_pieces(puzzle.rows, puzzle.columns)
    return PairTables(
        geometry=geometry,
        alone=alone.reshape(-1).astype(np.int16),
        weights=table.reshape(-1),
        near=near,
        facing=facing.reshape(-1),
        counts=counts,
        most=np.uint64(counts.max()),
        partners=partners.reshape(-1),
        codes=codes.reshape(-1),
        trios=trio_weights[alike_trios()],
        offset=np.int64(offset),
    )


def _trios_of_pieces(rows: int, columns: int) -> tuple[NDArray[np.int64], NDArray[np.uint8], NDArray[np.int16]]:
    """Return (counts `[N]`, partners `[N, T, 2]`, codes `[N, T, 3, N]`) of the trios that each piece belongs to."""
    cells, found = rows * columns, trios(rows, columns)
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
    has_own = puzzle.rows == puzzle.columns in LEARNED
    name = f"pairs-{puzzle.rows}x{puzzle.rows}.npz" if has_own else "pairs.npz"
    with np.load(Path(__file__).with_name(name)) as stored:
        weights, trio_weights = stored["weights"], stored["trio_weights"]
        if has_own:
            return pair_tables(puzzle, own_blocks(puzzle.rows, weights), trio_weights, int(stored["offset"]))
    tables = pair_tables(puzzle, alike_blocks(puzzle.rows, puzzle.columns, weights), trio_weights, 0)
    goal = np.append(np.arange(puzzle.cells, dtype=np.uint8), np.uint8(puzzle.cells - 1))
    units = UNITS * evaluate(tables, goal, np.zeros(puzzle.cells, np.int64))
    return tables._replace(offset=-np.int64(units))


def estimate_of(puzzle: Tiles, name: str) -> Estimate:
    """Return the estimate; its weights are read when the search begins."""
    return Estimate(name, admissible=False, kernel=lambda: _tables(puzzle), memo=puzzle.cells)
