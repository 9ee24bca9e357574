"""How often a learner makes a move at random while it plays: rules by name, each with its own idea of when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.settings import Settings


class ExplorationSettings(Settings):
    """The share of moves that are made at random."""

    rule: Literal["constant", "evenly", "games", "guesses"] = "constant"
    """Constant: `first`. Evenly: from `first` to `last` in `over` steps. Games: from `first` by `factor` with every
    game, down to `last`, as Spence (2021). Guesses: whatever makes `guesses` random moves a finished game.
    """
    first: float = Field(default=0.1, ge=0, le=1)
    last: float = Field(default=0.1, ge=0, le=1)
    over: int = Field(default=10_000, ge=1)
    factor: float = Field(default=0.999, gt=0, le=1)
    guesses: float = Field(default=1.0, gt=0)


@dataclass
class Exploration:
    """The share as it is now."""

    settings: ExplorationSettings
    epsilon: float

    @classmethod
    def of(cls, settings: ExplorationSettings) -> Exploration:
        """As at the beginning."""
        return cls(settings, settings.first)

    def stepped(self, step: int) -> None:
        """Be what it is time for at this step."""
        told = self.settings
        if told.rule == "evenly":
            self.epsilon = told.first + min(1.0, step / told.over) * (told.last - told.first)

    def finished(self, games: int, moves: int, guesses: int) -> None:
        """Note that so many games ended, with so many moves, of which so many were random."""
        told = self.settings
        if not games:
            return
        if told.rule == "games":
            self.epsilon = max(told.last, self.epsilon * told.factor**games)
        elif told.rule == "guesses":
            share = games / moves  # one move's part of a game, and how fast the share follows
            found = max(guesses / games, told.guesses / 2) if guesses == 0 else guesses / games
            self.epsilon = min(1.0, (1 - share) * self.epsilon + share * self.epsilon * told.guesses / found)


def explored(
    best: NDArray[np.int64], possible: NDArray[np.bool_], epsilon: float, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(`moves: int64[B]`, `guessed: bool[B]`): the best moves `int64[B]`, or with probability `epsilon` one of the
    possible ones `bool[B, M]`, all alike.
    """
    guessed = random.random(len(best)) < epsilon
    drawn = (random.random(possible.shape) * possible).argmax(axis=1)
    return np.where(guessed, drawn, best), guessed
