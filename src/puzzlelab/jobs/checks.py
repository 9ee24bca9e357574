"""Counts the solutions of boards, and checks boards before they are solved.

Counts are made by an executor, or together where each board has one solution at most. A check says whether a board has
a solution, whether only one, and how hard it is.

Shapes: B = boards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance, runs
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle, State, board_after, presentation_of
from puzzlelab.core.result import NO_SOLUTION, Count, Result, Stop
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import Candidates, levels_of
from puzzlelab.engine.enumeration import BATCH, Listing, count_parts, require_enumerator
from puzzlelab.engine.executor import Executor, PieceLost
from puzzlelab.engine.solving import has_objection, none_wrong
from puzzlelab.jobs.pieces import Pieces
from puzzlelab.jobs.references import compared
from puzzlelab.jobs.solve_parts import PREPARE_LIMIT, name_of, setups

SHOWN = 20
"""The most differing cells that a message names."""
Group = TypeVar("Group")

# --- counts ---


@dataclass(frozen=True, eq=False)
class CountedPart:
    """Boards whose solutions were counted together, up to two, with verified solutions."""

    solutions: NDArray[np.int64]
    """[B]: 0, 1, or 2 for two or more."""
    firsts: Answers
    """[B]: a solution of each board that has any."""
    others: Answers
    """[B]: another solution of each board that has several."""


def counts(
    executor: Executor,
    solver: Solver,
    limit: Limit,
    most: int | None,
    groups: Iterable[tuple[Boards, Group]],
) -> Iterator[tuple[Group, Boards, Sequence[Count] | str]]:
    """Yield the counts of the boards of each group, in order: the group, some boards, and their counts.

    In the place of the counts of a board that was left out stands the reason. A group without boards is returned in
    its turn. Raises what `count_parts` raises.
    """
    pieces = Pieces(
        executor,
        lambda boards: partial(_count, solver, boards, limit, most),
        name_of,
        setups(executor, solver, "count", partial(_prepare, solver, most)),
    )
    for group, boards, value in pieces.done(pieces.cut(groups)):
        if value is None or isinstance(value, PieceLost):
            yield group, boards, () if value is None else f"left out: {value}"
        else:
            begin, some = value
            yield group, boards[begin : begin + len(some)], some


def _count(solver: Solver, boards: Boards, limit: Limit, most: int | None) -> Iterator[tuple[int, Sequence[Count]]]:
    """Yield the place of the first of some boards, and their counts."""
    begin = 0
    for some in count_parts(solver, boards, limit, most):
        yield begin, some
        begin += len(some)


def _prepare(solver: Solver, most: int | None, first: Boards) -> None:
    """Begin to count the solutions of a board."""
    list(count_parts(solver, first, PREPARE_LIMIT, most))


def counted_parts(solver: Solver, boards: Boards, limit: Limit) -> Iterator[CountedPart | Boards]:
    """Yield, in the order of the boards, consecutive ones with their numbers of solutions up to two, or one board.

    A board is yielded by itself if the solver does not count it together with others. Raises `PuzzlelabError` for a
    wrong solution.
    """
    enumerator = require_enumerator(solver, boards.puzzle)
    for start in range(0, len(boards), BATCH):
        part = boards[start : start + BATCH]
        counts = enumerator.count_batch(part, 2, limit)
        is_final = counts.is_stopped_by("done", "solutions")
        for begin, end in runs(is_final):
            if is_final[begin] and counts.firsts is not None and counts.others is not None:
                firsts, others = (none_wrong(solver, each[begin:end]) for each in (counts.firsts, counts.others))
                yield CountedPart(counts.solutions[begin:end], firsts, others)
            else:
                yield from (part[place : place + 1] for place in range(begin, end))


def unique_parts(solver: Solver, boards: Boards, limit: Limit) -> Iterator[Answers | Instance]:
    """Yield, in the order of the boards, the verified answers to boards with at most one solution, or another board.

    A batch of answers is of consecutive boards; without moves are those that have no solution. A board is yielded by
    itself if it has several solutions, or if the solver does not count it together with others. Raises
    `PuzzlelabError` for a wrong answer.
    """
    for part in counted_parts(solver, boards, limit):
        if isinstance(part, Boards):
            yield from part
            continue
        is_unique = part.solutions <= 1
        for begin, end in runs(is_unique):
            if is_unique[begin]:
                yield part.firsts[begin:end]
            else:
                yield from part.firsts.boards[begin:end]


# --- checks ---


@dataclass(frozen=True, eq=False)
class Check:
    """The objections to a board, and its difficulty on the scales of its puzzle.

    >>> check = puzzlelab.check(puzzlelab.load("sudoku-4x4").read("0" * 16))
    >>> check.ok, check.solutions
    (False, 2)
    """

    objections: tuple[str, ...] = ()
    """Sentences; empty for a proper board."""
    unsolvable: bool = False
    """Whether the board is proven unsolvable."""
    solutions: int | None = None
    """0, 1, or 2 for two or more; None if they were not counted, or not in time."""
    witnesses: tuple[State, ...] = ()
    """Two different solutions as solved boards, if there are two."""
    difficulty: Mapping[str, int] = field(default_factory=dict)
    patterns: tuple[str, ...] = ()
    """The names of the symmetric patterns that the filled cells of the board form."""
    stop: Stop = "done"
    """The reason why the search for solutions ended."""

    @property
    def ok(self) -> bool:
        """Whether there are no objections."""
        return not self.objections


def check_many(boards: Boards, solver: Solver, limit: Limit) -> list[Check]:
    """Return the checks of these boards; see `check_parts`."""
    return list(chain.from_iterable(checks for _, checks in check_parts(boards, solver, limit)))


def check_parts(boards: Boards, solver: Solver, limit: Limit) -> Iterator[tuple[Boards, list[Check]]]:
    """Yield some boards at a time, in their order, and their checks: whether they can be solved, and how hard they are.

    For puzzles whose boards should have a unique solution, `solver` looks for a second one of each within `limit`; one
    with a `count_batch` counts the solutions of many boards together. Boards that are alike share a check.

    Raises:
        Unsupported: if the solver must look for a second solution, and cannot enumerate solutions.
    """
    if not presentation_of(boards.puzzle).unique_expected:
        for begin in range(0, len(boards), BATCH):
            part = boards[begin : begin + BATCH]
            yield part, _checks(part, has_objection(part.puzzle, part.states))
        return
    for each in counted_parts(solver, boards, limit):
        if isinstance(each, Boards):
            [check] = _checks(each, has_objection(each.puzzle, each.states))
            yield each, [check if check.unsolvable else _count_solutions(check, each, solver, limit)]
        else:
            yield each.firsts.boards, _checks_of(each)


def _checks(boards: Boards, is_unsolvable: NDArray[np.bool_], solutions: int | None = None) -> list[Check]:
    """Return the checks of boards that are proven unsolvable, or have so many solutions."""
    puzzle, levels = boards.puzzle, levels_of(boards.puzzle, boards.states)
    different = {id(each): each for each in levels}
    shared = {key: Check(solutions=solutions, difficulty=each) for key, each in different.items()}
    checks = [shared[id(each)] for each in levels]
    presentation = presentation_of(puzzle)
    for place, sentences in presentation.warnings(boards.states).items():
        checks[place] = replace(checks[place], objections=tuple(sentences))
    for place, names in presentation.patterns(boards.states).items():
        checks[place] = replace(checks[place], patterns=tuple(names))
    for place in np.flatnonzero(is_unsolvable).tolist():
        objection = puzzle.objection(boards.states[place])
        objections = (*(() if objection else checks[place].objections), f"cannot be solved: {objection or NO_SOLUTION}")
        checks[place] = replace(checks[place], objections=objections, unsolvable=True, solutions=0)
    return checks


def _checks_of(part: CountedPart) -> list[Check]:
    """Return the checks of boards whose solutions are counted."""
    boards = part.firsts.boards
    checks = _checks(boards, part.solutions == 0, solutions=1)
    if places := np.flatnonzero(part.solutions > 1).tolist():
        for place, *witnesses in zip(places, part.firsts.ends_at(places), part.others.ends_at(places), strict=True):
            checks[place] = _with_witnesses(checks[place], boards.puzzle, witnesses)
    _compare(checks, part.firsts)
    return checks


def _compare(checks: list[Check], answers: Answers) -> None:
    """Add to the checks of these boards how the solutions beside them compare with the answers."""
    is_unique = np.array([check.solutions == 1 for check in checks])
    beside = compared(answers.boards, answers, is_unique)
    for place, error in beside.errors.items():
        checks[place] = replace(checks[place], objections=(*checks[place].objections, error))
    for place in np.flatnonzero(beside.holds & ~is_unique).tolist():
        *others, last = checks[place].objections
        checks[place] = replace(checks[place], objections=(*others, f"{last}; the solution beside it is one"))


def _with_witnesses(check: Check, puzzle: Puzzle, witnesses: Sequence[State]) -> Check:
    """Return the check of a board with several solutions, of which these are two."""
    objections = (*check.objections, _difference(puzzle, *witnesses))
    return replace(check, objections=objections, solutions=2, witnesses=tuple(witnesses), stop="solutions")


def check_facts(check: Check) -> dict[str, Any]:
    """Return a check as plain data, without the board."""
    return {
        "ok": check.ok,
        "objections": list(check.objections),
        "unsolvable": check.unsolvable,
        "solutions": check.solutions,
        "difficulty": dict(check.difficulty),
        "patterns": list(check.patterns),
    }


def _count_solutions(check: Check, board: Boards, solver: Solver, limit: Limit) -> Check:
    """Return the check of a board with the number of its solutions, and what speaks against that and its text."""
    listing = Listing(solver, board[0], limit, most=2)
    solutions = list(listing)
    checks = [_counted(check, board[0], solutions, listing.stop, limit)]
    _compare(checks, Answers.of(board, [Result(solutions[0] if solutions else None, instance=board[0])]))
    return checks[0]


def _counted(check: Check, instance: Instance, solutions: Sequence[tuple[int, ...]], stop: Stop, limit: Limit) -> Check:
    """Return the check of a board with the number of its solutions, and an objection if that is not one."""
    puzzle = instance.puzzle
    boards = [board_after(puzzle, instance.state, moves) for moves in solutions]
    if len(boards) == 2:
        return _with_witnesses(check, puzzle, boards)
    complete = stop == "done"
    sentence = _uniqueness_objection(len(boards), complete, limit)
    return replace(
        check,
        objections=check.objections + ((sentence,) if sentence else ()),
        unsolvable=complete and not boards,
        solutions=len(boards) if complete else None,
        stop=stop,
    )


def _uniqueness_objection(solutions: int, complete: bool, limit: Limit) -> str | None:
    """Return the objection that there is no solution, or that it is not known whether there is one; else None."""
    if not complete:
        what = "one solution is known, a second one was not found" if solutions else "no solution was found"
        return f"{what} within {'the limit' if limit.seconds is None else f'{limit.seconds:g} s'}"
    return None if solutions else f"cannot be solved: {NO_SOLUTION}"


def _difference(puzzle: Puzzle, first: State, second: State) -> str:
    differ = np.flatnonzero(first != second).tolist()
    view = puzzle.view(Candidates)
    write = str if view is None else view.write_cell
    names = [write(place) for place in differ[:SHOWN]] + (["..."] if len(differ) > SHOWN else [])
    return f"more than one solution; two of them differ in {len(differ)} places: {', '.join(names)}"
