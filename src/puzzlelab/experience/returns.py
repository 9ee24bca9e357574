"""N-step returns: the discounted rewards of the next N moves of a game, and the state after them.

Shapes: B = games, S = length of a state, N = steps of a return.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.experience.vector_game import Transition

Columns = Mapping[str, NDArray[Any]]
"""One transition a row: `state`, `move`, `reward` (the discounted sum of all steps), `next` (the state after them), and
`factor`, by which the value of `next` is multiplied: the discount of all steps, or 0 if `next` is terminal.
"""


@dataclass(eq=False)
class Returns:
    """The last N moves of every game, whose returns are not complete yet."""

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
