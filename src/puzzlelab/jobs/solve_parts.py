"""Solves boards wherever an executor does the work, in pieces of consecutive boards, and verifies the answers there.

Shapes: B = boards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from puzzlelab.core import errors
from puzzlelab.core.answers import Answers, joined
from puzzlelab.core.boards import Boards, Instance, naming_bad_boards
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Attempt, Solver
from puzzlelab.engine.batch_verify import NOT_SAMPLED
from puzzlelab.engine.executor import Executor, PieceLost, Setup
from puzzlelab.engine.parallel import cancellation
from puzzlelab.engine.solving import BATCH, LARGEST_BATCH, batched, solve, solve_all, solve_boards
from puzzlelab.jobs.pieces import Part, Pieces

if TYPE_CHECKING:
    from puzzlelab.engine.executor import Published
    from puzzlelab.storage.row import Row

StoredRows: TypeAlias = "Mapping[int, Row]"
"""Place -> the row that a file has for that board."""
SolvedPart: TypeAlias = "tuple[Answers, StoredRows]"
"""The answers to consecutive boards, and the rows of those that were not solved now. `answers.boards.errors` says why
others have no answer."""
Watch: TypeAlias = "Callable[[str, Attempt], None]"
"""A function that is called with the place of a board and every attempt at it, in the thread that solves it."""
SomeAnswers: TypeAlias = "tuple[int, Answers | PuzzlelabError]"
"""The place of the first of some boards of a piece, and their answers, without the boards, which the driver has; or the
error of the board there."""
PREPARE_LIMIT = Limit(seconds=1.0, nodes=1)


def solving(
    executor: Executor, solver: Solver, limit: Limit, is_alone: bool = False, watch: Watch | None = None
) -> Pieces[Boards]:
    """Return the pieces of boards for a solver; with `is_alone`, each board has a time of its own.

    Boards that are watched are solved one by one.
    """
    shared = BATCH if solver.shares_work and not is_alone else None
    together = 1 if is_alone else shared or LARGEST_BATCH

    def work(boards: Boards) -> Callable[[], Iterator[SomeAnswers]]:
        if watch is not None:
            return partial(_watched, solver, boards, limit, watch)
        return partial(solve_piece, solver, boards, limit, together)

    return Pieces(executor, work, name_of, solver_setups(executor, solver), shared)


def name_of(boards: Boards) -> str:
    """Return the name of a piece with these boards."""
    others = len(boards) - 1
    return (boards.where(0) or f"the board {boards[:1].texts[0]}") + (f" and {others} others" if others else "")


def answered(
    pieces: Pieces[Boards],
    parts: Iterable[Part[Boards]],
    in_order: bool = True,
    watch: Callable[[], None] = lambda: None,
) -> Iterator[tuple[Any, Answers]]:
    """Yield the value of a part, and answers to consecutive boards of it; see `Pieces.done`.

    A board with an error, or that is lost, has the reason in `answers.boards.errors`. A part without boards has answers
    to none.
    """
    for value_of_part, boards, value in pieces.done(parts, in_order, watch):
        begin, answers = (0, value) if value is None or isinstance(value, PieceLost) else value
        if isinstance(answers, Answers):
            yield value_of_part, replace(answers, boards=boards[begin : begin + len(answers)])
        elif answers is None:
            yield value_of_part, Answers.blank(boards)
        else:
            reason = f"left out: {answers}" if isinstance(answers, PieceLost) else f"{answers}"
            without = boards[begin : begin + 1].with_errors({0: reason})
            yield value_of_part, Answers.blank(without, seconds=np.nan)


def answers_of(
    solver: Solver, limit: Limit, executor: Executor, boards: Boards | None, instances: Iterable[Instance]
) -> Iterator[Answers]:
    """Yield the verified answers to these boards or, if there is no array of boards, to these instances, in order.

    Raises `PuzzlelabError` for a board that ends its workers.
    """
    errors.require_kind(executor, Executor, "the executor", "what open_executor returns, or its name")
    pieces = solving(executor, solver, limit)
    parts: Iterator[Part[Boards]] = ((batch, None) for batch in batched(instances, lambda: pieces.size.items))
    if boards is not None:
        parts = pieces.cut([(boards, None)])
    for _, answers in answered(pieces, parts):
        for problem in answers.boards.errors.values():
            raise PuzzlelabError(f"board {int(answers.boards.numbers[0]) + 1:,} cannot be solved: {problem}")
        yield answers


# --- the work ---


def solve_piece(solver: Solver, boards: Boards, limit: Limit, together: int) -> Iterator[SomeAnswers]:
    """Yield verified answers, where the solver gets `together` boards at once.

    The last ones are those in which Ctrl-C ended a search. Raises what `solve_boards` raises.
    """
    over, solved = cancellation(), 0
    for begin in range(0, len(boards), together):
        batch = boards[begin : begin + together]
        with naming_bad_boards(batch):
            for answers in solve_boards(solver, batch, limit, over):
                yield solved, replace(answers, boards=boards[:0])
                solved += len(answers)
                if answers.is_stopped_by("interrupted").any():
                    return


def solve_batches(solver: Solver, boards: Boards, limit: Limit, together: int) -> Iterator[SomeAnswers]:
    """Yield the answers to `together` boards at a time as `solve_piece` does, but those to one batch all at once.

    If a board has an error, each board of its batch is searched alone.
    """
    over = cancellation()
    for begin in range(0, len(boards), together):
        batch = boards[begin : begin + together]
        try:
            answers = joined(batch, solve_boards(solver, batch, limit, over))
        except BadInput:
            raise
        except PuzzlelabError as error:
            if len(batch) == 1:
                yield begin, error
            else:
                yield from ((begin + place, each) for place, each in solve_batches(solver, batch, limit, 1))
            continue
        yield begin, replace(answers, boards=boards[:0])
        if answers.is_stopped_by("interrupted").any():
            return


def _watched(solver: Solver, boards: Boards, limit: Limit, watch: Watch) -> Iterator[SomeAnswers]:
    """Yield the answers to boards, of which `watch` sees every attempt."""
    over = cancellation()
    for place, instance in enumerate(boards):
        where = boards.where(place)

        def see(attempt: Attempt, where: str = where) -> bool:
            watch(where, attempt)
            return over()

        yield place, Answers.of(boards[:0], [solve(solver, instance, limit, see)])


# --- what a worker needs ---


def setups(
    executor: Executor, solver: Solver, purpose: str, prepare: Callable[[Boards], object]
) -> Callable[[Boards], Setup]:
    """Return a function that gives the setup for some boards: what `prepare` does with one of them, and the networks.

    It raises `BadInput` for a network that cannot be found or read.
    """
    made: dict[Puzzle, Setup] = {}

    def setup(boards: Boards) -> Setup:
        puzzle = boards.puzzle
        if puzzle not in made:
            first = Boards(puzzle, boards.states[:1], np.array([NOT_SAMPLED]))
            key = f"{purpose} {puzzle.name} {solver.name} {solver.options()!r}"
            made[puzzle] = Setup(key, partial(prepare, first), _networks(executor, solver, puzzle))
        return made[puzzle]

    return setup


def _networks(executor: Executor, solver: Solver, puzzle: Puzzle) -> Mapping[str, Published]:
    """Return the networks of a solver that workers of the executor do not have."""
    if executor.shares_memory:
        return {}
    from puzzlelab.engine.worker import published_networks

    return published_networks(executor, puzzle, solver.options_for(puzzle))


def solver_setups(executor: Executor, solver: Solver) -> Callable[[Boards], Setup]:
    """Return a function that gives the setup of a solver for some boards; see `setups`."""
    return setups(executor, solver, "solve", partial(prepare_solver, solver))


def prepare_solver(solver: Solver, first: Boards) -> None:
    """Begin a search, alone and as a batch, and verify; raises `BadInput` for a solver that cannot run here."""
    for some in (first, first[np.array([0, 0])]):
        try:
            solve_all(solver, some, PREPARE_LIMIT)
        except BadInput:
            raise
        except PuzzlelabError:
            pass  # an error of this board, which its row will contain
