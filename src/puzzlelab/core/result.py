"""The values that a solver yields: its progress and its results."""

from dataclasses import dataclass, replace
from typing import Literal

Proof = Literal["none", "optimal", "unique", "unsolvable"]
Stop = Literal["done", "time", "nodes", "memory", "patience", "solutions", "dead end", "interrupted"]
LIMITS: tuple[Stop, ...] = ("time", "nodes", "memory", "interrupted")
"""The stops after which a larger limit might give a better result."""


@dataclass(frozen=True)
class Progress:
    """The state of a running search; yielded about twenty times a second."""

    expanded: int
    """States whose successors were generated."""
    generated: int
    """Generated successors."""
    evaluations: int
    """States that were scored by a network or another function outside the search."""
    bound: int
    """No solution has fewer moves, or a lower cost; where the puzzle has a score, minus a bound on the score."""
    seconds: float


@dataclass(frozen=True)
class Result:
    """A solution with its proof and its costs, or the reason why there is none. `verify` checks it."""

    moves: tuple[int, ...] | None
    proof: Proof = "none"
    reason: str = ""
    """Why the board is unsolvable, or why there is no solution, as a sentence."""
    stop: Stop = "done"
    lower_bound: int = 0
    """No solution has fewer moves than this, or a lower cost."""
    expanded: int = 0
    generated: int = 0
    evaluations: int = 0
    seconds: float = 0.0
    tried: tuple[int, ...] = ()
    """The moves of an unsuccessful attempt, from a solver that does not return a wrong solution."""
    batch: str = ""
    """The name of the batch of whose time `seconds` is an equal share; empty if this board was timed alone."""
    cost: int | None = None
    """The sum of the costs of the moves, for puzzles whose moves have costs; None for others."""
    score: int | None = None
    """The sum of the points of the moves, for puzzles with a score; None for others."""
    upper_bound: int | None = None
    """No solution has a higher score than this; None where nothing is known."""

    @property
    def length(self) -> int | None:
        """The number of moves, or None."""
        return None if self.moves is None else len(self.moves)

    @property
    def objective(self) -> int | None:
        """The number of moves, their cost, or minus their score, which is least in the best solution; or None."""
        if self.score is not None:
            return -self.score
        return self.length if self.cost is None else self.cost

    @property
    def objective_bound(self) -> int:
        """No solution has a lesser `objective` than this."""
        return self.lower_bound if self.upper_bound is None else -self.upper_bound

    def is_better_than(self, other: "Result") -> bool:
        """Whether this solution has fewer moves, a lower cost, or a higher score; any is better than none."""
        mine, theirs = self.objective, other.objective
        return mine is not None and (theirs is None or mine < theirs)


def moves_in_words(count: int) -> str:
    """The number with its noun: '1 move', '2 moves'."""
    return "1 move" if count == 1 else f"{count} moves"


def with_stop(result: Result, stop: Stop) -> Result:
    """The result with this stop; a proven result stays as it is."""
    return result if result.proof != "none" else replace(result, stop=stop)
