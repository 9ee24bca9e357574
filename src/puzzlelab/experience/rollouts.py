"""Plays boards one at a time, by any solver, with the plain rules: games of the solver's own moves, or of optimal ones.

See `players` for the fast way, which gives the same samples.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.bounded_queries import BudgetedSolver
from puzzlelab.analysis.game_analysis import positions_of
from puzzlelab.analysis.hints import hint_by
from puzzlelab.core.errors import BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.solver import Solver, solve, with_memory
from puzzlelab.experience.schema import LONGEST, TrainingSamples, joined, packed

TieBreaks = Callable[[int], NDArray[np.float64]]
"""For the number of a game `float64[D, 2]` in [0, 1): for each of its detours the position, and the move."""


@dataclass(frozen=True)
class Rollouts:
    """Plays boards by any solver."""

    puzzle: Puzzle
    solver: Solver
    exact: bool
    """Whether every position gets all its optimal moves, proven, rather than the one that the solver chose."""
    limit: Limit
    """For each board or, if `exact`, each position."""
    board: Callable[[int], State]
    lots: Callable[[int], np.random.Generator]
    """What chooses among equally good moves of a game."""
    draws: TieBreaks | None = None
    """What decides the detours; None for none."""
    chunk: ClassVar[int] = 4
    """Games that are worth a call."""

    def play(self, first: int, end: int, over: threading.Event) -> TrainingSamples:
        """The samples of the games number `first` to `end` - 1."""
        return joined([samples for game in range(first, end) for samples in self._game(game, over)])

    def _game(self, game: int, over: threading.Event) -> Iterator[TrainingSamples]:
        """The samples of one game, then of each of its detours."""
        label = self._optimal_ones(game) if self.exact else self._chosen_ones
        start = Instance(self.puzzle, self.board(game))
        line = label(start, over)
        yield line.samples(game, start)
        for draw in self.draws(game) if self.draws else ():
            state = off_path_branch(self.puzzle, line.states, draw)
            if state is not None:
                yield label(Instance(self.puzzle, state), over).samples(game, start)

    def _chosen_ones(self, start: Instance, over: threading.Event) -> SolutionPath:
        """The positions on the way of the solver's own solution, with the moves of it."""
        result = solve(self.solver, start, self.limit, lambda attempt: over.is_set())
        _go_on(result.stop)
        moves, line = result.moves or (), SolutionPath()
        proven = result.proof in ("optimal", "unique")
        for number, (position, move) in enumerate(zip(positions_of(start, moves), moves, strict=False)):
            line.add(position, [move], len(moves) - number, proven)
        return line

    def _optimal_ones(self, game: int) -> Callable[[Instance, threading.Event], SolutionPath]:
        """Finds the positions of best solutions, each with all its optimal moves; one of them, by lot, is made.

        A solution ends early where the limit leaves a position without a shorter one than the one before it.
        """
        random, solver = self.lots(game), with_memory(self.solver)

        def label(start: Instance, over: threading.Event) -> SolutionPath:
            line, here, known, last = SolutionPath(), start, None, None
            while not self.puzzle.solved(here.state):
                questions = BudgetedSolver(solver, self.limit, lambda attempt: over.is_set())
                told = hint_by(questions, here, known, only_best=True)
                _go_on(told.stop)
                if told.length is None or not told.best or (last is not None and told.length >= last):
                    break
                line.add(here, told.best, told.length, told.settled)
                move = int(random.choice(sorted(told.best)))
                last, known = told.length, told.needed.plus(-1) if told.needed.proven else None
                here = Instance(self.puzzle, self.puzzle.apply(here.state, move))
            return line

        return label


def off_path_branch(puzzle: Puzzle, states: Sequence[State], draw: NDArray[np.float64]) -> State | None:
    """What one of these positions becomes by one of the moves that do not solve it; None where there is none.

    The first number of `draw: float64[2]` chooses the position, the second one the move.
    """
    if not states:
        return None
    position = states[int(draw[0] * len(states))]
    children = [puzzle.apply(position, move) for move in np.flatnonzero(puzzle.legal(position)).tolist()]
    unsolved = [child for child in children if not puzzle.solved(child)]
    return unsolved[int(draw[1] * len(unsolved))] if unsolved else None


@dataclass
class SolutionPath:
    """The positions on the way of one solution as they come."""

    states: list[State] = field(default_factory=list)
    targets: list[NDArray[np.bool_]] = field(default_factory=list)
    remaining: list[int] = field(default_factory=list)
    proven: list[bool] = field(default_factory=list)

    def add(self, position: Instance, moves: Iterable[int], remaining: int, proven: bool) -> None:
        """One position, the moves to make there, and how many moves remain."""
        mask = np.zeros(position.puzzle.move_count, bool)
        mask[list(moves)] = True
        self.states.append(position.state)
        self.targets.append(mask)
        self.remaining.append(remaining)
        self.proven.append(proven)

    def samples(self, game: int, start: Instance) -> TrainingSamples:
        """The columns; raises `BadOption` for a line that is too long."""
        count = len(self.states)
        if count and self.remaining[0] > LONGEST:
            raise BadOption(f"a solution of {self.remaining[0]:,} moves is too long for samples (at most {LONGEST:,})")
        return TrainingSamples(
            np.full(count, game),
            np.array(self.states, start.state.dtype).reshape(count, start.state.size),
            packed(np.array(self.targets, bool).reshape(count, start.puzzle.move_count)),
            np.array(self.remaining, np.uint16),
            np.array(self.proven, bool),
        )


def _go_on(stop: str) -> None:
    """Ctrl-C, which a search turns into an answer, ends the teacher: half a game is no game."""
    if stop == "interrupted":
        raise KeyboardInterrupt
