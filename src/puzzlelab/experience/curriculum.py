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
from puzzlelab.core.settings import Adjustable, Settings
from puzzlelab.core.views import Reversible, scale_of
from puzzlelab.engine.batch_rules import random_walks

UNKNOWN = np.iinfo(np.int32).max
"""In the place of a number of moves that nothing is known of."""


class CurriculumSettings(Settings):
    """The boards that episodes start from, and the growth of their difficulty."""

    scale: str = ""
    """A difficulty scale of the puzzle; empty: its main one."""
    random_walk_share: float = Field(default=0.0, ge=0, le=1)
    """The share of boards that are random walks from the goal, each of 1 to `difficulty` moves; the other boards are
    sampled from the scale.
    """
    initial_difficulty: int = Field(default=0, ge=0)
    """The difficulty at the start: the longest random walk, and the level on the scale; 0: boards of every level."""
    max_difficulty: Adjustable[int] = Field(default=0, ge=0)
    """The greatest difficulty."""
    growth: Adjustable[Literal["never", "linear", "wins", "evaluations"]] = "never"
    """Linear: from the initial to the greatest difficulty in `growth_steps` steps. Wins: as soon as more than
    `win_rate` of `games_per_check` training games were won, `checks_in_a_row` times in a row. Evaluations: as soon as
    play without random moves solved more than `win_rate` of `evaluation_boards` new boards of the present difficulty,
    `checks_in_a_row` times in a row; Spence (2021) asks for three times more than 80 % of 10 boards.
    """
    growth_steps: Adjustable[int] = Field(default=10_000, ge=1)
    """Steps of the linear growth."""
    win_rate: Adjustable[float] = Field(default=0.8, ge=0, le=1)
    """The share of won games above which the difficulty grows."""
    games_per_check: Adjustable[int] = Field(default=1000, ge=1)
    """Games of which the share is taken."""
    evaluation_interval: Adjustable[int] = Field(default=50, ge=1)
    """Training games between two evaluations of the curriculum."""
    evaluation_boards: Adjustable[int] = Field(default=10, ge=1)
    """The boards of such an evaluation."""
    checks_in_a_row: Adjustable[int] = Field(default=3, ge=1)
    """Checks in a row that must be above the share."""
    increment: Adjustable[int] = Field(default=1, ge=1)
    """By how much the difficulty grows, after it was multiplied by `factor`."""
    factor: Adjustable[float] = Field(default=1.0, ge=1)
    """By what the difficulty is multiplied when it grows; with 2 it is doubled, and `increment` is added."""

    @model_validator(mode="after")
    def _consistent(self) -> CurriculumSettings:
        initial, greatest = self.initial_difficulty, self.max_difficulty
        if greatest and greatest < initial:
            raise ValueError(f"max_difficulty, {greatest}, is less than initial_difficulty, {initial}")
        if self.growth != "never" and not greatest:
            raise ValueError("a difficulty that grows needs max_difficulty")
        if self.random_walk_share and not initial:
            raise ValueError("random walks need an initial_difficulty of 1 or more, the length of the longest one")
        return self


@dataclass
class StartSampler:
    """The sampler of boards, which grow harder."""

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
        """Make a sampler at the first level; raises `Unsupported`, `UnknownName` or `BadOption` for impossible
        boards.
        """
        if settings.random_walk_share:
            _need_undoing(puzzle)
        if settings.random_walk_share < 1:
            levels = scale_of(puzzle, settings.scale or None)[1].levels
            for level in () if settings.random_walk_share else (settings.initial_difficulty, settings.max_difficulty):
                if levels and level and not levels[0] <= level <= levels[1]:
                    raise BadOption(f"this scale goes from {levels[0]} to {levels[1]}, not to {level}")
        return cls(puzzle, settings, settings.initial_difficulty)

    @classmethod
    def fixed(cls, puzzle: Puzzle, settings: CurriculumSettings, difficulty: int) -> StartSampler:
        """Make a sampler of constant difficulty."""
        return cls(puzzle, settings.model_copy(update={"growth": "never"}), difficulty)

    def boards(self, count: int, random: np.random.Generator) -> tuple[State, NDArray[np.int32]]:
        """Return (`states[B, S]`, `int32[B]`: the most moves that each can need, or UNKNOWN)."""
        walks = random.random(count) < self.settings.random_walk_share
        known = np.full(count, UNKNOWN, np.int32)
        parts: list[tuple[NDArray[np.bool_], State]] = []
        if walks.any():
            lengths = random.integers(1, self.difficulty + 1, int(walks.sum()))
            parts.append((walks, scrambled(self.puzzle, lengths, random)))
            known[walks] = lengths
        if not walks.all():
            scale = scale_of(self.puzzle, self.settings.scale or None)[1]
            level = None if self.settings.random_walk_share else self.difficulty or None
            parts.append((~walks, scale.sample(random, level, int((~walks).sum()))))
        states = np.empty((count, parts[0][1].shape[1]), parts[0][1].dtype)
        for rows, made in parts:
            states[rows] = made
        return states, known

    def most(self, margin: float) -> float:
        """Return how many moves a board can need, and this many more; inf where that is not known."""
        return self.difficulty + margin if self.settings.random_walk_share == 1 else np.inf

    def stepped(self, step: int) -> None:
        """Set the difficulty to that of this step."""
        settings = self.settings
        if settings.growth == "linear":
            first, part = settings.initial_difficulty, min(1.0, step / settings.growth_steps)
            self.difficulty = round(first + part * (settings.max_difficulty - first))

    def ended(self, games: int, won: int) -> None:
        """Note the numbers of games that ended and that were won, and become harder when that is due."""
        settings = self.settings
        self.games, self.won = self.games + games, self.won + won
        if settings.growth == "wins" and self.games >= settings.games_per_check:
            self.judge(self.games, self.won)

    @property
    def evaluation_due(self) -> bool:
        """Whether enough games ended since the last evaluation of the curriculum (`evaluations`)."""
        return self.settings.growth == "evaluations" and self.games >= self.settings.evaluation_interval

    def judge(self, games: int, won: int) -> None:
        """Become harder when that is due after a check: games, and those that were won, or solved without random
        moves.
        """
        settings = self.settings
        self.wins = self.wins + 1 if won > settings.win_rate * games else 0
        self.games = self.won = 0
        if self.wins == settings.checks_in_a_row:
            grown = int(self.difficulty * settings.factor) + settings.increment
            self.wins, self.difficulty = 0, min(grown, settings.max_difficulty)

    def state(self) -> list[int]:
        """Return all that `restore` needs."""
        return [self.difficulty, self.wins, self.games, self.won]

    def restore(self, state: list[int]) -> None:
        """Set the difficulty to that of a saved state."""
        self.difficulty, self.wins, self.games, self.won = state


def scrambled(puzzle: Puzzle, shifts: NDArray[np.int64], random: np.random.Generator) -> State:
    """Return boards `[B, S]` that these numbers of random moves, `int[B]`, made of a solved one, none undoing the one
    before.

    Raises `Unsupported` for a puzzle whose moves cannot be undone.
    """
    goals = _need_undoing(puzzle).goals()
    return random_walks(puzzle, goals[random.integers(len(goals), size=len(shifts))], shifts, random)


def _need_undoing(puzzle: Puzzle) -> Reversible:
    reversible = puzzle.view(Reversible)
    if reversible is None:
        raise Unsupported(f"moves of {puzzle.name} cannot be undone, so that no walk leads from its goal")
    return reversible
