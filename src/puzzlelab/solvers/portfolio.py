"""An algorithm portfolio: several solvers in turn, each with its share of the limit, and the shortest of their answers.

With a plain beam and a beam guided by a network it is a teacher that keeps the shorter of both solutions.
Source: Huberman, Lukose, Hogg, "An economics approach to hard computational problems" (1997).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from pydantic import Field

from puzzlelab.core import registry
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Attempt, Selective, Solver, SolverSettings, require
from puzzlelab.engine.driver import round_robin


class Portfolio(SolverSettings):
    """The solvers `of`, each a text such as `beam:width=100`; the first proof ends it.

    Each gets an equal share of the time and the nodes that those before it left.
    """

    name: ClassVar[str] = "portfolio"
    offers: ClassVar[tuple[type, ...]] = (Selective,)

    of: tuple[str, ...] = Field(default=("beam:width=100", "astar:weight=2"), min_length=1)

    @property
    def solvers(self) -> list[Solver]:
        """The solvers that the texts describe; raises `UnknownName` or `BadOption`."""
        return [registry.parse_solver(text) for text in self.of]

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Why one of them cannot solve this puzzle."""
        for solver in self.solvers:
            require(solver, puzzle)
        return None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """The attempts of each in turn; a longer answer than the best so far does not count."""

        def search_by(solver: Solver) -> Callable[[Limit, Result], Iterator[Attempt]]:
            return lambda limit_left, best: solver.attempts(instance, limit_left)

        return round_robin(map(search_by, self.solvers), limit, shares=len(self.of))


SOLVER = Portfolio
