"""Play by a policy alone, without random moves and without a search, and how near to the goal it ends.

Shapes: B = boards, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Scale
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves, solved

BestMoves = Callable[[State, NDArray[np.bool_]], NDArray[np.int64]]
"""The best move `int64[B]` in each of the plain `states[B, S]`, whose legal moves are `bool[B, M]`."""


def play_policy(
    puzzle: Puzzle, states: State, best_moves: BestMoves, max_moves: int
) -> tuple[NDArray[np.bool_], State]:
    """Play from the plain `states[B, S]` until a game is solved, without a legal move, or at the move limit.

    Returns which games are solved, `bool[B]`, and the last states `[B, S]`. An illegal move leaves the state as it is.
    """
    states, done = states.copy(), solved(puzzle, states)
    is_solved = done.copy()
    for _ in range(max_moves):
        rows = np.flatnonzero(~done)
        canonical = canonical_moves(puzzle, states[rows])
        movable = (canonical >= 0).any(axis=1)
        done[rows[~movable]] = True
        rows, canonical = rows[movable], canonical[movable]
        if not rows.size:
            break
        moves = best_moves(states[rows], canonical >= 0)
        successors = apply_moves(puzzle, states[rows], moves, canonical)
        states[rows] = successors.states
        is_solved[rows] = done[rows] = successors.solved
    return is_solved, states


def mean_level(scale: Scale, is_solved: NDArray[np.bool_], states: State) -> float | None:
    """Return the mean level of the last states of games, 0 for solved ones; None if the scale cannot measure states."""
    if scale.measure is None or not len(states):
        return None
    return float(np.where(is_solved, 0, scale.measure(states)).mean())
