"""Returns of several steps: what the next moves of a game brought together, and where they led.

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
"""A transition in each row: `state`, `move`, `reward` (discounted, of all steps), `next` (the state after them), and
`factor`, what its value counts: the discount of all steps, or 0 where nothing comes after it.
"""


@dataclass(eq=False)
class Returns:
    """The last moves of every game, until as many as a return needs have been made after them."""

    discount: float
    states: State
    """[N, B, S]: the newest in row 0."""
    moves: NDArray[np.int64]
    """[N, B]."""
    rewards: NDArray[np.float32]
    """[N, B]: discounted, from each move up to the newest."""
    waiting: NDArray[np.int32]
    """[B]: how many moves of each game wait."""

    @classmethod
    def of(cls, steps: int, discount: float, states: State) -> Returns:
        """For games that stand at `states[B, S]`, with returns of so many steps."""
        games = len(states)
        moves, rewards = np.zeros((steps, games), np.int64), np.zeros((steps, games), np.float32)
        return cls(discount, np.repeat(states[None], steps, 0), moves, rewards, np.zeros(games, np.int32))

    def after(self, turn: Transition, rewards: NDArray[np.float32]) -> Columns:
        """The transitions that are complete after this turn; those of the game that ended all are."""
        steps = len(self.moves)
        self.states = np.concatenate([turn.before[None], self.states[:-1]])
        self.moves = np.concatenate([turn.moves[None], self.moves[:-1]])
        self.rewards = np.concatenate([np.zeros((1, len(rewards)), np.float32), self.rewards[:-1]])
        self.waiting = np.minimum(self.waiting + 1, steps)
        parts: list[Columns] = []
        for age in range(steps):
            held = self.waiting > age
            self.rewards[age, held] += np.float32(self.discount**age) * rewards[held]
            rows = np.flatnonzero(held & (turn.ended | (age == steps - 1)))
            parts.append(
                {
                    "state": self.states[age, rows],
                    "move": self.moves[age, rows].astype(np.int16),
                    "reward": self.rewards[age, rows],
                    "next": turn.made.states[rows],
                    "factor": np.where(turn.over[rows], 0.0, self.discount ** (age + 1)).astype(np.float32),
                }
            )
        self.waiting[turn.ended] = 0
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    # --- keeping ---

    def state(self) -> Columns:
        """All that `restore` needs, as arrays."""
        return {"states": self.states, "moves": self.moves, "rewards": self.rewards, "waiting": self.waiting}

    def restore(self, state: Columns) -> None:
        """Become the returns that gave this state."""
        for name, value in state.items():
            setattr(self, name, value.copy())
