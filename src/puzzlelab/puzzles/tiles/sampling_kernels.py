# mypy: allow-untyped-defs
"""The kernels of sampling: the level of a board, and two random walks to boards of a given level."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import GOLDEN, compiled, copy, inlined, scramble

GREEDINESS = 1.5
SHIFT = np.uint64(8)
"""A row of `AnnealingTables.costs` has a place for each of up to 2^8 cells."""
HALF, LOWER = np.uint64(32), np.uint64(0xFFFFFFFF)
"""Bits of half a word, and the mask of its lower half."""
DISTANCE, IN_ROW, IN_COLUMN = np.uint64(63), np.uint64(64), np.uint64(128)
"""The parts of `AnnealingTables.costs`."""


class AnnealingTables(NamedTuple):
    """The tables that `anneal` needs for one size of the board; N cells."""

    rows: np.uint64
    columns: np.uint64
    home: np.uint8
    """The blank's goal cell."""
    costs: NDArray[np.uint8]
    """[256 N]: at 256 p + c for piece p in cell c: their distance, and whether p belongs in the row or column of c.

    0 for the blank.
    """
    shades: NDArray[np.uint8]
    """[N]: the colour of each cell on a chessboard, 0 or 1, which the blank changes with each step."""


@inlined
def level_of(state, rows, columns, home, distance):
    """Return the Manhattan distance of a working state + 2 for each pair of tiles of one line in conflict."""
    cells = rows * columns
    total = 0
    for cell in range(cells):
        if state[cell] != home:
            total += distance[state[cell], cell]
    for line in range(rows):
        for i in range(columns):
            for j in range(i + 1, columns):
                a, b = state[line * columns + i], state[line * columns + j]
                if a > b and a // columns == line and b // columns == line and a != home and b != home:
                    total += 2
    for line in range(columns):
        for i in range(rows):
            for j in range(i + 1, rows):
                a, b = state[i * columns + line], state[j * columns + line]
                if a > b and a % columns == line and b % columns == line and a != home and b != home:
                    total += 2
    return total


@compiled
def levels_of(states, rows, columns, home, distance, levels):
    """Write the level of each working state `[B, N + 1]` into `levels: int64[B]`."""
    for i in range(len(states)):
        levels[i] = level_of(states[i], rows, columns, home, distance)


@inlined
def share(state, cell, skipped, rows, columns, costs):
    """Return what the piece in a cell adds to the level, without its conflict with the piece in the cell `skipped`."""
    piece = np.uint64(state[cell])
    cost = np.uint64(costs[(piece << SHIFT) | cell])
    total = np.int64(cost & DISTANCE)
    if cost & IN_ROW:
        first = cell - cell % columns
        for other in range(first, first + columns):
            if other != skipped and passes(state, piece, cell, other, IN_ROW, costs):
                total += 2
    if cost & IN_COLUMN:
        for i in range(rows):
            other = cell % columns + i * columns
            if other != skipped and passes(state, piece, cell, other, IN_COLUMN, costs):
                total += 2
    return total


@inlined
def passes(state, piece, cell, other, line, costs):
    """Tell whether a piece that lies in its line must pass the piece in another cell of this line."""
    neighbour = np.uint64(state[other])
    at_home = (np.uint64(costs[(neighbour << SHIFT) | other]) & line) != 0
    return at_home & (neighbour != piece) & ((neighbour > piece) == (other < cell))


@inlined
def exchange_and_measure(state, a, b, home, rows, columns, costs):
    """Exchange the pieces of two cells; returns by how much the level rises."""
    before = share(state, a, a, rows, columns, costs) + share(state, b, a, rows, columns, costs)
    exchange(state, a, b, home)
    return share(state, a, a, rows, columns, costs) + share(state, b, a, rows, columns, costs) - before


@inlined
def place_after(cell, a, b):
    """Return the cell in which the piece in a cell lies after the cells a and b exchange theirs."""
    return b if cell == a else (a if cell == b else cell)


@inlined
def propose(state, level, target, cells, pairs, chance, tables):
    """Exchange the pieces of one or two `pairs` of `cells`, or of none, a step of `anneal`; return the level then.

    A step that leads away from the target is taken if `chance`, a uniform number in [0, 1), is small enough.
    """
    a, b, c, d = cells
    if a == b or (pairs == 2 and c == d):
        return level
    # A solvable board stays solvable if the exchanges and the steps of the blank are even together.
    home, rows, columns, costs = tables.home, tables.rows, tables.columns, tables.costs
    blank = np.uint64(state[rows * columns])
    there = place_after(blank, a, b)
    if pairs == 2:
        there = place_after(there, c, d)
    if (np.int64(tables.shades[blank]) + np.int64(tables.shades[there]) + pairs) & 1:
        return level
    after = level + exchange_and_measure(state, a, b, home, rows, columns, costs)
    if pairs == 2:
        after += exchange_and_measure(state, c, d, home, rows, columns, costs)
    # Metropolis rule: what comes no farther from the target level is always accepted.
    worse = abs(after - target) - abs(level - target)
    if worse > 0 and chance >= np.exp(-GREEDINESS * worse):
        if pairs == 2:
            exchange(state, c, d, home)
        exchange(state, a, b, home)
        return level
    return after


@compiled
def anneal(states, levels, targets, keys, steps, mixing, apart, tables, boards, counts):
    """Walk from each of `states: uint8[B, N + 1]` over solvable boards by exchanging pieces, until it gave R boards.

    A step exchanges two pieces together with two others, or with the blank when that keeps the board solvable. The
    walk is drawn to a level: the first board is the first hit of `targets: int64[B]` after `mixing` steps, the next
    ones are the first hits `apart` steps after the board before. Writes `boards: uint8[B, R, N + 1]`, and how many
    there are in `counts: int64[B]`: fewer than R where one needs more than `steps` steps. `levels: int64[B]` are those
    of the states. Walk b draws from its own random numbers, which begin at `keys: uint64[B]`.
    """
    cells = tables.rows * tables.columns
    for i in range(len(states)):
        word, level, target, state = keys[i], levels[i], targets[i], states[i]
        counts[i] = 0
        for board in range(boards.shape[1]):
            least = mixing if board == 0 else apart
            for t in range(steps):
                if t >= least and level == target:
                    break
                word += GOLDEN
                first = scramble(word)
                word += GOLDEN
                second = scramble(word)
                word += GOLDEN
                third = scramble(word)
                a, b = ((first >> HALF) * cells) >> HALF, ((first & LOWER) * cells) >> HALF
                c, d = ((second >> HALF) * cells) >> HALF, ((second & LOWER) * cells) >> HALF
                pairs, chance = 1 + np.int64(third & np.uint64(1)), np.float64(third >> np.uint64(11)) * 2.0**-53
                level = propose(state, level, target, (a, b, c, d), pairs, chance, tables)
            if level != target:
                break
            copy(state, boards[i, board])
            counts[i] += 1


@inlined
def exchange(state, a, b, home):
    """Exchange the pieces of two cells."""
    state[a], state[b] = state[b], state[a]
    if state[a] == home:
        state[state.size - 1] = a
    if state[b] == home:
        state[state.size - 1] = b


@compiled
def walk_above(state, target, noise, rows, columns, tables, distance):
    """Make random legal moves until the level is greater than `target`; the number of moves, -1 if noise runs out.

    Each number of `noise: float64[T]`, uniform in [0, 1), draws one move, which may undo the move before.
    """
    cells = rows * columns
    for t in range(len(noise)):
        blank = np.int64(state[cells])
        move = tables.moves[blank, np.int64(noise[t] * tables.counts[blank])]
        exchange(state, blank, np.int64(tables.source[blank, move]), tables.home)
        if level_of(state, rows, columns, tables.home, distance) > target:
            return t + 1
    return -1
