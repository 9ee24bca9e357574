"""Boards as pieces of work for an executor: solved and verified where they run, in batches.

Shapes: B = boards of a piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, naming_bad_boards
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Solver
from puzzlelab.engine.batch_verify import NOT_SAMPLED
from puzzlelab.engine.executor import Executor, Setup
from puzzlelab.engine.parallel import cancellation
from puzzlelab.engine.published_networks import published_networks
from puzzlelab.engine.solving import solve_all, solve_boards

PREPARE_LIMIT = Limit(seconds=1.0, nodes=1)


def solve_piece(solver: Solver, boards: Boards, limit: Limit, together: int) -> Iterator[Answers]:
    """Yield verified answers, without the boards, which the driver has; the solver gets `together` boards at once.

    The last one is that in which Ctrl-C ended a search. Raises what `solve_boards` raises.
    """
    over = cancellation()
    for begin in range(0, len(boards), together):
        batch = boards[begin : begin + together]
        with naming_bad_boards(batch):
            for answers in solve_boards(solver, batch, limit, over):
                yield replace(answers, boards=boards[:0])
                if answers.is_stopped_by("interrupted").any():
                    return


def with_boards(boards: Boards, parts: Iterable[Answers]) -> Iterator[Answers]:
    """Yield the answers to consecutive boards with their boards."""
    begin = 0
    for answers in parts:
        end = begin + len(answers)
        yield replace(answers, boards=boards[begin:end])
        begin = end


def solver_setup(executor: Executor, solver: Solver, boards: Boards) -> Setup:
    """Return what a worker needs once for a solver of boards like these; raises `BadInput` for a missing network."""
    first = Boards(boards.puzzle, boards.states[:1], np.array([NOT_SAMPLED]))
    return setup_of(executor, solver, boards.puzzle, "solve", partial(prepare_solver, solver, first))


def setup_of(executor: Executor, solver: Solver, puzzle: Puzzle, purpose: str, prepare: Callable[[], object]) -> Setup:
    """Return a setup with the networks of this solver; raises `BadInput` for one that cannot be found or read."""
    networks = published_networks(executor, puzzle, solver.options_for(puzzle))
    return Setup(f"{purpose} {puzzle.name} {solver.name} {solver.options()!r}", prepare, networks)


def prepare_solver(solver: Solver, first: Boards) -> None:
    """Begin a search, alone and as a batch, and verify; raises `BadInput` for a solver that cannot run here."""
    for some in (first, first[np.array([0, 0])]):
        try:
            solve_all(solver, some, PREPARE_LIMIT)
        except BadInput:
            raise
        except PuzzlelabError:
            pass  # an error of this board, which its row will contain
