"""The moves of a learner: exploration by random moves, with rules for their share, and play by its policy alone,
without random moves and without a search.

Shapes: B = games or boards, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.settings import Settings
from puzzlelab.core.views import Scale
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves, solved
from puzzlelab.experience.vector_game import Transition, VectorGame

Values = NDArray[np.floating[Any]]
"""The values of moves, `[B, M]`: greater is better, -inf is a move that is not considered."""


class ExplorationSettings(Settings):
    """The share of random moves, epsilon, over time."""

    rule: Literal["constant", "linear", "exponential", "adaptive"] = "constant"
    """Constant: `initial_epsilon`. Linear: from there to `final_epsilon` in `decay_steps` steps. Exponential: times
    `decay_factor` after every game, down to `final_epsilon`, as in Spence (2021). Adaptive: whatever leads to
    `random_moves_per_game` random moves in a finished game.
    """
    initial_epsilon: float = Field(default=0.1, ge=0, le=1)
    """The share of random moves at the start."""
    final_epsilon: float = Field(default=0.1, ge=0, le=1)
    """The share at the end."""
    decay_steps: int = Field(default=10_000, ge=1)
    """Steps until the share is at its end."""
    decay_factor: float = Field(default=0.999, gt=0, le=1)
    """The factor of the share after each game, where it falls by games."""
    random_moves_per_game: float = Field(default=1.0, gt=0)
    """Random moves of each game on average, where their number is fixed."""
    temperature: float = Field(default=0.0, ge=0)
    """0: random moves are uniform among the legal ones. Above 0: they are drawn by the softmax of their values over
    this temperature (Boltzmann exploration; with a share of 1 all moves are), and only those that are not the best
    count as random.
    """


def epsilon_at_step(settings: ExplorationSettings, epsilon: float, step: int) -> float:
    """Return the share of random moves in this training step (`linear`); with another rule it stays."""
    if settings.rule != "linear":
        return epsilon
    first, last = settings.initial_epsilon, settings.final_epsilon
    return first + min(1.0, step / settings.decay_steps) * (last - first)


def epsilon_after_games(settings: ExplorationSettings, epsilon: float, tally: NDArray[np.int64]) -> float:
    """Return the share of random moves after games that ended, whose tally is as that of `VectorGame`."""
    games, _, moves, random_moves = map(int, tally)
    if games and settings.rule == "exponential":
        return max(settings.final_epsilon, epsilon * settings.decay_factor**games)
    if games and settings.rule == "adaptive":
        wanted = settings.random_moves_per_game
        mean = random_moves / games if random_moves else wanted / 2
        share = games / moves  # the weight of the new value: one move's part of a game
        return min(1.0, (1 - share) * epsilon + share * epsilon * wanted / mean)
    return epsilon


def exploring_moves(
    values: Values, legal: NDArray[np.bool_], epsilon: float, temperature: float, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return (`moves: int64[B]`, `is_random: bool[B]`): the moves of the greatest `values[B, M]`, or with probability
    `epsilon` a random one of the legal moves `bool[B, M]`; see `ExplorationSettings.temperature`.
    """
    best = values.argmax(axis=1)
    is_random = random.random(len(best)) < epsilon
    if temperature:
        drawn = softmax_moves(values, legal, temperature, random)
        is_random &= drawn != best
    else:
        drawn = (random.random(legal.shape) * legal).argmax(axis=1)
    return np.where(is_random, drawn, best), is_random


def softmax_moves(
    values: Values, legal: NDArray[np.bool_], temperature: float, random: np.random.Generator
) -> NDArray[np.int64]:
    """Draw a legal move of each state by the softmax of `values[B, M] / temperature`: `int64[B]`; `legal: bool[B, M]`.

    The greatest sum of a logarithm and Gumbel noise has the distribution of the softmax (Gumbel, 1954).
    """
    below_best = np.where(legal, values - values.max(axis=1, keepdims=True), -np.inf).astype(np.float64)
    with np.errstate(over="ignore"):  # a temperature near 0 leaves only the best moves
        logits = below_best / temperature
    drawn: NDArray[np.int64] = (logits + random.gumbel(size=logits.shape)).argmax(axis=1)
    return drawn


def explore(
    games: VectorGame,
    values: Values,
    legal: NDArray[np.bool_],
    settings: ExplorationSettings,
    epsilon: float,
    random: np.random.Generator,
) -> Transition:
    """Make the move of the greatest `values[B, M]` in every game, or to explore, with probability `epsilon`, a random
    legal one.

    `legal: bool[B, M]` are the legal moves.
    """
    moves, is_random = exploring_moves(values, legal, epsilon, settings.temperature, random)
    return games.step(moves, is_random, random)


# --- the policy alone ---

BestMoves = Callable[[State, NDArray[np.bool_]], NDArray[np.int64]]
"""The best move `int64[B]` in each of the plain `states[B, S]`, whose legal moves are `bool[B, M]`."""


def play_policy(
    puzzle: Puzzle, states: State, best_moves: BestMoves, max_moves: int
) -> tuple[NDArray[np.bool_], State]:
    """Play from the plain `states[B, S]` until a game is solved, without a legal move, or at the move limit.

    Returns which games are solved, `bool[B]`, and the last states `[B, S]`. An illegal move leaves the state as it is.
    """
    states, done = states.copy(), solved(puzzle, states)
    is_solved = done.copy()
    for _ in range(max_moves):
        rows = np.flatnonzero(~done)
        canonical = canonical_moves(puzzle, states[rows])
        movable = (canonical >= 0).any(axis=1)
        done[rows[~movable]] = True
        rows, canonical = rows[movable], canonical[movable]
        if not rows.size:
            break
        moves = best_moves(states[rows], canonical >= 0)
        successors = apply_moves(puzzle, states[rows], moves, canonical)
        states[rows] = successors.states
        is_solved[rows] = done[rows] = successors.solved
    return is_solved, states


def mean_level(scale: Scale, is_solved: NDArray[np.bool_], states: State) -> float | None:
    """Return the mean level of the last states of games, 0 for solved ones; None if the scale cannot measure states."""
    if scale.measure is None or not len(states):
        return None
    return float(np.where(is_solved, 0, scale.measure(states)).mean())
