"""Fast rollouts: one compiled search solves many boards, and all solutions are replayed at once.

The search reuses its arrays from board to board. The replay uses the puzzle's compiled rules, which property tests hold
equal to the plain ones; every tenth game is replayed with the plain rules too. For all games that would take a fifth of
the whole time.

Shapes: G = games, L = moves of all their solutions together, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import UNSOLVED
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import State
from puzzlelab.core.verify import replay
from puzzlelab.core.views import KernelRules
from puzzlelab.engine.batch_verify_kernels import replay_all
from puzzlelab.engine.driver import Machine
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED
from puzzlelab.engine.search_rules import chosen_estimate
from puzzlelab.experience.fast_rollouts_kernels import branch_all
from puzzlelab.experience.schema import TrainingSamples, joined, packed
from puzzlelab.solvers import beam, ida
from puzzlelab.solvers._beam_kernels import UNBOUNDED
from puzzlelab.solvers.beam import Beam
from puzzlelab.solvers.ida import Ida

if TYPE_CHECKING:
    from puzzlelab.experience.teachers import Teacher

CHECK_EVERY = 10
"""The number of games of which one is replayed with the plain rules."""
NODES_PER_STEP = 1 << 22
"""Nodes that are expanded between two checks whether to stop."""
MAX_BYTES = 1 << 33
"""Bytes that the arrays of one search may grow to."""


def fast_rollouts(teacher: Teacher) -> FastRollouts | None:
    """Return fast rollouts of this teacher, if it wants the solver's choice, without a limit, and the compiled search
    can be restarted from another board; else None.
    """
    puzzle, solver = teacher.puzzle, teacher.solver
    rules = puzzle.view(KernelRules)
    if teacher.exact or teacher.limit != Limit() or objective_of(puzzle).kind != "moves":
        return None
    if rules is None or not isinstance(solver, Beam | Ida):
        return None
    estimate = chosen_estimate(puzzle, solver.estimate)
    if estimate.kernel is None:
        return None
    if isinstance(solver, Ida):
        deepening = partial(ida.machine, estimate=estimate, rules=rules)
        return FastRollouts(teacher, rules, deepening, 32) if solver.jobs == 1 else None
    if solver.width is None or solver.prior is not None:
        return None
    layered = partial(beam.machine, estimate=estimate, rules=rules, width=solver.width, max_moves=UNBOUNDED)
    return FastRollouts(teacher, rules, layered, 256)


@dataclass(frozen=True)
class FastRollouts:
    """The player of games by one compiled search."""

    teacher: Teacher
    rules: KernelRules
    search: Callable[[Instance], Machine]
    chunk: int
    """The number of games that one call of `play` should have at least."""

    def play(self, first: int, end: int, stop: threading.Event) -> TrainingSamples:
        """Return the samples of the games number `first` to `end` - 1; threads may call this side by side."""
        games = np.arange(first, end)
        boards = np.stack([self.teacher.board(game) for game in range(first, end)])
        search = self.search(Instance(self.teacher.puzzle, boards[0]))
        paths = self._paths(search, games, self.rules.encode(boards).astype(self.rules.dtype), stop)
        if not self.teacher.branches:
            return self._samples(paths)
        branches = self._paths(search, *self._branches(paths), stop)
        samples = joined([self._samples(paths), self._samples(branches)])
        return samples.at(np.argsort(samples.game, kind="stable"))

    def _paths(self, search: Machine, games: NDArray[np.int64], starts: State, stop: threading.Event) -> SolutionPaths:
        """Return the solutions from these working states, each of which belongs to a game."""
        solutions: list[list[int] | None] = []
        proven: list[bool] = []
        assert search.restart is not None
        for start in starts:
            search.restart(search.record, start)
            moves = self._solve(search, stop)
            solutions.append(moves)
            proven.append(moves is not None and search.control.bound == len(moves))
        self._check(games, starts, solutions)
        return self._replayed(games, starts, solutions, np.array(proven, bool))

    def _solve(self, search: Machine, stop: threading.Event) -> list[int] | None:
        """Return the moves of one search's solution; None where it ends without one.

        Raises `KeyboardInterrupt` on `stop`.
        """
        while not stop.is_set():
            status = search.step(NODES_PER_STEP)
            if status == IMPROVED:
                return search.solution(search.record)
            if status == DONE:
                return None
            if status == FULL and not search.enlarge(MAX_BYTES):
                raise MemoryError
        raise KeyboardInterrupt

    def _check(self, games: NDArray[np.int64], starts: State, solutions: list[list[int] | None]) -> None:
        """Replay one game in `CHECK_EVERY`, with its branches, by the plain rules."""
        for row in np.flatnonzero(games % CHECK_EVERY == 0).tolist():
            moves = solutions[row]
            if moves is not None:
                board = self.rules.decode(starts[row : row + 1])[0]
                verdict = replay(Instance(self.teacher.puzzle, board), moves)
                if not verdict.holds:
                    raise self._wrong_answer(starts[row], verdict.reason)

    def _replayed(
        self, games: NDArray[np.int64], starts: State, solutions: list[list[int] | None], proven: NDArray[np.bool_]
    ) -> SolutionPaths:
        """Return the positions along every solution, by the compiled rules.

        Raises `PuzzlelabError` for a wrong solution.
        """
        lengths = np.array([UNSOLVED if moves is None else len(moves) for moves in solutions], np.int64)
        flat = np.array([move for moves in solutions for move in moves or ()], np.int32)
        positions = np.empty((flat.size, self.rules.size), self.rules.dtype)
        scratch = np.empty(self.rules.size, self.rules.dtype), np.empty(self.teacher.puzzle.move_count, np.int32)
        holds = np.empty(len(solutions), bool)
        replay_all(self.rules.tables, starts, lengths, flat, positions, *scratch, holds)
        if not holds.all():
            raise self._wrong_answer(starts[int(holds.argmin())], "its moves do not solve it")
        return SolutionPaths(games, np.maximum(lengths, 0), flat, positions, proven)

    def _branches(self, paths: SolutionPaths) -> tuple[NDArray[np.int64], State]:
        """Return (games `int64[K]`, working states `[K, S]`) in which the K off-path branches begin."""
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
        return np.repeat(games, draws.shape[1])[exists], children[exists]

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

    def _wrong_answer(self, start: State, reason: str) -> PuzzlelabError:
        board = self.teacher.puzzle.write(self.rules.decode(start[None])[0])
        return PuzzlelabError(f"a teacher gave a wrong answer for {self.teacher.puzzle.name}: {board}: {reason}")


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
