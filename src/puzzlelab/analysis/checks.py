"""Checks of a board before it is solved: whether it has a solution, whether only one, and how hard it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, State, presentation_of
from puzzlelab.core.result import Stop
from puzzlelab.core.solutions import NO_SOLUTION, Listing
from puzzlelab.core.solver import Solver, board_after
from puzzlelab.core.views import Samples

SHOWN = 20
"""The most differing cells that a message names."""


@dataclass(frozen=True, eq=False)
class Check:
    """The objections to a board, and its difficulty on the scales of its puzzle."""

    instance: Instance
    objections: tuple[str, ...] = ()
    """Sentences; empty for a proper board."""
    unsolvable: bool = False
    """Whether the board is proven unsolvable."""
    solutions: int | None = None
    """0, 1, or 2 for two or more; None if they were not counted, or not in time."""
    witnesses: tuple[State, ...] = ()
    """Two different solutions as solved boards, if there are two."""
    difficulty: Mapping[str, int] = field(default_factory=dict)
    stop: Stop = "done"
    """Why the search for solutions ended."""

    @property
    def ok(self) -> bool:
        """Whether there are no objections."""
        return not self.objections


def check(instance: Instance, solver: Solver, limit: Limit) -> Check:
    """Check a board: whether it can be solved, and how hard it is.

    For puzzles whose boards should have a unique solution, `solver` looks for a second one within `limit`.

    Raises:
        Unsupported: if the solver must look for a second solution, and cannot enumerate solutions.
    """
    puzzle, state = instance.puzzle, instance.state
    samples, presentation = puzzle.view(Samples), presentation_of(puzzle)
    difficulty = samples.difficulty(state) if samples else {}
    outcome = Check(instance, difficulty={scale: int(value) for scale, value in difficulty.items()})
    if objection := puzzle.objection(state):
        return replace(outcome, objections=(f"cannot be solved: {objection}",), unsolvable=True, solutions=0)
    outcome = replace(outcome, objections=tuple(presentation.warnings(state)))
    return _count_solutions(outcome, solver, limit) if presentation.unique_expected else outcome


def check_facts(check: Check) -> dict[str, Any]:
    """A check as plain data."""
    puzzle = check.instance.puzzle
    return {
        "puzzle": puzzle.name,
        "board": puzzle.write(check.instance.state),
        "ok": check.ok,
        "objections": list(check.objections),
        "unsolvable": check.unsolvable,
        "solutions": check.solutions,
        "difficulty": dict(check.difficulty),
    }


def _count_solutions(checked: Check, solver: Solver, limit: Limit) -> Check:
    """The check with the number of solutions, and an objection if that is not one."""
    puzzle, state = checked.instance.puzzle, checked.instance.state
    listing = Listing(solver, checked.instance, limit, most=2)
    boards = tuple(board_after(puzzle, state, moves) for moves in listing)
    complete = listing.stop in ("done", "solutions")
    sentence = _uniqueness_objection(puzzle, boards, complete, limit)
    return replace(
        checked,
        objections=checked.objections + ((sentence,) if sentence else ()),
        unsolvable=complete and not boards,
        solutions=len(boards) if complete else None,
        witnesses=boards if len(boards) == 2 else (),
        stop=listing.stop,
    )


def _uniqueness_objection(puzzle: Puzzle, boards: tuple[State, ...], complete: bool, limit: Limit) -> str | None:
    """The objection that there is not exactly one solution, or that this is not known; None if there is one."""
    if len(boards) == 2:
        return _difference(puzzle, *boards)
    if not complete:
        what = "one solution is known, a second one was not found" if boards else "no solution was found"
        return f"{what} within {'the limit' if limit.seconds is None else f'{limit.seconds:g} s'}"
    return None if boards else f"cannot be solved: {NO_SOLUTION}"


def _difference(puzzle: Puzzle, first: State, second: State) -> str:
    differ = [place for place in range(len(first)) if first[place] != second[place]]
    cell = presentation_of(puzzle).write_cell
    names = [cell(place) for place in differ[:SHOWN]] + (["..."] if len(differ) > SHOWN else [])
    return f"more than one solution; two of them differ in {len(differ)} places: {', '.join(names)}"
