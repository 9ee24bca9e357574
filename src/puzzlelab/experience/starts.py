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

from puzzlelab.core.batches import wandered
from puzzlelab.core.errors import BadOption, NotSuited
from puzzlelab.core.puzzle import Backwards, Puzzle, State, scale_of
from puzzlelab.core.settings import Settings

UNKNOWN = np.iinfo(np.int32).max
"""In the place of a number of moves that nothing is known of."""


class Starting(Settings):
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
    """Evenly: from first to last in `over` steps. Won: by one after three examinations in a row with more than `share`
    of the games won, as Spence (2021) does.
    """
    over: int = Field(default=10_000, ge=1)
    share: float = Field(default=0.8, ge=0, le=1)

    @model_validator(mode="after")
    def _rises(self) -> Starting:
        if self.last and self.last < self.first:
            raise ValueError(f"the last difficulty, {self.last}, is less than the first, {self.first}")
        if self.walks and not self.first:
            raise ValueError("walks need a first difficulty of 1 or more, the length of the longest at the beginning")
        return self


IN_A_ROW = 3
"""Examinations in a row that must be won before games become harder."""


@dataclass
class Starts:
    """Makes the boards; `difficulty` and `wins` are all that changes."""

    puzzle: Puzzle
    settings: Starting
    difficulty: int = 0
    wins: int = 0
    """Examinations in a row that were won."""

    @classmethod
    def of(cls, puzzle: Puzzle, settings: Starting) -> Starts:
        """At the first difficulty; raises `NotSuited`, `UnknownName` or `BadOption` for what the puzzle cannot make."""
        if settings.walks and not isinstance(puzzle, Backwards):
            raise NotSuited(f"moves of {puzzle.name} cannot be undone, so that no walk leads from its goal")
        if settings.walks < 1:
            scale = scale_of(puzzle, settings.scale or None)[1]
            if scale.levels and settings.first and not scale.levels[0] <= settings.first <= scale.levels[1]:
                raise BadOption(f"this scale goes from {scale.levels[0]} to {scale.levels[1]}, not to {settings.first}")
        return cls(puzzle, settings, settings.first)

    def boards(self, count: int, random: np.random.Generator) -> tuple[State, NDArray[np.int32]]:
        """(`states[B, S]`, `int32[B]`: the most moves that each can need, or UNKNOWN)."""
        walks = random.random(count) < self.settings.walks
        known = np.full(count, UNKNOWN, np.int32)
        parts: list[tuple[NDArray[np.bool_], State]] = []
        if walks.any():
            assert isinstance(self.puzzle, Backwards)
            goals = self.puzzle.goals()
            lengths = random.integers(1, self.difficulty + 1, int(walks.sum()))
            begins = goals[random.integers(len(goals), size=lengths.size)]
            parts.append((walks, wandered(self.puzzle, begins, lengths, random)))
            known[walks] = lengths
        if not walks.all():
            sample, level = scale_of(self.puzzle, self.settings.scale or None)[1].sample, self.difficulty or None
            drawn = [sample(random, None if self.settings.walks else level) for _ in range(int((~walks).sum()))]
            parts.append((~walks, np.array(drawn)))
        states = np.empty((count, parts[0][1].shape[1]), parts[0][1].dtype)
        for rows, made in parts:
            states[rows] = made
        return states, known

    def stepped(self, step: int) -> None:
        """Be as hard as it is time for at this step."""
        if self.settings.grows == "evenly":
            part = min(1.0, step / self.settings.over)
            self.difficulty = round(self.settings.first + part * (self.settings.last - self.settings.first))

    def examined(self, won: float) -> None:
        """Note that so large a share of the games was won, and become harder when that is due."""
        if self.settings.grows != "won":
            return
        self.wins = self.wins + 1 if won > self.settings.share else 0
        if self.wins == IN_A_ROW:
            self.wins, self.difficulty = 0, min(self.difficulty + 1, self.settings.last)
