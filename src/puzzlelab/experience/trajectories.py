"""The states of games that are being played, given when a game ends, with what its end says of each.

Every path to the goal bounds the moves that a state needs: the walk that a board was made by, and the game if it was
won.

Shapes: B = games, S = length of a state, L = moves after which a game is given up.
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
    """All states of every game so far."""

    states: State
    """[L, B, S]."""
    known: NDArray[np.int32]
    """[L, B]: the most moves that each can need, or UNKNOWN."""

    @classmethod
    def of(cls, play: VectorGame) -> Trajectories:
        """For games at their beginning."""
        states = np.repeat(play.states[None], play.most, 0)
        return cls(states, np.full(states.shape[:2], UNKNOWN, np.int32))

    def note(self, play: VectorGame) -> None:
        """Write down where every game stands before a turn."""
        games = np.arange(len(play.states))
        self.states[play.length, games] = play.states
        self.known[play.length, games] = play.known

    def after(self, turn: Transition, lengths: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
        """Of all games that ended by this turn, after so many moves `int32[B]`: `state`, `bound: int32[...]`, the most
        moves that are needed, and `left: int32[...]`, those that were made from there if the game was won, or UNKNOWN.
        """
        ended = np.flatnonzero(turn.ended)
        moves = np.arange(len(self.states))[:, None]
        held = moves < lengths[ended]
        left = np.where(turn.made.solved[ended], lengths[ended] - moves, UNKNOWN).astype(np.int32)
        bounds = np.minimum(self.known[:, ended], left)
        columns = {"state": self.states[:, ended], "bound": bounds, "left": left}
        return {name: column[held] for name, column in columns.items()}

    # --- keeping ---

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs, as arrays."""
        return {"states": self.states, "known": self.known}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Become the histories that gave this state."""
        self.states, self.known = state["states"].copy(), state["known"].copy()
