# mypy: allow-untyped-defs
"""The search over the vectors of `bands`: depth-first, one level of a stack for each guess.

Shapes: a stack of states is `uint16[D * 96]`; B = puzzles in a batch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.control_slots import EXPANDED, GENERATED
from puzzlelab.engine.enumeration_slots import FOUND, MOST, OWN
from puzzlelab.engine.kernels import DONE, IMPROVED, RUNNING, compiled, inlined
from puzzlelab.engine.simd import LANES
from puzzlelab.puzzles.sudoku.bands import (
    CHANGED,
    COMPLETE,
    FIRSTS,
    FULL,
    SETTLED,
    WIDTH,
    branching_point,
    fill_clues,
    infer,
    infer_triads,
    split,
)

DEPTH = OWN
"""The slot in `control` of the current level of the stack; -1 at the end."""
LEVELS = 1 + 2 * 54
"""Guesses that can stand on each other: two settle a digit's six permutations in a band or a stack, of which 54 are."""


@inlined
def branch(stack, base):
    """Split the settled state at `base`: one place goes to the next level, the others stay; returns how many others."""
    key = branching_point(stack, (base,))
    lane = key & 31
    # Split a stack: in the first band where the digit has several columns of it, one against the others.
    if key & 32:
        shift = 3 * (lane // 9)
        digit = lane % 9
        for band in range(3):
            lane = 9 * band + digit
            own = stack[base + lane] | stack[base + LANES + lane] | stack[base + 2 * LANES + lane]
            columns = (own >> shift) & 7
            if columns & (columns - 1):
                mine = columns & -columns
                others = columns ^ mine
                split(stack, (base, base + WIDTH, lane, 3, mine << shift, others << shift))
                return 2 if others & (others - 1) else 1
    # Split a band: in the first row where the digit has several boxes, one mini-row against the others.
    for row in range(3):
        candidates = np.int64(stack[base + row * LANES + lane])
        flags = (candidates | candidates >> 1 | candidates >> 2) & FIRSTS
        if flags & (flags - 1):
            mine = (flags & -flags) * 7
            split(stack, (base, base + WIDTH, lane, row, mine, FULL ^ mine))
            others = flags & (flags - 1)
            return 2 if others & (others - 1) else 1
    return 0


@inlined
def place_clues(puzzle, stack):
    """Write the state that the clues of `puzzle: uint8[81]` leave at the bottom of the stack."""
    for i in range(WIDTH):
        stack[i] = 0
    for cell in range(81):
        digit = puzzle[cell]
        if digit:
            row, column = cell // 9, cell % 9
            stack[(row % 3) * LANES + (row // 3) * 9 + digit - 1] |= 1 << column
    fill_clues(stack, (0,))


@inlined
def read_grid(stack, base, columns, grid):
    """Write the complete state at `base` as digits into `grid: uint8[81]`; `columns: uint8[512]` names single bits."""
    for band in range(3):
        for row in range(3):
            start = base + row * LANES + band * 9
            for digit in range(9):
                grid[(band * 3 + row) * 9 + columns[stack[start + digit]]] = digit + 1


@inlined
def settle(stack, control, base):
    """Apply all rules to the state at `base` until nothing changes: SETTLED, BROKEN or COMPLETE."""
    while True:
        status = infer(stack, (base,))
        control[GENERATED] += 1
        # The rule of triads takes longer, and is applied only where the others find nothing more.
        if status == SETTLED:
            status = infer_triads(stack, (base,))
        if status != CHANGED:
            return status


@inlined
def search(stack, control, budget):
    """Go on with the search in the stack: True with the next solution, just above the level `control[DEPTH]`.

    False when nothing is left (`control[DEPTH]` is -1) or the budget of guesses is used up.
    """
    depth = control[DEPTH]
    while depth >= 0:
        base = depth * WIDTH
        status = settle(stack, control, base)
        # Settled: guess, and go on with the state on top. Broken or complete: back to what the last guess left.
        if status == SETTLED:
            if budget <= 0:
                break
            budget -= 1
            control[EXPANDED] += 1
            branch(stack, base)
            depth += 1
        else:
            depth -= 1
            if status == COMPLETE:
                control[DEPTH] = depth
                return True
    control[DEPTH] = depth
    return False


@compiled
def solve_all(puzzles, stack, control, columns, most, solutions, counts, guesses):
    """For each of `puzzles: uint8[B, 81]`: up to `most` solutions are counted, the first is written.

    `solutions: uint8[B, 81]`, `counts: int64[B]`, `guesses: int64[B]`.
    """
    for i in range(len(puzzles)):
        place_clues(puzzles[i], stack)
        control[DEPTH] = 0
        before = control[EXPANDED]
        count = 0
        while count < most and search(stack, control, 1 << 62):
            if count == 0:
                read_grid(stack, (control[DEPTH] + 1) * WIDTH, columns, solutions[i])
            count += 1
        counts[i] = count
        guesses[i] = control[EXPANDED] - before


COLUMNS = np.zeros(512, np.uint8)
COLUMNS[1 << np.arange(9)] = np.arange(9)


class BandsRecord(NamedTuple):
    """The state of one search."""

    control: NDArray[np.int64]
    stack: NDArray[np.uint16]
    columns: NDArray[np.uint8]
    puzzle: NDArray[np.uint8]
    grid: NDArray[np.uint8]
    """[81]: the last solution."""


@compiled
def begin(record):
    """Put the state that the clues leave on the stack."""
    place_clues(record.puzzle, record.stack)
    record.control[DEPTH] = 0


@compiled
def step(record, budget):
    """One slice: at most `budget` guesses."""
    control = record.control
    if budget == 0:
        return RUNNING
    before = control[EXPANDED]
    while search(record.stack, control, budget - (control[EXPANDED] - before)):
        control[FOUND] += 1
        if control[MOST] == 0:
            read_grid(record.stack, (control[DEPTH] + 1) * WIDTH, record.columns, record.grid)
            return IMPROVED
        if control[FOUND] >= control[MOST]:
            return DONE
    return DONE if control[DEPTH] < 0 else RUNNING
