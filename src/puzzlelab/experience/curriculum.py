"""Where games begin that a learner plays for itself: boards from a scale, or walks back from the goal, of a difficulty
that grows with what it can do.

Shapes: B = boards, S = length of a state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from puzzlelab.core.errors import BadOption, Unsupported
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.settings import Settings
from puzzlelab.core.views import Reversible, scale_of
from puzzlelab.engine.batch_rules import random_walks

UNKNOWN = np.iinfo(np.int32).max
"""In the place of a number of moves that nothing is known of."""


class CurriculumSettings(Settings):
    """Which boards games begin with."""

    scale: str = ""
    """Of the puzzle; its main one if this is empty."""
    walks: float = Field(default=0.0, ge=0, le=1)
    """The share of boards that are random walks from the goal instead, each of 1 to `difficulty` moves."""
    first: int = Field(default=0, ge=0)
    """The difficulty at the beginning: the longest walk, and the level on the scale; 0 asks the scale for no level."""
    last: int = Field(default=0, ge=0)
    """The greatest difficulty."""
    grows: Literal["never", "evenly", "won"] = "never"
    """Evenly: from first to last in `over` steps. Won: by `by` when more than `share` of so many `games` were won,
    `in_a_row` times; Spence (2021) asks for three times 80 % of 10 games.
    """
    over: int = Field(default=10_000, ge=1)
    share: float = Field(default=0.8, ge=0, le=1)
    games: int = Field(default=1000, ge=1)
    in_a_row: int = Field(default=3, ge=1)
    by: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _rises(self) -> CurriculumSettings:
        if self.last and self.last < self.first:
            raise ValueError(f"the last difficulty, {self.last}, is less than the first, {self.first}")
        if self.grows != "never" and not self.last:
            raise ValueError("a difficulty that grows needs a last one")
        if self.walks and not self.first:
            raise ValueError("walks need a first difficulty of 1 or more, the length of the longest at the beginning")
        return self


@dataclass
class StartSampler:
    """Makes the boards, and grows harder."""

    puzzle: Puzzle
    settings: CurriculumSettings
    difficulty: int = 0
    wins: int = 0
    """How often in a row enough games were won."""
    games: int = 0
    """Games that ended since it was judged last,"""
    won: int = 0
    """and how many of them were won."""

    @classmethod
    def of(cls, puzzle: Puzzle, settings: CurriculumSettings) -> StartSampler:
        """At the first level; raises `Unsupported`, `UnknownName` or `BadOption` for what the puzzle cannot make."""
        if settings.walks:
            _need_undoing(puzzle)
        if settings.walks < 1:
            levels = scale_of(puzzle, settings.scale or None)[1].levels
            for level in () if settings.walks else (settings.first, settings.last):
                if levels and level and not levels[0] <= level <= levels[1]:
                    raise BadOption(f"this scale goes from {levels[0]} to {levels[1]}, not to {level}")
        return cls(puzzle, settings, settings.first)

    def boards(self, count: int, random: np.random.Generator) -> tuple[State, NDArray[np.int32]]:
        """(`states[B, S]`, `int32[B]`: the most moves that each can need, or UNKNOWN)."""
        walks = random.random(count) < self.settings.walks
        known = np.full(count, UNKNOWN, np.int32)
        parts: list[tuple[NDArray[np.bool_], State]] = []
        if walks.any():
            lengths = random.integers(1, self.difficulty + 1, int(walks.sum()))
            parts.append((walks, scrambled(self.puzzle, lengths, random)))
            known[walks] = lengths
        if not walks.all():
            sample, level = scale_of(self.puzzle, self.settings.scale or None)[1].sample, self.difficulty or None
            drawn = [sample(random, None if self.settings.walks else level) for _ in range(int((~walks).sum()))]
            parts.append((~walks, np.array(drawn)))
        states = np.empty((count, parts[0][1].shape[1]), parts[0][1].dtype)
        for rows, made in parts:
            states[rows] = made
        return states, known

    def most(self, margin: float) -> float:
        """How many moves a board can need, and this many more; inf where that is not known."""
        return self.difficulty + margin if self.settings.walks == 1 else np.inf

    def stepped(self, step: int) -> None:
        """Be as hard as it is time for at this step."""
        if self.settings.grows == "evenly":
            part = min(1.0, step / self.settings.over)
            self.difficulty = round(self.settings.first + part * (self.settings.last - self.settings.first))

    def ended(self, games: int, won: int) -> None:
        """Note that so many games ended, of which so many were won, and become harder when that is due."""
        told = self.settings
        self.games, self.won = self.games + games, self.won + won
        if told.grows != "won" or self.games < told.games:
            return
        self.wins = self.wins + 1 if self.won > told.share * self.games else 0
        self.games = self.won = 0
        if self.wins == told.in_a_row:
            self.wins, self.difficulty = 0, min(self.difficulty + told.by, told.last)

    def state(self) -> list[int]:
        """All that `restore` needs."""
        return [self.difficulty, self.wins, self.games, self.won]

    def restore(self, state: list[int]) -> None:
        """Be as hard as what gave this state."""
        self.difficulty, self.wins, self.games, self.won = state


def scrambled(puzzle: Puzzle, shifts: NDArray[np.int64], random: np.random.Generator) -> State:
    """Boards `[B, S]` that so many random moves each, `int[B]`, made of a solved one, none undoing the one before.

    Raises `Unsupported` for a puzzle whose moves cannot be undone.
    """
    goals = _need_undoing(puzzle).goals()
    return random_walks(puzzle, goals[random.integers(len(goals), size=len(shifts))], shifts, random)


def _need_undoing(puzzle: Puzzle) -> Reversible:
    reversible = puzzle.view(Reversible)
    if reversible is None:
        raise Unsupported(f"moves of {puzzle.name} cannot be undone, so that no walk leads from its goal")
    return reversible
