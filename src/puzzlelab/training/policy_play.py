"""Play by a policy alone, without random moves and without a search, and how near to the goal it ends.

Shapes: B = boards, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Scale
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves, solved

BestMoves = Callable[[State, NDArray[np.bool_]], NDArray[np.int64]]
"""The best move `int64[B]` in each of the plain `states[B, S]`, whose legal moves are `bool[B, M]`."""


@dataclass(frozen=True)
class PolicyGames:
    """Games that ended: solved, without a legal move, or at the move limit."""

    solved: NDArray[np.bool_]
    """[B]."""
    states: State
    """[B, S]: the last states."""

    def mean_level(self, scale: Scale) -> float | None:
        """Return the mean level of the last states, 0 for solved ones; None if the scale cannot measure states."""
        if scale.measure is None or not len(self.states):
            return None
        return float(np.where(self.solved, 0, scale.measure(self.states)).mean())


def play_policy(puzzle: Puzzle, states: State, best_moves: BestMoves, max_moves: int) -> PolicyGames:
    """Play from the plain `states[B, S]`; an illegal move leaves the state as it is."""
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
    return PolicyGames(is_solved, states)


@dataclass
class PolicyChecks:
    """The evaluations of a curriculum so far."""

    count: int = 0
    finishes: int = 0
    """Boards solved in all of them."""
    solved: float = 0.0
    """The share of boards solved in the last one."""
    level: float | None = None
    """The mean level of its last states; None if the scale cannot measure states."""

    def add(self, games: PolicyGames, scale: Scale) -> None:
        """Add an evaluation."""
        self.count += 1
        self.finishes += int(games.solved.sum())
        self.solved, self.level = float(games.solved.mean()), games.mean_level(scale)

    def metrics(self) -> dict[str, float]:
        """Return statistics of the last evaluation, and the number of boards solved in all; nothing before the first
        one.
        """
        if not self.count:
            return {}
        metrics: dict[str, float] = {"checks": self.count, "check_solved": self.solved, "finishes": self.finishes}
        return metrics if self.level is None else metrics | {"check_level": self.level}

    def state(self) -> dict[str, Any]:
        """Return all fields, as values for JSON."""
        return dict(vars(self))
