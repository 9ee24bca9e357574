"""Replays many solutions by the compiled rules, which property tests compare with the plain ones.

For thousands of solutions this is much faster than `verify`, which uses the plain rules.

Shapes: G = games, L = moves of all their solutions together, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import CONFIRMED_BY, UNSOLVED, Answers
from puzzlelab.core.boards import Instance
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.verify import Verdict, confirmed, replay
from puzzlelab.core.views import KernelRules

KERNELS = CONFIRMED_BY.index("kernels")
SAMPLED_FIRST, SAMPLED_EVERY = 100, 1000
"""Answers that are replayed by the plain rules too: those of boards with the first numbers, and of one in so many."""
SCATTER = np.uint64(0x9E3779B97F4A7C15)
"""The multiplier that scatters numbers, so that a regular step from board to board meets the sample too."""
NOT_SAMPLED = SAMPLED_FIRST + 1
"""A number whose answer is replayed by the compiled rules alone."""
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
    holds, _ = confirmed_by_kernels(puzzle, states, lengths, moves)
    holds[::CHECKED] = False
    for place in np.flatnonzero(~holds).tolist():
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
    from puzzlelab.engine.batch_rules_kernels import confirm_all  # imports the compiler

    ends = np.array(rules.encode(states), rules.dtype, order="C")
    child, legal = np.empty(rules.size, rules.dtype), np.empty(max(1, puzzle.move_count), np.int32)
    confirm_all(rules.tables, ends, lengths, np.ascontiguousarray(moves), child, legal, holds)
    return holds, rules.decode(ends)


def verified(answers: Answers) -> tuple[Answers, Mapping[int, Verdict]]:
    """Return the answers with the rules that confirm them; and for each that is wrong, its place and why.

    By which rules an answer is replayed depends on the number of its board alone, and not on the boards beside it.
    """
    boards, solved, ends = answers.boards, answers.is_solved, answers.boards.states
    by_plain_rules, holds = is_sampled(boards.numbers), np.zeros(len(boards), bool)
    if not by_plain_rules.all() and objective_of(boards.puzzle).kind == "moves":
        holds, ends = confirmed_by_kernels(boards.puzzle, boards.states, answers.lengths, answers.moves)
    by_plain_rules |= ~(holds & _claims_agree(answers, solved))
    verified_by, refuted = np.where(solved, np.uint8(KERNELS), np.uint8(0)), {}
    for place in np.flatnonzero(by_plain_rules | answers.is_proven("unsolvable")).tolist():
        result, verdict = confirmed(answers[place])
        verified_by[place] = CONFIRMED_BY.index(result.verified_by)
        if not verdict.holds:
            refuted[place] = verdict
    return replace(
        answers, verified_by=verified_by, ends=ends if holds[solved].all() and holds.any() else None
    ), refuted


def is_sampled(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return `bool[B]`: whether the answers to boards with these numbers are replayed by the plain rules too."""
    scattered = (numbers.astype(np.uint64) * SCATTER) >> np.uint64(32)
    return np.asarray((numbers < SAMPLED_FIRST) | (scattered % np.uint64(SAMPLED_EVERY) == 0))


def _claims_agree(answers: Answers, solved: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return `bool[B]`: whether proof, length and lower bound agree, as `core.verify` demands."""
    optimal = answers.is_proven("optimal")
    of_moves = optimal | answers.is_proven("unique") | answers.is_proven("several")
    holds = np.where(solved, answers.lengths >= answers.lower_bounds, ~of_moves)
    holds &= ~solved | ~optimal | (answers.lengths == answers.lower_bounds)
    return np.asarray(holds & ~(solved & answers.is_proven("unsolvable")))
