"""A vectorised environment: many games of one puzzle, which make one move each per step. A game that ends is replaced.

Shapes: B = games, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Estimates
from puzzlelab.engine.batch_rules import Successors, apply_moves, canonical_moves, estimated
from puzzlelab.experience.curriculum import UNKNOWN, StartSampler

STATE_FIELDS = ("states", "lengths", "random_moves", "bounds", "tally", "final_estimates", "length_counts")
"""The fields of `VectorGame` whose arrays are in the saved state of a run."""
LENGTHS = 1001
"""The numbers of moves by which games are counted: 0 to 1,000."""


class Transition(NamedTuple):
    """One step of all games."""

    states: State
    """[B, S]: before the moves."""
    moves: NDArray[np.int64]
    """[B]."""
    successors: Successors
    terminal: NDArray[np.bool_]
    """[B]: whether the successor is solved or a dead end."""
    ended: NDArray[np.bool_]
    """[B]: whether the game is replaced now: its successor is terminal, or it had the greatest number of moves."""


@dataclass(eq=False)
class VectorGame:
    """Many running games. All that changes is in arrays, which `state` returns."""

    puzzle: Puzzle
    start_sampler: StartSampler
    max_moves: int
    """Moves after which a game ends unsolved."""
    states: State
    """[B, S]: the current states."""
    lengths: NDArray[np.int32]
    """[B]: the number of moves of each game so far."""
    random_moves: NDArray[np.int32]
    """[B]: how many of them were random."""
    bounds: NDArray[np.int32]
    """[B]: an upper bound on the cost-to-go of each game, or UNKNOWN."""
    tally: NDArray[np.int64]
    """[4]: of all games that ended: their number, the number of those won, and the sums of moves and random moves."""
    final_estimates: NDArray[np.float64]
    """[1]: the sum of the puzzle's simplest estimate over the last states of these games."""
    length_counts: NDArray[np.int64]
    """[LENGTHS]: how many of these games had so many moves; the last number is that of all longer games too."""
    canonical_moves: NDArray[np.int64]
    """[B, M]: for each move of the current states the equivalent move that stands for it; -1 for illegal moves."""

    @classmethod
    def of(
        cls, puzzle: Puzzle, start_sampler: StartSampler, max_moves: int, games: int, random: np.random.Generator
    ) -> VectorGame:
        """Make this number of games, without a move yet."""
        states, bounds = start_sampler.boards(games, random)
        return cls(
            puzzle=puzzle,
            start_sampler=start_sampler,
            max_moves=max_moves,
            states=states,
            lengths=np.zeros(games, np.int32),
            random_moves=np.zeros(games, np.int32),
            bounds=bounds,
            tally=np.zeros(4, np.int64),
            final_estimates=np.zeros(1),
            length_counts=np.zeros(LENGTHS, np.int64),
            canonical_moves=canonical_moves(puzzle, states),
        )

    @classmethod
    def resumed(
        cls, puzzle: Puzzle, start_sampler: StartSampler, max_moves: int, state: Mapping[str, NDArray[Any]]
    ) -> VectorGame:
        """Return the games of such a `state`, which is copied; new ones begin as `start_sampler` says."""
        fields = saved_fields(state)
        legal = canonical_moves(puzzle, fields["states"])
        return cls(puzzle=puzzle, start_sampler=start_sampler, max_moves=max_moves, canonical_moves=legal, **fields)

    def legal(self) -> NDArray[np.bool_]:
        """Return `bool[B, M]`: the legal moves of the current states."""
        return self.canonical_moves >= 0

    def step(self, moves: NDArray[np.int64], is_random: NDArray[np.bool_], random: np.random.Generator) -> Transition:
        """Make `moves: int64[B]`, some of them random (`is_random: bool[B]`); new games replace those that end."""
        states = self.states
        successors = apply_moves(self.puzzle, states, moves, self.canonical_moves)
        self.canonical_moves = canonical_moves(self.puzzle, successors.states)
        terminal = successors.solved.copy()
        terminal[(self.canonical_moves < 0).all(axis=1)] = True  # a dead end
        self.lengths += 1
        self.random_moves += is_random
        ended = terminal.copy()
        ended[self.lengths >= self.max_moves] = True
        self.bounds[self.bounds != UNKNOWN] += 1
        self.states = successors.states.copy()
        transition = Transition(states, moves, successors, terminal, ended)
        self._replace_ended(transition, random)
        return transition

    def _replace_ended(self, transition: Transition, random: np.random.Generator) -> None:
        rows = np.flatnonzero(transition.ended)
        if rows.size:
            won = transition.successors.solved[rows].sum()
            self.tally += [rows.size, won, self.lengths[rows].sum(), self.random_moves[rows].sum()]
            self.length_counts += np.bincount(np.minimum(self.lengths[rows], LENGTHS - 1), minlength=LENGTHS)
            self.final_estimates += self._estimate_sum(self.states[rows])
            self.start_sampler.ended(rows.size, int(won))
            self.states[rows], self.bounds[rows] = self.start_sampler.boards(rows.size, random)
            self.lengths[rows] = self.random_moves[rows] = 0
            self.canonical_moves[rows] = canonical_moves(self.puzzle, self.states[rows])

    def _estimate_sum(self, states: State) -> float:
        """Return the sum of the first estimate that the puzzle names over these states; 0 where it has none."""
        view = self.puzzle.view(Estimates)
        if view is None:
            return 0.0
        simplest = view.estimate(next(iter(view.estimates)))
        return float(estimated(self.puzzle, simplest, states).sum())

    # --- state ---

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that `restore` needs, as arrays."""
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, name) for name in STATE_FIELDS}
        return arrays | {"start_sampler": np.array(self.start_sampler.state())}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Restore what `state` returned."""
        self.start_sampler.restore(state["start_sampler"].tolist())
        for name, array in saved_fields(state).items():
            setattr(self, name, array)
        self.canonical_moves = canonical_moves(self.puzzle, self.states)


def saved_fields(state: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return copies of the fields in a saved state; earlier versions did not count the moves of games."""
    fields = {"length_counts": np.zeros(LENGTHS, np.int64), **state}
    return {name: fields[name].copy() for name in STATE_FIELDS}
