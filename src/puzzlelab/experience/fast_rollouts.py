"""Fast rollouts: the boards of many games are solved together, and all their positions are labelled at once.

The labels are those of one solution, which is replayed by the puzzle's compiled rules and gives the same samples as
`rollouts`; or those of all equally short ones (`tied_solutions`). Property tests hold the compiled rules equal to the
plain ones, and answers are verified as everywhere.

Shapes: G = games, L = moves of all their solutions together, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

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
from puzzlelab.experience.tied_solutions import TiedSolutions, require_tied

if TYPE_CHECKING:
    from puzzlelab.experience.teachers import Teacher

GAMES = 32
"""The number of games that one call of `play` should have at least."""
Labelling: TypeAlias = "Callable[[NDArray[np.int64], State, threading.Event], TrainingSamples]"
"""(games `int64[G]`, plain states `[G, S]`, stop) -> the samples of a game from each state, one after the other."""


def fast_rollouts(teacher: Teacher) -> FastRollouts | None:
    """Return fast rollouts of this teacher, if its puzzle has compiled rules whose moves it counts, and no moves are to
    be proven; else None.
    """
    rules = teacher.puzzle.view(KernelRules)
    if rules is None or teacher.targets == "optimal" or objective_of(teacher.puzzle).kind != "moves":
        return None
    return FastRollouts(teacher, rules)


@dataclass(frozen=True)
class FastRollouts:
    """The player of games whose boards are solved together."""

    teacher: Teacher
    rules: KernelRules

    def play(self, first: int, end: int, stop: threading.Event) -> TrainingSamples:
        """Return the samples of the games number `first` to `end` - 1; threads may call this side by side."""
        boards = np.stack([self.teacher.board(game) for game in range(first, end)])
        label = self._labelling()
        samples = label(np.arange(first, end), boards, stop)
        if not self.teacher.branches or not len(samples):
            return samples
        samples = joined([samples, label(*self._branches(samples), stop)])
        return samples.at(np.argsort(samples.game, kind="stable"))

    def _labelling(self) -> Labelling:
        teacher = self.teacher
        if teacher.targets == "tied":
            beam = require_tied(teacher.puzzle, teacher.solver, teacher.limit)
            return TiedSolutions(teacher.puzzle, self.rules, beam, teacher.seed).samples
        return partial(self._chosen, teacher.solver.with_memory())

    def _chosen(
        self, solver: Solver, games: NDArray[np.int64], states: State, stop: threading.Event
    ) -> TrainingSamples:
        """Return the positions of the solver's solutions, each with the move that it makes there.

        Raises `KeyboardInterrupt` on `stop`, and `PuzzlelabError` for a wrong solution.
        """
        puzzle, rules = self.teacher.puzzle, self.rules
        boards = Boards(puzzle, states, games)
        parts = solve_boards(solver, boards, self.teacher.limit, stop.is_set)
        answers = answers_joined(boards, chain([Answers.blank(boards[:0])], parts))
        if answers.is_stopped_by("interrupted").any():
            raise KeyboardInterrupt
        moves = np.ascontiguousarray(answers.moves, np.int32)
        positions = np.empty((moves.size, rules.size), rules.dtype)
        scratch = np.empty(rules.size, rules.dtype), np.empty(puzzle.move_count, np.int32)
        starts = rules.encode(states).astype(rules.dtype)
        found, holds = answers.lengths.astype(np.int64), np.empty(len(boards), bool)
        replay_all(rules.tables, starts, found, moves, positions, *scratch, holds)
        lengths, rows = np.maximum(found, 0), np.arange(moves.size)  # 0 where it is solved already, or was not solved
        masks = np.zeros((moves.size, puzzle.move_count), bool)
        masks[rows, moves] = True
        return TrainingSamples(
            np.repeat(games, lengths),
            rules.decode(positions),
            packed(masks),
            (np.repeat(np.cumsum(lengths), lengths) - rows).astype(np.uint16),
            np.repeat(answers.is_proven("optimal"), lengths),
        )

    def _branches(self, samples: TrainingSamples) -> tuple[NDArray[np.int64], State]:
        """Return (games `int64[K]`, plain states `[K, S]`) in which the K off-path branches begin."""
        games, first_row, lengths = np.unique(samples.game, return_index=True, return_counts=True)
        draws = np.stack([self.teacher.branch_draws(game) for game in games.tolist()])
        rows = (first_row[:, None] + (draws[..., 0] * lengths[:, None]).astype(np.int64)).reshape(-1)
        positions = self.rules.encode(samples.state[rows]).astype(self.rules.dtype)
        children = np.empty_like(positions)
        legal = np.empty(self.teacher.puzzle.move_count, np.int32)
        exists = np.empty(rows.size, bool)
        branch_all(self.rules.tables, positions, draws[..., 1].reshape(-1), children, legal, exists)
        return np.repeat(games, draws.shape[1])[exists], self.rules.decode(children[exists])
