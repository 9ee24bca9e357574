"""Boards as pieces of work for an executor: solved and verified where they run, in the batches of one process.

Shapes: B = boards of a piece.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from puzzlelab.core.answers import Answers, joined
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Solver
from puzzlelab.engine.batch_verify import NOT_SAMPLED
from puzzlelab.engine.executor import Executor, Preparation, Published
from puzzlelab.engine.piece_size import PieceSize
from puzzlelab.engine.published_networks import published_networks, using
from puzzlelab.engine.solving import LARGEST_BATCH, solve_all, solve_boards

BOARDS_OF_PIECE = 250
"""Boards in a piece for a solver that `shares_work`."""
PREPARE_LIMIT = Limit(seconds=1.0, nodes=1)


@dataclass(frozen=True)
class SolverSetup:
    """A solver with all that a node needs for it."""

    solver: Solver
    networks: Mapping[str, Published]
    """Name of a network in its options -> its files."""


def solver_setup(executor: Executor, solver: Solver, puzzle: Puzzle) -> SolverSetup:
    """Return the solver for boards of this puzzle, with its networks published by this executor; raises `BadInput`."""
    return SolverSetup(solver, published_networks(executor, puzzle, solver.options_for(puzzle)))


def using_networks(setup: SolverSetup | None) -> AbstractContextManager[None]:
    """Make the networks of a solver known to this process."""
    return nullcontext() if setup is None else using(setup.networks)


@dataclass(frozen=True, eq=False)
class BoardsToSolve:
    """The argument of a piece."""

    setup: SolverSetup
    boards: Boards
    limit: Limit
    together: int
    """Boards that the solver gets at once."""

    def part(self, begin: int, end: int) -> BoardsToSolve:
        """Return some of the boards."""
        return replace(self, boards=self.boards[begin:end])

    def batches(self) -> Iterator[BoardsToSolve]:
        """Yield the boards that the solver gets at once."""
        return (self.part(i, i + self.together) for i in range(0, len(self.boards), self.together))


@dataclass(frozen=True, eq=False)
class SolvedPiece:
    """The value of a piece."""

    answers: Answers
    """Without the boards: the driver has them."""
    seconds: float


def solve_piece(argument: BoardsToSolve) -> SolvedPiece:
    """Solve and verify boards; raises what `solve_boards` raises."""
    began, boards = time.perf_counter(), argument.boards
    with using_networks(argument.setup):
        parts = (solve_boards(argument.setup.solver, each.boards, argument.limit) for each in argument.batches())
        answers = joined(boards[:0], chain.from_iterable(parts))
    return SolvedPiece(answers, time.perf_counter() - began)


def preparation(setup: SolverSetup, boards: Boards) -> Preparation:
    """Return the preparation that compiles the kernels and builds the tables for a solver of boards like these."""
    key = f"{boards.puzzle.name} {setup.solver.name} {setup.solver.options()!r}"
    first = Boards(boards.puzzle, boards.states[:1], np.array([NOT_SAMPLED]))
    return Preparation(key, prepare_solver, (setup, first))


def prepare_solver(argument: tuple[SolverSetup, Boards]) -> None:
    """Begin a search, alone and as a batch, and verify; raises `BadInput` for a solver that cannot run here."""
    setup, boards = argument
    with using_networks(setup):
        for some in (boards, boards[np.array([0, 0])]):
            try:
                solve_all(setup.solver, some, PREPARE_LIMIT)
            except BadInput:
                raise
            except PuzzlelabError:
                pass  # an error of this board, which its row will contain


def together_of(solver: Solver, has_own_time: bool = False) -> int:
    """Return how many boards a solver gets at once in a piece; one, where each should have a time of its own."""
    if has_own_time:
        return 1
    return LARGEST_BATCH if not solver.shares_work else BOARDS_OF_PIECE


def size_of(executor: Executor, together: int) -> PieceSize:
    """Return the size of pieces of a solver that gets so many boards at once."""
    return PieceSize(executor, together if together == BOARDS_OF_PIECE else None)
