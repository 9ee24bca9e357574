"""Several solvers, one after the other, and the shortest of their answers: an algorithm portfolio.

With a beam and a beam that asks a network it is a teacher that keeps what the network found shorter. Source: Huberman,
Lukose, Hogg, "An economics approach to hard computational problems" (1997).
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
    """The solvers `of`, each a text such as `beam:width=100`, under one limit; the first proof ends it."""

    name: ClassVar[str] = "portfolio"
    offers: ClassVar[tuple[type, ...]] = (Selective,)

    of: tuple[str, ...] = Field(default=("beam:width=100", "astar:weight=2"), min_length=1)

    @property
    def solvers(self) -> list[Solver]:
        """The solvers that the texts tell of; raises `UnknownName` or `BadOption`."""
        return [registry.parse_solver(text) for text in self.of]

    def refusal(self, puzzle: Puzzle) -> str | None:
        """What one of them has against this puzzle."""
        for solver in self.solvers:
            require(solver, puzzle)
        return None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """The attempts of each in turn; a longer answer than the best so far does not count."""

        def asked(solver: Solver) -> Callable[[Limit, Result], Iterator[Attempt]]:
            return lambda left, best: solver.attempts(instance, left)

        return round_robin(map(asked, self.solvers), limit)


SOLVER = Portfolio
