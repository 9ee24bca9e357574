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

from puzzlelab.core.errors import UnknownName
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Estimate, Estimates, Rewards
from puzzlelab.engine.batch_rules import Successors, estimated

Reward = Callable[[State, Successors], NDArray[np.float32]]
"""`float32[B]` for the plain states `[B, S]` and what became of them."""


GENERAL = {
    "moves": "-1 for every move, made or not: the sum is the negative number of moves",
    "goal": "10 for the move that solves, -1 for any other, -10 for one that cannot be made",
    "potential:ESTIMATE": "-1 for every move, and how much nearer the goal is by this estimate of the puzzle",
}
IMPOSSIBLE = -1.0
"""Added to a puzzle's own reward for a move that cannot be made."""


def offered(puzzle: Puzzle) -> Mapping[str, str]:
    """The schemes for this puzzle, each with a sentence."""
    estimates, own = puzzle.view(Estimates), puzzle.view(Rewards)
    general = {name: about for name, about in GENERAL.items() if ":" not in name or estimates}
    return {**general, **(own.rewards if own else {}), **general}


def make(puzzle: Puzzle, name: str, discount: float = 1.0) -> Reward:
    """The scheme of this name; raises `UnknownName`.

    `potential:...` depends on the `discount` of what comes later: with it no other play becomes the best one (Ng,
    Harada and Russell, 1999).
    """
    first, _, rest = name.partition(":")
    estimates = puzzle.view(Estimates)
    if rest and first == "potential" and estimates is not None:
        return partial(_potential, puzzle, estimates.estimate(rest), discount)
    known = offered(puzzle)
    if name not in known or (name in GENERAL and ":" in name):
        raise UnknownName(f"reward for {puzzle.name}", name, known)
    simple: Mapping[str, Reward] = {"moves": _moves, "goal": _goal}
    if name in simple:
        return simple[name]
    own = puzzle.view(Rewards)
    assert own is not None  # it offers this name
    return partial(_own, own, name)


def _moves(before: State, made: Successors) -> NDArray[np.float32]:
    return np.full(len(before), -1.0, np.float32)


def _goal(before: State, made: Successors) -> NDArray[np.float32]:
    return np.where(made.allowed, np.where(made.solved, 10.0, -1.0), -10.0).astype(np.float32)


def _potential(
    puzzle: Puzzle, estimate: Estimate, discount: float, before: State, made: Successors
) -> NDArray[np.float32]:
    here, there = (estimated(puzzle, estimate, states) for states in (before, made.states))
    return (here - discount * there - 1.0).astype(np.float32)


def _own(own: Rewards, name: str, before: State, made: Successors) -> NDArray[np.float32]:
    return (own.reward(name, before, made.states) + np.where(made.allowed, 0.0, IMPOSSIBLE)).astype(np.float32)
