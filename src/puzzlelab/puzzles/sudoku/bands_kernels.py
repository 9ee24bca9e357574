# mypy: allow-untyped-defs
"""The search over the vectors of `bands`: depth-first, one level of a stack for each guess.

Shapes: a stack of states is `uint16[D * 144]`; B = puzzles in a batch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.compiler import LANES
from puzzlelab.engine.kernels import DONE, IMPROVED, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import Control, control_type
from puzzlelab.puzzles.sudoku.bands import (
    CHANGED,
    COMPLETE,
    FULL,
    UNCHANGED,
    WIDTH,
    branching_point,
    infer,
    infer_triads,
    split,
)

CONTROL = control_type("found most depth")
"""depth: the current level of the stack; -1 at the end."""
NOT_COUNTED = -1
"""The count of a puzzle whose search was cut short."""
LEVELS = 1 + 2 * 54
"""Guesses that can stand on each other: two settle a digit's six permutations in a band or a stack, of which 54 are."""


@inlined
def branch(stack, base):
    """Split the state at `base`: one place goes to the next level, the others stay; returns how many others."""
    child = base + WIDTH
    key = branching_point(stack, (base, child))
    lane = key & 15
    by_stack = key & 16
    digits = np.int64(stack[child + by_stack + lane])
    digit = digits & -digits
    # Of the three rows of a band (columns of a stack): the first in which the digit has several boxes.
    if by_stack:
        first, next_box, next_line, next_place = lane & 3, 4, LANES, 3 * LANES
        line_places, shift = 0o111, 1
    else:
        first, next_box, next_line, next_place = lane & 12, 1, 3 * LANES, LANES
        line_places, shift = 0o7, 3
    for line in range(3):
        boxes = 0
        for box in range(3):
            place = base + first + box * next_box + line * next_line
            if (stack[place] | stack[place + next_place] | stack[place + 2 * next_place]) & digit:
                boxes |= 1 << (first + box * next_box)
        others = boxes & (boxes - 1)
        if others:
            split(stack, (base, child, digit, line_places << (line * shift), boxes ^ others, others))
            return 2 if others & (others - 1) else 1
    return 0


@inlined
def place_of(row, column):
    """Return where a cell stands in a state."""
    return (row % 3 * 3 + column % 3) * LANES + row // 3 * 4 + column // 3


@inlined
def place_clues(puzzle, stack):
    """Write the clues of `puzzle: uint8[81]` as a state at the bottom of the stack."""
    for i in range(WIDTH):
        stack[i] = FULL
    for row in range(9):
        for column in range(9):
            # Without a branch, which the processor could not foresee: a blank holds all digits.
            digit = np.int64(puzzle[9 * row + column])
            stack[place_of(row, column)] = ((1 << digit) >> 1) | (FULL * (digit == 0))


@inlined
def read_grid(stack, base, digit_of, grid):
    """Write the complete state at `base` as digits into `grid: uint8[81]`; `digit_of` is DIGIT_OF."""
    for row in range(9):
        for column in range(9):
            grid[9 * row + column] = digit_of[stack[base + place_of(row, column)]]


@inlined
def propagate(stack, control, base):
    """Apply all rules to the state at `base` until nothing changes: UNCHANGED, BROKEN or COMPLETE."""
    while True:
        status = infer(stack, (base,))
        control.generated += 1
        # The rule of triads takes longer, and is applied only where the others find nothing more.
        if status == UNCHANGED:
            status = infer_triads(stack, (base,))
        if status != CHANGED:
            return status


@inlined
def search(stack, control, budget):
    """Go on with the search in the stack: True with the next solution, just above the level `control.depth`.

    False when nothing is left (`control.depth` is -1) or the budget of guesses is used up.
    """
    depth = control.depth
    while depth >= 0:
        base = depth * WIDTH
        status = propagate(stack, control, base)
        # Settled: guess, and go on with the state on top. Broken or complete: back to what the last guess left.
        if status == UNCHANGED:
            if budget <= 0:
                control.generated -= 1  # the next call begins with the same round
                break
            budget -= 1
            control.expanded += 1
            branch(stack, base)
            depth += 1
        else:
            depth -= 1
            if status == COMPLETE:
                control.depth = depth
                return True
    control.depth = depth
    return False


@compiled
def solve_all(puzzles, stack, control, digit_of, most, most_guesses, solutions, others, counts, guesses, rounds):
    """Count up to `most` solutions of each of `puzzles: uint8[B, 81]`, and write the first and the second.

    The count is `NOT_COUNTED` where the search needs more than `most_guesses` guesses.

    `solutions` and `others: uint8[B, 81]`, `counts: int64[B]`, `guesses: int64[B]`, `rounds: int64[B]`.
    """
    for i in range(len(puzzles)):
        place_clues(puzzles[i], stack)
        control.depth = 0
        before, rounds_before = control.expanded, control.generated
        count = 0
        while count < most and search(stack, control, most_guesses - (control.expanded - before)):
            if count < 2:
                grid = others[i] if count else solutions[i]
                read_grid(stack, (control.depth + 1) * WIDTH, digit_of, grid)
            count += 1
        counts[i] = NOT_COUNTED if count < most and control.depth >= 0 else count
        guesses[i] = control.expanded - before
        rounds[i] = control.generated - rounds_before


def new_stack() -> NDArray[np.uint16]:
    """Make the stack of a search. It begins on a cache line, so that no vector of its states lies across two."""
    numbers = LEVELS * WIDTH
    room = np.zeros(numbers + 31, np.uint16)
    start = -room.ctypes.data % 64 // room.itemsize
    return room[start : start + numbers]


DIGIT_OF = np.zeros(512, np.uint8)
DIGIT_OF[1 << np.arange(9)] = np.arange(1, 10)
"""[512]: the digit of a single bit."""


class BandsRecord(NamedTuple):
    """The state of one search."""

    control: Control
    stack: NDArray[np.uint16]
    digit_of: NDArray[np.uint8]
    puzzle: NDArray[np.uint8]
    grid: NDArray[np.uint8]
    """[81]: the last solution."""


@compiled
def begin(record):
    """Put the state that the clues leave on the stack."""
    place_clues(record.puzzle, record.stack)
    record.control.depth = 0


@compiled
def step(record, budget):
    """Run one slice: at most `budget` guesses."""
    control = record.control
    if budget == 0:
        return RUNNING
    before = control.expanded
    while search(record.stack, control, budget - (control.expanded - before)):
        control.found += 1
        if control.most == 0:
            read_grid(record.stack, (control.depth + 1) * WIDTH, record.digit_of, record.grid)
            return IMPROVED
        if control.found >= control.most:
            return DONE
    return DONE if control.depth < 0 else RUNNING
