"""Fills cells by a network's probabilities of the candidates; the rules of the puzzle only check the full board.

A chain begins with every candidate of every blank cell. `eliminate`: the network scores the remaining candidates, and
improbable ones are removed; if there are none, the cell with the most certain digit is filled. `surest`: that cell is
filled each time and nothing else is removed, for networks that read only the digits of a board. A cell without
candidates, or a full board that breaks the rules, is a conflict, and the next chain begins (a restart): it draws digits
at random by their probabilities, and removes a candidate only at half the threshold. `at once` fills all cells after
one evaluation, without restarts. A board that no chain solves is returned as unsolved, so a wrong answer is impossible.
Source: "Lattice Deduction Transformer" (2026); the surest cell first: Shiva Verma (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import NETWORK, Attempt, SolverSettings
from puzzlelab.core.views import Candidates, Prior
from puzzlelab.engine.search_rules import chosen_prior
from puzzlelab.solvers._lattice_search import LatticeSearch, Policy
from puzzlelab.storage import networks


class Lattice(SolverSettings):
    """The solver that fills cells by a network's probabilities of candidates, with restarts; never a wrong board.

    Without a `policy` it eliminates if the network reads candidates, and fills the surest cell first if it reads only
    digits. `masked` also removes the candidates that the rules exclude in row, column and box; `singles` also places
    every digit that has only one place in one of them. The answer to a board does not depend on the other boards of a
    batch, except for rounding.
    """

    name: ClassVar[str] = "lattice"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)
    shares_work: ClassVar[bool] = True

    prior: str | Prior | None = None
    """The name of a network (`net`), or a `Prior`: the probability of each move."""
    policy: Policy | None = None
    """The step after each evaluation: candidates are eliminated, the surest cell is filled in, or all cells at once."""
    restarts: int = Field(default=100, ge=0, le=1_000_000)
    """The most chains after the first one."""
    threshold: float = Field(default=0.02, gt=0, lt=0.5)
    """Candidates with a lower probability by the network are removed."""
    masked: bool = False
    """Whether candidates that the rules exclude in row, column and box are removed."""
    singles: bool = False
    """Whether hidden and naked singles are filled in before each evaluation."""
    seed: int = Field(default=0, ge=0, lt=1 << 63)
    """The seed of the random numbers."""

    def options(self) -> Mapping[str, Any]:
        """Return every setting by name; the default network where none is named."""
        return {**super().options(), **({"prior": NETWORK} if self.prior is None else {})}

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Say why this solver cannot solve the puzzle, if so: there is no network, and none is named."""
        return networks.missing(puzzle) if self.prior is None else None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress, then the result of the chains. Nodes are evaluations by the network."""
        search = self._search([instance], limit)
        for _ in search.passes():
            yield search.progress()
        yield search.results()[0]

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        """Return the results of the chains of all these boards; the network scores many at once."""
        search = self._search(boards, limit)
        try:
            for _ in search.passes():
                if over():
                    break
        except KeyboardInterrupt:
            pass
        yield Answers.of(boards, search.results()).solved_together(search.seconds)

    def _search(self, instances: Sequence[Instance], limit: Limit) -> LatticeSearch:
        prior = chosen_prior(instances[0].puzzle, self.prior or NETWORK)
        policy: Policy = self.policy or ("eliminate" if prior.reads_candidates else "surest")
        if policy == "eliminate" and not prior.reads_candidates:
            raise Unsupported(f"the network {prior.name} reads only digits and no candidates: use policy=surest")
        restarts = 0 if policy == "at once" else self.restarts
        settings = {"policy": policy, "restarts": restarts, "masked": self.masked or self.singles}
        return LatticeSearch(instances, limit, prior, self.model_copy(update=settings))


SOLVER = Lattice
