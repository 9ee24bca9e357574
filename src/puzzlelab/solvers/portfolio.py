"""An algorithm portfolio: several solvers in turn, each with its share of the limit, and the shortest of their answers.

With a plain beam and a beam guided by a network it is a teacher that keeps the shorter of both solutions.
Source: Huberman, Lukose, Hogg, "An economics approach to hard computational problems" (1997).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Attempt, Solver, SolverSettings, require, uses_default_estimate
from puzzlelab.core.views import Estimate
from puzzlelab.engine.attempts import Search, in_rounds, one_by_one, with_patience
from puzzlelab.engine.search_rules import solver_with
from puzzlelab.engine.solving import ended_by_memory


class Portfolio(SolverSettings):
    """The solvers `of`, each a text such as `beam:width=100`; the first proof ends it.

    Each gets an equal share of the time and the nodes that those before it left. With `first_nodes` they take turns
    instead: each searches that many nodes, then each four times as many from the start, and so on. With `patience`, a
    search without a limit on time or nodes ends when that many seconds bring nothing better. `estimate` is for each
    solver that uses an estimate and names none.
    """

    name: ClassVar[str] = "portfolio"
    keeps_costs: ClassVar[bool] = True

    of: tuple[str, ...] = Field(default=("beam:width=100", "astar:weight=2"), min_length=1)
    """The solvers that take turns, each as text with its options."""
    estimate: str | Estimate | None = None
    """The estimate of all solvers that have none in their own options."""
    first_nodes: int | None = Field(default=None, ge=1)
    """The states of the first turn of each solver; each later turn has four times as many. None: each solver has its
    share of the limit once."""
    patience: float | None = Field(default=None, gt=0)
    """Seconds without a better solution after which a search without a limit ends."""

    @property
    def solvers(self) -> list[Solver]:
        """The solvers that the texts describe; raises `UnknownName` or `BadOption`."""
        return [solver_with(text, self.estimate) for text in self.of]

    def options_for(self, puzzle: Puzzle) -> Mapping[str, Any]:
        """Return every option; the estimate is named if a solver uses the puzzle's default one."""
        options = dict(self.options())
        for solver in self.solvers:
            if uses_default_estimate(solver):
                options["estimate"] = solver.options_for(puzzle)["estimate"]
        return options

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Return why one of them cannot solve this puzzle."""
        for solver in self.solvers:
            require(solver, puzzle)
        return None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Return the attempts of each in turn; a longer answer than the best so far does not count."""

        def search_by(solver: Solver) -> Search:
            return lambda limit_left, best: ended_by_memory(lambda: solver.attempts(instance, limit_left))

        searches = [search_by(solver) for solver in self.solvers]
        if self.first_nodes is None:
            attempts: Iterator[Attempt] = one_by_one(searches, limit, shares=len(searches))
        else:
            attempts = in_rounds(searches, limit, [self.first_nodes] * len(searches))
        return with_patience(attempts, limit, self.patience)


SOLVER = Portfolio
