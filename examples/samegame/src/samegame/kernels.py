# mypy: allow-untyped-defs
"""The compiled rules of SameGame, on bitboards: the colour of a cell is a number whose bits stand in as many planes.

A working state is `uint64[P * K]`: P planes of K words. Bit b of a plane is cell b, so that the cell above is the next
bit, and the cell to the right is H bits on. Falling squeezes the holes out of every column, all at once: Steele's
compress operation, in Warren, "Hacker's Delight" (2nd edition, 2012), section 7-4.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab import KernelRules
from puzzlelab.engine import kernels as names
from puzzlelab.engine.compiler import load, lowest, ones, store
from puzzlelab.engine.kernels import implements, inlined
from samegame.rules import ALL_CLEARED

if TYPE_CHECKING:
    from samegame.rules import Board, SameGame

NONE, ONE, CELLS, BELOW, BOTTOM = range(5)
"""The masks with no bit, with the lowest bit alone, with all cells, all cells but those of the top row, and the cells
of the bottom row."""
ABOVE = 5
"""Four masks: the cells that have at least 1, 2, 4, 8 cells below them in their column."""
LEFT = 9
"""W masks: the cells to the left of each column."""


class SameGameTables(NamedTuple):
    """What the rules need of one size of the board."""

    masks: NDArray[np.uint64]
    """[(LEFT + W) * K]."""
    height: np.uint64
    squeezes: np.uint64
    """How often a column is squeezed: 2 ** squeezes is at least its height."""
    colours: np.int64
    like: tuple[int, ...]
    """As long as a plane has words."""


@cache
def tables(width: int, height: int, colours: int) -> SameGameTables:
    """The tables of a size."""
    words = next(words for words in (1, 2, 4) if width * height <= 64 * words)
    x, y = np.divmod(np.arange(width * height), height)
    chosen = [x < 0, x + y == 0, x >= 0, y < height - 1, y == 0, *(y >= 2**step for step in range(4))]
    chosen += [x < column for column in range(width)]
    bits = np.zeros((len(chosen), 64 * words), bool)
    bits[:, : width * height] = chosen
    masks = np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)
    squeezes = np.uint64((height - 1).bit_length())
    return SameGameTables(masks.reshape(-1), np.uint64(height), squeezes, np.int64(colours), (0,) * words)


@cache
def rules(puzzle: SameGame) -> KernelRules:
    """The compiled rules, and the working form of the states."""
    chosen = tables(puzzle.width, puzzle.height, puzzle.colours)
    words, planes = len(chosen.like), puzzle.colours.bit_length()

    def encode(states: Board) -> NDArray[np.uint64]:
        bits = np.zeros((len(states), planes, 64 * words), bool)
        for p in range(planes):
            bits[:, p, : puzzle.cells] = (states >> p) & 1
        packed = np.packbits(bits, axis=2, bitorder="little").view("<u8").astype(np.uint64)
        return np.ascontiguousarray(packed.reshape(len(states), planes * words))

    def decode(states: NDArray[np.uint64]) -> Board:
        in_bytes = np.ascontiguousarray(states, "<u8").view(np.uint8).reshape(len(states), planes, 8 * words)
        bits = np.unpackbits(in_bytes, axis=2, bitorder="little")[:, :, : puzzle.cells]
        weights = (1 << np.arange(planes, dtype=np.uint8))[:, None]
        boards: Board = (bits * weights).sum(axis=1, dtype=np.uint8)
        return boards

    return KernelRules(chosen, planes * words, np.uint64, planes * words, encode, decode)


# --- planes ---


@inlined
def mask(tables, which):
    """One of the masks, in a register."""
    return load(tables.masks, np.int64(which * len(tables.like)), tables.like)


@inlined
def plane(tables, state, p):
    """Plane `p` of a state."""
    return load(state, np.int64(p * len(tables.like)), tables.like)


@inlined
def count_planes(tables, state):
    """P."""
    return np.int64(state.size // len(tables.like))


@inlined
def occupied(tables, state):
    """The cells in which something lies."""
    cells = plane(tables, state, 0)
    for p in range(1, count_planes(tables, state)):
        cells = cells | plane(tables, state, p)
    return cells


@inlined
def of_colour(tables, state, colour):
    """The cells of this colour."""
    cells = mask(tables, CELLS)
    for p in range(count_planes(tables, state)):
        here = plane(tables, state, p)
        if (colour >> p) & 1 == 0:
            here = ~here
        cells = cells & here
    return cells


@inlined
def count_colour(tables, state, colour):
    """How many cells have this colour."""
    return np.int64(ones(of_colour(tables, state, colour)))


@inlined
def equal_pairs(tables, state):
    """The cells that are equal to the one above them, and those that are equal to the one to their right."""
    upper, right = mask(tables, NONE), mask(tables, NONE)
    for p in range(count_planes(tables, state)):
        here = plane(tables, state, p)
        upper = upper | (here ^ (here >> np.uint64(1)))
        right = right | (here ^ (here >> tables.height))
    cells = occupied(tables, state)
    return cells & ~upper & mask(tables, BELOW), cells & ~right


@inlined
def group_at(tables, upper, right, bit):
    """The cells of the group at this bit, by the equal pairs."""
    cells, one = mask(tables, ONE) << bit, np.uint64(1)
    while True:
        grown = cells | ((cells & upper) << one) | ((cells >> one) & upper)
        grown = grown | ((grown & right) << tables.height) | ((grown >> tables.height) & right)
        if grown == cells:
            return cells
        cells = grown


@inlined
def in_groups(tables, upper, right):
    """The cells of groups of at least two."""
    return upper | (upper << np.uint64(1)) | right | (right << tables.height)


# --- rules ---


@implements(names.legal, SameGameTables)
def legal(tables, state, moves):
    upper, right = equal_pairs(tables, state)
    remaining, count = in_groups(tables, upper, right), np.int64(0)
    while remaining != mask(tables, NONE):
        bit = lowest(remaining)
        remaining = remaining & ~group_at(tables, upper, right, bit)
        moves[count] = np.int32(bit)
        count += 1
    return count


@implements(names.apply, SameGameTables)
def apply(tables, state, move, child):
    upper, right = equal_pairs(tables, state)
    kept = occupied(tables, state) & ~group_at(tables, upper, right, np.uint64(move))
    for p in range(count_planes(tables, state)):
        store(plane(tables, state, p) & kept, child, np.int64(p * len(tables.like)))
    close_columns(tables, child, fall(tables, child, kept))


@inlined
def fall(tables, state, kept):
    """Let the cells `kept` fall, in place; returns where they lie then."""
    holes = (~kept << np.uint64(1)) & mask(tables, ABOVE)
    for step in range(tables.squeezes):
        # Cells with an odd number of holes below them fall by one; then pairs of holes count as one.
        odd = holes
        for reach in range(tables.squeezes):
            odd = odd ^ ((odd << (np.uint64(1) << np.uint64(reach))) & mask(tables, ABOVE + reach))
        falling, by = odd & kept, np.uint64(1) << np.uint64(step)
        if falling != mask(tables, NONE):
            for p in range(count_planes(tables, state)):
                here = plane(tables, state, p)
                part = here & falling
                store((here ^ part) | (part >> by), state, np.int64(p * len(tables.like)))
            kept = (kept ^ falling) | (falling >> by)
        holes = holes & ~odd
    return kept


@inlined
def close_columns(tables, state, cells):
    """Move columns left until no empty one has another to its right, in place; `cells` is where something lies."""
    while True:
        empty = mask(tables, BOTTOM) & ~cells
        if empty == mask(tables, NONE):
            return
        bit = lowest(empty)
        if cells >> bit == mask(tables, NONE):
            return
        left = mask(tables, LEFT + np.int64(bit // tables.height))
        for p in range(count_planes(tables, state)):
            here = plane(tables, state, p)
            store((here & left) | ((here >> tables.height) & ~left), state, np.int64(p * len(tables.like)))
        cells = (cells & left) | ((cells >> tables.height) & ~left)


@implements(names.solved, SameGameTables)
def solved(tables, state):
    upper, right = equal_pairs(tables, state)
    return upper | right == mask(tables, NONE)


@implements(names.move_cost, SameGameTables)
def move_cost(tables, state, move, child):
    removed = np.int64(ones(occupied(tables, state))) - np.int64(ones(occupied(tables, child)))
    cost = -((removed - 2) ** 2)
    if solved(tables, child):
        cost -= end_points(tables, child)
    return cost


@inlined
def end_points(tables, state):
    """What a board is worth at which the game is over."""
    if occupied(tables, state) == mask(tables, NONE):
        return np.int64(ALL_CLEARED)
    points = np.int64(0)
    for colour in range(1, tables.colours + 1):
        count = count_colour(tables, state, colour)
        if count > 0:
            points -= (count - 2) ** 2
    return points


@implements(names.pack, SameGameTables)
def pack(tables, state, words):
    names.copy(state, words)


@implements(names.unpack, SameGameTables)
def unpack(tables, words, state):
    names.copy(words, state)
