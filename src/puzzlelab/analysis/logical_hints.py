"""Hints where every solution has as many moves: the next cell that is forced, and why, as a person would say it.

For puzzles with the view `Candidates`. Two rules force a cell: it has one candidate left, or a digit has one place left
in a unit. Where neither says anything, the next cell comes from a solution. Moves that have led astray are named.

Shapes: N = cells.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from puzzlelab.analysis.singles import cell_name, cell_of, digits_in, in_words, singles, view_of
from puzzlelab.core.errors import BadBoard, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, State
from puzzlelab.core.solutions import NO_SOLUTION, Listing
from puzzlelab.core.solver import Solver, board_after, names_of
from puzzlelab.core.views import Candidates


@dataclass(frozen=True)
class LogicalHint:
    """The next move of a position, and why; or why there is none."""

    instance: Instance
    """The position."""
    why: str
    """In a sentence."""
    best: int | None = None
    """The next move."""
    forced: bool = False
    """Whether the two rules alone say so."""
    cells: tuple[int, ...] = ()
    """The cells that the sentence speaks of, beside the one of the move."""
    wrong: tuple[int, ...] = ()
    """Moves that were made and are in no solution."""
    unique: bool | None = None
    """Whether the given board has one solution only; None where it is not known in time."""

    @property
    def reason(self) -> str:
        """Why there is no move to tell; empty where there is one."""
        return self.why if self.best is None else ""


def deduce(instance: Instance, moves: Sequence[int], solver: Solver, limit: Limit) -> LogicalHint:
    """The next cell of the position after these moves, and why.

    Moves may contradict the rules, as those of a player may. They are compared with the solution of the given board
    if it has one only; else the first one after which there is none is wrong.

    Args:
        instance: the board as it was given.
        moves: what was written in its blank cells so far.
        solver: who is asked for solutions.
        limit: for each search; its seconds are for all together.

    Raises:
        BadBoard: if a move writes in a cell that is filled, with its number.
        Unsupported: if the puzzle has no candidates, or the solver cannot list solutions.
    """
    if instance.puzzle.view(Candidates) is None:
        raise Unsupported(f"{instance.puzzle.name} has no cells that could be forced")
    positions, asked = list(_played(instance, moves)), _Solutions(solver, limit)
    position = positions[-1]
    if objection := instance.puzzle.objection(instance.state):
        return LogicalHint(position, f"the given board cannot be solved: {objection}", unique=False)
    found, all_known = asked.of(instance, 2)
    if all_known and not found:
        return LogicalHint(position, f"the given board cannot be solved: {NO_SOLUTION}", unique=False)
    unique = len(found) == 1 if all_known or len(found) > 1 else None
    told = _astray(positions, moves, found, unique, asked) or _next(position, found, unique, asked)
    return replace(told, unique=unique)


def deduction_facts(told: LogicalHint) -> dict[str, Any]:
    """A deduction as plain data."""
    puzzle = told.instance.puzzle
    return {
        "best": [] if told.best is None else [puzzle.write_move(told.best)],
        "forced": told.forced,
        "why": told.why,
        "cells": [cell_name(puzzle, cell) for cell in told.cells],
        "wrong": names_of(puzzle, told.wrong),
        "reason": told.reason,
        "unique": told.unique,
    }


def deduction_row(instance: Instance, moves: Sequence[int], solver: Solver, told: LogicalHint) -> dict[str, Any]:
    """A deduction with its question: the given board, and the moves that were made."""
    puzzle = instance.puzzle
    question = {"puzzle": puzzle.name, "board": puzzle.write(instance.state), "moves": names_of(puzzle, moves)}
    return {**question, "solver": solver.name, **deduction_facts(told)}


# --- the position, and its solutions ---


def _played(instance: Instance, moves: Sequence[int]) -> Iterator[Instance]:
    """Every position of a game, the start first; a move may contradict the rules, and must find its cell blank."""
    puzzle, state = instance.puzzle, instance.state
    yield instance
    for step, move in enumerate(moves, start=1):
        if digits_in(puzzle, state)[cell_of(puzzle, move)] >= 0:
            raise BadBoard(f"{puzzle.write_move(move)} writes in a cell that is filled", f"move {step} of {len(moves)}")
        state = puzzle.apply(state, move)
        yield Instance(puzzle, state)


class _Solutions:
    """Asks one solver for solutions; the seconds of its limit are for all questions together."""

    def __init__(self, solver: Solver, limit: Limit) -> None:
        self.solver, self.limit, self.began = solver, limit, time.perf_counter()

    def of(self, instance: Instance, most: int) -> tuple[list[State], bool]:
        """Up to so many solutions as `digits: int64[N]` each, and whether there are no others."""
        limit, puzzle = self.limit, instance.puzzle
        if limit.seconds is not None:
            left = limit.seconds - (time.perf_counter() - self.began)
            if left <= 0:
                return [], False
            limit = replace(limit, seconds=left)
        listing = Listing(self.solver, instance, limit, most)
        found = [digits_in(puzzle, board_after(puzzle, instance.state, moves)) for moves in listing]
        return found, listing.stop == "done"

    def solvable(self, instance: Instance) -> bool | None:
        """Whether a position has a solution; None where that is not known in time."""
        if instance.puzzle.objection(instance.state):
            return False
        found, all_known = self.of(instance, 1)
        return True if found else False if all_known else None


def _fits(puzzle: Puzzle, move: int, solution: State) -> bool:
    """Whether a move is in a solution."""
    cell = cell_of(puzzle, move)
    return bool(solution[cell] == move - cell * view_of(puzzle).units.all.shape[1])


# --- moves that have led astray ---


def _astray(
    positions: list[Instance], moves: Sequence[int], found: list[State], unique: bool | None, asked: _Solutions
) -> LogicalHint | None:
    """Which moves are wrong; None where none is, as far as is known."""
    position, puzzle = positions[-1], positions[-1].puzzle
    if any(all(_fits(puzzle, move, solution) for move in moves) for solution in found):
        return None
    if unique:
        wrong = tuple(move for move in moves if not _fits(puzzle, move, found[0]))
        many = "are wrong: the only solution has other digits there"
        one = "is wrong: the only solution has another digit there"
        why = f"{in_words(names_of(puzzle, wrong))} {many if len(wrong) > 1 else one}"
    elif asked.solvable(position) is not False:
        return None
    else:
        first = _first(positions, asked) or _objectionable(positions)
        if first is None:
            return LogicalHint(position, "these moves leave no solution; which of them it was, was not found in time")
        wrong, objection = (moves[first - 1],), puzzle.objection(positions[first].state)
        why = f"after {puzzle.write_move(wrong[0])} there is no solution{f': {objection}' if objection else ''}"
    return LogicalHint(position, why, cells=tuple(cell_of(puzzle, move) for move in wrong), wrong=wrong)


def _first(positions: list[Instance], asked: _Solutions) -> int | None:
    """The number of the first position without a solution, where the first has one and the last has none.

    A position without one is followed by others, so that halves can be taken. None where it is not known in time.
    """
    good, bad = 0, len(positions) - 1
    while bad - good > 1:
        middle = (good + bad) // 2
        solvable = asked.solvable(positions[middle])
        if solvable is None:
            return None
        good, bad = (middle, bad) if solvable else (good, middle)
    return bad


def _objectionable(positions: list[Instance]) -> int | None:
    """The number of the first position to which the puzzle objects, which takes no time."""
    numbers = (number for number, each in enumerate(positions) if each.puzzle.objection(each.state))
    return next(numbers, None)


# --- the next cell ---


def _next(position: Instance, found: list[State], unique: bool | None, asked: _Solutions) -> LogicalHint:
    """The cell that is forced or else, of those of a solution, the one with the fewest candidates."""
    puzzle = position.puzzle
    if puzzle.solved(position.state):
        return LogicalHint(position, "nothing is left to do: the board is solved")
    if forced := min(singles(puzzle, position.state), default=None):
        return LogicalHint(position, forced.why, forced.move, True, forced.cells)
    nothing = "neither a cell with one candidate nor a digit with one place in a unit is left"
    digits = digits_in(puzzle, position.state)
    fitting = [each for each in found if (each == digits)[digits >= 0].all()] or asked.of(position, 1)[0]
    if not fitting:
        return LogicalHint(position, f"{nothing}, and no solution was found in time")
    candidates = view_of(puzzle).candidates(position.state)
    cell = int(np.argmin(np.where(digits < 0, candidates.sum(axis=1), candidates.shape[1] + 1)))
    move = cell * candidates.shape[1] + int(fitting[0][cell])
    whose = "the only" if unique else "a"
    return LogicalHint(position, f"{nothing}: {puzzle.write_move(move)} is from {whose} solution", move)
