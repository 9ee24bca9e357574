"""The objective of a puzzle: fewer moves, a lower cost, or a higher score.

Searches minimise one integer, the sum of the steps of a solution. A step is 1, the cost of the move, or minus its
points.

Shapes: S = length of a state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import PuzzlelabError, Unsupported
from puzzlelab.core.puzzle import Puzzle, State, states_along
from puzzlelab.core.views import UNKNOWN, Steps

if TYPE_CHECKING:
    from puzzlelab.core.result import Result

Kind = Literal["moves", "cost", "score"]


@dataclass(frozen=True)
class Objective:
    """The steps of a puzzle, and the columns of a result that its sums and bounds belong to."""

    kind: Kind = "moves"
    steps: Steps | None = None

    def step(self, state: State, move: int, after: State) -> int:
        """Return the step of a legal move from the plain `state[S]` to `after[S]`: its cost, or minus its points.

        Raises `PuzzlelabError` for a cost below 0.
        """
        if self.steps is None:
            return 1
        if self.steps.points is not None:
            return -int(self.steps.points(state, move, after))
        assert self.steps.cost is not None
        cost = int(self.steps.cost(state, move, after))
        if cost < 0:
            raise PuzzlelabError(f"a move has the cost {cost}, and a cost is at least 0")
        return cost

    @property
    def unit(self) -> float:
        """The cost that counts as much as one move, where a search weighs steps."""
        return 1.0 if self.steps is None else float(self.steps.points_per_move)

    @property
    def least_sum(self) -> int:
        """A lower bound on every sum of steps."""
        return UNKNOWN if self.kind == "score" else 0

    @property
    def least_step(self) -> int:
        """A lower bound on every step."""
        return {"moves": 1, "cost": 0, "score": UNKNOWN}[self.kind]

    def total(self, instance: Instance, moves: Sequence[int]) -> int:
        """Return the sum of the steps of legal moves, by the plain rules."""
        if self.kind == "moves":
            return len(moves)
        states = list(states_along(instance.puzzle, instance.state, moves))
        return sum(map(self.step, states[:-1], moves, states[1:]))

    def remaining(self, states: Sequence[State], moves: Sequence[int]) -> list[int]:
        """Return the moves, cost or points from each of the `states` on a path, without the last one, to its end."""
        steps = list(map(self.step, states[:-1], moves, states[1:]))
        sums = [sum(steps[place:]) for place in range(len(steps))]
        return [-rest for rest in sums] if self.kind == "score" else sums

    def with_sums(self, result: Result, total: int | None, bound: int) -> Result:
        """Return the result with the sum of its steps, None without moves, and a lower bound on every sum of steps."""
        if self.kind == "score":
            upper = None if bound <= UNKNOWN else -bound
            return replace(result, score=None if total is None else -total, lower_bound=0, upper_bound=upper)
        if self.kind == "moves" and result.cost is None and result.lower_bound == bound:
            return result
        return replace(result, cost=total if self.kind == "cost" else None, lower_bound=bound)

    def completed(self, instance: Instance, result: Result) -> Result:
        """Return the result with its cost or score, by the plain rules, where the solver does not say it."""
        if self.kind == "moves" or result.moves is None or (result.cost, result.score) != (None, None):
            return result
        total = self.total(instance, result.moves)
        return replace(result, score=-total) if self.kind == "score" else replace(result, cost=total)


def require_counted_moves(puzzle: Puzzle, what: str) -> None:
    """Raise `Unsupported` for a puzzle whose moves have costs or points; `what` begins the sentence."""
    kind = objective_of(puzzle).kind
    if kind != "moves":
        raise Unsupported(f"{what} counts moves, and the moves of {puzzle.name} have {KINDS[kind]}")


KINDS: Mapping[Kind, str] = {"cost": "costs", "score": "a score"}
"""The words for what the moves of a puzzle may have."""
MOVES = Objective()
"""Every move counts the same."""


def objective_of(puzzle: Puzzle) -> Objective:
    """Return the objective of a puzzle: its score, if it has one, or the costs of its moves."""
    steps = puzzle.view(Steps)
    if steps is None:
        return MOVES
    return Objective("cost" if steps.points is None else "score", steps)
