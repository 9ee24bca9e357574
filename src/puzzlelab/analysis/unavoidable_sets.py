"""Why a board has several solutions: the smallest set of cells in which two of them differ, an unavoidable set.

A board with a clue in such a set does not have both of these solutions. The solutions are compared with each other, up
to a number of them, and with those that the exchange of two digits in four cells makes of them.

Shapes: K = solutions, N = cells, D = digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.true_candidates import digit_signs
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State, board_after
from puzzlelab.core.result import Progress, Stop
from puzzlelab.core.solver import Solver
from puzzlelab.core.verify import Verdict
from puzzlelab.core.views import Candidates, Units, candidates_view
from puzzlelab.engine.batch_verify import wrong
from puzzlelab.engine.enumeration import Enumerator, require_enumerator
from puzzlelab.engine.solving import wrong_answer

Pair = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The digits `[N]` of two solutions."""
COMPARED = 1000
"""The solutions of a board that are compared by default."""
FIRST = 64
"""The solutions that are compared first: two of them are mostly as near as two can be."""
DRAWS, DRAWN = 32, 4
"""The further solutions that are looked for where those were alike, and the candidates that are drawn for each."""
LEAST_ON_LINES = 4
"""The fewest cells in which two solutions differ where rows and columns are units: two in each of two rows."""


@dataclass(frozen=True, eq=False)
class UnavoidableSet:
    """The smallest set of cells in which two of the compared solutions differ.

    >>> found = puzzlelab.unavoidable_set(puzzlelab.load("sudoku-4x4").read("12..34..2143...."))
    >>> len(found.cells), found.is_smallest, found.compared
    (4, True, 2)
    """

    cells: tuple[int, ...]
    first: State
    """`[S]`: a solution, as a solved board."""
    second: State
    """`[S]`: the solution that differs from it in these cells alone."""
    compared: int
    """The number of solutions that were compared."""
    is_smallest: bool
    """Whether it is proven that no two solutions differ in fewer cells."""
    stop: Stop
    """'done' if all solutions were compared, otherwise why not: 'solutions' means their greatest number."""


def unavoidable_set(solver: Solver, instance: Instance, limit: Limit, most: int = COMPARED) -> UnavoidableSet | None:
    """Return the smallest set of cells in which two of up to `most` solutions of a board differ.

    None if no two solutions were found. Raises `Unsupported` if the puzzle has no candidates, or if the solver cannot
    list solutions.
    """
    view, enumerator = candidates_view(instance.puzzle), require_enumerator(solver, instance.puzzle)
    least, most = _least(view.units), max(2, most)
    for size in sorted({min(FIRST, most), most}):
        solutions, stop = _solutions(enumerator, instance, limit, size)
        if len(solutions) < 2:
            return None
        first, second = _exchange(view, instance, solutions) or _nearest(solutions)
        if stop != "solutions" or (first != second).sum() == least:
            break
    if stop != "done" and (first != second).sum() > least:
        scattered = _scattered(enumerator, instance, limit)
        first, second = _exchange(view, instance, scattered) or (first, second)
    while stop != "done" and (first != second).sum() > least:
        smaller = _within(enumerator, instance, (first, second), limit)
        if smaller is None:
            break
        first, second = smaller
    cells = np.flatnonzero(first != second)
    states = view.written(np.stack([first, second]))
    if not all(map(instance.puzzle.solved, states)):
        raise PuzzlelabError(f"two solutions of {instance!r} were combined to a board that is not solved")
    is_smallest = stop == "done" or len(cells) == least
    return UnavoidableSet(tuple(cells.tolist()), states[0], states[1], len(solutions), is_smallest, stop)


def _solutions(solver: Enumerator, instance: Instance, limit: Limit, most: int) -> tuple[NDArray[np.int64], Stop]:
    """Return the digits `int64[K, N]` of up to `most` solutions, which are verified, and why there are no more."""
    puzzle, found, view = instance.puzzle, list[tuple[int, ...]](), candidates_view(instance.puzzle)
    stop: Stop = "solutions"
    if puzzle.objection(instance.state):
        return np.zeros((0, instance.state.size), np.int64), "done"
    for attempt in solver.solutions(instance, limit):
        if isinstance(attempt, Progress):
            continue
        if attempt.moves is None:
            stop = attempt.stop
            break
        found.append(attempt.moves)
        if len(found) == most:
            break
    if mistake := wrong(puzzle, np.repeat(instance.state[None], len(found), axis=0), found):
        raise wrong_answer(solver, instance, Verdict(False, mistake[1]))
    digits = np.repeat(view.digits(instance.state)[None], len(found), axis=0)
    moves = np.array(found, np.int64).reshape(len(found), -1)
    np.put_along_axis(digits, moves // view.units.all.shape[1], moves % view.units.all.shape[1], axis=1)
    return digits, stop


def _scattered(solver: Enumerator, instance: Instance, limit: Limit) -> NDArray[np.int64]:
    """Return the digits `int64[K, N]` of solutions that are less alike than those that a search lists in a row.

    Each has some candidates that are drawn at random. A draw is a function of its number, so that each call has the
    same.
    """
    puzzle, found = instance.puzzle, [np.zeros((0, instance.state.size), np.int64)]
    for number in range(DRAWS):
        random, state = np.random.default_rng(number), instance.state
        for _ in range(DRAWN):
            legal = np.flatnonzero(puzzle.legal(state))
            state = puzzle.apply(state, int(random.choice(legal))) if len(legal) else state
        found.append(_solutions(solver, Instance(puzzle, state), limit, 1)[0])
    return np.concatenate(found)


def _nearest(solutions: NDArray[np.int64]) -> Pair:
    """Return the two of `solutions: int64[K, N]` that differ in the fewest cells."""
    differs = (solutions != solutions[0]).any(axis=0)
    digits = np.ascontiguousarray(solutions[:, differs], np.int8)
    best, pair = digits.shape[1] + 1, (0, 1)
    for number in range(len(digits) - 1):
        distances = (digits[number + 1 :] != digits[number]).sum(axis=1)
        nearest = int(distances.argmin())
        if distances[nearest] < best:
            best, pair = int(distances[nearest]), (number, number + 1 + nearest)
    return solutions[pair[0]], solutions[pair[1]]


def _exchange(view: Candidates, instance: Instance, solutions: NDArray[np.int64]) -> Pair | None:
    """Return one of these solutions, and that with two digits of four cells exchanged, where this is a solution too."""
    rectangles = _rectangles(view.units)
    blank = view.digits(instance.state) < 0
    rectangles = rectangles[blank[rectangles].all(axis=1)]
    corners = solutions[:, rectangles]
    may_exchange = (corners[..., 0] == corners[..., 3]) & (corners[..., 1] == corners[..., 2])
    candidates = view.candidates(instance.state)
    for number, rectangle in np.argwhere(may_exchange).tolist():
        cells, first = rectangles[rectangle], solutions[number]
        second = first.copy()
        second[cells] = first[cells[[1, 0, 3, 2]]]
        if candidates[cells, second[cells]].all():
            return first, second
    return None


@lru_cache(maxsize=8)
def _rectangles(units: Units) -> NDArray[np.int64]:
    """Return `int64[R, 4]`: the corners (two of a row, then two of another one) whose digits may be exchanged.

    They have one digit in the first and the last corner, and another one in the others. Every unit then holds the same
    digits before and after.
    """
    if not {"row", "column"} <= set(units.kinds):
        return np.zeros((0, 4), np.int64)
    rows = units.kinds["row"].astype(np.int64)
    pairs = np.array(list(combinations(range(len(rows)), 2)))
    above, below = rows[pairs[:, 0]], rows[pairs[:, 1]]
    corners = np.stack([side[:, pairs[:, end]] for side in (above, below) for end in (0, 1)], axis=-1).reshape(-1, 4)
    holds = np.zeros((rows.size, len(units.all)), bool)
    holds[units.all, np.arange(len(units.all))[:, None]] = True
    is_kept = np.ones(len(corners), bool)
    for unit in range(len(units.all)):
        one, two, three, four = holds[corners, unit].T.astype(np.int8)
        is_kept &= one + four == two + three
    return corners[is_kept]


def _within(solver: Enumerator, instance: Instance, pair: Pair, limit: Limit) -> Pair | None:
    """Return two solutions that differ in fewer cells, all among those in which this pair differs; None if none do."""
    first, second = pair
    view = candidates_view(instance.puzzle)
    shared = np.flatnonzero((first == second) & (view.digits(instance.state) < 0))
    moves = shared * view.units.all.shape[1] + first[shared]
    board = Instance(instance.puzzle, board_after(instance.puzzle, instance.state, moves.tolist()))
    solutions, _ = _solutions(solver, board, limit, COMPARED)
    if len(solutions) < 3:
        return None
    nearest = _nearest(solutions)
    return nearest if (nearest[0] != nearest[1]).sum() < (first != second).sum() else None


def _least(units: Units) -> int:
    """Return the fewest cells in which two solutions can differ."""
    return LEAST_ON_LINES if {"row", "column"} <= set(units.kinds) else 2


def difference_texts(puzzle: Puzzle, found: UnavoidableSet) -> list[str]:
    """Return [N]: the digits of both solutions where they differ, and `.` elsewhere."""
    view, signs = candidates_view(puzzle), digit_signs(puzzle)
    pairs = zip(view.digits(found.first).tolist(), view.digits(found.second).tolist(), strict=True)
    return ["." if one == other else f"{signs[one]}/{signs[other]}" for one, other in pairs]


def unavoidable_in_words(puzzle: Puzzle, found: UnavoidableSet) -> str:
    """Return a sentence that says how small the set is, and what proves it."""
    names = ", ".join(map(candidates_view(puzzle).write_cell, found.cells))
    what = f"two solutions differ in {len(found.cells)} cells alone: {names}"
    if found.stop == "done":
        return f"{what} (the smallest such set: all {found.compared:,} solutions were compared)"
    if found.is_smallest:
        return f"{what} (no two solutions can differ in fewer)"
    return f"{what} (the smallest set among {found.compared:,} solutions; a smaller one may exist)"


def unavoidable_facts(puzzle: Puzzle, found: UnavoidableSet) -> dict[str, Any]:
    """Return the set as plain data."""
    view = candidates_view(puzzle)
    return {
        "cells": [view.write_cell(cell) for cell in found.cells],
        "solutions": [puzzle.write(found.first), puzzle.write(found.second)],
        "compared": found.compared,
        "smallest": found.is_smallest,
        "stop": found.stop,
    }
