"""Hints: the cost-to-go after each move at a position, the best moves, and the regret of the others.

The regret of a move is how many moves it wastes: 1 + the optimum after it - the optimum before it, 0 for every optimal
move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np

from puzzlelab.analysis.bounded_queries import (
    BudgetedSolver,
    Interval,
    MoveValue,
    Watch,
    interval_difference,
    require_comparable_moves,
)
from puzzlelab.analysis.logical_hints import LogicalHint, deduce
from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import LIMITS, Result, Stop
from puzzlelab.core.solver import Attempt, Solver, require
from puzzlelab.core.views import Candidates
from puzzlelab.engine.enumeration import require_enumerator
from puzzlelab.text.moves import positions_of


@dataclass(frozen=True)
class Hint:
    """The value of every move at a position, the best ones first.

    >>> hint = puzzlelab.hint(puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 0 7 8"))
    >>> hint.best, hint.length, hint.best_proven
    ((2,), 2, True)
    """

    instance: Instance
    needed: Interval
    """Bounds on the length of the shortest solution."""
    moves: tuple[MoveValue, ...]
    """Every legal move; empty for a solved board."""
    stop: Stop = "done"
    expanded: int = 0
    seconds: float = 0.0
    reason: str = ""
    """The reason why there is no solution, as a sentence."""

    @property
    def best(self) -> tuple[int, ...]:
        """The moves with the shortest known solutions; exactly the optimal moves if the hint is proven."""
        return tuple(value.move for value in self.moves if value.length is not None and value.length == self.length)

    @property
    def length(self) -> int | None:
        """The moves of the best known solution, or None."""
        return self.needed.most

    @property
    def lower_bound(self) -> int:
        """A lower bound on every solution."""
        return self.needed.least

    @property
    def best_proven(self) -> bool:
        """Whether `best` is proven to be exactly the set of optimal moves."""
        return self.needed.proven and all(value.regret.most == 0 or value.regret.least > 0 for value in self.moves)

    @property
    def proven(self) -> bool:
        """Whether the regret of every move is proven."""
        return self.needed.proven and all(value.regret.proven for value in self.moves)

    def _repr_html_(self) -> str:
        """Return the board and a table of the moves, for notebooks."""
        names = self.instance.puzzle.write_move
        rows = "".join(
            f"<tr><td>{escape(names(each.move))}</td><td>{each.needed}</td><td>{each.regret}</td></tr>"
            for each in self.moves
        )
        head = "<tr><th>move</th><th>shortest solution with it</th><th>regret</th></tr>"
        return f"{self.instance.html()}<p>moves needed: {self.needed}</p><table>{head}{rows}</table>"


def deduces(puzzle: Puzzle) -> bool:
    """Tell whether the hint of a puzzle is a step of logic, because its solutions are all equally long."""
    return puzzle.view(Candidates) is not None


def require_hints(solver: Solver, puzzle: Puzzle) -> None:
    """Raise `Unsupported` for a puzzle that has no hints, or a solver that cannot find them."""
    if deduces(puzzle):
        require_enumerator(solver, puzzle)
    else:
        require_comparable_moves(puzzle)
        require(solver, puzzle)


def hint_after(
    solver: Solver,
    instance: Instance,
    moves: Sequence[int],
    limit: Limit,
    watch: Watch | None = None,
    removed: Sequence[int] = (),
) -> Hint | LogicalHint:
    """Return the hint at the position after these moves: the next step of logic if the puzzle `deduces`, see `deduce`.

    For other puzzles it is the value of every move; see `hint`. `removed` are candidates that the player has ruled out.
    """
    if deduces(instance.puzzle):
        return deduce(instance, moves, solver, limit, removed)
    return hint(solver, list(positions_of(instance, moves))[-1], limit, watch)


def hint(
    solver: Solver,
    instance: Instance,
    limit: Limit,
    watch: Watch | None = None,
    bounds: Interval | None = None,
    only_best: bool = False,
) -> Hint:
    """Return the value of every move at a position, verified.

    The board itself may use half of the limit. Its children share the rest evenly; time that easy children do not use
    goes to the open ones. Equal children are searched once.

    Args:
        solver: the solver; `with_memory` gives one that reuses its memory.
        instance: the position.
        limit: for all searches together.
        watch: is called with every attempt, and ends the work by returning True.
        bounds: known bounds on the position, which is then not searched.
        only_best: whether to stop at the proof that a move is not optimal, without its exact regret.

    Raises:
        Unsupported: if all solutions of this puzzle are equally long, or the solver cannot solve it.
    """
    require_comparable_moves(instance.puzzle)
    return hint_by(BudgetedSolver(solver.with_memory(), limit, watch), instance, bounds, only_best)


def hint_by(
    budgeted: BudgetedSolver, instance: Instance, bounds: Interval | None = None, only_best: bool = False
) -> Hint:
    """Compute `hint` with a solver and a limit that several positions share."""
    if instance.puzzle.solved(instance.state):
        return Hint(instance, Interval(0, 0), ())
    first, reason = None, ""
    if bounds is None:
        bounds, result = budgeted.search(instance, Interval(1), 2)
        first, reason = (result.moves or (None,))[0], result.reason
    if bounds.unsolvable:
        return Hint(instance, bounds, (), "done", budgeted.expanded, budgeted.seconds, reason)
    children = _children(instance)
    child_bounds = _search_children(budgeted, children, bounds, first, only_best)
    return _summary(instance, bounds, {move: child_bounds[child] for move, child in children.items()}, budgeted)


def _children(instance: Instance) -> dict[int, Instance]:
    """Return the board after each legal move."""
    puzzle, state = instance.puzzle, instance.state
    return {move: Instance(puzzle, puzzle.apply(state, move)) for move in np.flatnonzero(puzzle.legal(state)).tolist()}


def _search_children(
    budgeted: BudgetedSolver, children: dict[int, Instance], bounds: Interval, first: int | None, only_best: bool
) -> dict[Instance, Interval]:
    """Return the bounds on each child; `first` is the first move of the best known solution of the board itself."""
    puzzle = next(iter(children.values())).puzzle if children else None
    child_bounds = {child: Interval(max(0, bounds.least - 1)) for child in children.values()}
    for child in child_bounds:
        if puzzle is not None and puzzle.solved(child.state):
            child_bounds[child] = Interval(0, 0)
    best_child = children.get(first) if first is not None else None
    if best_child is not None and bounds.most is not None:
        child_bounds[best_child] = child_bounds[best_child].meets(Interval(0, bounds.most - 1))

    def beaten(attempt: Attempt) -> bool:
        bound = attempt.lower_bound if isinstance(attempt, Result) else attempt.bound
        return only_best and bounds.most is not None and bounds.proven and bound >= bounds.most

    pending = [child for child, value in child_bounds.items() if not value.proven]
    while pending:
        later = []
        for place, child in enumerate(pending):
            child_bounds[child], result = budgeted.search(child, child_bounds[child], len(pending) - place, beaten)
            if not child_bounds[child].proven and result.stop in LIMITS and not beaten(result):
                later.append(child)
        if len(later) == len(pending):
            break
        pending = later
    return child_bounds


def _summary(instance: Instance, bounds: Interval, child_bounds: dict[int, Interval], budgeted: BudgetedSolver) -> Hint:
    """Return the hint that follows from the bounds on the board and on its children."""
    needed = {move: value.plus(1) for move, value in child_bounds.items()}
    solvable = [value for value in needed.values() if not value.unsolvable]
    if not solvable:
        bounds = Interval(unsolvable=True)
    else:
        mosts = [value.most for value in solvable if value.most is not None]
        bounds = bounds.meets(Interval(min(value.least for value in solvable), min(mosts, default=None)))
    needed = {move: value.meets(Interval(bounds.least)) for move, value in needed.items()}
    values = [
        MoveValue(move, bounds, value.plus(-1), interval_difference(value, bounds)) for move, value in needed.items()
    ]
    values.sort(key=_order)
    reason = "every move leads to a board that is proven unsolvable" if bounds.unsolvable else ""
    summary = Hint(instance, bounds, tuple(values), "done", budgeted.expanded, budgeted.seconds, reason)
    return replace(summary, stop=budgeted.stop(summary.proven))


def _order(value: MoveValue) -> tuple[bool, float, int, int]:
    """Return the key that sorts the shortest known solutions first, then the smallest bounds."""
    length = float("inf") if value.length is None else value.length
    return value.needed.unsolvable, length, value.bound, value.move
