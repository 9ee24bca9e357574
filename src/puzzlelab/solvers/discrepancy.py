"""Limited-discrepancy search: paths with the fewest departures from the best moves of a prior are searched first.

The best move of a state counts as no departure, the second best as one, the third as two. The paths without departures
are searched first, then those with one in all, with two, and so on; layer by layer, so that a network scores many
states at once.
Source: Harvey and Ginsberg, "Limited discrepancy search" (1995), which goes depth-first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from pydantic import Field

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import NETWORK, Attempt, SolverSettings
from puzzlelab.core.views import Prior
from puzzlelab.engine.attempts import one_by_one
from puzzlelab.engine.search_rules import chosen_prior, rules_of
from puzzlelab.solvers import _layers
from puzzlelab.storage import networks


class Discrepancy(SolverSettings):
    """Limited-discrepancy search over a `prior`, usually the puzzle's network; anytime.

    With `most`, a single search allows that many departures.
    """

    name: ClassVar[str] = "discrepancy"

    prior: str | Prior = NETWORK
    """The name of a network (`net`), or a `Prior`: the probability of each move."""
    most: int | None = Field(default=None, ge=0, le=1_000_000)
    """The most departures from the best guess; none: ever more."""
    max_moves: int = Field(default=1000, ge=1, le=1_000_000)
    """The move limit."""

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Say why this solver cannot solve the puzzle, if so: there is no network, and no prior is named."""
        return networks.missing(puzzle) if self.prior == NETWORK else None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress and ever shorter solutions; memory grows with the states seen."""
        return one_by_one(self._searches(instance), limit)

    def _searches(self, instance: Instance) -> Iterator[Callable[[Limit, Result], Iterator[Attempt]]]:
        """Yield from one search after another, each with one more departure, until a search is complete."""
        prior, rules = chosen_prior(instance.puzzle, self.prior), rules_of(instance)
        complete = False

        def search(departures: int) -> Callable[[Limit, Result], Iterator[Attempt]]:
            def shorter(limit: Limit, best: Result) -> Iterator[Attempt]:
                nonlocal complete
                max_moves = self.max_moves if best.moves is None else len(best.moves) - 1
                guide, empty = _layers.Guide(None, prior, departures=departures), self._no_solution(departures)
                machine = _layers.machine(instance, guide, rules, limit, empty, most=max_moves)
                yield from _layers.drive(machine, instance, guide, rules, limit)
                complete = machine.control.was_cut == 0

            return shorter

        departures = self.most or 0
        while not complete:
            yield search(departures)
            departures += 1
            complete = complete or self.most is not None

    def _no_solution(self, departures: int) -> _layers.Verdict:
        """Return the verdict of such a search without a solution."""
        reason = (
            f"no solution of at most {self.max_moves} moves has at most {departures} departures from the best guesses"
        )
        return "none", reason, "dead end"


SOLVER = Discrepancy
