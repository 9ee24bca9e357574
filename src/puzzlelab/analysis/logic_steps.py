"""The steps of logic on a board, by the logic of its puzzle or its units, and whether they may assume one solution."""

from __future__ import annotations

from collections.abc import Iterator

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.logic import Logic, Step
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import NO_SOLUTION, Result
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import Candidates
from puzzlelab.engine.enumeration import count
from puzzlelab.engine.unit_logic import UnitLogic


def logic_of(puzzle: Puzzle) -> Logic:
    """Return the logic of a puzzle with the view `Candidates`: its own or, without one, that of its units.

    Raises `Unsupported` for other puzzles.
    """
    own = puzzle.view(Logic)
    if own is not None:
        return own
    view = puzzle.view(Candidates)
    if view is None:
        raise Unsupported(f"{puzzle.name} is not solved by logic: its boards have no cells with candidates")
    return UnitLogic(puzzle, view)


def possible_steps(solver: Solver, instance: Instance, limit: Limit) -> Iterator[Step]:
    """Return the steps that are possible on a board, the easiest first; harder ones are looked for when needed.

    They rest on the assumption that there is one solution only if `solver` proves it within the limit.

    Raises:
        BadBoard: if the board has no solution.
        Unsupported: if the puzzle has no cells with candidates, or the solver cannot count solutions.
    """
    logic, state = logic_of(instance.puzzle), instance.state
    if objection := logic.objection(state):
        raise BadBoard(f"the board cannot be solved: {objection}")
    return logic.steps(state, assumes_unique=has_one_solution(solver, instance, limit))


def has_one_solution(solver: Solver, instance: Instance, limit: Limit) -> bool:
    """Tell whether a board is proven to have one solution within the limit; raises `BadBoard` if it has none."""
    counted = count(solver, instance, limit, 2)
    if counted.stop == "done" and not counted.solutions:
        raise BadBoard(f"the board cannot be solved: {NO_SOLUTION}")
    return counted.stop == "done" and counted.solutions == 1


def way_to(result: Result) -> tuple[list[Step], list[int]]:
    """Return the steps of logic from the board of a solution, and the moves that are left where they end before it."""
    board = result.board
    steps = list(logic_of(board.puzzle).way(board.state, assumes_unique=result.proof == "unique"))
    written = {move for step in steps for move in step.placements}
    return steps, sorted(set(result.moves or ()) - written)
