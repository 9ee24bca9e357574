"""Many games of one puzzle at once, a move of each at a time; a game that is over is followed by a new one.

Shapes: B = games, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Estimates
from puzzlelab.engine.batch_rules import Successors, apply_moves, canonical_moves, estimated
from puzzlelab.experience.curriculum import UNKNOWN, StartSampler


class Transition(NamedTuple):
    """What one move of every game led to."""

    before: State
    """[B, S]."""
    moves: NDArray[np.int64]
    """[B]."""
    made: Successors
    over: NDArray[np.bool_]
    """[B]: solved, or in a dead end: nothing comes after this."""
    ended: NDArray[np.bool_]
    """[B]: over, or given up after too many moves; a new game stands there now."""


@dataclass(eq=False)
class VectorGame:
    """The games. What changes is in arrays, so that it can be kept."""

    puzzle: Puzzle
    starts: StartSampler
    most: int
    """Moves after which a game is given up."""
    states: State
    """[B, S]: where each game stands."""
    length: NDArray[np.int32]
    """[B]: the moves of each game so far."""
    guesses: NDArray[np.int32]
    """[B]: how many of them were made at random."""
    known: NDArray[np.int32]
    """[B]: the most moves that each game can still need, or UNKNOWN."""
    tally: NDArray[np.int64]
    """[4]: games that ended, how many of them were won, and the moves and guesses of those that ended."""
    left: NDArray[np.float64]
    """[1]: what the puzzle's simplest estimate says of the boards where those ended, all together."""
    named: NDArray[np.int64]
    """[B, M]: the legal move that each comes to where the games stand, -1 for one that cannot be made."""

    @classmethod
    def of(cls, puzzle: Puzzle, starts: StartSampler, most: int, games: int, random: np.random.Generator) -> VectorGame:
        """So many games at their beginning."""
        states, known = starts.boards(games, random)
        none = np.zeros(games, np.int32)
        tally, left, named = np.zeros(4, np.int64), np.zeros(1), canonical_moves(puzzle, states)
        return cls(puzzle, starts, most, states, none, none.copy(), known, tally, left, named)

    def possible(self) -> NDArray[np.bool_]:
        """`bool[B, M]`: the moves that can be made."""
        return self.named >= 0

    def turn(self, moves: NDArray[np.int64], guessed: NDArray[np.bool_], random: np.random.Generator) -> Transition:
        """Make `moves: int64[B]`, of which some were `guessed: bool[B]`; new boards take the places of ended games."""
        before = self.states
        done = apply_moves(self.puzzle, before, moves, self.named)
        self.named = canonical_moves(self.puzzle, done.states)
        over = done.solved.copy()
        over[(self.named < 0).all(axis=1)] = True  # no move is left
        self.length += 1
        self.guesses += guessed
        ended = over.copy()
        ended[self.length >= self.most] = True
        self.known[self.known != UNKNOWN] += 1
        self.states = done.states.copy()
        turn = Transition(before, moves, done, over, ended)
        self._begin_again(turn, random)
        return turn

    def _begin_again(self, turn: Transition, random: np.random.Generator) -> None:
        rows = np.flatnonzero(turn.ended)
        if rows.size:
            won = turn.made.solved[rows].sum()
            self.tally += [rows.size, won, self.length[rows].sum(), self.guesses[rows].sum()]
            self.left += self._distance(self.states[rows])
            self.starts.ended(rows.size, int(won))
            self.states[rows], self.known[rows] = self.starts.boards(rows.size, random)
            self.length[rows] = self.guesses[rows] = 0
            self.named[rows] = canonical_moves(self.puzzle, self.states[rows])

    def _distance(self, ends: State) -> float:
        """How far these boards are from solved, all together, by the first estimate that the puzzle names."""
        view = self.puzzle.view(Estimates)
        if view is None:
            return 0.0
        simplest = view.estimate(next(iter(view.estimates)))
        return float(estimated(self.puzzle, simplest, ends).sum())

    # --- keeping ---

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs, as arrays."""
        starts = np.array(self.starts.state())
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        held = {name: value for name, value in arrays.items() if isinstance(value, np.ndarray) and name != "named"}
        return held | {"starts": starts}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Become the games that gave this state."""
        self.starts.restore(state["starts"].tolist())
        for name, value in state.items():
            if name != "starts":
                setattr(self, name, value.copy())
        self.named = canonical_moves(self.puzzle, self.states)
