"""A played game: the moves that each of its moves wasted, and its boards with lower bounds, for stepping through it.

The bounds of the boards are cheap: they come from estimates with small tables or none, never from a pattern database.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.analysis.bounded_queries import (
    BudgetedSolver,
    Interval,
    MoveValue,
    Watch,
    interval_difference,
    require_comparable_moves,
)
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, BadInput
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import objective_of
from puzzlelab.core.puzzle import Puzzle, State, states_along
from puzzlelab.core.result import LIMITS, Stop
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import Candidates, Estimate, Estimates, is_legal
from puzzlelab.engine.batch_rules import estimated


@dataclass(frozen=True)
class Regrets:
    """The regret of each move of a game, and of the whole game.

    >>> regrets = puzzlelab.regrets(puzzlelab.load("tiles-3x3").read("1 2 3 4 5 6 0 7 8"), "L L")
    >>> str(regrets.total), regrets.proven
    ('0', True)
    """

    steps: tuple[MoveValue, ...]
    total: Interval
    """The regret of the whole game. It depends on both ends alone, so it may be proven where single moves are not."""
    stop: Stop = "done"
    expanded: int = 0
    seconds: float = 0.0

    @property
    def proven(self) -> bool:
        """Whether the regret of every move is proven."""
        return all(step.regret.proven for step in self.steps)


def regrets(
    solver: Solver, instance: Instance, moves: Sequence[int], limit: Limit, watch: Watch | None = None
) -> Regrets:
    """Return the regret of each move of a game, which need not be finished.

    The number of moves made plus the cost-to-go never falls along a game; if it is equal at two positions, it is so at
    all positions between them. Therefore both ends are searched first, then the middle of each open interval.

    Raises:
        BadBoard: if a move is illegal, with its number.
        Unsupported: if all solutions of this puzzle are equally long, or the solver cannot solve it.
    """
    require_comparable_moves(instance.puzzle)
    budgeted = BudgetedSolver(solver.with_memory(), limit, watch)
    positions = list(positions_of(instance, moves))
    puzzle = instance.puzzle
    bounds = [Interval(0, 0) if puzzle.solved(place.state) else Interval(1) for place in positions]
    pending = _bisection_order(len(positions))
    while pending:
        later = []
        for number, place in enumerate(pending):
            parts = sum(not bounds[other].proven for other in pending[number:])
            if not bounds[place].proven:
                bounds[place], result = budgeted.search(positions[place], bounds[place], parts)
                bounds = _propagate(bounds)
                later += [place] if result.stop in LIMITS else []
        later = [place for place in later if not bounds[place].proven]
        if len(later) == len(pending):
            break
        pending = later
    steps = tuple(
        MoveValue(move, before, after, interval_difference(after.plus(1), before))
        for move, before, after in zip(moves, bounds[:-1], bounds[1:], strict=True)
    )
    total = interval_difference(bounds[-1].plus(len(moves)), bounds[0]) if steps else Interval(0, 0)
    stop = budgeted.stop(all(step.regret.proven for step in steps))
    return Regrets(steps, total, stop, budgeted.expanded, budgeted.seconds)


def positions_of(instance: Instance, moves: Sequence[int]) -> Iterator[Instance]:
    """Yield every position of a game by the plain rules, the start first; raises `BadBoard` for an illegal move."""
    puzzle = instance.puzzle
    for step, state in enumerate(states_along(puzzle, instance.state, moves)):
        yield Instance(puzzle, state)
        if step < len(moves) and not is_legal(puzzle, state, moves[step]):
            raise BadBoard(f"{puzzle.write_move(moves[step])} cannot be made", f"move {step + 1} of {len(moves)}")


def _bisection_order(count: int) -> list[int]:
    """Return the numbers below `count`: both ends, then the middle of the widest gaps, and so on."""
    order, gaps = list(dict.fromkeys((0, count - 1))), [(0, count - 1)]
    for low, high in gaps:
        middle = (low + high) // 2
        if low < middle < high:
            order.append(middle)
            gaps += [(low, middle), (middle, high)]
    return order


def _propagate(bounds: list[Interval]) -> list[Interval]:
    """Tighten the bounds of neighbouring positions: a move lowers the cost-to-go by at most one."""
    bounds = list(bounds)
    for place in range(1, len(bounds)):
        bounds[place] = bounds[place].meets(Interval(max(0, bounds[place - 1].least - 1)))
        if bounds[place - 1].unsolvable:
            bounds[place] = bounds[place - 1]
    for place in reversed(range(len(bounds) - 1)):
        after = bounds[place + 1]
        if after.most is not None:
            bounds[place] = bounds[place].meets(Interval(0, after.most + 1))
    return bounds


# --- stepping through a game ---

ROUNDING = 1e-9
"""The rounding error of a bound that is not an integer."""


def frames(instance: Instance, moves: Sequence[int], lower_bound: int = 0) -> list[dict[str, Any]]:
    """Return the boards of a game as plain data, one more than there are moves; the first has a known `lower_bound`.

    Each has its `board` in canonical notation, the `move` that led there, None at the start, a lower `bound` on the
    moves of every solution from there, and whether it is `solved`. Bounds never fall by more than one a move, because a
    move lowers the cost-to-go by at most one; there are none where moves have costs or points.

    Raises:
        BadBoard: if a move is illegal, with its number.
    """
    puzzle, positions = instance.puzzle, list(positions_of(instance, moves))
    counts_moves = objective_of(puzzle).kind == "moves"
    states = np.stack([position.state for position in positions])
    bounds, propagated = _bounds(puzzle, states) if counts_moves else [0] * len(states), lower_bound
    results = []
    for number, (position, bound) in enumerate(zip(positions, bounds, strict=True)):
        solved = puzzle.solved(position.state)
        propagated = 0 if solved else max(bound, propagated, 1)
        move = puzzle.write_move(moves[number - 1]) if number else None
        known = {"bound": propagated} if counts_moves else {}
        results.append({"board": puzzle.write(position.state), "move": move, **known, "solved": solved})
        propagated -= 1
    return results


def _bounds(puzzle: Puzzle, states: State) -> list[int]:
    """Return the best cheap bound of each of the plain `states[B, S]`; 0 if there is none."""
    if (view := puzzle.view(Candidates)) is not None:  # each move fills a cell
        return [int(np.count_nonzero(view.digits(state) < 0)) for state in states]
    best: NDArray[np.float64] = np.zeros(len(states))
    for estimate in _cheap_estimates(puzzle):
        best = np.maximum(best, estimated(puzzle, estimate, states))
    return [int(bound) for bound in np.ceil(best - ROUNDING)]


def _cheap_estimates(puzzle: Puzzle) -> Iterator[Estimate]:
    """Yield the lower bounds of a puzzle that have small tables or none."""
    view = puzzle.view(Estimates)
    if view is None:
        return
    estimates = []
    for name in view.estimates:
        with suppress(BadInput):  # a name may need an option behind it
            estimates.append(view.estimate(name))
    cheap = [estimate for estimate in estimates if estimate.is_cheap]
    yield from cheap or (each for each in estimates if each.admissible and each.scores is not None)
