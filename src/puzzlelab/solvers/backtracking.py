"""Backtracking with constraint propagation: place forced digits, then guess in the cell with the fewest candidates.

After each guess the two rules of `_candidates` place all forced digits. The search is complete, so it lists and counts
all solutions, and proves that a solution is unique or that there is none. A network may choose among these cells the
one it is surest of, and the order of the digits. Source: Norvig, "Solving every Sudoku puzzle" (2006).

Shapes: N = cells, D = digits, L = levels of the stack, one more than there are guesses on a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance
from puzzlelab.core.solutions import Count, CountsSolutions, EnumeratesSolutions, settled
from puzzlelab.core.solver import Attempt, Explains, SolverSettings, chosen_prior
from puzzlelab.core.views import Candidates, Prior
from puzzlelab.engine import candidate_logits
from puzzlelab.engine.driver import EXHAUSTED, Machine, Score
from puzzlelab.engine.enumeration import FOUND, MOST, OWN, counted, listed
from puzzlelab.engine.kernels import (
    DONE,
    EXPANDED,
    GENERATED,
    IMPROVED,
    NEEDS_SCORES,
    RUNNING,
    compiled,
    copy,
    inlined,
    population,
)
from puzzlelab.solvers._candidates import (
    ONE,
    ZERO,
    Grid,
    digits_of,
    grid_of,
    masks_of,
    place_digit,
    propagate_board,
    view,
    writer,
)

PHASE, LEVEL, SOLVED, CLUES, GUIDED = range(OWN, OWN + 5)
START, SEARCH, FINISHED, AWAITS_SCORES = range(4)


class BacktrackingRecord(NamedTuple):
    """The state of one search."""

    grid: Grid
    control: NDArray[np.int64]
    """`EXPANDED` counts guesses, `GENERATED` placed digits; the solution is at the level `SOLVED`."""
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
    masks, cell, fewest = record.stack[level], -1, np.uint64(64)
    for i in range(masks.size):
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
    """The bit of the next digit to guess: the lowest one, or the one with the highest score."""
    rest = np.uint64(record.rest[level])
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
    control[FOUND] += 1
    control[SOLVED] = level
    return control[MOST] == 0 or control[FOUND] >= control[MOST]


@compiled
def step(record, budget):
    """One slice: at most `budget` guesses."""
    control = record.control
    if budget == 0:
        return RUNNING
    if control[PHASE] == START:
        control[PHASE] = FINISHED
        written = propagate_board(record.grid, record.stack[0])
        if written < 0:
            return DONE
        control[GENERATED] += written - control[CLUES]
        if not choose_cell(record, 0):
            return IMPROVED if count_solution(record, 0) and control[MOST] == 0 else DONE
        control[PHASE] = SEARCH
        if control[GUIDED]:
            control[PHASE] = AWAITS_SCORES
            return NEEDS_SCORES
    if control[PHASE] == FINISHED:
        return DONE
    if control[PHASE] == AWAITS_SCORES:
        choose_surest_cell(record, control[LEVEL])
        control[PHASE] = SEARCH
    while True:
        level = control[LEVEL]
        rest = np.uint64(record.rest[level])
        if rest == ZERO:
            if level == 0:
                control[PHASE] = FINISHED
                return DONE
            control[LEVEL] -= 1
            continue
        if budget == 0:
            return RUNNING
        budget -= 1
        control[EXPANDED] += 1
        record.guesses[level] += 1
        bit = next_guess(record, level)
        record.rest[level] = rest ^ bit
        copy(record.stack[level], record.stack[level + 1])
        written = place_digit(record.grid, record.stack[level + 1], record.cells[level], bit)
        if written < 0:
            continue
        control[GENERATED] += written
        if choose_cell(record, level + 1):
            control[LEVEL] += 1
            if control[GUIDED]:
                control[PHASE] = AWAITS_SCORES
                return NEEDS_SCORES
        elif count_solution(record, level + 1):
            if control[MOST] == 0:
                return IMPROVED
            control[PHASE] = FINISHED
            return DONE


def machine(instance: Instance, guided: bool = False) -> Machine:
    """The search on this board; a guided one requests scores."""
    masks, digits = masks_of(instance), view(instance).units.all.shape[1]
    blanks = int(np.count_nonzero(view(instance).digits(instance.state) < 0))
    levels = blanks + 2
    record = BacktrackingRecord(
        grid_of(view(instance).units),
        np.zeros(16, np.int64),
        np.zeros((levels, masks.size), np.uint32),
        np.zeros(levels, np.int32),
        np.zeros(levels, np.uint32),
        np.zeros(levels, np.int64),
        np.zeros(masks.size * digits if guided else 0),
        np.zeros((levels, digits if guided else 0)),
    )
    record.stack[0] = masks
    record.control[CLUES], record.control[GUIDED] = masks.size - blanks, guided

    moves_of = writer(instance)

    def solution(record: BacktrackingRecord) -> list[int]:
        return list(moves_of(digits_of(record.stack[record.control[SOLVED]])))

    def requests(record: BacktrackingRecord) -> NDArray[np.uint32]:
        masks: NDArray[np.uint32] = record.stack[record.control[LEVEL]][None]
        return masks

    return Machine(record, step, solution, lambda record, room: None, lambda record: EXHAUSTED, requests)


def scorer(prior: Prior, puzzle: Candidates) -> Callable[[NDArray[np.uint32]], NDArray[np.float64]]:
    """A function from masks `[1, N]` to the scores of the candidates by a network, `float64[1, N, D]`."""
    bits = np.uint32(1) << np.arange(puzzle.units.all.shape[1], dtype=np.uint32)
    ask = candidate_logits.logits_of(prior, puzzle)
    return lambda masks: np.asarray(ask(masks[..., None] & bits != 0), np.float64)


class Backtracking(SolverSettings):
    """Constraint propagation, and guesses in the cell with the fewest candidates.

    A `prior`, such as a network, chooses among cells with equally few candidates, and orders their digits.
    """

    name: ClassVar[str] = "backtracking"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)
    offers: ClassVar[tuple[type, ...]] = (EnumeratesSolutions, CountsSolutions, Explains)

    prior: str | Prior | None = None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress, then the solution and whether it is the only one; O(N * N) memory. Nodes are guesses."""
        return settled(self.solutions(instance, limit))

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Every solution, in the order of the guesses."""
        search, score = self._search(instance)
        return listed(search, limit, score=score)

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Counts without listing."""
        search, score = self._search(instance)
        return counted(search, limit, most, score=score)

    def explain(self, instance: Instance, limit: Limit | None = None) -> Iterator[str]:
        """The solution process as pieces of text to print: rounds of singletons, then the search."""
        from puzzlelab.solvers._explain import explain

        search, score = self._search(instance)
        return explain(instance, search, limit or Limit(), score)

    def _search(self, instance: Instance) -> tuple[Machine, Score | None]:
        """The search on this board, and the function that scores its requests, if it has any."""
        if self.prior is None:
            return machine(instance), None
        return machine(instance, guided=True), scorer(chosen_prior(instance.puzzle, self.prior), view(instance))


SOLVER = Backtracking
