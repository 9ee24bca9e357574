# mypy: allow-untyped-defs
"""Random full grids, and puzzles dug out of them: the kernels of the generator.

A full grid is drawn without bias. Its first band and its first stack are drawn uniformly (each completes a first box in
56 * 6 ** 6 ways). The other four boxes are filled by a random descent that never goes back: where it chooses one of k
ways the weight of its result is multiplied by k, a dead end is dropped with its band and stack, and a full grid is kept
with a probability in proportion to its weight. So every grid is equally likely, up to the few of more weight than
`HEAVIEST`, which are kept always.

Shapes: a stack of states as in `bands`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import GOLDEN, compiled, copy, inlined, scramble
from puzzlelab.engine.record_parts import Control, new_control
from puzzlelab.puzzles.sudoku.bands import COMPLETE, UNCHANGED, WIDTH
from puzzlelab.puzzles.sudoku.bands_kernels import (
    CONTROL,
    DIGIT_OF,
    branch,
    new_stack,
    place_clues,
    place_of,
    propagate,
    read_grid,
    search,
)

HEAVIEST = 1 << 16
"""Full grids of more weight are about 0.1 % of all, and come up less often than they should: about 0.05 % is lost."""
WITHOUT_END = 1 << 62
SHARES = 1 << 30
APART = np.uint64(0x94D049BB133111EB)
"""The distance between the random states of two neighbours in a stream."""
HALF = np.uint64(32)


class DiggingRoom(NamedTuple):
    """The arrays that `make` works in."""

    random: NDArray[np.uint64]
    """[1]: the state of splitmix64."""
    stack: NDArray[np.uint16]
    control: Control
    digit_of: NDArray[np.uint8]
    """[512]: `bands_kernels.DIGIT_OF`."""
    digits: NDArray[np.uint8]
    """[27]: scratch for `frame`."""
    order: NDArray[np.int64]
    """[81]: scratch for `dig`."""
    trial: NDArray[np.uint8]
    """[81]: the puzzle that `harden` tries."""


def digging_room() -> DiggingRoom:
    """Make new arrays for one thread."""
    return DiggingRoom(
        random=np.zeros(1, np.uint64),
        stack=new_stack(),
        control=new_control(CONTROL),
        digit_of=DIGIT_OF,
        digits=np.zeros(27, np.uint8),
        order=np.zeros(81, np.int64),
        trial=np.zeros(81, np.uint8),
    )


@inlined
def below(random, most):
    """Return a random integer from 0 to `most` - 1; `random: uint64[1]` is the state of splitmix64."""
    random[0] += GOLDEN
    return np.int64(((scramble(random[0]) >> HALF) * np.uint64(most)) >> HALF)


@inlined
def shuffle(random, row, start, count):
    """Put `count` entries of a row in random order."""
    for i in range(count - 1, 0, -1):
        j = below(random, i + 1)
        row[start + i], row[start + j] = row[start + j], row[start + i]


@inlined
def extend_box(random, digits, grid, across):
    """Fill the two boxes beside (or, not `across`, below) the first one, which `digits: uint8[27]` begins with.

    `digits[3 i + j]` is the digit in line i, place j of the first box; its lines may be put in any order.
    """
    # Each line of the second box takes `kept` digits of the next line of the first box, and the rest of the line after
    # that: 1, 27, 27 or 1 of the 56 ways have `kept` = 0, 1, 2 or 3.
    draw = below(random, 56)
    kept = 0 if draw < 1 else (1 if draw < 28 else (2 if draw < 55 else 3))
    for line in range(3):
        shuffle(random, digits, 3 * line, 3)
    for line in range(3):
        one, two = (line + 1) % 3, (line + 2) % 3
        for place in range(3):
            digits[9 + 3 * line + place] = digits[3 * (one if place < kept else two) + place]
            digits[18 + 3 * line + place] = digits[3 * (two if place < kept else one) + place]
    for line in range(3, 9):
        shuffle(random, digits, 3 * line, 3)
    for box in range(1, 3):
        for line in range(3):
            for place in range(3):
                digit = digits[9 * box + 3 * line + place]
                if across:
                    grid[9 * line + 3 * box + place] = digit
                else:
                    grid[9 * (3 * box + place) + line] = digit


@inlined
def frame(random, digits, grid):
    """Fill the first band and the first stack at random; the other cells are blank."""
    for cell in range(81):
        grid[cell] = 0
    for i in range(9):
        digits[i] = i + 1
    shuffle(random, digits, 0, 9)
    for i in range(9):
        grid[9 * (i // 3) + i % 3] = digits[i]
    extend_box(random, digits, grid, True)
    for i in range(9):
        digits[3 * (i % 3) + i // 3] = grid[9 * (i // 3) + i % 3]
    extend_box(random, digits, grid, False)


@inlined
def descend(random, stack, control):
    """Fill the state at the bottom of the stack at random, without going back; returns the weight, 0 for a dead end.

    The grid is on the level `control.depth`. The weight is one over the probability of having come this way.
    """
    depth, weight = 0, 1.0
    while True:
        base = depth * WIDTH
        status = propagate(stack, control, base)
        if status != UNCHANGED:
            control.depth = depth
            return weight if status == COMPLETE else 0.0
        others = branch(stack, base)
        if below(random, others + 1) == 0:
            weight *= others + 1.0
            depth += 1
        else:
            weight *= (others + 1.0) / others


@compiled
def weigh(random, stack, control, digits, grid, weights):
    """Write the weights of `len(weights)` random descents; their mean tells the number of all grids."""
    for i in range(len(weights)):
        frame(random, digits, grid)
        place_clues(grid, stack)
        weights[i] = descend(random, stack, control)


@inlined
def full_grid(random, stack, control, digit_of, digits, grid):
    """Write a random full grid, every one equally likely, into `grid: uint8[81]`."""
    while True:
        frame(random, digits, grid)
        place_clues(grid, stack)
        weight = descend(random, stack, control)
        if below(random, HEAVIEST) < weight:
            read_grid(stack, control.depth * WIDTH, digit_of, grid)
            return


# --- puzzles ---


@inlined
def other_solution(puzzle, cell, digit, stack, control):
    """Tell whether a puzzle has a solution with another digit than this one in a blank cell."""
    place_clues(puzzle, stack)
    stack[place_of(cell // 9, cell % 9)] &= ~(1 << (digit - 1))
    control.depth = 0
    return search(stack, control, WITHOUT_END)


@inlined
def guesses(puzzle, stack, control):
    """Return the number of guesses that the search needs to prove a puzzle unique."""
    before = control.expanded
    place_clues(puzzle, stack)
    control.depth = 0
    while search(stack, control, WITHOUT_END):
        pass
    return control.expanded - before


@inlined
def dig(room, grid, orbits, least, unique, puzzle):
    """Remove clues in random order, orbit by orbit, down to `least`, while the solution stays unique.

    `orbits: int64[K, 8]` are cells that go together, -1 where they are fewer. Cells that are blank already stay so.
    Returns the number of remaining clues.
    """
    count, order = len(orbits), room.order
    clues = 0
    for cell in range(81):
        clues += puzzle[cell] != 0
    for i in range(count):
        order[i] = i
    shuffle(room.random, order, 0, count)
    for i in range(count):
        orbit = orbits[order[i]]
        size = 0
        while size < 8 and orbit[size] >= 0:
            size += 1
        if puzzle[orbit[0]] == 0 or clues - size < least:
            continue
        # Leave the orbit out. It is needed if one of its cells can then hold another digit.
        for j in range(size):
            puzzle[orbit[j]] = 0
        needed = False
        for j in range(size):
            if unique and not needed:
                needed = other_solution(puzzle, orbit[j], grid[orbit[j]], room.stack, room.control)
        if needed:
            for j in range(size):
                puzzle[orbit[j]] = grid[orbit[j]]
        else:
            clues -= size
    return clues


@inlined
def harden(room, grid, orbits, steps, puzzle):
    """Climb towards puzzles that need more guesses: give some clues back, dig again, keep what is no easier."""
    trial = room.trial
    score = guesses(puzzle, room.stack, room.control)
    for _ in range(steps):
        copy(puzzle, trial)
        # One to three orbits come back, so that digging can take another way.
        for _ in range(1 + below(room.random, 3)):
            orbit = orbits[below(room.random, len(orbits))]
            for j in range(8):
                if orbit[j] >= 0:
                    trial[orbit[j]] = grid[orbit[j]]
        dig(room, grid, orbits, 0, True, trial)
        now = guesses(trial, room.stack, room.control)
        if now >= score:
            score = now
            copy(trial, puzzle)


@compiled
def make(key, first, kinds, chances, orbits, unique, steps, tries, room, puzzles, solutions):
    """Make puzzles number `first`, `first + 1`, ... of the stream `key`; each depends on nothing but its number.

    `kinds: int64[R, 3]`: a kind digs down to a number drawn from kinds[0] to kinds[1], and is used if no more than
    kinds[2] clues are left; `chances: float64[R]` are the kinds' cumulated shares. Returns how many were made: fewer
    than `len(puzzles)` where `tries` grids did not give one.
    """
    random, stack, control = room.random, room.stack, room.control
    for i in range(len(puzzles)):
        random[0] = key + np.uint64(first + i) * APART
        draw = below(random, SHARES) / SHARES
        kind = 0
        while kind < len(kinds) - 1 and draw >= chances[kind]:
            kind += 1
        is_made = False
        for _ in range(tries):
            full_grid(random, stack, control, room.digit_of, room.digits, solutions[i])
            copy(solutions[i], puzzles[i])
            least = kinds[kind, 0] + below(random, kinds[kind, 1] - kinds[kind, 0] + 1)
            clues = dig(room, solutions[i], orbits, least, unique, puzzles[i])
            if clues <= kinds[kind, 2]:
                is_made = True
                break
        if not is_made:
            return i
        if steps > 0:
            harden(room, solutions[i], orbits, steps, puzzles[i])
    return len(puzzles)
