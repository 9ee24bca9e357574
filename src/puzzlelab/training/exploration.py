"""Epsilon-greedy exploration: rules for the share of random moves during training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.settings import Settings


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


@dataclass
class Exploration:
    """The present share of random moves."""

    settings: ExplorationSettings
    epsilon: float

    @classmethod
    def of(cls, settings: ExplorationSettings) -> Exploration:
        """Return the exploration at the start of training."""
        return cls(settings, settings.initial_epsilon)

    def update_for_step(self, step: int) -> None:
        """Set epsilon for this training step (`linear`)."""
        settings = self.settings
        if settings.rule == "linear":
            first, last = settings.initial_epsilon, settings.final_epsilon
            self.epsilon = first + min(1.0, step / settings.decay_steps) * (last - first)

    def update_for_games(self, games: int, moves: int, random_moves: int) -> None:
        """Adapt epsilon after this many finished games with this many moves, random ones among them."""
        settings = self.settings
        if not games:
            return
        if settings.rule == "exponential":
            self.epsilon = max(settings.final_epsilon, self.epsilon * settings.decay_factor**games)
        elif settings.rule == "adaptive":
            wanted = settings.random_moves_per_game
            mean = random_moves / games if random_moves else wanted / 2
            share = games / moves  # the weight of the new value: one move's part of a game
            self.epsilon = min(1.0, (1 - share) * self.epsilon + share * self.epsilon * wanted / mean)

    def update_for_tally(self, tally: NDArray[np.int64]) -> None:
        """Adapt epsilon after finished games, whose tally is as that of `VectorGame`."""
        games, _, moves, random_moves = tally.tolist()
        self.update_for_games(games, moves, random_moves)


def epsilon_greedy(
    best: NDArray[np.int64], legal: NDArray[np.bool_], epsilon: float, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return (`moves: int64[B]`, `is_random: bool[B]`): the best moves `int64[B]`, or with probability `epsilon` a
    random one of the legal moves `bool[B, M]`.
    """
    is_random = random.random(len(best)) < epsilon
    drawn = (random.random(legal.shape) * legal).argmax(axis=1)
    return np.where(is_random, drawn, best), is_random
