"""Boards as pieces of work for an executor: solved and verified where they run, in the batches of one process.

Shapes: B = boards of a piece.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.board_batch import BoardBatch
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import BatchSolver, OneByOne, Solver, ability
from puzzlelab.engine.batch_answers import GROWTH, SAMPLED_FIRST, AnswerBatch, answers_of
from puzzlelab.engine.executor import Executor, Preparation, Published

BOARDS_OF_PIECE = 250
"""Boards in a piece for a solver that solves a batch as a whole: rows name the batch, so that the number is fixed."""
MOST_BOARDS = 100_000
"""Boards in a piece for other solvers, at most."""
PREPARE_LIMIT = Limit(seconds=1.0, nodes=1)


@dataclass(frozen=True)
class SolverSetup:
    """A solver with all that a node needs for it."""

    solver: Solver
    networks: Mapping[str, Published]
    """Name of a network in its options -> its files."""


def solver_setup(executor: Executor, solver: Solver, puzzle: Puzzle) -> SolverSetup:
    """The solver for boards of this puzzle, with its networks published by this executor."""
    return SolverSetup(solver, {})


def using_networks(setup: SolverSetup | None) -> AbstractContextManager[None]:
    """Makes the networks of a solver known to this process."""
    return nullcontext()


@dataclass(frozen=True, eq=False)
class BoardsToSolve:
    """The argument of a piece."""

    setup: SolverSetup
    boards: BoardBatch
    limit: Limit
    numbers: NDArray[np.int64]
    """[B]: the number of boards of the same file before each of these."""
    together: int
    """Boards that the solver gets at once."""
    name: str = ""
    """That of the batch in results that share its time."""


@dataclass(frozen=True, eq=False)
class SolvedBoards:
    """The value of a piece."""

    answers: list[AnswerBatch]
    """In parts, in the order of the boards, and without them: the driver has them."""
    seconds: float

    def with_boards(self, boards: BoardBatch) -> list[AnswerBatch]:
        """The answers, in parts, to these boards."""
        begin, parts = 0, []
        for answers in self.answers:
            end = begin + len(answers)
            parts.append(replace(answers, results=replace(answers.results, boards=boards[begin:end])))
            begin = end
        return parts


def solve_boards(argument: BoardsToSolve) -> SolvedBoards:
    """Solve and verify boards; raises what `answers_of` raises."""
    began, parts = time.perf_counter(), []
    boards, solver = argument.boards, argument.setup.solver
    with using_networks(argument.setup):
        for begin in range(0, len(boards), argument.together):
            end = min(begin + argument.together, len(boards))
            numbers = argument.numbers[begin:end]
            answers = answers_of(solver, boards[begin:end], argument.limit, first=numbers, name=argument.name)
            parts.append(replace(answers, results=replace(answers.results, boards=boards[:0])))
    return SolvedBoards(parts, time.perf_counter() - began)


def preparation(setup: SolverSetup, boards: BoardBatch, key: str) -> Preparation:
    """What compiles the kernels and builds the tables for a solver; `boards` has one board, and `key` names both."""
    return Preparation(key, prepare_solver, (setup, boards))


def prepare_solver(argument: tuple[SolverSetup, BoardBatch]) -> None:
    """Begin a search, alone and as a batch, and verify; raises `BadInput` for a solver that cannot run here."""
    setup, boards = argument
    with using_networks(setup):
        for name in ("", "preparation"):
            try:
                answers_of(setup.solver, boards, PREPARE_LIMIT, first=SAMPLED_FIRST + 1, name=name)
            except BadInput:
                raise
            except PuzzlelabError:
                pass  # an error of this board, which its row will contain


class PieceSize:
    """How many boards a piece should have: as many as take the time that the executor needs."""

    def __init__(self, solver: Solver, executor: Executor) -> None:
        self._executor = executor
        self._grows = ability(solver, BatchSolver) is None or ability(solver, OneByOne) is not None
        self.boards = 1 if self._grows else BOARDS_OF_PIECE

    def took(self, boards: int, seconds: float) -> None:
        """Adapt the size to the time of a piece."""
        if self._grows and boards:
            wanted = boards * self._executor.piece_seconds / max(seconds, 1e-6)
            self.boards = int(max(1, min(wanted, GROWTH * max(boards, self.boards), MOST_BOARDS)))
