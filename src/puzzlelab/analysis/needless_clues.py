"""Which clues of a board with one solution can be left out, each by itself, so that it still has one solution.

A board without such a clue is minimal. The boards with one clue less are counted together.

Shapes: B = boards, N = cells, D = digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from puzzlelab.core.boards import Boards
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, names_of
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import candidates_view
from puzzlelab.engine.enumeration import count_parts, require_enumerator

TOGETHER = 64
"""Boards whose clues are tried together."""


@dataclass(frozen=True)
class NeedlessClues:
    """The clues of a board with one solution that can be left out, each by itself.

    >>> needless = puzzlelab.needless_clues(puzzlelab.load("sudoku-4x4").read("1300003004000002"))
    >>> needless.minimal, len(needless.clues)
    (False, 1)
    """

    clues: tuple[int, ...]
    """The moves that write them."""
    undecided: tuple[int, ...] = ()
    """Clues of which this is not known within the limit."""

    @property
    def minimal(self) -> bool | None:
        """Whether no clue can be left out; None if that is not known."""
        return None if self.undecided and not self.clues else not self.clues


def needless_clues(boards: Boards, solver: Solver, limit: Limit) -> Iterator[NeedlessClues]:
    """Yield the needless clues of each of these boards, which have one solution each.

    `limit` is for each clue. Raises `Unsupported` if the puzzle has no candidates or the solver cannot count solutions,
    and for boards that say more than their digits.
    """
    candidates_view(boards.puzzle)
    require_enumerator(solver, boards.puzzle)
    for begin in range(0, len(boards), TOGETHER):
        yield from _of_some(boards[begin : begin + TOGETHER], solver, limit)


def of_unique(boards: Boards, is_unique: Sequence[bool], solver: Solver, limit: Limit) -> list[NeedlessClues | None]:
    """Return the needless clues of those of these boards that have one solution, and None for the others."""
    found = needless_clues(boards[np.array(is_unique, bool)], solver, limit)
    return [next(found) if each else None for each in is_unique]


def _of_some(boards: Boards, solver: Solver, limit: Limit) -> Iterator[NeedlessClues]:
    """Yield the needless clues of some boards, whose clues are tried together."""
    view, puzzle = candidates_view(boards.puzzle), boards.puzzle
    given = np.stack([view.digits(state) for state in boards.states])
    if not np.array_equal(view.written(given), boards.states):
        raise Unsupported(f"a board of {puzzle.name} from which candidates were removed has no needless clues")
    owners, cells = np.nonzero(given >= 0)
    digits = given[owners, cells]
    without = given[owners]
    without[np.arange(len(owners)), cells] = -1
    moves = cells * view.units.all.shape[1] + digits
    if not len(owners):
        yield from [NeedlessClues(())] * len(boards)
        return
    counted = [count for some in count_parts(solver, Boards(puzzle, view.written(without)), limit, 2) for count in some]
    if len(counted) < len(owners):
        raise KeyboardInterrupt  # a count was interrupted
    is_needless = np.array([count.stop == "done" for count in counted])
    is_decided = is_needless | np.array([count.solutions > 1 for count in counted])
    for board in range(len(boards)):
        own = owners == board
        clues, undecided = moves[own & is_needless], moves[own & ~is_decided]
        yield NeedlessClues(tuple(clues.tolist()), tuple(undecided.tolist()))


def needless_facts(puzzle: Puzzle, needless: NeedlessClues) -> dict[str, Any]:
    """Return the needless clues of a board as plain data."""
    return {
        "minimal": needless.minimal,
        "needless": names_of(puzzle, needless.clues),
        "needless_undecided": names_of(puzzle, needless.undecided),
    }


def needless_in_words(puzzle: Puzzle, needless: NeedlessClues) -> str:
    """Return a sentence about the needless clues of a board."""
    unknown = ", ".join(names_of(puzzle, needless.undecided))
    unknown = f"; not known within the limit of {unknown}" if unknown else ""
    if not needless.clues:
        return f"minimal: {'no clue that was decided' if unknown else 'no clue'} can be left out{unknown}"
    names = ", ".join(names_of(puzzle, needless.clues))
    count = len(needless.clues)
    what = "1 clue can be left out" if count == 1 else f"each of {count} clues can be left out by itself"
    return f"not minimal: {what}: {names}{unknown}"
