"""Solves the boards of a command part by part, in order, wherever the executor does the work.

A part is consecutive boards, with the rows that a file has for some of them. It becomes a piece of work, in which the
others are solved and verified.

Shapes: B = boards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, naming_bad_boards
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Attempt, Solver
from puzzlelab.engine.batch_verify import NOT_SAMPLED
from puzzlelab.engine.executor import Executor, Piece, PieceLost, Setup, ordered
from puzzlelab.engine.parallel import cancellation
from puzzlelab.engine.piece_size import PieceSize
from puzzlelab.engine.solving import BATCH, LARGEST_BATCH, solve, solve_all, solve_boards

if TYPE_CHECKING:
    from puzzlelab.engine.executor import Published
    from puzzlelab.storage.row import Row

StoredRows: TypeAlias = "Mapping[int, Row]"
"""Place -> the row that a file has for that board."""
Part: TypeAlias = "tuple[Boards, StoredRows]"
SolvedPart: TypeAlias = "tuple[Answers, StoredRows]"
"""The answers to consecutive boards, and the rows of those that were not solved now. `answers.boards.errors` says why
others have no answer."""
Watch: TypeAlias = "Callable[[str, Attempt], None]"
"""A function that is called with the place of a board and every attempt at it, in the thread that solves it."""
PREPARE_LIMIT = Limit(seconds=1.0, nodes=1)


# --- parts ---


def is_open(boards: Boards, stored: StoredRows) -> NDArray[np.bool_]:
    """Return `bool[B]`: which of these boards are to be solved."""
    without_row = boards.is_readable.copy()
    without_row[list(stored)] = False
    return without_row


def open_boards(boards: Boards, stored: StoredRows) -> Boards:
    """Return the boards that are to be solved."""
    return boards[is_open(boards, stored)] if boards.errors or stored else boards


def between(rows: StoredRows, begin: int, end: int) -> StoredRows:
    """Return the rows of the boards `begin` to `end` - 1 by their places among these."""
    return {place - begin: row for place, row in rows.items() if begin <= place < end}


def cut(boards: Boards, stored: StoredRows, size: Callable[[], int]) -> Iterator[Part]:
    """Yield parts of these boards, each with `size()` boards without a row."""
    without_row = np.delete(np.arange(len(boards)), list(stored))
    begin = 0
    while begin < len(boards):
        later = int(np.searchsorted(without_row, begin)) + size()
        end = int(without_row[later]) if later < len(without_row) else len(boards)
        yield boards[begin:end], between(stored, begin, end)
        begin = end


# --- pieces ---


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
    networks: Mapping[str, Published] = {}
    if not executor.shares_memory:
        from puzzlelab.engine.published_networks import published_networks

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


def _watched(solver: Solver, boards: Boards, limit: Limit, watch: Watch) -> Iterator[Answers]:
    """Yield the answers to boards, of which `watch` sees every attempt."""
    over = cancellation()
    for place, instance in enumerate(boards):
        where = boards.where(place)

        def see(attempt: Attempt, where: str = where) -> bool:
            watch(where, attempt)
            return over()

        yield Answers.of(boards[place : place + 1], [solve(solver, instance, limit, see)])


@dataclass
class PartSolver:
    """The solving of parts by an executor."""

    executor: Executor
    solver: Solver
    limit: Limit
    is_alone: bool = False
    """Whether each board has a time of its own."""
    watch: Watch | None = None
    """Boards that are watched are solved one by one."""
    _setups: dict[Puzzle, Setup] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shared = BATCH if self.solver.shares_work and not self.is_alone else None
        self._together = 1 if self.is_alone else shared or LARGEST_BATCH
        self.size = PieceSize(self.executor, shared)

    def solved(self, parts: Iterable[Part]) -> Iterator[tuple[Part, Iterator[Answers]]]:
        """Yield each part with the answers to its open boards, in order; a board that was lost has an error instead."""
        for piece, values in groupby(ordered(self.executor, map(self._piece, parts), self._split), itemgetter(0)):
            boards, rows = part = piece.context
            some = (value for _, value in values)
            first = next(some)
            if isinstance(first, PieceLost):
                places = np.flatnonzero(is_open(boards, rows)).tolist()
                yield (boards.with_errors(dict.fromkeys(places, f"left out: {first}")), rows), iter(())
            elif first is None:
                yield part, iter(())
            else:
                yield part, with_boards(open_boards(*part), chain([first], some))

    def _piece(self, part: Part) -> Piece:
        boards = open_boards(*part)
        name = part[0].where(0) or "the board"
        if not len(boards):
            return Piece(name, None, context=part)
        if boards.puzzle not in self._setups:
            self._setups[boards.puzzle] = solver_setup(self.executor, self.solver, boards)
        if self.watch is None:
            work = partial(solve_piece, self.solver, boards, self.limit, self._together)
        else:
            work = partial(_watched, self.solver, boards, self.limit, self.watch)
        return Piece(name, work, self._setups[boards.puzzle], part, partial(self.size.took, len(boards)))

    def _split(self, piece: Piece) -> Sequence[Piece]:
        """Return the boards of a piece one by one."""
        boards, rows = piece.context
        if len(open_boards(boards, rows)) < 2:
            return ()
        return [self._piece(single) for single in cut(boards, rows, lambda: 1)]
