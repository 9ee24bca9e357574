"""Fast rollouts: a solver gets the boards of many games together, and all solutions are replayed at once.

The replay uses the puzzle's compiled rules, which property tests hold equal to the plain ones; the answers are verified
as everywhere. It gives the same samples as `rollouts`.

Shapes: G = games, L = moves of all their solutions together, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import Answers
from puzzlelab.core.answers import joined as answers_joined
from puzzlelab.core.boards import Boards
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import KernelRules
from puzzlelab.engine.batch_rules_kernels import replay_all
from puzzlelab.engine.solving import solve_boards
from puzzlelab.experience.schema import TrainingSamples, joined, packed
from puzzlelab.experience.teacher_kernels import branch_all

if TYPE_CHECKING:
    from puzzlelab.experience.teachers import Teacher

GAMES = 32
"""The number of games that one call of `play` should have at least."""


def fast_rollouts(teacher: Teacher) -> FastRollouts | None:
    """Return fast rollouts of this teacher, if it wants the solver's choice and its puzzle has compiled rules whose
    moves it counts; else None.
    """
    rules = teacher.puzzle.view(KernelRules)
    if rules is None or teacher.exact or objective_of(teacher.puzzle).kind != "moves":
        return None
    return FastRollouts(teacher, rules)


@dataclass(frozen=True)
class FastRollouts:
    """The player of games whose boards the solver gets together."""

    teacher: Teacher
    rules: KernelRules

    def play(self, first: int, end: int, stop: threading.Event) -> TrainingSamples:
        """Return the samples of the games number `first` to `end` - 1; threads may call this side by side."""
        solver, games = self.teacher.solver.with_memory(), np.arange(first, end)
        boards = np.stack([self.teacher.board(game) for game in range(first, end)])
        paths = self._paths(solver, games, boards, stop)
        if not self.teacher.branches:
            return self._samples(paths)
        branches = self._paths(solver, *self._branches(paths), stop)
        samples = joined([self._samples(paths), self._samples(branches)])
        return samples.at(np.argsort(samples.game, kind="stable"))

    def _paths(self, solver: Solver, games: NDArray[np.int64], states: State, stop: threading.Event) -> SolutionPaths:
        """Return the solutions from these plain states, each of which belongs to a game.

        Raises `KeyboardInterrupt` on `stop`, and `PuzzlelabError` for a wrong solution.
        """
        boards = Boards(self.teacher.puzzle, states, games)
        parts = solve_boards(solver, boards, self.teacher.limit, stop.is_set)
        answers = answers_joined(boards, chain([Answers.blank(boards[:0])], parts))
        if answers.is_stopped_by("interrupted").any():
            raise KeyboardInterrupt
        moves = np.ascontiguousarray(answers.moves, np.int32)
        positions = np.empty((moves.size, self.rules.size), self.rules.dtype)
        scratch = np.empty(self.rules.size, self.rules.dtype), np.empty(self.teacher.puzzle.move_count, np.int32)
        starts = self.rules.encode(states).astype(self.rules.dtype)
        lengths, holds = answers.lengths.astype(np.int64), np.empty(len(boards), bool)
        replay_all(self.rules.tables, starts, lengths, moves, positions, *scratch, holds)
        return SolutionPaths(games, np.maximum(lengths, 0), moves, positions, answers.is_proven("optimal"))

    def _branches(self, paths: SolutionPaths) -> tuple[NDArray[np.int64], State]:
        """Return (games `int64[K]`, plain states `[K, S]`) in which the K off-path branches begin."""
        solved = paths.lengths > 0
        games, lengths = paths.games[solved], paths.lengths[solved]
        draws = (
            np.stack([self.teacher.branch_draws(game) for game in games.tolist()])
            if games.size
            else np.empty((0, 0, 2))
        )
        first_row = (np.cumsum(lengths) - lengths)[:, None]
        rows = (first_row + (draws[..., 0] * lengths[:, None]).astype(np.int64)).reshape(-1)
        children = np.empty((rows.size, self.rules.size), self.rules.dtype)
        legal = np.empty(self.teacher.puzzle.move_count, np.int32)
        exists = np.empty(rows.size, bool)
        branch_all(self.rules.tables, paths.positions[rows], draws[..., 1].reshape(-1), children, legal, exists)
        return np.repeat(games, draws.shape[1])[exists], self.rules.decode(children[exists])

    def _samples(self, paths: SolutionPaths) -> TrainingSamples:
        rows, ends = np.arange(paths.moves.size), np.cumsum(paths.lengths)
        masks = np.zeros((rows.size, self.teacher.puzzle.move_count), bool)
        masks[rows, paths.moves] = True
        return TrainingSamples(
            np.repeat(paths.games, paths.lengths),
            self.rules.decode(paths.positions),
            packed(masks),
            (np.repeat(ends, paths.lengths) - rows).astype(np.uint16),
            np.repeat(paths.proven, paths.lengths),
        )


@dataclass(frozen=True, eq=False)
class SolutionPaths:
    """Solutions of several boards, with the positions along them."""

    games: NDArray[np.int64]
    """[G]: the game that each solution belongs to."""
    lengths: NDArray[np.int64]
    """[G]: its number of moves; 0 where the board is solved already, or was not solved."""
    moves: NDArray[np.int32]
    """[L]: the moves of all solutions, one solution after the other."""
    positions: State
    """[L, S]: the working states in which these moves are made."""
    proven: NDArray[np.bool_]
    """[G]: whether no shorter solution exists."""
