"""Boards as pieces of work for an executor: solved and verified where they run, in the batches of one process.

Shapes: B = boards of a piece.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import groupby, islice

import numpy as np

from puzzlelab.core.board_values import naming_bad_boards
from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.result_batch import joined
from puzzlelab.core.solver import BatchSolver, OneByOne, Solver, ability, require
from puzzlelab.engine.executor import Executor, Piece, Preparation, Published, ordered
from puzzlelab.engine.piece_size import PieceSize
from puzzlelab.engine.published_networks import published_networks, using
from puzzlelab.engine.solving import (
    LARGEST_BATCH,
    NOT_SAMPLED,
    AnswerBatch,
    answers_of,
    checked,
    none_wrong,
    unverified_results,
)

BOARDS_OF_PIECE = 250
"""Boards in a piece for a solver that solves a batch as a whole: rows name the batch, so that the number is fixed."""
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
    name: str = ""
    """The name of the batch in results that share its time."""

    def part(self, begin: int, end: int) -> BoardsToSolve:
        """Return some of the boards."""
        return replace(self, boards=self.boards[begin:end])


@dataclass(frozen=True, eq=False)
class SolvedBoards:
    """The value of a piece."""

    answers: list[AnswerBatch]
    """The answers in parts, in the order of the boards, and without them: the driver has them."""
    seconds: float

    def with_boards(self, boards: Boards) -> list[AnswerBatch]:
        """Return the answers, in parts, to these boards."""
        begin, parts = 0, []
        for answers in self.answers:
            end = begin + len(answers)
            parts.append(with_boards(answers, boards[begin:end]))
            begin = end
        return parts


def with_boards(answers: AnswerBatch, boards: Boards) -> AnswerBatch:
    """Return the answers, to these boards: they travel without boards."""
    return replace(answers, results=replace(answers.results, boards=boards))


def solve_boards(argument: BoardsToSolve) -> SolvedBoards:
    """Solve and verify boards; raises what `answers_of` raises."""
    began = time.perf_counter()
    with using_networks(argument.setup):
        answers = [with_boards(part, part.results.boards[:0]) for part in _answers(argument)]
    return SolvedBoards(answers, time.perf_counter() - began)


def _answers(argument: BoardsToSolve) -> Iterator[AnswerBatch]:
    """Yield the answers, in order; those whose results have one batch name, or none, are together."""
    solver, end = argument.setup.solver, 0
    require(solver, argument.boards.puzzle)
    parts = (argument.part(i, i + argument.together) for i in range(0, len(argument.boards), argument.together))
    results = (
        joined(part.boards, unverified_results(solver, part.boards, part.limit, name=part.name)) for part in parts
    )
    for _, of_one_name in groupby(results, key=lambda each: each.batch):
        batches = list(of_one_name)
        begin, end = end, end + sum(map(len, batches))
        part = argument.part(begin, end)
        yield none_wrong(solver, checked(joined(part.boards, batches)))


def preparation(setup: SolverSetup, boards: Boards) -> Preparation:
    """Return the preparation that compiles the kernels and builds the tables for a solver of boards like these."""
    key = f"{boards.puzzle.name} {setup.solver.name} {setup.solver.options()!r}"
    first = Boards(boards.puzzle, boards.states[:1], np.array([NOT_SAMPLED]))
    return Preparation(key, prepare_solver, (setup, first))


def prepare_solver(argument: tuple[SolverSetup, Boards]) -> None:
    """Begin a search, alone and as a batch, and verify; raises `BadInput` for a solver that cannot run here."""
    setup, boards = argument
    with using_networks(setup):
        for name in ("", "preparation"):
            try:
                answers_of(setup.solver, boards, PREPARE_LIMIT, name=name)
            except BadInput:
                raise
            except PuzzlelabError:
                pass  # an error of this board, which its row will contain


def answers_elsewhere(
    executor: Executor, setup: SolverSetup, limit: Limit, instances: Iterator[Instance]
) -> Iterator[AnswerBatch]:
    """Yield the verified answers to boards of one puzzle, in order.

    Raises `PuzzlelabError` for boards that are put aside, after the answers before them.
    """
    together = together_of(setup.solver)
    size = size_of(executor, together)

    def pieces() -> Iterator[Piece]:
        count = 0
        while some := list(islice(instances, size.items)):
            with naming_bad_boards(some):
                states = Boards.of(some).states
            boards = Boards(some[0].puzzle, states, np.arange(count, count + len(states)))
            argument = BoardsToSolve(setup, boards, limit, together)
            name = f"board {count + 1:,}" if len(boards) == 1 else f"boards {count + 1:,} to {count + len(boards):,}"
            count += len(boards)
            yield Piece(name, solve_boards, argument, preparation(setup, boards), context=boards)

    for done in ordered(executor, pieces()):
        if done.problem:
            raise PuzzlelabError(f"{done.piece.name} cannot be solved: {done.problem}")
        size.took(len(done.piece.context), done.value.seconds)
        yield from done.value.with_boards(done.piece.context)


def together_of(solver: Solver, has_own_time: bool = False) -> int:
    """Return how many boards a solver gets at once in a piece; one, where each should have a time of its own."""
    if ability(solver, BatchSolver) is None:
        return 1
    if ability(solver, OneByOne) is None:
        return BOARDS_OF_PIECE
    return 1 if has_own_time else LARGEST_BATCH


def size_of(executor: Executor, together: int) -> PieceSize:
    """Return the size of pieces of a solver that gets so many boards at once."""
    return PieceSize(executor, together if together == BOARDS_OF_PIECE else None)
