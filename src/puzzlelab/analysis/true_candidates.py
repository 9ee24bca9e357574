"""The true candidates of boards such as those of Sudoku: what each cell is in some solution.

Each solution shows one true candidate of every cell. So a search is made only for candidates that no solution so far
has: with this candidate written, it gives a solution, which shows others too, or the proof that there is none. The
candidates of one cell are tried together, because no solution has two of them.

Shapes: B = boards, N = cells, D = digits, S = length of a state.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State, board_after
from puzzlelab.core.result import Stop
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import candidates_view
from puzzlelab.engine.batch_verify import NOT_SAMPLED
from puzzlelab.engine.enumeration import Enumerator, Listing, require_enumerator
from puzzlelab.engine.solving import none_wrong

TOGETHER = 256
"""Boards whose candidates are tried together."""
TRIED = 64
"""Candidates that are tried together at least, where so many are open."""
SHOWN = 20
"""The most candidates that a sentence names."""
LISTED = 64
"""The most solutions that are listed first by a solver that takes boards one by one."""


@dataclass(frozen=True, eq=False)
class TrueCandidates:
    """The digits that each cell of a board has in some solution.

    >>> board = puzzlelab.load("sudoku-4x4").read("12..34..2143....")
    >>> true = puzzlelab.true_candidates(board)
    >>> true.solutions, true.possible[6].tolist(), true.open_cells
    (2, [True, True, False, False], [6, 7, 14, 15])
    """

    possible: NDArray[np.bool_]
    """`bool[N, D]`: the digits that a cell has in some solution; a clue is the only one of its cell."""
    undecided: NDArray[np.bool_]
    """`bool[N, D]`: the candidates for which the limit ended the search; none if `stop` is 'done'."""
    solutions: int | None
    """0, 1, or 2 for two or more; None if that is not known."""
    stop: Stop = "done"
    """Why the search ended: the limit that was reached, if one was."""

    @property
    def open_cells(self) -> list[int]:
        """The cells that are not the same in all solutions, as far as is known."""
        return [int(cell) for cell in np.flatnonzero(self.possible.sum(axis=1) > 1)]


def true_candidates(boards: Boards, solver: Solver, limit: Limit) -> Iterator[TrueCandidates]:
    """Yield the true candidates of each of these boards; `limit` is for all searches of a board together.

    Raises `Unsupported` if the puzzle has no candidates, or if the solver cannot list solutions.
    """
    candidates_view(boards.puzzle)
    enumerator = require_enumerator(solver, boards.puzzle)
    for begin in range(0, len(boards), TOGETHER):
        marks = _Marks(boards[begin : begin + TOGETHER], enumerator, limit)
        marks.begin()
        while marks.try_some():
            pass
        yield from marks.results()


class _Marks:
    """The knowledge about the candidates of some boards, and the searches that find out more."""

    def __init__(self, boards: Boards, solver: Enumerator, limit: Limit) -> None:
        self.boards, self.solver, self.limit = boards, solver, limit
        self.view = candidates_view(boards.puzzle)
        candidates = np.stack([self.view.candidates(state) for state in boards.states])
        self.seen = np.zeros_like(candidates)
        self.unseen = candidates
        """Candidates that may be true, and that no solution so far has."""
        self.active = np.arange(len(boards))
        """The boards with such candidates."""
        self.solutions = np.zeros(len(boards), np.int64)
        self.stops: list[Stop] = ["done"] * len(boards)
        self.seconds, self.nodes = np.zeros(len(boards)), np.zeros(len(boards), np.int64)

    def begin(self) -> None:
        """Look for two solutions of each board, or for some more where boards are taken one by one."""
        began = time.perf_counter()
        counts = self.solver.count_batch(self.boards, 2, self.limit)
        is_counted = counts.is_stopped_by("done", "solutions") & (counts.firsts is not None)
        self.seconds += (time.perf_counter() - began) / len(self.boards)
        self.nodes += np.where(is_counted, counts.expanded, 0)
        if counts.firsts is not None:
            self._mark(np.flatnonzero(is_counted), counts.firsts)
            self.solutions = np.where(is_counted, counts.solutions, 0)
            self.unseen[is_counted & (counts.solutions < 2)] = False
        for place in np.flatnonzero(~is_counted).tolist():
            self._list(place)

    def try_some(self) -> bool:
        """Try the open candidates of some cells of each board; False if none are left."""
        boards, cells, digits = self._chosen()
        if not len(boards):
            return False
        puzzle, began = self.boards.puzzle, time.perf_counter()
        moves = cells * self.unseen.shape[2] + digits
        pairs = zip(boards.tolist(), moves.tolist(), strict=True)
        states = np.stack([puzzle.apply(self.boards.states[board], move) for board, move in pairs])
        tried = Boards(puzzle, states, np.arange(len(states)) + NOT_SAMPLED)
        counts = self.solver.count_batch(tried, 1, self.limit)
        is_counted = counts.is_stopped_by("done", "solutions") & (counts.firsts is not None)
        shares = np.bincount(boards, minlength=len(self.boards)) / len(boards)
        self.seconds += shares * (time.perf_counter() - began)
        np.add.at(self.nodes, boards, np.where(is_counted, counts.expanded, 0))
        self.unseen[boards[is_counted], cells[is_counted], digits[is_counted]] = False
        if counts.firsts is not None:
            self._mark(boards, counts.firsts)
        for place in np.flatnonzero(~is_counted).tolist():
            self._try_alone(int(boards[place]), tried[place], (int(cells[place]), int(digits[place])))
        return True

    def results(self) -> Iterator[TrueCandidates]:
        """Yield what is known of each board."""
        for place, state in enumerate(self.boards.states):
            given, is_done = self.view.digits(state), self.stops[place] == "done"
            possible = self.seen[place]
            if self.solutions[place] or not is_done:
                possible[np.flatnonzero(given >= 0), given[given >= 0]] = True
            count = int(self.solutions[place])
            known = count if is_done or count > 1 else None
            yield TrueCandidates(possible, self.unseen[place], known, self.stops[place])

    def _chosen(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return (boards, cells, digits): the candidates to try next, those of the cells with the most of them."""
        going_on = np.array([self._left(board) is not None for board in self.active.tolist()], bool)
        counts = np.add.reduce(self.unseen[self.active], axis=2, dtype=np.int8)
        is_open = counts.any(axis=1) & going_on
        self.active, counts = self.active[is_open], counts[is_open]
        most = min(max(1, TRIED // (2 * max(1, len(self.active)))), counts.shape[1])
        cells = np.argpartition(-counts, most - 1, axis=1)[:, :most]
        boards = np.repeat(self.active, most)
        pairs, digits = np.nonzero(self.unseen[boards, cells.reshape(-1)])
        return boards[pairs], cells.reshape(-1)[pairs], digits

    def _mark(self, boards: NDArray[np.int64], answers: Answers) -> None:
        """Mark what the solutions of these boards show, which are verified; an answer may have none."""
        confirmed, puzzle = none_wrong(self.solver, answers), self.boards.puzzle
        places, ends = np.flatnonzero(confirmed.is_solved), confirmed.ends
        if not len(places):
            return
        if ends is None:
            starts = answers.boards.states
            solved = [board_after(puzzle, starts[place], confirmed.moves_of(place) or ()) for place in places.tolist()]
        else:
            solved = list(ends[places])
        self._show(boards[places], solved)

    def _show(self, boards: NDArray[np.int64], solved: Sequence[State]) -> None:
        """Mark the candidates of a solution of each of these boards."""
        digits = np.stack([self.view.digits(state) for state in solved])
        cells = np.arange(digits.shape[1])
        self.seen[boards[:, None], cells, digits] = True
        self.unseen[boards[:, None], cells, digits] = False

    def _list(self, board: int) -> None:
        """List some solutions of a board."""
        listing = self._search(board, self.boards[board], LISTED)
        self.solutions[board] = min(2, listing.count)
        if listing.stop == "done":
            self.unseen[board] = False

    def _try_alone(self, board: int, tried: Instance, candidate: tuple[int, int]) -> None:
        """Try a candidate by a search of its own, unless a solution had it meanwhile or the limit is used up."""
        if not self.unseen[board][candidate] or self._left(board) is None:
            return
        if self._search(board, tried, 1).stop in ("done", "solutions"):
            self.unseen[board][candidate] = False

    def _search(self, board: int, instance: Instance, most: int) -> Listing:
        """Mark what up to `most` solutions of an instance show, within what is left of the limit of a board."""
        listing = Listing(self.solver, instance, self._left(board) or self.limit, most)
        began = time.perf_counter()
        for moves in listing:
            self._show(np.array([board]), [board_after(instance.puzzle, instance.state, moves)])
        self.seconds[board] += time.perf_counter() - began
        self.nodes[board] += listing.expanded
        if listing.stop not in ("done", "solutions"):
            self.stops[board] = listing.stop
        return listing

    def _left(self, board: int) -> Limit | None:
        """Return what is left of the limit for a board; None where it was reached, which is its stop then."""
        if self.stops[board] != "done":
            return None
        left = self.limit.share(float(self.seconds[board]), int(self.nodes[board]))
        if left is None:
            is_late = self.limit.seconds is not None and self.seconds[board] >= self.limit.seconds
            self.stops[board] = "time" if is_late else "nodes"
        return left


def candidate_texts(puzzle: Puzzle, possible: NDArray[np.bool_]) -> list[str]:
    """Return [N]: the digits of each cell in `possible: bool[N, D]`, as the puzzle writes them."""
    signs = digit_signs(puzzle)
    return ["".join(signs[digit] for digit in np.flatnonzero(cell).tolist()) for cell in possible]


def digit_signs(puzzle: Puzzle) -> list[str]:
    """Return [D]: each digit as the puzzle writes it."""
    return [puzzle.write_move(digit).rpartition("=")[2] for digit in range(candidates_view(puzzle).units.all.shape[1])]


def candidates_in_words(puzzle: Puzzle, found: TrueCandidates) -> str:
    """Return a sentence about the solutions and the open cells of a board."""
    cells = found.open_cells
    several = f"it has more than one solution; cells that are open: {len(cells)}"
    what = {0: "it has no solution", 1: "it has exactly one solution", 2: several}.get(
        -1 if found.solutions is None else found.solutions, "how many solutions it has is not known"
    )
    if found.stop == "done":
        return what
    names = [puzzle.write_move(move) for move in np.flatnonzero(found.undecided.reshape(-1))[:SHOWN].tolist()]
    more = int(found.undecided.sum()) - len(names)
    named = ", ".join(names) + (f" and {more:,} more" if more > 0 else "")
    return f"{what}; the limit of {found.stop} ended the search: not known to be true or false: {named or 'none'}"
