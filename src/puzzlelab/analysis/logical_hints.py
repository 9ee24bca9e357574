"""Logical hints for puzzles with the view `Candidates`: the next cell that is forced, with the reason in a sentence.

Two rules force a cell: it has one remaining candidate, or a digit has one remaining cell in a unit. Where neither rule
applies, the next cell comes from a solution. Wrong moves are named.

Shapes: N = cells.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State, board_after, names_of
from puzzlelab.core.result import NO_SOLUTION
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import Candidates
from puzzlelab.engine.enumeration import Listing


@dataclass(frozen=True)
class LogicalHint:
    """The next move at a position with its reason, or the reason why there is none."""

    instance: Instance
    """The position."""
    why: str
    """The reason, as a sentence."""
    best: int | None = None
    """The next move."""
    forced: bool = False
    """Whether one of the two rules forces the move."""
    cells: tuple[int, ...] = ()
    """The cells that the reason refers to, besides the cell of the move."""
    wrong: tuple[int, ...] = ()
    """The moves of the game that are in no solution."""
    unique: bool | None = None
    """Whether the start board has exactly one solution; None if that was not proven in time."""

    @property
    def reason(self) -> str:
        """Why there is no next move; empty if there is one."""
        return self.why if self.best is None else ""


def deduce(instance: Instance, moves: Sequence[int], solver: Solver, limit: Limit) -> LogicalHint:
    """Return the next cell of the position after these moves, and why, for a puzzle with the view `Candidates`.

    The moves may contradict the rules. If the start board has a unique solution, they are compared with it; otherwise
    the first move after which there is no solution is wrong.

    Args:
        instance: the start board.
        moves: the digits that the player has written so far.
        solver: a solver that enumerates solutions.
        limit: for each search; its seconds are for all searches together.

    Raises:
        BadBoard: if a move writes in a cell that is filled, with its number.
        Unsupported: if the solver cannot enumerate solutions.
    """
    positions, search = list(_positions(instance, moves)), _SolutionSearch(solver, limit)
    position = positions[-1]
    if objection := instance.puzzle.objection(instance.state):
        return LogicalHint(position, f"the given board cannot be solved: {objection}", unique=False)
    solutions, all_known = search.of(instance, 2)
    if all_known and not solutions:
        return LogicalHint(position, f"the given board cannot be solved: {NO_SOLUTION}", unique=False)
    unique = len(solutions) == 1 if all_known or len(solutions) > 1 else None
    hint = _wrong_moves(positions, moves, solutions, unique, search) or _next_cell(position, solutions, unique, search)
    return replace(hint, unique=unique)


# --- the position, and its solutions ---


def _positions(instance: Instance, moves: Sequence[int]) -> Iterator[Instance]:
    """Yield every position of a game, the start first; a move may contradict the rules, but its cell must be blank."""
    puzzle, state = instance.puzzle, instance.state
    yield instance
    for step, move in enumerate(moves, start=1):
        if digits_in(puzzle, state)[cell_of(puzzle, move)] >= 0:
            raise BadBoard(f"{puzzle.write_move(move)} writes in a cell that is filled", f"move {step} of {len(moves)}")
        state = puzzle.apply(state, move)
        yield Instance(puzzle, state)


class _SolutionSearch:
    """The searches for solutions by one solver; the seconds of its limit are for all of them together."""

    def __init__(self, solver: Solver, limit: Limit) -> None:
        self.solver, self.limit, self.began = solver, limit, time.perf_counter()

    def of(self, instance: Instance, most: int) -> tuple[list[State], bool]:
        """Return up to `most` solutions as `digits: int64[N]`, and whether these are all."""
        limit, puzzle = self.limit.share(time.perf_counter() - self.began, 0), instance.puzzle
        if limit is None:
            return [], False
        listing = Listing(self.solver, instance, limit, most)
        solutions = [digits_in(puzzle, board_after(puzzle, instance.state, moves)) for moves in listing]
        return solutions, listing.stop == "done"

    def solvable(self, instance: Instance) -> bool | None:
        """Tell whether a position has a solution; None if that was not proven in time."""
        if instance.puzzle.objection(instance.state):
            return False
        solutions, all_known = self.of(instance, 1)
        return True if solutions else False if all_known else None


def _fits(puzzle: Puzzle, move: int, solution: State) -> bool:
    """Tell whether a move is in a solution."""
    cell = cell_of(puzzle, move)
    return bool(solution[cell] == move - cell * view_of(puzzle).units.all.shape[1])


# --- wrong moves ---


def _wrong_moves(
    positions: list[Instance],
    moves: Sequence[int],
    solutions: list[State],
    unique: bool | None,
    search: _SolutionSearch,
) -> LogicalHint | None:
    """Return a hint that names the wrong moves; None if no move is known to be wrong."""
    position, puzzle = positions[-1], positions[-1].puzzle
    if any(all(_fits(puzzle, move, solution) for move in moves) for solution in solutions):
        return None
    if unique:
        wrong = tuple(move for move in moves if not _fits(puzzle, move, solutions[0]))
        many = "are wrong: the only solution has other digits there"
        one = "is wrong: the only solution has another digit there"
        why = f"{in_words(names_of(puzzle, wrong))} {many if len(wrong) > 1 else one}"
    elif search.solvable(position) is not False:
        return None
    else:
        first = _first_unsolvable(positions, search) or _first_objection(positions)
        if first is None:
            return LogicalHint(position, "these moves leave no solution; the first wrong one was not found in time")
        wrong, objection = (moves[first - 1],), puzzle.objection(positions[first].state)
        why = f"after {puzzle.write_move(wrong[0])} there is no solution{f': {objection}' if objection else ''}"
    return LogicalHint(position, why, cells=tuple(cell_of(puzzle, move) for move in wrong), wrong=wrong)


def _first_unsolvable(positions: list[Instance], search: _SolutionSearch) -> int | None:
    """Return the number of the first position without a solution, by bisection; None if it was not found in time.

    The first position has a solution and the last one has none. All positions after an unsolvable one are unsolvable.
    """
    good, bad = 0, len(positions) - 1
    while bad - good > 1:
        middle = (good + bad) // 2
        solvable = search.solvable(positions[middle])
        if solvable is None:
            return None
        good, bad = (middle, bad) if solvable else (good, middle)
    return bad


def _first_objection(positions: list[Instance]) -> int | None:
    """Return the number of the first position with an `objection`, a test without a search."""
    numbers = (number for number, each in enumerate(positions) if each.puzzle.objection(each.state))
    return next(numbers, None)


# --- the next cell ---


def _next_cell(position: Instance, solutions: list[State], unique: bool | None, search: _SolutionSearch) -> LogicalHint:
    """Return a forced cell or, if there is none, the cell with the fewest candidates, with its digit in a solution."""
    puzzle = position.puzzle
    if puzzle.solved(position.state):
        return LogicalHint(position, "nothing is left to do: the board is solved")
    if forced := min(singles(puzzle, position.state), default=None):
        return LogicalHint(position, forced.why, forced.move, True, forced.cells)
    nothing = "neither a cell with one candidate nor a digit with one place in a unit is left"
    digits = digits_in(puzzle, position.state)
    fitting = [each for each in solutions if (each == digits)[digits >= 0].all()] or search.of(position, 1)[0]
    if not fitting:
        return LogicalHint(position, f"{nothing}, and no solution was found in time")
    candidates = view_of(puzzle).candidates(position.state)
    cell = int(np.argmin(np.where(digits < 0, candidates.sum(axis=1), candidates.shape[1] + 1)))
    move = cell * candidates.shape[1] + int(fitting[0][cell])
    article = "the only" if unique else "a"
    return LogicalHint(position, f"{nothing}: {puzzle.write_move(move)} is from {article} solution", move)


# --- singles ---

NEARLY_FULL = 3
"""The most blank cells of a unit whose missing digits a person sees at a glance."""
FULL_HOUSE, HIDDEN_SINGLE_IN_BOX, EASY_NAKED_SINGLE, HIDDEN_SINGLE_IN_LINE, NAKED_SINGLE = range(5)
"""Kinds of singles, the easiest first. Boxes come before lines, because people look at a box as a whole. Hidden singles
come before naked ones, because it is easier to follow a digit than to rule out all other candidates of a cell."""


class Single(NamedTuple):
    """A forced cell; singles are ordered from the easiest to the hardest."""

    order: int
    blanks: int
    """Blank cells in the unit, or in the fullest unit of the cell."""
    move: int
    why: str
    cells: tuple[int, ...]


def singles(puzzle: Puzzle, state: State) -> Iterator[Single]:
    """Yield the singles of a state without conflicts; a cell may occur several times."""
    yield from _hidden_singles(puzzle, state)
    yield from _naked_singles(puzzle, state)


def _hidden_singles(puzzle: Puzzle, state: State) -> Iterator[Single]:
    """Yield the digits with one remaining cell in a unit."""
    view = view_of(puzzle)
    digits, candidates = view.digits(state), view.candidates(state)
    for kind, number, unit in _units(view):
        blanks = int(np.count_nonzero(digits[unit] < 0))
        for digit in np.flatnonzero(candidates[unit].sum(axis=0) == 1).tolist():
            cell = int(unit[candidates[unit, digit]][0])
            move = cell * candidates.shape[1] + digit
            name, written = cell_name(puzzle, cell), _digit_name(puzzle, move)
            if blanks == 1:
                why = f"{name} must be {written}: it is the last blank cell of {kind} {number}"
                yield Single(FULL_HOUSE, 1, move, why, tuple(int(each) for each in unit if each != cell))
            else:
                order = HIDDEN_SINGLE_IN_BOX if kind == _box(puzzle, view) else HIDDEN_SINGLE_IN_LINE
                why = f"{written} has one place left in {kind} {number}: {name}"
                yield Single(order, blanks, move, why, _holders(view, digits, unit, cell, digit))


def _holders(
    view: Candidates, digits: NDArray[np.int64], unit: NDArray[np.int32], cell: int, digit: int
) -> tuple[int, ...]:
    """Return the cells with this digit that exclude it from the other blank cells of a unit."""
    others = [each for each in unit.tolist() if digits[each] < 0 and each != cell]
    peers = view.units.peers[others]
    return tuple(np.unique(peers[digits[peers] == digit]).tolist())


def _naked_singles(puzzle: Puzzle, state: State) -> Iterator[Single]:
    """Yield the cells with one remaining candidate."""
    view = view_of(puzzle)
    digits, candidates = view.digits(state), view.candidates(state)
    fullest = np.full(digits.size, digits.size)
    for _, _, unit in _units(view):
        fullest[unit] = np.minimum(fullest[unit], np.count_nonzero(digits[unit] < 0))
    kinds = in_words(list(view.units.kinds))
    for cell in np.flatnonzero(candidates.sum(axis=1) == 1).tolist():
        move = cell * candidates.shape[1] + int(np.argmax(candidates[cell]))
        peers, blanks = view.units.peers[cell], int(fullest[cell])
        statement = f"{cell_name(puzzle, cell)} must be {_digit_name(puzzle, move)}"
        why = f"{statement}: its {kinds} hold every other digit"
        order = EASY_NAKED_SINGLE if blanks <= NEARLY_FULL else NAKED_SINGLE
        yield Single(order, blanks, move, why, tuple(peers[digits[peers] >= 0].tolist()))


# --- names ---


def _units(view: Candidates) -> Iterator[tuple[str, int, NDArray[np.int32]]]:
    """Yield every unit with its kind and its number from 1."""
    for kind, units in view.units.kinds.items():
        for number, unit in enumerate(units, start=1):
            yield kind, number, unit


def _box(puzzle: Puzzle, view: Candidates) -> str | None:
    """Return the kind of units that are boxes, if there are any."""
    return list(view.units.kinds)[2] if view.units.box_shape else None


def view_of(puzzle: Puzzle) -> Candidates:
    """Return the view `Candidates` of the puzzle, which must have it."""
    view = puzzle.view(Candidates)
    assert view is not None
    return view


def digits_in(puzzle: Puzzle, state: State) -> NDArray[np.int64]:
    """Return `int64[N]`: the digit in each cell, -1 for blank."""
    return view_of(puzzle).digits(state)


def cell_of(puzzle: Puzzle, move: int) -> int:
    """Return the cell in which a move writes."""
    return move // int(view_of(puzzle).units.all.shape[1])


def cell_name(puzzle: Puzzle, cell: int) -> str:
    """Return a cell as the puzzle writes it."""
    return view_of(puzzle).write_cell(cell)


def _digit_name(puzzle: Puzzle, move: int) -> str:
    """Return what a move writes, as the puzzle writes moves: the text after the cell's name and '='."""
    return puzzle.write_move(move).rpartition("=")[2]


def in_words(names: Sequence[str]) -> str:
    """Join words: 'a', 'a and b', 'a, b and c'."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
