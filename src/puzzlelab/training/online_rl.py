"""What recipes share that learn from games which they play themselves: the games, what is remembered, what is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.core.networks import NetworkOptions
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.experience.curriculum import CurriculumSettings, StartSampler
from puzzlelab.experience.replay import ReplayBatch, ReplayBuffer, ReplaySettings
from puzzlelab.experience.vector_game import Transition, VectorGame
from puzzlelab.nets.device import device
from puzzlelab.training import learner
from puzzlelab.training.evaluation import EvalSettings, Figures
from puzzlelab.training.exploration import Exploration, ExplorationSettings, explored
from puzzlelab.training.learner import Learner, LearnerSettings, Losses
from puzzlelab.training.losses import Distance
from puzzlelab.training.shard_loader import SAMPLE
from puzzlelab.training.target_network import TargetNetwork, TargetUpdate

BEGIN, TURN = 3, 4
"""The branches of the run's seed that make the first boards, and the moves and boards of each turn."""


class OnlineSettings(Settings):
    """The settings of every such recipe."""

    puzzle: str
    seed: int = Field(default=0, ge=0)
    network: NetworkOptions
    games: int = Field(default=1000, ge=1)
    """That are played at once."""
    max_moves: int = Field(default=100, ge=1)
    """After which a game is given up."""
    every: int = Field(default=1, ge=1)
    """Steps of learning for each move of all games."""
    warmup: int = Field(default=0, ge=0)
    """Games that end before the first step."""
    starts: CurriculumSettings = CurriculumSettings()
    exploring: ExplorationSettings = ExplorationSettings()
    memory: ReplaySettings = ReplaySettings()
    slow: TargetUpdate = TargetUpdate()
    margin: float = Field(default=2.0, ge=0)
    """Where all games begin with walks, no state is taken to need more moves than their difficulty and this."""
    distance: Distance = "huber"
    middle: float = 0.0
    """What the network says of everything at the beginning."""
    spread: float = Field(default=1.0, gt=0)
    """In which unit it thinks."""
    learning: LearnerSettings = LearnerSettings()
    exam: EvalSettings = EvalSettings(games=0)


class EpisodeStatistics(Protocol):
    """What is noted of the games as they go on."""

    def state(self) -> Mapping[str, NDArray[Any]]: ...
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...


class Actor(Protocol):
    """What a recipe does at the table."""

    @property
    def record(self) -> EpisodeStatistics:
        """What it notes."""

    def turn(self) -> None:
        """Make a move in every game, and remember what there is to learn by it."""

    def losses(self, batch: ReplayBatch, errors: list[Tensor]) -> Losses:
        """The loss on what was remembered; the errors `float[B]` go into `errors`."""


@dataclass
class OnlineTask:
    """The games, and the network that plays them: what a `TrainingTask` is."""

    settings: OnlineSettings
    learner: Learner
    slow: TargetNetwork
    play: VectorGame
    exploration: Exploration
    memory: ReplayBuffer
    player: Actor = field(init=False)
    turns: int = 0

    @classmethod
    def of(cls, puzzle: Puzzle, settings: OnlineSettings, player: Callable[[OnlineTask], Actor]) -> OnlineTask:
        """With random weights, all games at their beginning, and the player that is made for it."""
        student = learner.new(puzzle, settings.network, settings.learning, settings.seed)
        set_out(student, settings.middle, settings.spread)
        starts, random = StartSampler.of(puzzle, settings.starts), generator(settings.seed, BEGIN)
        play = VectorGame.of(puzzle, starts, settings.max_moves, settings.games, random)
        exploration, memory = Exploration.of(settings.exploring), ReplayBuffer(settings.memory)
        slow = TargetNetwork.of(student.model, settings.slow)
        table = cls(settings, student, slow, play, exploration, memory)
        table.player = player(table)
        return table

    def step(self) -> Mapping[str, float]:
        """Let the player make a turn when it is time for one, and learn once from what is remembered."""
        step, settings = self.learner.step, self.settings
        self.exploration.stepped(step)
        self.play.starts.stepped(step)
        while step == 0 and self.play.tally[0] < settings.warmup:
            self.player.turn()
        if step % settings.every == 0:
            self.player.turn()
        while not self.memory.can_sample(settings.learning.batch):
            self.player.turn()
        batch = self.memory.sample(settings.learning.batch, step, generator(settings.seed, SAMPLE, step))
        errors: list[Tensor] = []
        found = self.learner.update(lambda: self.player.losses(batch, errors))
        self.memory.update_priorities(batch, errors[0].detach().abs().double().cpu().numpy())
        self.slow.follow(self.learner.model.module, self.learner.step)
        return found

    def moved(self, best: NDArray[np.int64], possible: NDArray[np.bool_]) -> Transition:
        """Make the best move `int64[B]` in every game, or now and then any of the possible ones `bool[B, M]`."""
        random = generator(self.settings.seed, TURN, self.turns)
        self.turns += 1
        moves, guessed = explored(best, possible, self.exploration.epsilon, random)
        before = self.play.tally.copy()
        turn = self.play.step(moves, guessed, random)
        games, _, made, guesses = (self.play.tally - before).tolist()
        self.exploration.finished(games, made, guesses)
        return turn

    # --- telling and keeping ---

    def figures(self) -> Figures:
        """How the games went since this was asked last; then they are counted anew."""
        games, won, moves, guesses = self.play.tally.tolist()
        left = float(self.play.final_estimates[0])
        self.play.tally[:] = self.play.final_estimates[:] = 0
        found: Figures = {"difficulty": self.play.starts.difficulty, "games": games}
        if games:
            found |= {"won": won / games, "length": moves / games, "guesses": guesses / games, "left": left / games}
        return found | {"epsilon": self.exploration.epsilon, "turns": self.turns}

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        """All that `restore` needs beside the learner."""
        parts = {"play": self.play.state(), "record": self.player.record.state(), "memory": self.memory.state()}
        told = {"turns": self.turns, "epsilon": self.exploration.epsilon}
        return tensors(parts) | self.slow.state(), told

    def restore(self, tensors: Mapping[str, Tensor], told: Mapping[str, Any]) -> None:
        """Become the table that gave this state."""
        self.play.restore(arrays(tensors, "play"))
        self.player.record.restore(arrays(tensors, "record"))
        self.memory.restore(arrays(tensors, "memory"))
        self.slow.restore(tensors)
        self.turns, self.exploration.epsilon = told["turns"], told["epsilon"]

    def saved(self) -> None:
        """Nothing lies about that may go."""


def check(settings: OnlineSettings, head: str) -> None:
    """Raise `BadInput` for games that cannot begin, a network that cannot be built, or one without this head."""
    puzzle: Any = registry.load(settings.puzzle)
    StartSampler.of(puzzle, settings.starts)
    device(settings.learning.device)
    heads = learner.checked(puzzle, settings.network).heads
    if head not in heads:
        raise BadOption(f"this recipe trains the head '{head}', and the network has {' and '.join(heads)}")


def set_out(student: Learner, middle: float, spread: float) -> None:
    """Let the network say `middle` at the beginning, and think in units of `spread`."""
    for scalar in student.scalars():
        scalar.middle.fill_(middle)
        scalar.spread.fill_(spread)


def tensors(parts: Mapping[str, Mapping[str, NDArray[Any]]]) -> dict[str, Tensor]:
    """Arrays of several parts, as tensors under names that tell the part."""
    named = {f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()}
    return {name: torch.as_tensor(np.array(array)) for name, array in named.items()}


def arrays(tensors: Mapping[str, Tensor], part: str) -> dict[str, NDArray[Any]]:
    """The arrays of one part."""
    prefix = f"{part}."
    return {name.removeprefix(prefix): value.numpy() for name, value in tensors.items() if name.startswith(prefix)}
