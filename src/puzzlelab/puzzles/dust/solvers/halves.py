"""`halves`: clears dust boards in the fewest clicks, with proof.

A beam finds a first solution. Then a depth-first search over pairs of half-boards (`halves.pair_search`), with the
costs of both halves (`halves.boards`) as lower bound, finds a shorter one or proves that there is none. If it takes
long, a wide beam finds a better solution first.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial
from typing import ClassVar

from pydantic import Field, PrivateAttr

from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.result import Progress, Result, with_stop
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.engine.driver import Drive, Search, one_by_one
from puzzlelab.engine.solving import ended_by_memory, singly
from puzzlelab.puzzles.dust.halves.pair_search import HalvesMemory
from puzzlelab.puzzles.dust.rules import Dust

QUICK = 30
"""The width of the beam that has a solution after a millisecond."""
NARROW = 100
"""The width of the beam where there is a memory: a short proof follows it."""
BRIEF_NODES = 5000
"""The nodes of the proof before the wide beam. A beam of width 1000 takes longer, and few small boards need one."""
FIRST_BUDGET = 2000
"""The nodes of the first slice of a proof, about a millisecond: nine of ten boards of 6x5 cells take fewer."""


class Halves(SolverSettings):
    """The fewest clicks, with proof: the two halves of a board are solved on their own."""

    name: ClassVar[str] = "halves"
    _memory: HalvesMemory | None = PrivateAttr(default=None)

    width: int = Field(default=1000, ge=1, le=1 << 20)
    """The width of the beam that finds a good solution where the proof is long."""

    def refusal(self, puzzle: Puzzle) -> str | None:
        """Return why it cannot solve this puzzle, in words."""
        return None if isinstance(puzzle, Dust) else "it is made for dust"

    def with_memory(self) -> Halves:
        """Return this solver with a memory, which speeds up related boards. For one thread."""
        solver = self.model_copy(update={"width": min(self.width, NARROW)})
        solver._memory = HalvesMemory()
        return solver

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield a fast solution, a better one if the proof is long, and then shorter ones or the proof that there is
        none.
        """
        return self._attempts(instance, limit, self._memory or HalvesMemory())

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        """Yield the answers to the boards, which are searched one after the other in the same arrays."""
        memory = self._memory or HalvesMemory()

        def attempts(board: Instance) -> Generator[Attempt, None, None]:
            if self._memory is None:
                memory.clear()
            return ended_by_memory(partial(self._attempts, board, limit, memory))

        return singly(boards, attempts, over)

    def _attempts(self, instance: Instance, limit: Limit, memory: HalvesMemory) -> Generator[Attempt, None, None]:
        """Return the attempts at a board in the arrays of a memory."""
        puzzle = instance.puzzle
        assert isinstance(puzzle, Dust)  # see `refusal`

        def beam(width: int) -> Search:
            return lambda limit_left, best: memory.beam(width).attempts(instance, limit_left)

        def proof(limit_left: Limit, best: Result) -> Iterator[Attempt]:
            search = memory.recall(puzzle, limit_left).machine(instance.state, best.length)
            return iter(Drive(search, limit_left, first_budget=FIRST_BUDGET))

        def brief_proof(limit_left: Limit, best: Result) -> Iterator[Attempt]:
            if limit_left.nodes is not None and limit_left.nodes <= BRIEF_NODES:
                return iter(())
            return _given_up(proof(replace(limit_left, nodes=BRIEF_NODES), best))

        wide = [brief_proof, beam(self.width)] if self.width > QUICK else []
        return _with_best_bounds(one_by_one([beam(min(QUICK, self.width)), *wide, proof], limit))


def _given_up(attempts: Iterator[Attempt]) -> Iterator[Attempt]:
    """Yield the attempts of a search under a limit of nodes of its own, which ends there as one that is done."""
    for attempt in attempts:
        yield with_stop(attempt, "done") if isinstance(attempt, Result) and attempt.stop == "nodes" else attempt


def _with_best_bounds(attempts: Iterator[Attempt]) -> Generator[Attempt, None, None]:
    """Yield the attempts of one search after another, whose progress has the best bound of all so far."""
    bound = 0
    for attempt in attempts:
        if isinstance(attempt, Progress) and attempt.bound < bound:
            attempt = replace(attempt, bound=bound)
        bound = attempt.bound if isinstance(attempt, Progress) else attempt.lower_bound
        yield attempt


SOLVER = Halves
