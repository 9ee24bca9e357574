"""What states turned out to be worth, some moves later: the least of what each move on the way said.

Every path to the goal bounds the moves that a state needs from above, so that the least of several says most.

Shapes: B = games, S = length of a state, N = moves that a state waits for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State
from puzzlelab.experience.play import Turn


@dataclass(eq=False)
class Backups:
    """The last states of every game."""

    states: State
    """[N, B, S]: the newest in row 0."""
    worth: NDArray[np.float32]
    """[N, B]: the moves that each needs, as far as is known."""
    waiting: NDArray[np.int32]
    """[B]: how many states of each game wait."""

    @classmethod
    def of(cls, steps: int, states: State) -> Backups:
        """For games that stand at `states[B, S]`."""
        games = len(states)
        return cls(np.repeat(states[None], steps, 0), np.zeros((steps, games), np.float32), np.zeros(games, np.int32))

    def after(self, turn: Turn, worth: NDArray[np.float32]) -> tuple[State, NDArray[np.float32]]:
        """The states that have waited long enough, and their worth, when the states before this turn need `worth[B]`
        moves; those of a game that ended are all given.
        """
        steps = len(self.worth)
        self.states = np.concatenate([turn.before[None], self.states[:-1]])
        self.worth = np.concatenate([worth[None], self.worth[:-1]])
        self.waiting = np.minimum(self.waiting + 1, steps)
        states, found = [], []
        for age in range(steps):
            held = self.waiting > age
            np.minimum(self.worth[age], worth + np.float32(age), out=self.worth[age], where=held)
            rows = np.flatnonzero(held & (turn.ended | (age == steps - 1)))
            states.append(self.states[age, rows])
            found.append(self.worth[age, rows])
        self.waiting[turn.ended] = 0
        return np.concatenate(states), np.concatenate(found)

    # --- keeping ---

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs, as arrays."""
        return {"states": self.states, "worth": self.worth, "waiting": self.waiting}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Become the backups that gave this state."""
        for name, value in state.items():
            setattr(self, name, value.copy())
