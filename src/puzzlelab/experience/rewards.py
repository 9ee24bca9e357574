"""What a move is worth to a learner: schemes by name, some for every puzzle, some that a puzzle brings along.

Only `moves` and `potential` make the shortest solution the best one. The others are here because people learn with
them, and because it can be measured what that costs.

Shapes: B = moves, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Protocol, runtime_checkable

from puzzlelab.core.batches import Made, estimated
from puzzlelab.core.errors import UnknownName
from puzzlelab.core.puzzle import Estimate, Estimates, Puzzle, State

Reward = Callable[[State, Made], NDArray[np.float32]]
"""`float32[B]` for the plain states `[B, S]` and what became of them."""


@runtime_checkable
class Rewarding(Protocol):
    """The view of puzzles that bring reward schemes of their own."""

    @property
    def rewards(self) -> Mapping[str, str]:
        """What there is: each name with a sentence."""

    def reward(self, name: str, before: State, after: State) -> NDArray[np.float64]:
        """`float64[B]`: what it was worth to come from the plain states `before[B, S]` to `after[B, S]`."""


GENERAL = {
    "moves": "-1 for every move, made or not: the sum is the negative number of moves",
    "goal": "10 for the move that solves, -1 for any other, -10 for one that cannot be made",
    "potential:ESTIMATE": "-1 for every move, and how much nearer the goal is by this estimate of the puzzle",
}
IMPOSSIBLE = -1.0
"""Added to a puzzle's own reward for a move that cannot be made."""


def offered(puzzle: Puzzle) -> Mapping[str, str]:
    """The schemes for this puzzle, each with a sentence."""
    general = {name: about for name, about in GENERAL.items() if ":" not in name or isinstance(puzzle, Estimates)}
    own = puzzle.rewards if isinstance(puzzle, Rewarding) else {}
    return {**general, **own, **general}


def make(puzzle: Puzzle, name: str, discount: float = 1.0) -> Reward:
    """The scheme of this name; raises `UnknownName`.

    `potential:...` depends on the `discount` of what comes later: with it no other play becomes the best one (Ng,
    Harada and Russell, 1999).
    """
    first, _, rest = name.partition(":")
    if rest and first == "potential" and isinstance(puzzle, Estimates):
        return partial(_potential, puzzle, puzzle.estimate(rest), discount)
    known = offered(puzzle)
    if name not in known or (name in GENERAL and ":" in name):
        raise UnknownName(f"reward for {puzzle.name}", name, known)
    simple: Mapping[str, Reward] = {"moves": _moves, "goal": _goal}
    return simple.get(name) or partial(_own, puzzle, name)


def _moves(before: State, made: Made) -> NDArray[np.float32]:
    return np.full(len(before), -1.0, np.float32)


def _goal(before: State, made: Made) -> NDArray[np.float32]:
    return np.where(made.allowed, np.where(made.solved, 10.0, -1.0), -10.0).astype(np.float32)


def _potential(puzzle: Puzzle, estimate: Estimate, discount: float, before: State, made: Made) -> NDArray[np.float32]:
    here, there = (estimated(puzzle, estimate, states) for states in (before, made.states))
    return (here - discount * there - 1.0).astype(np.float32)


def _own(puzzle: Puzzle, name: str, before: State, made: Made) -> NDArray[np.float32]:
    assert isinstance(puzzle, Rewarding)
    return (puzzle.reward(name, before, made.states) + np.where(made.allowed, 0.0, IMPOSSIBLE)).astype(np.float32)
