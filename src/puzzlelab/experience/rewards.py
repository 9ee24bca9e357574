"""Reward functions of reinforcement learning, by name: some for every puzzle, some that a puzzle defines.

Only with `moves`, `cost`, `score` and `potential` the best solution has the greatest return. The others are in use
elsewhere, and are here so that their effect can be measured. Rewards are added by a plus sign between spaces, each
with an optional factor: `goal + 0.1*cleared`.

Shapes: B = moves, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite, nan

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption, UnknownName, shorten
from puzzlelab.core.objective import Kind, objective_of
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Estimate, Estimates, Rewards
from puzzlelab.engine.batch_rules import Successors, estimated
from puzzlelab.engine.search_rules import minimised

Reward = Callable[[State, Successors], NDArray[np.float32]]
"""`float32[B]` from the plain states `[B, S]` and their successors."""


GENERAL = {
    "moves": "-1 for every move, legal or not: the sum is the negative number of moves",
    "goal": "10 for the move that solves, -1 for any other, -10 for one that cannot be made",
    "win": "10 for the move that solves, 0 for any other",
    "illegal": "-10 for a move that cannot be made, 0 for any other",
}
POTENTIAL = "potential:ESTIMATE"
POTENTIALS: Mapping[Kind, str] = {
    "moves": "-1 for every move, and how much nearer the goal is by this estimate of the puzzle",
    "cost": "minus the cost of the move, and how much nearer the goal is by this estimate of the puzzle",
    "score": "the points of the move, and the change of those still to be made by this estimate of the puzzle",
}
"""The reward `potential:ESTIMATE` by what a puzzle counts."""
SUMS: dict[str, str] = {
    "cost": "minus the cost of the move, -1 for one that cannot be made",
    "score": "the points of the move, -1 for one that cannot be made",
}
"""The rewards of puzzles whose moves have costs, and of those with a score."""
ILLEGAL_MOVE = -1.0
"""Added to a puzzle's own reward for an illegal move."""


def available(puzzle: Puzzle) -> Mapping[str, str]:
    """Return the reward functions for this puzzle: name -> description."""
    estimates, own, kind = puzzle.view(Estimates), puzzle.view(Rewards), objective_of(puzzle).kind
    sums: dict[str, str] = {kind: SUMS[kind]} if kind in SUMS else {}
    general = {**GENERAL, **({POTENTIAL: POTENTIALS[kind]} if estimates else {})}
    return {**sums, **general, **(own.rewards if own else {}), **general, **sums}


def make(puzzle: Puzzle, name: str, discount: float = 1.0) -> Reward:
    """Return the reward function of this name, or the sum of several, as in `goal + 0.1*cleared`.

    Raises `UnknownName`, or `BadOption` for a factor that is no finite number.
    """
    terms = [_term(puzzle, term, discount) for term in name.split(" + ")]
    return terms[0] if len(terms) == 1 else partial(_sum, terms)


def _term(puzzle: Puzzle, text: str, discount: float) -> Reward:
    """Return one reward function of a sum, with its factor."""
    factor, times, name = text.rpartition("*")
    reward = _single(puzzle, name, discount)
    if not times:
        return reward
    try:
        scale = float(factor)
    except ValueError:
        scale = nan
    if not isfinite(scale):
        raise BadOption(f"'{shorten(factor)}' in the reward '{shorten(text)}' is no number")
    return partial(_scaled, scale, reward)


def _single(puzzle: Puzzle, name: str, discount: float) -> Reward:
    """Return the reward function of this name alone; raises `UnknownName`.

    `potential:ESTIMATE` is potential-based reward shaping, which keeps the optimal policy (Ng, Harada and Russell,
    1999); it depends on the `discount`.
    """
    first, _, rest = name.partition(":")
    estimates = puzzle.view(Estimates)
    if rest and first == "potential" and estimates is not None:
        return partial(_potential, puzzle, minimised(puzzle, estimates.estimate(rest)), discount)
    names = available(puzzle)
    if name not in names or name == POTENTIAL:
        raise UnknownName(f"reward for {puzzle.name}", name, names)
    simple: Mapping[str, Reward] = {"moves": _moves, "goal": _goal, "win": _win, "illegal": _illegal}
    if name in SUMS and name == objective_of(puzzle).kind:
        return _negative_cost
    if name in simple:
        return simple[name]
    own = puzzle.view(Rewards)
    assert own is not None  # the name is one of its rewards
    return partial(_own, own, name)


def _moves(states: State, successors: Successors) -> NDArray[np.float32]:
    return np.full(len(states), -1.0, np.float32)


def _negative_cost(states: State, successors: Successors) -> NDArray[np.float32]:
    return np.where(successors.allowed, -successors.costs, ILLEGAL_MOVE).astype(np.float32)


def _goal(states: State, successors: Successors) -> NDArray[np.float32]:
    return np.where(successors.allowed, np.where(successors.solved, 10.0, -1.0), -10.0).astype(np.float32)


def _win(states: State, successors: Successors) -> NDArray[np.float32]:
    return np.where(successors.allowed & successors.solved, 10.0, 0.0).astype(np.float32)


def _illegal(states: State, successors: Successors) -> NDArray[np.float32]:
    return np.where(successors.allowed, 0.0, -10.0).astype(np.float32)


def _scaled(factor: float, reward: Reward, states: State, successors: Successors) -> NDArray[np.float32]:
    return np.float32(factor) * reward(states, successors)


def _sum(terms: Sequence[Reward], states: State, successors: Successors) -> NDArray[np.float32]:
    total = np.zeros(len(states), np.float32)
    for term in terms:
        total += term(states, successors)
    return total


def _potential(
    puzzle: Puzzle, estimate: Estimate, discount: float, states: State, successors: Successors
) -> NDArray[np.float32]:
    before, after = (estimated(puzzle, estimate, each) for each in (states, successors.states))
    return _negative_cost(states, successors) + (before - discount * after).astype(np.float32)


def _own(own: Rewards, name: str, states: State, successors: Successors) -> NDArray[np.float32]:
    return (own.reward(name, states, successors.states) + np.where(successors.allowed, 0.0, ILLEGAL_MOVE)).astype(
        np.float32
    )
