"""Rollouts of any solver with the plain rules, one board at a time, by its own moves or by all optimal moves.

`fast_rollouts` gives the same samples faster for some solvers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.bounded_queries import BudgetedSolver
from puzzlelab.analysis.game_analysis import positions_of
from puzzlelab.analysis.hints import hint_by
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import Kind, objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.solver import Solver
from puzzlelab.engine.solving import solve
from puzzlelab.experience.schema import TrainingSamples, joined, packed, remaining_type

BranchDraws = Callable[[int], NDArray[np.float64]]
"""For the number of a game `float64[K, 2]` in [0, 1): for each of its off-path branches, one for the position where it
leaves the solution, and one for the move.
"""


@dataclass(frozen=True)
class Rollouts:
    """The player of games by any solver."""

    puzzle: Puzzle
    solver: Solver
    exact: bool
    """Whether every position gets all its optimal moves, proven, rather than the move that the solver chose."""
    limit: Limit
    """For each board or, if `exact`, each position."""
    board: Callable[[int], State]
    """The initial board of the game of this number."""
    tie_breaks: Callable[[int], np.random.Generator]
    """The random generator of a game that chooses among optimal moves."""
    branch_draws: BranchDraws | None = None
    """The random numbers of the off-path branches; None for no branches."""
    chunk: ClassVar[int] = 4
    """The number of games that one call of `play` should have at least."""

    def play(self, first: int, end: int, stop: threading.Event) -> TrainingSamples:
        """Return the samples of the games number `first` to `end` - 1."""
        return joined([samples for game in range(first, end) for samples in self._game(game, stop)])

    def _game(self, game: int, stop: threading.Event) -> Iterator[TrainingSamples]:
        """Yield the samples of one game, then of each of its off-path branches."""
        rollout = self._optimal_moves(game) if self.exact else self._chosen_moves
        start = Instance(self.puzzle, self.board(game))
        path = rollout(start, stop)
        yield path.samples(game, start)
        for draw in self.branch_draws(game) if self.branch_draws else ():
            state = off_path_branch(self.puzzle, path.states, draw)
            if state is not None:
                yield rollout(Instance(self.puzzle, state), stop).samples(game, start)

    def _chosen_moves(self, start: Instance, stop: threading.Event) -> SolutionPath:
        """Return the positions along the solver's solution, each with the move of the solution."""
        result = solve(self.solver, start, self.limit, lambda attempt: stop.is_set())
        _check_interrupt(result.stop)
        objective = objective_of(self.puzzle)
        moves, path = result.moves or (), SolutionPath(objective.kind)
        proven = result.proof in ("optimal", "unique")
        positions = list(positions_of(start, moves))
        remaining = objective.remaining([position.state for position in positions], moves)
        for position, move, rest in zip(positions, moves, remaining, strict=False):
            path.add(position, [move], rest, proven)
        return path

    def _optimal_moves(self, game: int) -> Callable[[Instance, threading.Event], SolutionPath]:
        """Roll out along a shortest solution: each position gets all its optimal moves, and a random one is made.

        The path ends early where the solver, under its limit, finds no shorter solution than from the position before.
        """
        random, solver = self.tie_breaks(game), self.solver.with_memory()

        def rollout(start: Instance, stop: threading.Event) -> SolutionPath:
            path, position, interval, last_length = SolutionPath(), start, None, None
            while not self.puzzle.solved(position.state):
                budgeted = BudgetedSolver(solver, self.limit, lambda attempt: stop.is_set())
                hint = hint_by(budgeted, position, interval, only_best=True)
                _check_interrupt(hint.stop)
                if hint.length is None or not hint.best or (last_length is not None and hint.length >= last_length):
                    break
                path.add(position, hint.best, hint.length, hint.best_proven)
                move = int(random.choice(sorted(hint.best)))
                last_length, interval = hint.length, hint.needed.plus(-1) if hint.needed.proven else None
                position = Instance(self.puzzle, self.puzzle.apply(position.state, move))
            return path

        return rollout


def off_path_branch(puzzle: Puzzle, states: Sequence[State], draw: NDArray[np.float64]) -> State | None:
    """Return a random successor of one of these states that is not solved; None where there is none.

    The first number of `draw: float64[2]` chooses the state, the second one the move.
    """
    if not states:
        return None
    position = states[int(draw[0] * len(states))]
    children = [puzzle.apply(position, move) for move in np.flatnonzero(puzzle.legal(position)).tolist()]
    unsolved = [child for child in children if not puzzle.solved(child)]
    return unsolved[int(draw[1] * len(unsolved))] if unsolved else None


UNITS: Mapping[Kind, str] = {"moves": "moves", "cost": "of cost", "score": "points"}
"""The unit of `remaining`, in words."""


@dataclass
class SolutionPath:
    """The positions along one solution."""

    kind: Kind = "moves"
    """The kind of what `remaining` counts."""
    states: list[State] = field(default_factory=list)
    targets: list[NDArray[np.bool_]] = field(default_factory=list)
    remaining: list[int] = field(default_factory=list)
    proven: list[bool] = field(default_factory=list)

    def add(self, position: Instance, moves: Iterable[int], remaining: int, proven: bool) -> None:
        """Add a position, its target moves, and the moves, cost or points from there on."""
        mask = np.zeros(position.puzzle.move_count, bool)
        mask[list(moves)] = True
        self.states.append(position.state)
        self.targets.append(mask)
        self.remaining.append(remaining)
        self.proven.append(proven)

    def samples(self, game: int, start: Instance) -> TrainingSamples:
        """Return the positions as samples; raises `BadOption` for a number that their column cannot hold."""
        count, dtype = len(self.states), remaining_type(self.kind)
        least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        for number in self.remaining:
            if not least <= number <= most:
                words = f"a solution of {number:,} {UNITS[self.kind]} cannot be a sample"
                raise BadOption(f"{words} ({least:,} to {most:,})")
        return TrainingSamples(
            np.full(count, game),
            np.array(self.states, start.state.dtype).reshape(count, start.state.size),
            packed(np.array(self.targets, bool).reshape(count, start.puzzle.move_count)),
            np.array(self.remaining, dtype),
            np.array(self.proven, bool),
        )


def _check_interrupt(stop: str) -> None:
    """Raise `KeyboardInterrupt` for a search that Ctrl-C stopped: an incomplete game gives no samples."""
    if stop == "interrupted":
        raise KeyboardInterrupt
