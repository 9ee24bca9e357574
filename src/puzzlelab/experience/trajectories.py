"""Trajectories of running games; when a game ends, its states get upper bounds on their cost-to-go.

Every path to the goal is such a bound: the random walk that made the board, and the game itself if it was won.

Shapes: B = games, S = length of a state, L = most moves of a game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.experience.curriculum import UNKNOWN
from puzzlelab.experience.vector_game import Transition, VectorGame


@dataclass(eq=False)
class Trajectories:
    """All states of every running game."""

    states: State
    """[L, B, S]."""
    bounds: NDArray[np.int32]
    """[L, B]: an upper bound on the cost-to-go of each state, or UNKNOWN."""
    used: int = 0
    """The number of moves that running games can have: only so many rows hold states."""

    @classmethod
    def of(cls, play: VectorGame, max_moves: int | None = None) -> Trajectories:
        """Make trajectories for games without a move yet, of at most `max_moves` moves; by default as many as a game
        can have.
        """
        states = np.repeat(play.states[None], play.max_moves if max_moves is None else max_moves, 0)
        return cls(states, np.full(states.shape[:2], UNKNOWN, np.int32))

    def record(self, play: VectorGame) -> None:
        """Record the state of every game before a step."""
        self.used = int(play.lengths.max(initial=0)) + 1
        games = np.arange(len(play.states))
        self.states[play.lengths, games] = play.states
        self.bounds[play.lengths, games] = play.bounds

    def completed(self, step: Transition, lengths: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
        """Return the states of all games that this step ended, after `lengths: int32[B]` moves, as columns.

        `state`, `bound` (`int32`, an upper bound on the cost-to-go), and `moves_to_end` (`int32`, the moves from there
        to the end of the game if it was won), both UNKNOWN where there is none.
        """
        ended = np.flatnonzero(step.ended)
        moves = np.arange(len(self.states))[:, None]
        played = moves < lengths[ended]
        moves_to_end = np.where(step.successors.solved[ended], lengths[ended] - moves, UNKNOWN).astype(np.int32)
        bounds = np.minimum(self.bounds[:, ended], moves_to_end)
        columns = {"state": self.states[:, ended], "bound": bounds, "moves_to_end": moves_to_end}
        return {name: column[played] for name, column in columns.items()}

    # --- state ---

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that `restore` needs, as arrays."""
        return {"states": self.states[: self.used], "bounds": self.bounds[: self.used]}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Restore what `state` returned."""
        self.used = len(state["states"])
        self.states[: self.used], self.bounds[: self.used] = state["states"], state["bounds"]
