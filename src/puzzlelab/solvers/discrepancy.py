"""Limited-discrepancy search: the solutions with the fewest departures from the best guesses of a network come first.

To take the best move at a state is no departure, the next best is one, the one after that two. All that can be reached
without any is searched, then all with one on the whole way, with two, and so on, layer by layer, so that the network is
asked about many states at once.
Source: Harvey and Ginsberg, "Limited discrepancy search" (1995), which goes depth-first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from pydantic import Field

from puzzlelab.core import networks
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Attempt, Selective, SolverSettings, chosen_prior
from puzzlelab.core.views import Prior
from puzzlelab.engine.driver import round_robin
from puzzlelab.engine.interpreted_kernels import rules_of
from puzzlelab.solvers import _prior_beam
from puzzlelab.solvers._prior_beam import Bounds


class Discrepancy(SolverSettings):
    """Limited-discrepancy search over a `prior`, usually the puzzle's network; it gets better for as long as it may.

    With `most`, all with so many departures from the best guesses are searched at once, and no others.
    """

    name: ClassVar[str] = "discrepancy"
    offers: ClassVar[tuple[type, ...]] = (Selective,)

    prior: str | Prior = networks.PREFIX
    most: int | None = Field(default=None, ge=0, le=1_000_000)
    max_moves: int = Field(default=1000, ge=1, le=1_000_000)

    def refusal(self, puzzle: Puzzle) -> str | None:
        """That there is no network to ask, where none was named."""
        return networks.missing(puzzle) if self.prior == networks.PREFIX else None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress and ever shorter solutions; memory grows with the states seen."""
        return round_robin(self._searches(instance), limit)

    def _searches(self, instance: Instance) -> Iterator[Callable[[Limit, Result], Iterator[Attempt]]]:
        """One search after another, each with a departure more, until one leaves nothing out."""
        prior, rules = chosen_prior(instance.puzzle, self.prior), rules_of(instance)
        complete = False

        def search(departures: int) -> Callable[[Limit, Result], Iterator[Attempt]]:
            def shorter(left: Limit, best: Result) -> Iterator[Attempt]:
                nonlocal complete
                most = self.max_moves if best.moves is None else len(best.moves) - 1
                bounds = Bounds(most=most, departures=departures)
                made = _prior_beam.machine(instance, None, rules, bounds, left, self._nothing(departures))
                yield from _prior_beam.drive(made, instance, prior, None, rules, left)
                complete = made.control[_prior_beam.CUT] == 0

            return shorter

        departures = self.most or 0
        while not complete:
            yield search(departures)
            departures += 1
            complete = complete or self.most is not None

    def _nothing(self, departures: int) -> _prior_beam.Verdict:
        """What it means that such a search found nothing."""
        told = (
            f"no solution of at most {self.max_moves} moves has at most {departures} departures from the best guesses"
        )
        return "none", told, "dead end"


SOLVER = Discrepancy
