"""Filling cells by what a network thinks of the candidates that are left, with no rule of the puzzle but a last check.

A chain begins with every candidate of every blank cell. `eliminate`: the network is asked about the candidates that are
left, and those that it holds for improbable go; where none does, the cell that it is surest of gets a digit. `surest`:
that cell gets its digit each time, and nothing else is taken away, for networks that know the digits of a board alone.
A cell without candidates, or a full board that the rules refuse, is a conflict, and the next chain begins: it draws
digits at random, somewhat as the network thinks, and takes away only what is half as probable. `at once` fills all
cells after one question, without restarts. A board that no chain solves is given back unsolved: a wrong answer is
impossible. Source: "Lattice Deduction Transformer" (2026); the surest cell first: Shiva Verma (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from puzzlelab.core import networks
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Instance, Puzzle
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Attempt, BatchSolver, Selective, SolverSettings, chosen_prior
from puzzlelab.core.views import Candidates, Prior
from puzzlelab.solvers._lattice_search import LatticeSearch, Policy


class Lattice(SolverSettings):
    """Fills cells by what a network thinks of the candidates that are left, with restarts; never gives a wrong board.

    Without a `policy` it eliminates where the network knows candidates, and fills the surest cell first where it knows
    digits alone. `masked` takes away by rule what a digit forbids in its row, column and box. The answer of a board
    does not depend on which others are solved beside it, but for rounding.
    """

    name: ClassVar[str] = "lattice"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)
    offers: ClassVar[tuple[type, ...]] = (BatchSolver, Selective)

    prior: str | Prior | None = None
    policy: Policy | None = None
    restarts: int = Field(default=100, ge=0, le=1_000_000)
    """Chains after the first one."""
    threshold: float = Field(default=0.02, gt=0, lt=0.5)
    """Candidates that are less probable go; the network's own weights decide how probability is meant."""
    masked: bool = False
    seed: int = Field(default=0, ge=0, lt=1 << 63)

    def options(self) -> Mapping[str, Any]:
        """Every setting by name; the network that is asked where none was named."""
        return {**super().options(), **({"prior": networks.PREFIX} if self.prior is None else {})}

    def refusal(self, puzzle: Puzzle) -> str | None:
        """That there is no network to ask, where none was named."""
        return networks.missing(puzzle) if self.prior is None else None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Progress, then how the chains ended. Nodes are questions to the network."""
        search = self._search([instance], limit)
        for _ in search.passes():
            yield search.progress()
        yield search.results()[0]

    def solve_batch(self, instances: Sequence[Instance], limit: Limit, over: Callable[[], bool]) -> list[Result]:
        """How the chains of all these boards ended; the network is asked about many at once."""
        search = self._search(instances, limit)
        try:
            for _ in search.passes():
                if over():
                    break
        except KeyboardInterrupt:
            pass
        return search.results()

    def _search(self, instances: Sequence[Instance], limit: Limit) -> LatticeSearch:
        prior = chosen_prior(instances[0].puzzle, self.prior or networks.PREFIX)
        policy: Policy = self.policy or ("eliminate" if prior.reads_candidates else "surest")
        if policy == "eliminate" and not prior.reads_candidates:
            raise Unsupported(f"the network {prior.name} knows digits alone, and no candidates: take policy=surest")
        restarts = 0 if policy == "at once" else self.restarts
        return LatticeSearch(instances, limit, prior, policy, restarts, self.threshold, self.masked, self.seed)


SOLVER = Lattice
