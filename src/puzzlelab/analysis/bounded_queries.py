"""Asks one solver about several boards of one game under one limit, and keeps what is known of each as a range.

What a solver did not prove in time stays a range; a time-out is never taken for a fact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle, presentation_of
from puzzlelab.core.result import Result, Stop
from puzzlelab.core.solver import Attempt, Solver, solve

Watch = Callable[[Attempt], bool]


@dataclass(frozen=True)
class Interval:
    """What is known of a number of moves: at least `least` and, unless that is None, at most `most`."""

    least: int = 0
    most: int | None = None
    unsolvable: bool = False
    """Whether it is proven that there is no such number, because nothing can be solved from here."""

    @property
    def proven(self) -> bool:
        """Whether nothing more is to be known."""
        return self.unsolvable or self.least == self.most

    def meets(self, other: Interval) -> Interval:
        """What is known when both hold."""
        if self.unsolvable or other.unsolvable:
            return self if self.unsolvable else other
        mosts = [most for most in (self.most, other.most) if most is not None]
        return Interval(max(self.least, other.least), min(mosts, default=None))

    def plus(self, moves: int) -> Interval:
        """The same after so many moves more."""
        most = None if self.most is None else self.most + moves
        return replace(self, least=max(0, self.least + moves), most=most)


class BudgetedSolver:
    """Asks one solver about several boards, under one limit for all of them together."""

    def __init__(self, solver: Solver, limit: Limit, watch: Watch | None = None) -> None:
        self.solver, self.limit, self.watch = solver, limit, watch
        self.expanded, self.seconds, self.interrupted = 0, 0.0, False

    def share(self, parts: int) -> Limit | None:
        """One of so many equal parts of what is left of the limit, or None where nothing is."""
        seconds, nodes = self.limit.seconds, self.limit.nodes
        if seconds is not None and (seconds := seconds - self.seconds) <= 0:
            return None
        if nodes is not None and (nodes := nodes - self.expanded) <= 0:
            return None
        return replace(
            self.limit,
            seconds=None if seconds is None else seconds / parts,
            nodes=None if nodes is None else max(1, nodes // parts),
        )

    def ask(
        self, instance: Instance, known: Interval, parts: int, enough: Watch | None = None
    ) -> tuple[Interval, Result]:
        """What is known of a board after one of so many parts of the limit, and the answer; see `result_range`.

        A solution as short as the known bound ends the search, and so does `enough`.
        """
        unanswered = Result(None, stop="interrupted" if self.interrupted else "time")
        share = None if self.interrupted else self.share(parts)
        if share is None:
            return known, unanswered
        content = False

        def watch(attempt: Attempt) -> bool:
            nonlocal content
            shortest = isinstance(attempt, Result) and attempt.moves is not None and len(attempt.moves) <= known.least
            content = shortest or bool(enough and enough(attempt))
            self.interrupted = bool(self.watch and self.watch(attempt))
            return content or self.interrupted

        result = solve(self.solver, instance, share, watch)
        self.expanded += result.expanded
        self.seconds += result.seconds  # which leave out compiling
        self.interrupted |= result.stop == "interrupted" and not content
        return known.meets(result_interval(result)), result

    def stop(self, proven: bool) -> Stop:
        """Why there are no more questions."""
        if self.interrupted:
            return "interrupted"
        if proven:
            return "done"
        if self.limit.nodes is not None and self.expanded >= self.limit.nodes:
            return "nodes"
        return "time" if self.limit.seconds is not None else "done"


def result_interval(result: Result) -> Interval:
    """What a verified result says of the optimum."""
    if result.proof == "unsolvable":
        return Interval(unsolvable=True)
    return Interval(result.lower_bound, result.length)


def require_comparable_moves(puzzle: Puzzle) -> None:
    """Raise `Unsupported` for a puzzle in which no move can be better than another."""
    if presentation_of(puzzle).answer_is_board:
        raise Unsupported(
            f"hints tell shorter ways from longer ones, and every solution of {puzzle.name} has as many moves as the "
            "board has blanks: solve the board, or count its solutions"
        )


def interval_difference(needed: Interval, optimum: Interval) -> Interval:
    """What is known of needed - optimum, which is at least 0."""
    if needed.unsolvable:
        return needed
    least = 0 if optimum.most is None else max(0, needed.least - optimum.most)
    most = None if needed.most is None else max(0, needed.most - optimum.least)
    return Interval(least, most)
