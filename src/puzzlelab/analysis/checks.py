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
"""Cells that differ and are named."""


@dataclass(frozen=True, eq=False)
class Check:
    """What speaks against a board, and where it stands on the scales of its puzzle."""

    instance: Instance
    objections: tuple[str, ...] = ()
    """In sentences; none for a good board."""
    unsolvable: bool = False
    """Whether it is proven that nothing solves it."""
    solutions: int | None = None
    """0, 1, or 2 for two or more; None where nobody looked, or it is not known in time."""
    witnesses: tuple[State, ...] = ()
    """Two solved boards, where there are two."""
    difficulty: Mapping[str, int] = field(default_factory=dict)
    stop: Stop = "done"
    """Why the search for solutions ended."""

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against the board."""
        return not self.objections


def check(instance: Instance, solver: Solver, limit: Limit) -> Check:
    """What there is to object to a board.

    Where a good board has one solution only, `solver` looks for a second one within `limit`.

    Raises:
        Unsupported: if it would have to, and cannot list solutions.
    """
    puzzle, state = instance.puzzle, instance.state
    samples, presentation = puzzle.view(Samples), presentation_of(puzzle)
    difficulty = samples.difficulty(state) if samples else {}
    told = Check(instance, difficulty={scale: int(value) for scale, value in difficulty.items()})
    if objection := puzzle.objection(state):
        return replace(told, objections=(f"cannot be solved: {objection}",), unsolvable=True, solutions=0)
    told = replace(told, objections=tuple(presentation.warnings(state)))
    return _counted(told, solver, limit) if presentation.unique_expected else told


def check_facts(check: Check) -> dict[str, Any]:
    """What was said of a board as plain data."""
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


def _counted(told: Check, solver: Solver, limit: Limit) -> Check:
    """The check with how many solutions there are, and what there is to object to that."""
    puzzle, state = told.instance.puzzle, told.instance.state
    found = Listing(solver, told.instance, limit, most=2)
    boards = tuple(board_after(puzzle, state, moves) for moves in found)
    known = found.stop in ("done", "solutions")
    sentence = _not_one(puzzle, boards, known, limit)
    return replace(
        told,
        objections=told.objections + ((sentence,) if sentence else ()),
        unsolvable=known and not boards,
        solutions=len(boards) if known else None,
        witnesses=boards if len(boards) == 2 else (),
        stop=found.stop,
    )


def _not_one(puzzle: Puzzle, boards: tuple[State, ...], known: bool, limit: Limit) -> str | None:
    """That these solutions are not exactly one, or are not known to be all; None where they are."""
    if len(boards) == 2:
        return _difference(puzzle, *boards)
    if not known:
        what = "one solution is known, a second one was not found" if boards else "no solution was found"
        return f"{what} within {'the limit' if limit.seconds is None else f'{limit.seconds:g} s'}"
    return None if boards else f"cannot be solved: {NO_SOLUTION}"


def _difference(puzzle: Puzzle, first: State, second: State) -> str:
    differ = [place for place in range(len(first)) if first[place] != second[place]]
    cell = presentation_of(puzzle).write_cell
    names = [cell(place) for place in differ[:SHOWN]] + (["..."] if len(differ) > SHOWN else [])
    return f"more than one solution; two of them differ in {len(differ)} places: {', '.join(names)}"
