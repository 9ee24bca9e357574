"""Approximate value iteration: a state is worth one move more than the best of what it leads to, by a slow network.

The states are those that the network itself comes to from boards near and far, so that it learns where it goes wrong.
Source: Bertsekas and Tsitsiklis, "Neuro-dynamic programming" (1996); with walks from the goal, as Agostinelli et al.
(2019).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.batches import Children, children
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.experience.backups import Backups
from puzzlelab.experience.play import Play
from puzzlelab.experience.starts import Starting, Starts
from puzzlelab.nets.device import device
from puzzlelab.training import learner, loop, playing
from puzzlelab.training.exams import Examination, Figures
from puzzlelab.training.exploration import Exploration, Exploring, explored
from puzzlelab.training.learner import Learner, Learning, Losses
from puzzlelab.training.losses import Distance, value_loss
from puzzlelab.training.runs import Run
from puzzlelab.training.slow import Following, Slow


class ValueIteration(Settings):
    """Every setting of the recipe; as many games are played at once as a batch has samples."""

    recipe: Literal["value_iteration"] = "value_iteration"
    puzzle: str
    seed: int = Field(default=0, ge=0)
    network: dict[str, Any]
    """With the head `remaining`."""
    max_moves: int = Field(default=50, ge=1)
    """After which a game is given up."""
    starts: Starting = Starting()
    exploring: Exploring = Exploring()
    slow: Following = Following()
    horizon: int = Field(default=1, ge=1)
    """Moves of the game after a state that say what it is worth."""
    bounded: bool = True
    """Whether a board that a walk led to needs no more moves than the walk had."""
    dead: float = Field(default=1000.0, gt=0)
    """What a state without a move costs."""
    distance: Distance = "huber"
    middle: float = 0.0
    """What the network says of every state at the beginning."""
    spread: float = Field(default=1.0, gt=0)
    """In which unit it thinks."""
    learning: Learning = Learning()
    exam: Examination = Examination(games=0)


@dataclass
class Walker:
    """A network that plays, and looks one move ahead to learn."""

    settings: ValueIteration
    puzzle: Puzzle
    learner: Learner
    slow: Slow
    play: Play
    backups: Backups
    exploration: Exploration

    @classmethod
    def new(cls, settings: ValueIteration) -> Walker:
        """With random weights, and all games at their beginning."""
        puzzle = registry.load(settings.puzzle)
        student = learner.new(puzzle, settings.network, settings.learning, settings.seed)
        playing.set_out(student, settings.middle, settings.spread)
        random = generator(settings.seed, playing.BEGIN)
        starts = Starts.of(puzzle, settings.starts)
        play = Play.of(puzzle, starts, settings.max_moves, settings.learning.batch, random)
        backups, slow = Backups.of(settings.horizon, play.states), Slow.of(student.model, settings.slow)
        return cls(settings, puzzle, student, slow, play, backups, Exploration.of(settings.exploring))

    def step(self) -> Mapping[str, float]:
        step = self.learner.step
        self.exploration.stepped(step)
        self.play.starts.stepped(step)
        states, wanted = self._turn(generator(self.settings.seed, playing.TURN, step))
        found = self.learner.update(lambda: self._losses(states, wanted))
        self.slow.follow(self.learner.model.module, self.learner.step)
        return found

    def _turn(self, random: np.random.Generator) -> tuple[NDArray[Any], NDArray[np.float32]]:
        """Make a move in every game; the states whose worth is known by it, and what it is."""
        ahead = children(self.puzzle, self.play.states)
        best, worth = self._best(ahead)
        if self.settings.bounded:
            worth = np.minimum(worth, self.play.known)
        possible = np.zeros((len(best), self.puzzle.move_count), bool)
        possible[ahead.owner, ahead.move] = True
        moves, guessed = explored(best, possible, self.exploration.epsilon, random)
        before = self.play.tally.copy()
        turn = self.play.turn(moves, guessed, random)
        games, _, made, guesses = (self.play.tally - before).tolist()
        self.exploration.finished(games, made, guesses)
        return self.backups.after(turn, worth.astype(np.float32))

    def _best(self, ahead: Children) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """(`int64[B]`: the best move, `float64[B]`: the moves that remain with it) by the slow network."""
        games = len(self.play.states)
        costs = np.where(ahead.solved, 0.0, np.maximum(self.slow.model.remaining(ahead.states), 1.0)) + 1.0
        worth = np.full((games, self.puzzle.move_count), np.inf)
        worth[ahead.owner, ahead.move] = costs
        return worth.argmin(axis=1), np.minimum(worth.min(axis=1), self.settings.dead)

    def _losses(self, states: NDArray[Any], wanted: NDArray[np.float32]) -> Losses:
        model = self.learner.model
        found = model.answers(states)["remaining"]
        return {"remaining_loss": value_loss(found, model.tensor(wanted), self.settings.distance)}

    # --- telling and keeping ---

    def figures(self) -> Figures:
        return playing.figures(self.play) | {"epsilon": self.exploration.epsilon}

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        parts = {"play": self.play.state(), "backups": self.backups.state()}
        return playing.tensors(parts) | self.slow.state(), {"epsilon": self.exploration.epsilon}

    def restore(self, tensors: Mapping[str, Tensor], told: Mapping[str, Any]) -> None:
        self.play.restore(playing.arrays(tensors, "play"))
        self.backups.restore(playing.arrays(tensors, "backups"))
        self.slow.restore(tensors)
        self.exploration.epsilon = told["epsilon"]

    def saved(self) -> None:
        """Nothing lies about."""


@dataclass(frozen=True)
class ValueIterationRecipe:
    """One program: whoever plays must know what has been learned."""

    settings = ValueIteration

    def check(self, settings: ValueIteration) -> None:
        puzzle = registry.load(settings.puzzle)
        Starts.of(puzzle, settings.starts)
        playing.check(settings.network, puzzle, "remaining")
        device(settings.learning.device)

    def learn(self, run: Run, settings: ValueIteration, watch: Callable[[], None]) -> None:
        loop.learn(run, settings, watch, lambda: Walker.new(settings))


RECIPE = ValueIterationRecipe()
