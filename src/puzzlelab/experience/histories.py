"""The past of running games: n-step returns of their moves, and trajectories, whose states get bounds on their
cost-to-go when a game ends.

Every path to the goal is such a bound: the random walk that made the board, and the game itself if it was won.

Shapes: B = games, S = length of a state, N = steps of a return, L = most moves of a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.experience.curriculum import UNKNOWN
from puzzlelab.experience.vector_game import Transition, VectorGame

Columns = Mapping[str, NDArray[Any]]
"""One transition a row: `state`, `move`, `reward` (the discounted sum of all steps), `next` (the state after them), and
`factor`, by which the value of `next` is multiplied: the discount of all steps, or 0 if `next` is terminal.
"""


@dataclass(eq=False)
class Returns:
    """The last N moves of every game, whose returns are not complete yet.

    A return is the discounted rewards of the next N moves, with the state after them.
    """

    discount: float
    states: State
    """[N, B, S]: the newest in row 0."""
    moves: NDArray[np.int64]
    """[N, B]."""
    rewards: NDArray[np.float32]
    """[N, B]: the discounted sum of rewards from each move to the newest."""
    waiting: NDArray[np.int32]
    """[B]: the number of moves of each game that wait for the end of their return."""

    @classmethod
    def of(cls, steps: int, discount: float, states: State) -> Returns:
        """Return no moves yet, for games with the states `[B, S]` and returns of `steps` steps."""
        games = len(states)
        moves, rewards = np.zeros((steps, games), np.int64), np.zeros((steps, games), np.float32)
        return cls(discount, np.repeat(states[None], steps, 0), moves, rewards, np.zeros(games, np.int32))

    def completed(self, step: Transition, rewards: NDArray[np.float32]) -> Columns:
        """Add one move of every game; the transitions that are complete now, which in a game that ended are all."""
        steps = len(self.moves)
        self.states = np.concatenate([step.states[None], self.states[:-1]])
        self.moves = np.concatenate([step.moves[None], self.moves[:-1]])
        self.rewards = np.concatenate([np.zeros((1, len(rewards)), np.float32), self.rewards[:-1]])
        self.waiting = np.minimum(self.waiting + 1, steps)
        parts: list[Columns] = []
        for age in range(steps):
            is_waiting = self.waiting > age
            self.rewards[age, is_waiting] += np.float32(self.discount**age) * rewards[is_waiting]
            rows = np.flatnonzero(is_waiting & (step.ended | (age == steps - 1)))
            parts.append(
                {
                    "state": self.states[age, rows],
                    "move": self.moves[age, rows].astype(np.int16),
                    "reward": self.rewards[age, rows],
                    "next": step.successors.states[rows],
                    "factor": np.where(step.terminal[rows], 0.0, self.discount ** (age + 1)).astype(np.float32),
                }
            )
        self.waiting[step.ended] = 0
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    # --- state ---

    def state(self) -> Columns:
        """Return all that `restore` needs, as arrays."""
        return {"states": self.states, "moves": self.moves, "rewards": self.rewards, "waiting": self.waiting}

    def restore(self, state: Columns) -> None:
        """Restore what `state` returned."""
        for name, value in state.items():
            setattr(self, name, value.copy())


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
