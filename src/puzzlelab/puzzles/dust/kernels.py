# mypy: allow-untyped-defs
"""The compiled rules of dust, on bitboards: the colour of a cell is a number whose bits stand in as many planes.

A working state is `uint64[P * K]`: P planes of K words. In a plane each column has 8 bits (16 where there are more than
8 rows), the lowest cell in the lowest bit, the left column first, so that the order of the bits is that of the cells.
To fall, and to close up, is to squeeze the empty places out of every column, and out of every half of a row, all at
once; source of that: Steele's compress operation, in Warren, "Hacker's Delight" (2nd edition, 2012), section 7-4.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import KernelRules
from puzzlelab.engine import kernels as names
from puzzlelab.engine.compiler import load, lowest, store
from puzzlelab.engine.kernels import implements, inlined

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust

CELLS = 0
"""The mask of all cells of the board."""
ABOVE = 1
"""Masks 1 to 4: the cells that have 1, 2, 4, 8 cells or more below them in their column."""
INNER_LEFT, INNER_RIGHT = 5, 8
"""Three masks each: the cells of a half that have 1, 2, 4 columns or more of it between them and the line."""
NONE, ONE = 11, 12
"""The masks with no bit, and with the lowest bit alone."""
MASKS = 13


class DustTables(NamedTuple):
    """The tables that the rules need for one size of the board."""

    masks: NDArray[np.uint64]
    """[MASKS * K]."""
    cell: NDArray[np.int32]
    """[64 * K]: the cell of each bit; -1 for bits that are none."""
    bit: NDArray[np.uint64]
    """[N]: the bit of each cell."""
    stride: np.uint64
    """Bits of a column."""
    tall: np.uint64
    """The number of times that a column is squeezed: 2 ** tall is at least its height."""
    far: np.uint64
    """The number of times that half a row is squeezed."""
    like: tuple[int, ...]
    """A tuple whose length is K, the number of words of a plane."""


@cache
def rule_tables(left: int, right: int, height: int) -> DustTables:
    """Return the tables of a board with these numbers of columns on each side of the centre line."""
    width = left + right
    stride = 8 if height <= 8 else 16
    words = next(words for words in (1, 2, 4) if width * stride <= 64 * words)
    x, y = np.divmod(np.arange(width * height), height)
    bits = x * stride + y
    masks = np.zeros((MASKS, words), np.uint64)

    def fill(row: int, chosen: NDArray[np.bool_]) -> None:
        for bit in bits[chosen].tolist():
            masks[row, bit // 64] |= np.uint64(1 << bit % 64)

    fill(CELLS, x >= 0)
    for step in range(4):
        fill(ABOVE + step, y >= 2**step)
    for step in range(3):
        fill(INNER_LEFT + step, (x < left) & (x + 2**step < left))
        fill(INNER_RIGHT + step, (x >= left) & (x - 2**step >= left))
    masks[ONE, 0] = 1
    cell = np.full(64 * words, -1, np.int32)
    cell[bits] = np.arange(bits.size)
    return DustTables(
        masks.reshape(-1),
        cell,
        bits.astype(np.uint64),
        np.uint64(stride),
        np.uint64((height - 1).bit_length()),
        np.uint64(max(left - 1, right - 1, 0).bit_length()),
        (0,) * words,
    )


@inlined
def mask(tables, which):
    """Load one of the masks into a register."""
    return load(tables.masks, np.int64(which * len(tables.like)), tables.like)


@inlined
def plane(tables, state, p):
    """Load plane `p` of a state."""
    return load(state, np.int64(p * len(tables.like)), tables.like)


@inlined
def count_planes(tables, state):
    """Return P, the number of planes of a state."""
    return np.int64(state.size // len(tables.like))


@inlined
def occupied(tables, state):
    """Return the cells in which something lies."""
    cells = plane(tables, state, 0)
    for p in range(1, count_planes(tables, state)):
        cells = cells | plane(tables, state, p)
    return cells


@inlined
def coloured(tables, state, colour):
    """Return the cells of this colour."""
    found = mask(tables, CELLS)
    for p in range(count_planes(tables, state)):
        here = plane(tables, state, p)
        if (colour >> p) & 1 == 0:
            here = ~here
        found = found & here
    return found


@inlined
def count_colours(tables, state):
    """Return how many colours are left."""
    count, none = np.int64(0), mask(tables, NONE)
    for colour in range(1, 1 << count_planes(tables, state)):
        if coloured(tables, state, colour) != none:
            count += 1
    return count


@inlined
def same_colour(tables, state, bit):
    """Return the cells that have the colour of the one at this bit."""
    cells, one = mask(tables, CELLS), mask(tables, ONE) << bit
    none = mask(tables, NONE)
    for p in range(count_planes(tables, state)):
        here = plane(tables, state, p)
        if here & one == none:
            here = ~here
        cells = cells & here
    return cells


@inlined
def grow_clusters(tables, same, cells):
    """Return the clusters around the cells `cells`, among the cells of their colour."""
    above, stride, one = mask(tables, ABOVE), tables.stride, np.uint64(1)
    while True:
        grown = (cells | ((cells << one) & above) | ((cells & above) >> one)) & same
        grown = (grown | (grown << stride) | (grown >> stride)) & same
        if grown == cells:
            return cells
        cells = grown


@inlined
def flood(tables, same, bit):
    """Return the cluster at this bit, among the cells of its colour."""
    return grow_clusters(tables, same, mask(tables, ONE) << bit)


@inlined
def uneven(tables, holes):
    """Return the cells for which the number of `holes` among themselves and the cells below is odd."""
    odd = holes ^ ((holes << np.uint64(1)) & mask(tables, ABOVE))
    odd = odd ^ ((odd << np.uint64(2)) & mask(tables, ABOVE + 1))
    odd = odd ^ ((odd << np.uint64(4)) & mask(tables, ABOVE + 2))
    if tables.tall > 3:
        odd = odd ^ ((odd << np.uint64(8)) & mask(tables, ABOVE + 3))
    return odd


@inlined
def falls(tables, kept):
    """Return (where things lie in the end, the cells whose contents fall by 1, by 2 after that, by 4, by 8)."""
    none = mask(tables, NONE)
    holes = (~kept << np.uint64(1)) & mask(tables, ABOVE)
    # A cell falls by the number of holes below it, bit by bit: where that is odd it falls by 1. Then every second hole
    # is left, and what is odd now falls by 2; and so on, as in the compress operation.
    odd = uneven(tables, holes)
    one = odd & kept
    kept = (kept ^ one) | (one >> np.uint64(1))
    holes = holes & ~odd
    if holes == none:
        return kept, one, none, none, none
    odd = uneven(tables, holes)
    two = odd & kept
    kept = (kept ^ two) | (two >> np.uint64(2))
    holes = holes & ~odd
    odd = uneven(tables, holes)
    four = odd & kept
    kept = (kept ^ four) | (four >> np.uint64(4))
    eight = none
    if tables.tall > 3:
        eight = uneven(tables, holes & ~odd) & kept
        kept = (kept ^ eight) | (eight >> np.uint64(8))
    return kept, one, two, four, eight


@inlined
def uneven_right(tables, holes):
    """Return the cells of the left half with an odd number of `holes` among themselves and those to the right."""
    odd = holes ^ ((holes >> tables.stride) & mask(tables, INNER_LEFT))
    odd = odd ^ ((odd >> (tables.stride * np.uint64(2))) & mask(tables, INNER_LEFT + 1))
    if tables.far > 2:
        odd = odd ^ ((odd >> (tables.stride * np.uint64(4))) & mask(tables, INNER_LEFT + 2))
    return odd


@inlined
def uneven_left(tables, holes):
    """Return the cells of the right half with an odd number of `holes` among themselves and those to the left."""
    odd = holes ^ ((holes << tables.stride) & mask(tables, INNER_RIGHT))
    odd = odd ^ ((odd << (tables.stride * np.uint64(2))) & mask(tables, INNER_RIGHT + 1))
    if tables.far > 2:
        odd = odd ^ ((odd << (tables.stride * np.uint64(4))) & mask(tables, INNER_RIGHT + 2))
    return odd


@inlined
def closes(tables, kept):
    """Return the cells whose contents go right by 1, 2, 4 columns, and those whose contents go left by 1, 2, 4."""
    none, by = mask(tables, NONE), tables.stride
    holes, gaps = (~kept >> by) & mask(tables, INNER_LEFT), (~kept << by) & mask(tables, INNER_RIGHT)
    odd, odds = uneven_right(tables, holes), uneven_left(tables, gaps)
    right, left = odd & kept, odds & kept
    kept = (kept ^ right ^ left) | (right << by) | (left >> by)
    holes, gaps = holes & ~odd, gaps & ~odds
    odd, odds = uneven_right(tables, holes), uneven_left(tables, gaps)
    right2, left2 = odd & kept, odds & kept
    right4, left4 = none, none
    if tables.far > 2:
        by = tables.stride * np.uint64(2)
        kept = (kept ^ right2 ^ left2) | (right2 << by) | (left2 >> by)
        right4 = uneven_right(tables, holes & ~odd) & kept
        left4 = uneven_left(tables, gaps & ~odds) & kept
    return right, right2, right4, left, left2, left4


@inlined
def settle(tables, state, kept, child):
    """Write into `child` what becomes of `state` when only the contents of the cells `kept` stay."""
    fallen, one, two, four, eight = falls(tables, kept)
    none, by = mask(tables, NONE), tables.stride
    by2, by4 = by * np.uint64(2), by * np.uint64(4)
    # Rows close up only if some occupied cell has an empty one on its inner side, which is rarer than a fall.
    gaps = ((~fallen >> by) & mask(tables, INNER_LEFT)) | ((~fallen << by) & mask(tables, INNER_RIGHT))
    more, open = two | four | eight, gaps & fallen
    right, right2, right4, left, left2, left4 = none, none, none, none, none, none
    if open != none:
        right, right2, right4, left, left2, left4 = closes(tables, fallen)
    # Every plane is squeezed in the same way, first down and then towards the line.
    for p in range(count_planes(tables, state)):
        x = plane(tables, state, p) & kept
        t = x & one
        x = (x ^ t) | (t >> np.uint64(1))
        if more != none:
            t = x & two
            x = (x ^ t) | (t >> np.uint64(2))
            t = x & four
            x = (x ^ t) | (t >> np.uint64(4))
            if tables.tall > 3:
                t = x & eight
                x = (x ^ t) | (t >> np.uint64(8))
        if open != none:
            t, u = x & right, x & left
            x = (x ^ t ^ u) | (t << by) | (u >> by)
            t, u = x & right2, x & left2
            x = (x ^ t ^ u) | (t << by2) | (u >> by2)
            if tables.far > 2:
                t, u = x & right4, x & left4
                x = (x ^ t ^ u) | (t << by4) | (u >> by4)
        store(x, child, np.int64(p * len(tables.like)))


@inlined
def cluster(tables, state, move):
    """Return the cells that a move takes away."""
    bit = tables.bit[move]
    return flood(tables, same_colour(tables, state, bit), bit)


@implements(names.legal, DustTables)
def legal(tables, state, moves):
    remaining, none = occupied(tables, state), mask(tables, NONE)
    count = np.int64(0)
    while remaining != none:
        bit = lowest(remaining)
        remaining = remaining & ~flood(tables, same_colour(tables, state, bit), bit)
        moves[count] = tables.cell[bit]
        count += 1
    return count


@implements(names.apply, DustTables)
def apply(tables, state, move, child):
    settle(tables, state, occupied(tables, state) & ~cluster(tables, state, move), child)


@implements(names.solved, DustTables)
def solved(tables, state):
    for i in range(state.size):
        if state[i] != np.uint64(0):
            return False
    return True


@implements(names.pack, DustTables)
def pack(tables, state, words):
    names.copy(state, words)


@implements(names.unpack, DustTables)
def unpack(tables, words, state):
    names.copy(words, state)


@cache
def rules(puzzle: Dust) -> KernelRules:
    """Return the working form of a puzzle's states."""
    line = puzzle.width // 2
    chosen = rule_tables(line, puzzle.width - line, puzzle.height)
    planes = puzzle.colours.bit_length()
    size = planes * len(chosen.like)

    def encode(states: Board) -> NDArray[np.uint64]:
        return encoded(chosen, planes, states)

    def decode(states: NDArray[np.uint64]) -> Board:
        return decoded(chosen, planes, states)

    return KernelRules(chosen, size, np.uint64, size, encode, decode)


def encoded(chosen: DustTables, planes: int, states: Board) -> NDArray[np.uint64]:
    """Return `uint64[B, P * K]` from plain states `[B, N]`."""
    if chosen.bit.size == 0:  # the half of a board that has one column
        return np.zeros((len(states), planes * len(chosen.like)), np.uint64)
    stride, last, size = int(chosen.stride), int(chosen.bit[-1]), 64 * len(chosen.like)
    columns, rows = last // stride + 1, last % stride + 1
    grids = np.zeros((len(states), size // stride, stride), np.uint8)
    grids[:, :columns, :rows] = states.reshape(len(states), columns, rows)
    of_planes = (1 << np.arange(planes)).astype(np.uint8)
    bits = grids.reshape(len(states), 1, size) & of_planes[:, None]
    in_bytes = np.packbits(bits, axis=2, bitorder="little").reshape(len(states), planes * size // 8)
    return in_bytes.view("<u8").astype(np.uint64)


def decoded(chosen: DustTables, planes: int, states: NDArray[np.uint64]) -> Board:
    """Return the inverse of `encoded`."""
    stride, last, size = int(chosen.stride), int(chosen.bit[-1]), 64 * len(chosen.like)
    columns, rows = last // stride + 1, last % stride + 1
    in_bytes = np.ascontiguousarray(states, "<u8").view(np.uint8).reshape(len(states), planes, size // 8)
    cells = np.zeros((len(states), size // 8), "<u8")
    for p in range(planes):
        cells |= np.take(_spread_bits(), in_bytes[:, p]) << np.uint64(p)
    grids = cells.view(np.uint8).reshape(len(states), size // stride, stride)
    return grids[:, :columns, :rows].reshape(len(states), columns * rows)


@cache
def _spread_bits() -> NDArray[np.uint64]:
    """Return `uint64[256]`: the bits of each byte in eight bytes, the lowest bit in the first one."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return bits.view("<u8")[:, 0]
