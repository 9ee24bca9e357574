"""Checks of a board before it is solved: whether it has a solution, whether only one, and how hard it is.

Shapes: B = boards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.made_on_request import MadeOnRequest
from puzzlelab.core.puzzle import Instance, Presentation, Puzzle, State, board_after, no_warnings, presentation_of
from puzzlelab.core.result import NO_SOLUTION, Stop
from puzzlelab.core.result_batch import UNSOLVED
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import NO_LEVEL, BatchDifficulty, Candidates, Samples
from puzzlelab.engine.enumeration import BATCH, Listing
from puzzlelab.engine.solving import has_objection
from puzzlelab.jobs.unique_solutions import unique_parts

ENCODER = json.JSONEncoder()
SHOWN = 20
"""The most differing cells that a message names."""


@dataclass(frozen=True, eq=False)
class Check:
    """The objections to a board, and its difficulty on the scales of its puzzle.

    >>> check = puzzlelab.check(puzzlelab.load("sudoku-4x4").read("0" * 16))
    >>> check.ok, check.solutions
    (False, 2)
    """

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
    """The reason why the search for solutions ended."""

    @property
    def ok(self) -> bool:
        """Whether there are no objections."""
        return not self.objections


@dataclass(frozen=True, eq=False)
class CheckBatch(MadeOnRequest[Check]):
    """The checks of many boards: a sequence of `Check`s, which are made when they are asked for.

    No board has two solutions: such boards are checked by themselves.
    """

    boards: Boards
    difficulty: Sequence[Mapping[str, int]]
    """[B]."""
    solutions: int | None
    """The number of solutions of every board that is not unsolvable: 1, or None if they were not counted."""
    objections: Mapping[int, tuple[str, ...]]
    """Board -> its objections, if it has any."""
    unsolvable: frozenset[int]
    """The boards that are proven unsolvable."""

    def __len__(self) -> int:
        return len(self.boards)

    def item(self, place: int) -> Check:
        """See `MadeOnRequest`."""
        is_unsolvable = place in self.unsolvable
        return Check(
            self.boards[place],
            self.objections.get(place, ()),
            is_unsolvable,
            0 if is_unsolvable else self.solutions,
            difficulty=self.difficulty[place],
        )

    @property
    def ok(self) -> bool:
        """Whether there are no objections to any board."""
        return not self.objections

    def json_lines(self) -> list[str]:
        """Write `check_facts` of each board in JSON, a line each."""
        begin = f'{{"puzzle": {json.dumps(self.boards.puzzle.name)}, "board": '
        middle = f', "ok": true, "objections": [], "unsolvable": false, "solutions": {json.dumps(self.solutions)}, '
        difficulties: dict[tuple[tuple[str, int], ...], str] = {}
        lines = []
        for place, (text, levels) in enumerate(zip(self.boards.written(), self.difficulty, strict=True)):
            if place in self.objections:
                lines.append(json.dumps(check_facts(self[place])))
                continue
            key = tuple(levels.items())
            if key not in difficulties:
                difficulties[key] = json.dumps(levels)
            lines.append(f'{begin}{ENCODER.encode(text)}{middle}"difficulty": {difficulties[key]}}}')
        return lines


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


def check_many(boards: Boards, solver: Solver, limit: Limit) -> list[Check]:
    """Check each of these boards."""
    return list(chain.from_iterable(check_parts(boards, solver, limit)))


def check_parts(boards: Boards, solver: Solver, limit: Limit) -> Iterator[CheckBatch | Sequence[Check]]:
    """Check each of these boards, in their order, of some boards at a time.

    A solver that `CountsInBatches` counts the solutions of many boards together. Raises as `check` does.
    """
    if not presentation_of(boards.puzzle).unique_expected:
        for begin in range(0, len(boards), BATCH):
            part = boards[begin : begin + BATCH]
            yield _checks(part, has_objection(part.puzzle, part.states))
        return
    for each in unique_parts(solver, boards, limit):
        if isinstance(each, Instance):
            yield [check(each, solver, limit)]
        else:
            yield _checks(each.results.boards, each.results.lengths == UNSOLVED, solutions=1)


def _checks(boards: Boards, is_unsolvable: NDArray[np.bool_], solutions: int | None = None) -> CheckBatch:
    """Return the checks of boards that are proven unsolvable, or have this number of solutions."""
    puzzle, presentation = boards.puzzle, presentation_of(boards.puzzle)
    objections: dict[int, tuple[str, ...]] = {}
    for place in np.flatnonzero(is_unsolvable | _has_warnings(presentation, boards.states)).tolist():
        state = boards.states[place]
        objection = puzzle.objection(state) if is_unsolvable[place] else None
        warnings = () if objection else tuple(presentation.warnings(state))
        reasons = (f"cannot be solved: {objection or NO_SOLUTION}",) if is_unsolvable[place] else ()
        if warnings or reasons:
            objections[place] = (*warnings, *reasons)
    unsolvable = frozenset(np.flatnonzero(is_unsolvable).tolist())
    return CheckBatch(boards, _difficulties(puzzle, boards.states), solutions, objections, unsolvable)


def _has_warnings(presentation: Presentation, states: State) -> NDArray[np.bool_]:
    """Tell which boards may have warnings: `bool[B]`."""
    if presentation.has_warnings is not None:
        return presentation.has_warnings(states)
    return np.full(len(states), presentation.warnings is not no_warnings)


def _difficulties(puzzle: Puzzle, states: State) -> Sequence[Mapping[str, int]]:
    """Return [B]: the difficulty of each board; boards of equal difficulty share an object."""
    samples, batch = puzzle.view(Samples), puzzle.view(BatchDifficulty)
    if batch is None:
        if samples is None:
            return [{}] * len(states)
        return [{name: int(level) for name, level in samples.difficulty(state).items()} for state in states]
    columns = batch.difficulties(states)
    known: dict[tuple[int, ...], Mapping[str, int]] = {}
    difficulties = []
    for levels in zip(*(column.tolist() for column in columns.values()), strict=True):
        if levels not in known:
            pairs = zip(columns, levels, strict=True)
            known[levels] = {name: level for name, level in pairs if level != NO_LEVEL}
        difficulties.append(known[levels])
    return difficulties


def check_facts(result: Check) -> dict[str, Any]:
    """Return a check as plain data."""
    puzzle = result.instance.puzzle
    return {
        "puzzle": puzzle.name,
        "board": puzzle.write(result.instance.state),
        "ok": result.ok,
        "objections": list(result.objections),
        "unsolvable": result.unsolvable,
        "solutions": result.solutions,
        "difficulty": dict(result.difficulty),
    }


def _count_solutions(checked: Check, solver: Solver, limit: Limit) -> Check:
    """Return the check with the number of solutions, and an objection if that is not one."""
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
    """Return the objection that there is not exactly one solution, or that this is not known; None if there is one."""
    if len(boards) == 2:
        return _difference(puzzle, *boards)
    if not complete:
        what = "one solution is known, a second one was not found" if boards else "no solution was found"
        return f"{what} within {'the limit' if limit.seconds is None else f'{limit.seconds:g} s'}"
    return None if boards else f"cannot be solved: {NO_SOLUTION}"


def _difference(puzzle: Puzzle, first: State, second: State) -> str:
    differ = [place for place in range(len(first)) if first[place] != second[place]]
    view = puzzle.view(Candidates)
    write = str if view is None else view.write_cell
    names = [write(place) for place in differ[:SHOWN]] + (["..."] if len(differ) > SHOWN else [])
    return f"more than one solution; two of them differ in {len(differ)} places: {', '.join(names)}"
