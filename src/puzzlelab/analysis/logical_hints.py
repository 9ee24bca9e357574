"""Logical hints for puzzles with the view `Candidates`: the easiest next step of logic, with the reason in a sentence.

Where no step is known, the next cell comes from a solution. Wrong moves, and candidates that were ruled out wrongly,
are named.

Shapes: N = cells.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.logic_steps import logic_of
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard
from puzzlelab.core.limit import Limit
from puzzlelab.core.logic import RULED_OUT, Step, read_elimination, write_elimination
from puzzlelab.core.puzzle import Puzzle, State, board_after, names_of, read_moves
from puzzlelab.core.reasons import joined
from puzzlelab.core.result import NO_SOLUTION
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import candidates_view
from puzzlelab.engine.enumeration import Listing


@dataclass(frozen=True)
class LogicalHint:
    """The easiest next step of logic at a position, with its reason, or the reason why there is none.

    >>> hint = puzzlelab.hint(puzzlelab.load("sudoku-9x9").read("easy"), moves="r1c1=1")
    >>> hint.why
    'r1c1=1 is wrong: the only solution has another digit there'
    """

    instance: Instance
    """The position."""
    why: str
    """The reason, as a sentence."""
    step: Step | None = None
    """The easiest next step of logic."""
    best: int | None = None
    """The next move: that of the step, if it makes one, or one of a solution where no step is known."""
    wrong: tuple[int, ...] = ()
    """The moves of the game that are in no solution."""
    missing: tuple[int, ...] = ()
    """The candidates that were ruled out, and are in the only solution."""
    unique: bool | None = None
    """Whether the start board has exactly one solution; None if that was not proven in time."""

    @property
    def forced(self) -> bool:
        """Whether the next move follows by logic."""
        return self.step is not None and self.best is not None

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells that the step rests on, or those of the wrong moves."""
        if self.step is not None:
            return tuple(dict.fromkeys(cell for _, cell in self.step.cells))
        return tuple(cell_of(self.instance.puzzle, move) for move in (*self.wrong, *self.missing))

    @property
    def reason(self) -> str:
        """Why there is no next step or move; empty if there is one."""
        return self.why if self.step is None and self.best is None else ""


def deduce(
    instance: Instance, moves: Sequence[int], solver: Solver, limit: Limit, removed: Sequence[int] = ()
) -> LogicalHint:
    """Return the easiest next step of the position after these moves, for a puzzle with the view `Candidates`.

    The moves may contradict the rules. If the start board has a unique solution, they are compared with it; otherwise
    the first move after which there is no solution is wrong.

    Args:
        instance: the start board.
        moves: the digits that the player has written so far.
        solver: a solver that enumerates solutions.
        limit: for each search; its seconds are for all searches together.
        removed: the candidates that the player has ruled out.

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
    hint = (
        _wrong_moves(positions, moves, solutions, unique, search)
        or _missing_candidates(position, removed, solutions, unique)
        or _next_step(instance, moves, removed, unique)
        or _next_cell(position, solutions, unique, search)
    )
    return replace(hint, unique=unique)


def read_notes(puzzle: Puzzle, text: str) -> tuple[list[int], list[int]]:
    """Return the moves of a game and the candidates that were ruled out, such as `r3c4<>5`, from a text of both.

    Raises `BadBoard` with the number of an invalid one.
    """
    words = re.split(r"[\s;]+", text.strip())
    moves = read_moves(puzzle, [word for word in words if word and RULED_OUT not in word])
    return moves, [read_elimination(puzzle, word) for word in words if RULED_OUT in word]


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
    return bool(solution[cell] == move - cell * candidates_view(puzzle).units.all.shape[1])


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
        why = f"{joined(names_of(puzzle, wrong))} {many if len(wrong) > 1 else one}"
    elif search.solvable(position) is not False:
        return None
    else:
        first = _first_unsolvable(positions, search) or _first_objection(positions)
        if first is None:
            return LogicalHint(position, "these moves leave no solution; the first wrong one was not found in time")
        wrong, objection = (moves[first - 1],), puzzle.objection(positions[first].state)
        why = f"after {puzzle.write_move(wrong[0])} there is no solution{f': {objection}' if objection else ''}"
    return LogicalHint(position, why, wrong=wrong)


def _missing_candidates(
    position: Instance, removed: Sequence[int], solutions: list[State], unique: bool | None
) -> LogicalHint | None:
    """Return a hint that names the candidates of the only solution that were ruled out; None if there are none."""
    puzzle = position.puzzle
    missing = tuple(candidate for candidate in removed if unique and _fits(puzzle, candidate, solutions[0]))
    if not missing:
        return None
    names = joined([write_elimination(puzzle, candidate) for candidate in missing])
    why = f"{names} {'are' if len(missing) > 1 else 'is'} wrong: the only solution has what was ruled out there"
    return LogicalHint(position, why, missing=missing)


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


# --- the next step ---


def _next_step(
    instance: Instance, moves: Sequence[int], removed: Sequence[int], unique: bool | None
) -> LogicalHint | None:
    """Return the easiest step; None if no step is known."""
    puzzle, logic = instance.puzzle, logic_of(instance.puzzle)
    position = Instance(puzzle, board_after(puzzle, instance.state, moves))
    if objection := logic.objection(instance.state, moves, removed):
        return LogicalHint(position, objection)
    step = next(logic.way(instance.state, moves, removed, assumes_unique=unique is True), None)
    return None if step is None else LogicalHint(position, step.sentence, step, next(iter(step.placements), None))


def _next_cell(position: Instance, solutions: list[State], unique: bool | None, search: _SolutionSearch) -> LogicalHint:
    """Return the cell with the fewest candidates, with its digit in a solution."""
    puzzle = position.puzzle
    if puzzle.solved(position.state):
        return LogicalHint(position, "nothing is left to do: the board is solved")
    nothing = "no step of logic is known here"
    digits = digits_in(puzzle, position.state)
    fitting = [each for each in solutions if (each == digits)[digits >= 0].all()] or search.of(position, 1)[0]
    if not fitting:
        return LogicalHint(position, f"{nothing}, and no solution was found in time")
    candidates = candidates_view(puzzle).candidates(position.state)
    cell = int(np.argmin(np.where(digits < 0, candidates.sum(axis=1), candidates.shape[1] + 1)))
    move = cell * candidates.shape[1] + int(fitting[0][cell])
    article = "the only" if unique else "a"
    return LogicalHint(position, f"{nothing}: {puzzle.write_move(move)} is from {article} solution", best=move)


# --- names ---


def digits_in(puzzle: Puzzle, state: State) -> NDArray[np.int64]:
    """Return `int64[N]`: the digit in each cell, -1 for blank."""
    return candidates_view(puzzle).digits(state)


def cell_of(puzzle: Puzzle, move: int) -> int:
    """Return the cell in which a move writes."""
    return move // int(candidates_view(puzzle).units.all.shape[1])
