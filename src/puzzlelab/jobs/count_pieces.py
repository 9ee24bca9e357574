"""The solutions of many boards, counted by an executor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Count
from puzzlelab.core.solver import Solver
from puzzlelab.engine.enumeration import count_parts
from puzzlelab.engine.executor import Executor, Piece, PieceLost, Setup, ordered
from puzzlelab.engine.piece_size import PieceSize
from puzzlelab.jobs.solve_parts import PREPARE_LIMIT, setup_of

Group = TypeVar("Group")


def counts(
    executor: Executor,
    solver: Solver,
    limit: Limit,
    most: int | None,
    groups: Iterable[tuple[Group, Boards]],
) -> Iterator[tuple[Group, int, Sequence[Count] | str]]:
    """Yield the counts of the boards of each group, in order: the group, the place of the first board, and the counts.

    In the place of the counts of a board that was left out stands the reason. A group without boards is returned in
    its turn. Raises what `count_parts` raises.
    """
    size, setup = PieceSize(executor), list[Setup]()

    def piece(group: Group, begin: int, boards: Boards) -> Piece:
        name, context = f"board {begin + 1:,} of a block", (group, begin, boards)
        if not len(boards):
            return Piece(name, None, context=context)
        if not setup:  # a search on a board that ends at once
            prepare = partial(_prepare, solver, boards[:1], most)
            setup.append(setup_of(executor, solver, boards.puzzle, "count", prepare))
        work = partial(count_parts, solver, boards, limit, most)
        return Piece(name, work, setup[0], context, partial(size.took, len(boards)))

    def pieces() -> Iterator[Piece]:
        for group, boards in groups:
            begin = 0
            while begin < len(boards):
                end = begin + size.of(len(boards))
                yield piece(group, begin, boards[begin:end])
                begin = end
            if not len(boards):
                yield piece(group, 0, boards)

    def split(whole: Piece) -> Sequence[Piece]:
        group, begin, boards = whole.context
        if len(boards) == 1:
            return ()
        return [piece(group, begin + place, boards[place : place + 1]) for place in range(len(boards))]

    last: Piece | None = None
    done = 0
    for each, value in ordered(executor, pieces(), split):
        group, begin, _ = each.context
        done = 0 if each is not last else done
        last = each
        if isinstance(value, PieceLost):
            yield group, begin, f"left out: {value}"
        else:
            yield group, begin + done, value or ()
            done += len(value or ())


def _prepare(solver: Solver, first: Boards, most: int | None) -> None:
    """Begin to count the solutions of a board."""
    list(count_parts(solver, first, PREPARE_LIMIT, most))
