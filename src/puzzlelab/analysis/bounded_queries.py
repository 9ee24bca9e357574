"""Solves several related boards under one limit; each length is an interval of proven bounds.

A length that a solver does not prove in time stays an interval; a time-out is never taken for a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.objective import require_counted_moves
from puzzlelab.core.puzzle import Puzzle, presentation_of
from puzzlelab.core.result import Result, Stop
from puzzlelab.core.solver import Attempt, Solver
from puzzlelab.engine import report
from puzzlelab.engine.solving import solve

Watch = Callable[[Attempt], bool]
DEFAULT_LIMIT = Limit(seconds=60)
"""The limit of all searches for a hint, or for the regrets of a game, where none is given."""


@dataclass(frozen=True)
class Interval:
    """Bounds on a number of moves: at least `least` and, unless that is None, at most `most`."""

    least: int = 0
    most: int | None = None
    unsolvable: bool = False
    """Whether the board is proven unsolvable, so that there is no such number."""

    def __str__(self) -> str:
        if self.unsolvable:
            return "no solution"
        if self.most is None:
            return f"{self.least} or more"
        return str(self.least) if self.proven else f"{self.least} to {self.most}"

    @property
    def proven(self) -> bool:
        """Whether the number is known exactly, or the board is proven unsolvable."""
        return self.unsolvable or self.least == self.most

    def meets(self, other: Interval) -> Interval:
        """Return the intersection of both intervals."""
        if self.unsolvable or other.unsolvable:
            return self if self.unsolvable else other
        mosts = [most for most in (self.most, other.most) if most is not None]
        return Interval(max(self.least, other.least), min(mosts, default=None))

    def plus(self, moves: int) -> Interval:
        """Return the interval with this number of moves added."""
        most = None if self.most is None else self.most + moves
        return replace(self, least=max(0, self.least + moves), most=most)


@dataclass(frozen=True)
class MoveValue:
    """Bounds on the value of one move, at a position or in a game."""

    move: int
    before: Interval
    """The cost-to-go before the move."""
    after: Interval
    """The cost-to-go after the move."""
    regret: Interval
    """The number of moves that the move wastes."""

    @property
    def needed(self) -> Interval:
        """Bounds on the length of the shortest solution that begins with the move."""
        return self.after.plus(1)

    @property
    def length(self) -> int | None:
        """The moves of the best known solution that begins with it, or None."""
        return self.needed.most

    @property
    def bound(self) -> int:
        """A lower bound on every solution that begins with it."""
        return self.needed.least

    @property
    def proven(self) -> bool:
        """Whether its length is proven to be the least."""
        return self.needed.proven


class BudgetedSolver:
    """A solver for several boards, under one limit for all of them together."""

    def __init__(self, solver: Solver, limit: Limit, watch: Watch | None = None) -> None:
        self.solver, self.limit, self.watch = solver, limit, watch
        self.expanded, self.seconds, self.interrupted = 0, 0.0, False
        self.searched = 0

    def search(
        self, instance: Instance, bounds: Interval, parts: int, enough: Watch | None = None
    ) -> tuple[Interval, Result]:
        """Search a board with 1 / `parts` of the remaining limit; the improved bounds, and the result.

        The search ends early with a solution as short as the lower bound, or when `enough` returns True.
        """
        unanswered = Result(None, stop="interrupted" if self.interrupted else "time")
        share = None if self.interrupted else self.limit.share(self.seconds, self.expanded, parts)
        if share is None:
            return bounds, unanswered
        satisfied = False
        self.searched += 1
        report.progress("positions evaluated", self.searched, None, f"{self.seconds:.0f} s")

        def watch(attempt: Attempt) -> bool:
            nonlocal satisfied
            shortest = isinstance(attempt, Result) and attempt.moves is not None and len(attempt.moves) <= bounds.least
            satisfied = shortest or bool(enough and enough(attempt))
            self.interrupted = bool(self.watch and self.watch(attempt))
            return satisfied or self.interrupted

        result = solve(self.solver, instance, share, watch)
        self.expanded += result.expanded
        self.seconds += result.seconds or 0.0  # without the time of compilation
        self.interrupted |= result.stop == "interrupted" and not satisfied
        return bounds.meets(result_interval(result)), result

    def stop(self, proven: bool) -> Stop:
        """Return why the searches ended."""
        if self.interrupted:
            return "interrupted"
        if proven:
            return "done"
        if self.limit.nodes is not None and self.expanded >= self.limit.nodes:
            return "nodes"
        return "time" if self.limit.seconds is not None else "done"


def result_interval(result: Result) -> Interval:
    """Return the bounds on the optimum that a verified result proves."""
    if result.proof == "unsolvable":
        return Interval(unsolvable=True)
    return Interval(result.lower_bound, result.length)


def require_comparable_moves(puzzle: Puzzle) -> None:
    """Raise `Unsupported` for a puzzle whose solutions are all equally long, or whose moves have costs or points."""
    require_counted_moves(puzzle, "a hint")
    require_different_lengths(puzzle)


def require_different_lengths(puzzle: Puzzle) -> None:
    """Raise `Unsupported` for a puzzle whose solutions are all equally long."""
    if presentation_of(puzzle).answer_is_board:
        raise Unsupported(
            f"hints compare the lengths of solutions, and every solution of {puzzle.name} has as many moves as the "
            "board has blanks: solve the board, or count its solutions"
        )


def interval_difference(needed: Interval, optimum: Interval) -> Interval:
    """Return bounds on needed - optimum, which is at least 0."""
    if needed.unsolvable:
        return needed
    least = 0 if optimum.most is None else max(0, needed.least - optimum.most)
    most = None if needed.most is None else max(0, needed.most - optimum.least)
    return Interval(least, most)
