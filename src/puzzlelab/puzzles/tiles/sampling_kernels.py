# mypy: allow-untyped-defs
"""The kernels of sampling: the level of a board, and two random walks to boards of a given level."""

from __future__ import annotations

import numpy as np

from puzzlelab.engine.kernels import compiled, inlined

GREEDINESS = 1.5


@inlined
def level_of(state, rows, columns, home, distance):
    """Manhattan distance of a working state + 2 for each pair of tiles of one line that must pass each other."""
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
    """The level of each working state `[B, N + 1]` into `levels: int64[B]`."""
    for i in range(len(states)):
        levels[i] = level_of(states[i], rows, columns, home, distance)


@compiled
def anneal(state, target, noise, rows, columns, home, distance, mixing):
    """Walk over solvable boards by exchanging pieces, drawn to the level `target`; True when it ends there.

    A step exchanges two pieces together with two others, or with the blank when that keeps the board solvable.
    `noise: float64[T, 6]` are uniform numbers in [0, 1). After `mixing` steps the walk ends on the first hit.
    """
    cells = rows * columns
    level = level_of(state, rows, columns, home, distance)
    for t in range(len(noise)):
        if t >= mixing and level == target:
            return True
        a, b = np.int64(noise[t, 0] * cells), np.int64(noise[t, 1] * cells)
        c, d = np.int64(noise[t, 2] * cells), np.int64(noise[t, 3] * cells)
        pairs = 1 if noise[t, 4] < 0.5 else 2
        if a == b or (pairs == 2 and c == d):
            continue
        # Propose: exchange one pair or two, which is undone below if it is not accepted.
        blank = np.int64(state[cells])
        exchange(state, a, b, home)
        if pairs == 2:
            exchange(state, c, d, home)
        # A solvable board stays solvable if the exchanges and the steps of the blank are even together.
        steps = distance[blank, state[cells]]
        odd = (steps + pairs) % 2 == 1
        after = level_of(state, rows, columns, home, distance)
        # Metropolis rule: what comes no farther from the target level is always accepted.
        worse = abs(after - target) - abs(level - target)
        if odd or (worse > 0 and noise[t, 5] >= np.exp(-GREEDINESS * worse)):
            if pairs == 2:
                exchange(state, c, d, home)
            exchange(state, a, b, home)
        else:
            level = after
    return level == target


@inlined
def exchange(state, a, b, home):
    """Exchange the pieces of two cells."""
    state[a], state[b] = state[b], state[a]
    if state[a] == home:
        state[state.size - 1] = a
    if state[b] == home:
        state[state.size - 1] = b


@compiled
def walk_above(state, target, noise, rows, columns, home, distance):
    """Make random legal moves until the level is greater than `target`; the number of moves, -1 if noise runs out.

    Each number of `noise: float64[T]`, uniform in [0, 1), draws one move, which may undo the move before.
    """
    cells = rows * columns
    for t in range(len(noise)):
        blank = np.int64(state[cells])
        row, column = blank // columns, blank % columns
        legal = (row > 0) + (row < rows - 1) + (column > 0) + (column < columns - 1)
        number = np.int64(noise[t] * legal)
        source = blank
        for step, possible in (
            (columns, row < rows - 1),
            (-columns, row > 0),
            (1, column < columns - 1),
            (-1, column > 0),
        ):
            if possible:
                if number == 0:
                    source = blank + step
                number -= 1
        exchange(state, blank, source, home)
        if level_of(state, rows, columns, home, distance) > target:
            return t + 1
    return -1
