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
from puzzlelab.core.batches import children
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.experience.histories import Histories
from puzzlelab.experience.memory import Batch, Memory, Remembering
from puzzlelab.experience.play import Play
from puzzlelab.experience.starts import UNKNOWN, Starting, Starts
from puzzlelab.nets.device import device
from puzzlelab.training import learner, loop, playing
from puzzlelab.training.exams import Examination, Figures
from puzzlelab.training.exploration import Exploration, Exploring, explored
from puzzlelab.training.feed import SAMPLE
from puzzlelab.training.learner import Learner, Learning, Losses
from puzzlelab.training.losses import Distance, value_loss
from puzzlelab.training.runs import Run
from puzzlelab.training.slow import Following, Slow


class ValueIteration(Settings):
    """Every setting of the recipe."""

    recipe: Literal["value_iteration"] = "value_iteration"
    puzzle: str
    seed: int = Field(default=0, ge=0)
    network: dict[str, Any]
    """With the head `remaining`."""
    games: int = Field(default=1000, ge=1)
    """That are played at once."""
    max_moves: int = Field(default=50, ge=1)
    """After which a game is given up."""
    every: int = Field(default=4, ge=1)
    """Steps of learning for each move of all games."""
    starts: Starting = Starting()
    exploring: Exploring = Exploring()
    memory: Remembering = Remembering(size=0)
    """Of games that have ended; without one, states are learned from as they are come to."""
    slow: Following = Following()
    bounded: bool = True
    """Whether a state needs no more moves than the walk that led to it had, or the game that was won from there."""
    trust: float = Field(default=0.5, ge=0, le=1)
    """What the moves of a game that was won count, beside what a look one move ahead says."""
    most: float = Field(default=1000.0, gt=0)
    """No state is taken to need more moves, not even one without a move. Else states that no game was won from look
    worse at every step, and so do those that look like them.
    """
    margin: float = Field(default=2.0, ge=0)
    """Where all games begin with walks, no state is taken to need more moves than their difficulty and this."""
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
    histories: Histories
    exploration: Exploration
    memory: Memory
    turns: int = 0

    @classmethod
    def new(cls, settings: ValueIteration) -> Walker:
        """With random weights, and all games at their beginning."""
        puzzle = registry.load(settings.puzzle)
        student = learner.new(puzzle, settings.network, settings.learning, settings.seed)
        playing.set_out(student, settings.middle, settings.spread)
        random = generator(settings.seed, playing.BEGIN)
        play = Play.of(puzzle, Starts.of(puzzle, settings.starts), settings.max_moves, settings.games, random)
        exploration, memory = Exploration.of(settings.exploring), Memory(settings.memory)
        slow = Slow.of(student.model, settings.slow)
        return cls(settings, puzzle, student, slow, play, Histories.of(play), exploration, memory)

    def step(self) -> Mapping[str, float]:
        step, settings = self.learner.step, self.settings
        self.exploration.stepped(step)
        self.play.starts.stepped(step)
        if step % settings.every == 0:
            self._turn()
        while len(self.memory) < min(settings.learning.batch, settings.memory.size):
            self._turn()
        batch = self.memory.batch(settings.learning.batch, step, generator(settings.seed, SAMPLE, step))
        errors: list[Tensor] = []
        found = self.learner.update(lambda: self._losses(batch, errors))
        self.memory.learned(batch, errors[0].detach().abs().double().cpu().numpy())
        self.slow.follow(self.learner.model.module, self.learner.step)
        return found

    # --- playing ---

    def _turn(self) -> None:
        """Make a move in every game, and remember those that ended by it."""
        random = generator(self.settings.seed, playing.TURN, self.turns)
        self.turns += 1
        costs = self._ahead(self.play.states)
        moves, guessed = explored(costs.argmin(axis=1), np.isfinite(costs), self.exploration.epsilon, random)
        before, lengths = self.play.tally.copy(), self.play.length + 1
        here = {"state": self.play.states, "bound": self.play.known.copy(), "worth": costs.min(axis=1)}
        self.histories.note(self.play)
        turn = self.play.turn(moves, guessed, random)
        games, _, made, guesses = (self.play.tally - before).tolist()
        self.exploration.finished(games, made, guesses)
        if not self.settings.memory.size:
            self.memory.append({**here, "left": np.full(len(lengths), UNKNOWN, np.int32)})
        elif games:
            self.memory.append(self.histories.after(turn, lengths))

    def _ahead(self, states: State) -> NDArray[np.float64]:
        """`float64[B, M]`: the moves that remain with each move, by the slow network; inf where it is impossible."""
        ahead = children(self.puzzle, states)
        costs = np.full((len(states), self.puzzle.move_count), np.inf)
        later = np.where(ahead.solved, 0.0, np.maximum(self.slow.model.remaining(ahead.states), 1.0))
        costs[ahead.owner, ahead.move] = 1.0 + later
        return costs

    # --- learning ---

    def _losses(self, batch: Batch, errors: list[Tensor]) -> Losses:
        """The loss; `errors` is given how far each state was off."""
        model, columns = self.learner.model, batch.columns
        worth = columns["worth"] if "worth" in columns else self._ahead(columns["state"]).min(axis=1)
        if self.settings.bounded:
            worth = np.minimum(worth, columns["bound"])
        left = np.where(columns["left"] == UNKNOWN, worth, columns["left"])
        worth += self.settings.trust * (left - worth)
        wanted = model.tensor(np.minimum(worth, self._most).astype(np.float32))
        found = model.answers(columns["state"])["remaining"]
        errors.append(wanted - found)
        weights = None if batch.weights is None else model.tensor(batch.weights)
        return {"remaining_loss": value_loss(found, wanted, self.settings.distance, weights)}

    @property
    def _most(self) -> float:
        return min(self.settings.most, self.play.starts.most(self.settings.margin))

    # --- telling and keeping ---

    def figures(self) -> Figures:
        return playing.figures(self.play) | {"epsilon": self.exploration.epsilon, "turns": self.turns}

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        parts = {"play": self.play.state(), "histories": self.histories.state(), "memory": self.memory.state()}
        told = {"turns": self.turns, "epsilon": self.exploration.epsilon}
        return playing.tensors(parts) | self.slow.state(), told

    def restore(self, tensors: Mapping[str, Tensor], told: Mapping[str, Any]) -> None:
        self.play.restore(playing.arrays(tensors, "play"))
        self.histories.restore(playing.arrays(tensors, "histories"))
        self.memory.restore(playing.arrays(tensors, "memory"))
        self.slow.restore(tensors)
        self.turns, self.exploration.epsilon = told["turns"], told["epsilon"]

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
