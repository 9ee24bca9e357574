# mypy: allow-untyped-defs
"""The kernels of backtracking: the record of a search, and its step; the method and shapes as in `backtracking`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import DONE, IMPROVED, NEEDS_SCORES, RUNNING, compiled, copy, inlined, population
from puzzlelab.engine.record_parts import Control, control_type
from puzzlelab.solvers._candidates_kernels import ONE, ZERO, Grid, place_digit, propagate_board

CONTROL = control_type("found most phase level solved clues guided")
START, SEARCH, FINISHED, AWAITS_SCORES = range(4)


class BacktrackingRecord(NamedTuple):
    """The state of one search."""

    grid: Grid
    control: Control
    """`expanded` counts guesses, `generated` placed digits; the solution is at the level `solved`."""
    stack: NDArray[np.uint32]
    """[L, N]: the candidates at each level, propagated."""
    cells: NDArray[np.int32]
    """[L]: the cell of the guess."""
    rest: NDArray[np.uint32]
    """[L]: the digits not tried there yet."""
    guesses: NDArray[np.int64]
    """[L]: the number of guesses at each level."""
    scores: NDArray[np.float64]
    """[N * D] where a network guides the search, else [0]: its scores of the candidates."""
    cell_scores: NDArray[np.float64]
    """[L, D], or [L, 0]: its scores of the digits of the cell of the guess."""


@inlined
def choose_cell(record, level):
    """Choose the first cell with the fewest candidates; False if every digit is placed."""
    # Minimum remaining values, as Norvig chooses: of two candidates a guess is wrong at most once.
    masks, cell, fewest = record.stack[level], -1, np.uint64(64)
    for i in range(masks.size):
        # A mask of one bit is a placed digit; one of two bits has the fewest candidates that there can be.
        mask = np.uint64(masks[i])
        more = mask & (mask - ONE)
        if more == ZERO:
            continue
        if more & (more - ONE) == ZERO:
            cell = i
            break
        number = population(mask)
        if number < fewest:
            cell, fewest = i, number
    if cell < 0:
        return False
    record.cells[level], record.rest[level] = cell, masks[cell]
    return True


@inlined
def choose_surest_cell(record, level):
    """Choose, among cells with as few candidates, the one with the largest gap between its two best scores."""
    masks, digits = record.stack[level], record.cell_scores.shape[1]
    fewest, sure = population(np.uint64(masks[record.cells[level]])), -np.inf
    for i in range(masks.size):
        mask = np.uint64(masks[i])
        if population(mask) != fewest:
            continue
        # The best two scores among the candidates of this cell.
        first, second = -np.inf, -np.inf
        for digit in range(digits):
            if (mask >> np.uint64(digit)) & ONE != ZERO:
                score = record.scores[i * digits + digit]
                first, second = max(first, score), max(min(first, score), second)
        if first - second > sure:
            sure = first - second
            record.cells[level], record.rest[level] = i, masks[i]
    cell = record.cells[level]
    for digit in range(digits):
        record.cell_scores[level, digit] = record.scores[cell * digits + digit]


@inlined
def next_guess(record, level):
    """Return the bit of the next digit to guess: the lowest one, or the one with the highest score."""
    rest = np.uint64(record.rest[level])
    # An unguided search has no scores here, so that the lowest digit stays.
    bit, best = rest & (~rest + ONE), -np.inf
    for digit in range(record.cell_scores.shape[1]):
        candidate = ONE << np.uint64(digit)
        if rest & candidate != ZERO and record.cell_scores[level, digit] > best:
            bit, best = candidate, record.cell_scores[level, digit]
    return bit


@inlined
def count_solution(record, level):
    """Count a solution at this level; returns whether the search must stop."""
    control = record.control
    # A search that lists stops at each solution (`most` is 0), one that counts at the last one.
    control.found += 1
    control.solved = level
    return control.most == 0 or control.found >= control.most


@compiled
def step(record, budget):
    """Run one slice: at most `budget` guesses."""
    control = record.control
    if budget == 0:
        return RUNNING
    # Propagate the clues; often that solves the board, or shows that it has no solution.
    if control.phase == START:
        control.phase = FINISHED
        written = propagate_board(record.grid, record.stack[0])
        if written < 0:
            return DONE
        control.generated += written - control.clues
        if not choose_cell(record, 0):
            return IMPROVED if count_solution(record, 0) and control.most == 0 else DONE
        control.phase = SEARCH
        if control.guided:
            control.phase = AWAITS_SCORES
            return NEEDS_SCORES
    if control.phase == FINISHED:
        return DONE
    # The network has scored the candidates of the state on top: it chooses the cell of the next guess.
    if control.phase == AWAITS_SCORES:
        choose_surest_cell(record, control.level)
        control.phase = SEARCH
    while True:
        level = control.level
        rest = np.uint64(record.rest[level])
        # All digits of this cell were tried: backtrack.
        if rest == ZERO:
            if level == 0:
                control.phase = FINISHED
                return DONE
            control.level -= 1
            continue
        if budget == 0:
            return RUNNING
        budget -= 1
        control.expanded += 1
        record.guesses[level] += 1
        # Guess a digit on a copy of the candidates, and propagate; a contradiction leaves the next digit to try.
        bit = next_guess(record, level)
        record.rest[level] = rest ^ bit
        copy(record.stack[level], record.stack[level + 1])
        written = place_digit(record.grid, record.stack[level + 1], record.cells[level], bit)
        if written < 0:
            continue
        control.generated += written
        # Go deeper if a cell is still open; otherwise this is a solution.
        if choose_cell(record, level + 1):
            control.level += 1
            if control.guided:
                control.phase = AWAITS_SCORES
                return NEEDS_SCORES
        elif count_solution(record, level + 1):
            if control.most == 0:
                return IMPROVED
            control.phase = FINISHED
            return DONE
