"""What a solver says: how far it is, and what it found."""

from dataclasses import dataclass, replace
from typing import Literal

Proof = Literal["none", "optimal", "unique", "unsolvable"]
Stop = Literal["done", "time", "nodes", "memory", "solutions", "dead end", "interrupted"]
LIMITS: tuple[Stop, ...] = ("time", "nodes", "memory", "interrupted")
"""The stops after which a larger limit might bring more."""


@dataclass(frozen=True)
class Progress:
    """Where a search stands; yielded some twenty times a second."""

    expanded: int
    """States whose successors were made."""
    generated: int
    """Successors made."""
    evaluations: int
    """States that were scored by a network or another function outside the search."""
    bound: int
    """No solution has fewer moves than this."""
    seconds: float


@dataclass(frozen=True)
class Result:
    """An answer, with what is known of it. Only `verify` turns its moves into a number that is shown."""

    moves: tuple[int, ...] | None
    proof: Proof = "none"
    reason: str = ""
    """In words: why it is unsolvable, or why there is no answer."""
    stop: Stop = "done"
    lower_bound: int = 0
    expanded: int = 0
    generated: int = 0
    evaluations: int = 0
    seconds: float = 0.0
    tried: tuple[int, ...] = ()
    """Moves that are no solution, where a solver that abstains tells what it came to; nothing is claimed of them."""

    @property
    def length(self) -> int | None:
        """The number of moves, or None."""
        return None if self.moves is None else len(self.moves)


def moves_in_words(count: int) -> str:
    """So many moves, as in a sentence."""
    return "1 move" if count == 1 else f"{count} moves"


def with_stop(result: Result, stop: Stop) -> Result:
    """The same answer, ended for this reason; a proven answer is done whatever ended the search."""
    return result if result.proof != "none" else replace(result, stop=stop)
