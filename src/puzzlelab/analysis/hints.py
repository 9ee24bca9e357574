"""Hints: how many moves each move at a position leads to, which ones are best, and what the others waste.

The regret of a move is how many moves it wastes: 1 + the optimum after it - the optimum before it, 0 for every optimal
move.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from puzzlelab.analysis.bounded_queries import (
    BudgetedSolver,
    Interval,
    Watch,
    interval_difference,
    require_comparable_moves,
)
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance
from puzzlelab.core.result import LIMITS, Result, Stop
from puzzlelab.core.solver import Attempt, Solver, with_memory


@dataclass(frozen=True)
class MoveValue:
    """What is known of one move."""

    move: int
    needed: Interval
    """The moves of the shortest solution that begins with it."""
    regret: Interval
    """How many moves it wastes."""

    @property
    def length(self) -> int | None:
        """The moves of the best known solution that begins with it, or None."""
        return self.needed.most

    @property
    def bound(self) -> int:
        """No solution that begins with it is shorter."""
        return self.needed.least

    @property
    def proven(self) -> bool:
        """Whether its length is proven to be the least."""
        return self.needed.proven


@dataclass(frozen=True)
class Hint:
    """What every move at a position is worth, the best ones first."""

    instance: Instance
    needed: Interval
    """The moves of the shortest solution."""
    moves: tuple[MoveValue, ...]
    """Every legal move; none where the board is solved."""
    stop: Stop = "done"
    expanded: int = 0
    seconds: float = 0.0
    reason: str = ""
    """Why there is no solution, in words."""

    @property
    def best(self) -> tuple[int, ...]:
        """The moves with the shortest known solutions; all optimal moves and no other where the hint is proven."""
        return tuple(value.move for value in self.moves if value.length is not None and value.length == self.length)

    @property
    def length(self) -> int | None:
        """The moves of the best known solution, or None."""
        return self.needed.most

    @property
    def lower_bound(self) -> int:
        """No solution is shorter."""
        return self.needed.least

    @property
    def settled(self) -> bool:
        """Whether `best` are proven to be all the optimal moves."""
        return self.needed.proven and all(value.regret.most == 0 or value.regret.least > 0 for value in self.moves)

    @property
    def proven(self) -> bool:
        """Whether the regret of every move is proven."""
        return self.needed.proven and all(value.regret.proven for value in self.moves)


def hint(
    solver: Solver,
    instance: Instance,
    limit: Limit,
    watch: Watch | None = None,
    known: Interval | None = None,
    only_best: bool = False,
) -> Hint:
    """What every move of a position is worth, verified.

    The board itself may take half of the limit; its children share the rest evenly, and what easy ones leave over goes
    to those that are open still. Children that are one board are asked about once.

    Args:
        solver: who is asked; one that `WithMemory` uses what it learns again.
        instance: the position.
        limit: for all questions together.
        watch: sees every attempt, and ends the work by returning True.
        known: what is known of the position already, which is then not asked about.
        only_best: whether a move that is proven not to be optimal is left there, without its exact regret.

    Raises:
        Unsupported: if all moves of this puzzle are alike, or the solver cannot solve it.
    """
    require_comparable_moves(instance.puzzle)
    return hint_by(BudgetedSolver(with_memory(solver), limit, watch), instance, known, only_best)


def hint_by(
    questions: BudgetedSolver, instance: Instance, known: Interval | None = None, only_best: bool = False
) -> Hint:
    """The same, for whoever keeps a solver and what it remembers for several positions."""
    if instance.puzzle.solved(instance.state):
        return Hint(instance, Interval(0, 0), ())
    first, reason = None, ""
    if known is None:
        known, result = questions.ask(instance, Interval(1), 2)
        first, reason = (result.moves or (None,))[0], result.reason
    if known.unsolvable:
        return Hint(instance, known, (), "done", questions.expanded, questions.seconds, reason)
    children = _children(instance)
    found = _ask_children(questions, children, known, first, only_best)
    return _summary(instance, known, {move: found[child] for move, child in children.items()}, questions)


def _children(instance: Instance) -> dict[int, Instance]:
    """The board after each legal move."""
    puzzle, state = instance.puzzle, instance.state
    return {move: Instance(puzzle, puzzle.apply(state, move)) for move in np.flatnonzero(puzzle.legal(state)).tolist()}


def _ask_children(
    questions: BudgetedSolver, children: dict[int, Instance], known: Interval, first: int | None, only_best: bool
) -> dict[Instance, Interval]:
    """What is known of each child; `first` begins the best known solution of the board itself."""
    puzzle = next(iter(children.values())).puzzle if children else None
    found = {child: Interval(max(0, known.least - 1)) for child in children.values()}
    for child in found:
        if puzzle is not None and puzzle.solved(child.state):
            found[child] = Interval(0, 0)
    chosen = children.get(first) if first is not None else None
    if chosen is not None and known.most is not None:
        found[chosen] = found[chosen].meets(Interval(0, known.most - 1))

    def beaten(attempt: Attempt) -> bool:
        bound = attempt.lower_bound if isinstance(attempt, Result) else attempt.bound
        return only_best and known.most is not None and known.proven and bound >= known.most

    pending = [child for child, value in found.items() if not value.proven]
    while pending:
        later = []
        for place, child in enumerate(pending):
            found[child], result = questions.ask(child, found[child], len(pending) - place, beaten)
            if not found[child].proven and result.stop in LIMITS and not beaten(result):
                later.append(child)
        if len(later) == len(pending):
            break
        pending = later
    return found


def _summary(instance: Instance, known: Interval, found: dict[int, Interval], questions: BudgetedSolver) -> Hint:
    """The hint that follows from what is known of the board and of its children."""
    needed = {move: value.plus(1) for move, value in found.items()}
    open_ones = [value for value in needed.values() if not value.unsolvable]
    if not open_ones:
        known = Interval(unsolvable=True)
    else:
        mosts = [value.most for value in open_ones if value.most is not None]
        known = known.meets(Interval(min(value.least for value in open_ones), min(mosts, default=None)))
    needed = {move: value.meets(Interval(known.least)) for move, value in needed.items()}
    values = [MoveValue(move, value, interval_difference(value, known)) for move, value in needed.items()]
    values.sort(key=_order)
    reason = "every move leads to a board that is proven unsolvable" if known.unsolvable else ""
    made = Hint(instance, known, tuple(values), "done", questions.expanded, questions.seconds, reason)
    return replace(made, stop=questions.stop(made.proven))


def _order(value: MoveValue) -> tuple[bool, float, int, int]:
    """Shortest known solutions first, then the smallest bounds."""
    length = float("inf") if value.length is None else value.length
    return value.needed.unsolvable, length, value.bound, value.move
