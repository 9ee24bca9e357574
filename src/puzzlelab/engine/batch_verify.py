"""Replays many solutions by the compiled rules, which property tests compare with the plain ones.

For thousands of solutions this is much faster than `verify`, which uses the plain rules.

Shapes: G = games, L = moves of all their solutions together, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.result_batch import UNSOLVED
from puzzlelab.core.verify import replay
from puzzlelab.core.views import KernelRules

CHECKED = 100
"""The number of solutions of which one is also replayed with the plain rules."""


def wrong(puzzle: Puzzle, states: State, solutions: Sequence[Sequence[int] | None]) -> tuple[int, str] | None:
    """Return the index of the first wrong solution, and why it is wrong; None if all are right. None in `solutions`
    stands for no solution.

    Solutions that the compiled rules reject are replayed by the plain rules, and so is one in `CHECKED` of the others.
    A puzzle without compiled rules has all of its solutions replayed by the plain ones.
    """
    lengths = np.array([UNSOLVED if solution is None else len(solution) for solution in solutions], np.int32)
    moves = np.array([move for solution in solutions for move in solution or ()], np.int32)
    confirmed, _ = confirmed_by_kernels(puzzle, states, lengths, moves)
    confirmed[::CHECKED] = False
    for place in np.flatnonzero(~confirmed).tolist():
        solution = solutions[place]
        if solution is not None:
            verdict = replay(Instance(puzzle, states[place]), solution)
            if not verdict.holds:
                return place, verdict.reason
    return None


def confirmed_by_kernels(
    puzzle: Puzzle, states: State, lengths: NDArray[np.int32], moves: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], State]:
    """Return `bool[G]`: the boards whose solution the compiled rules confirm, or that have none; and where they end,
    `[G, S]`.

    `states[G, S]` are the boards, `lengths: int32[G]` the numbers of their moves or `UNSOLVED`, and `moves: int32[L]`
    all their moves. None is confirmed for a puzzle without compiled rules.
    """
    holds = np.zeros(len(lengths), bool)
    rules = puzzle.view(KernelRules)
    if rules is None:
        return holds, states
    from puzzlelab.engine.batch_verify_kernels import confirm_all  # imports the compiler

    ends = np.array(rules.encode(states), rules.dtype, order="C")
    child, legal = np.empty(rules.size, rules.dtype), np.empty(max(1, puzzle.move_count), np.int32)
    confirm_all(rules.tables, ends, lengths, np.ascontiguousarray(moves), child, legal, holds)
    return holds, rules.decode(ends)
