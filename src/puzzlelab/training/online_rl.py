"""Reinforcement learning from games that the learner plays itself: games, replay buffer, and target network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import Samples, scale_of
from puzzlelab.engine.executor import Executor
from puzzlelab.experience.curriculum import CurriculumSettings, StartSampler
from puzzlelab.experience.replay import ReplayBuffer, ReplaySettings
from puzzlelab.experience.ring import DrawnBatch
from puzzlelab.experience.vector_game import VectorGame
from puzzlelab.nets.device import device
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training.acting import INITIAL_BOARDS, Acting, ActingRules, ActingSettings, GamesSummary, OwnGames
from puzzlelab.training.acting_blocks import ActingBlocks
from puzzlelab.training.evaluation import EvalSettings, Evaluator, Metrics
from puzzlelab.training.exploration import Exploration, ExplorationSettings
from puzzlelab.training.learner import Learner, Losses, check_network, new_learner
from puzzlelab.training.loop import TrainingTask
from puzzlelab.training.policy_play import PolicyChecks, PolicyGames, play_policy
from puzzlelab.training.recipe import Watch
from puzzlelab.training.runs import Run
from puzzlelab.training.settings import Distance, RecipeSettings
from puzzlelab.training.shard_loader import SAMPLING
from puzzlelab.training.target_network import TargetNetwork, TargetUpdate

CHECKS = 8
"""The branch of the run's seed for the boards of each evaluation of the curriculum."""


class PlaySettings(RecipeSettings):
    """The settings of the games that a learner plays."""

    evaluation: EvalSettings = EvalSettings(teacher_games=0)
    parallel_games: int = Field(default=1000, ge=1)
    """The number of games played side by side."""
    max_moves: int = Field(default=100, ge=1)
    """The move limit of a game."""
    curriculum: CurriculumSettings = CurriculumSettings()
    exploration: ExplorationSettings = ExplorationSettings()


class OnlineSettings(PlaySettings):
    """The settings of every recipe that trains a network on its own games."""

    acting: ActingSettings = ActingSettings()
    steps_per_move: int = Field(default=1, ge=1)
    """Training steps for each move in all games; where they are played in blocks, in all games of a group."""
    warmup_games: int = Field(default=0, ge=0)
    """Games that end before the first training step."""
    replay: ReplaySettings = ReplaySettings()
    target_network: TargetUpdate = TargetUpdate()
    slack: float = Field(default=2.0, ge=0)
    """The slack: where all games start with random walks, the remaining moves of a state are bounded by the difficulty
    plus this.
    """
    distance: Distance = "huber"
    """The measure of the difference between a value and its target."""
    output_mean: float = 0.0
    """The output of the untrained network."""
    output_scale: float = Field(default=1.0, gt=0)
    """The unit of the network's output layer."""


@dataclass(kw_only=True)
class GameTask(TrainingTask):
    """The games, and the learner that they are played for; a recipe's own class chooses the moves and learns."""

    settings: Any
    learner: Learner
    games: GamesSummary
    exploration: Exploration
    turns: int = 0
    """Moves made in each game; where they are played in blocks, in all groups together."""
    checks: PolicyChecks = field(default_factory=PolicyChecks)

    def best_moves(self, model: TorchModel, states: State, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the best of the legal moves `bool[B, M]` in each of the plain `states[B, S]` by this model:
        `int64[B]`.
        """
        raise NotImplementedError

    def check_policy(self) -> None:
        """Play new boards of the curriculum's difficulty without random moves, where evaluations decide how it goes
        on.
        """
        start_sampler = self.games.start_sampler
        if not start_sampler.evaluation_due:
            return
        curriculum = start_sampler.settings
        boards = curriculum.evaluation_boards
        states, _ = start_sampler.boards(boards, generator(self.settings.seed, CHECKS, self.checks.count))
        games = self._play_policy(self.learner.model, states, self.settings.max_moves)
        self.checks.add(games, scale_of(start_sampler.puzzle, curriculum.scale or None)[1])
        start_sampler.evaluated(boards, int(games.solved.sum()))

    def _play_policy(self, model: TorchModel, states: State, max_moves: int) -> PolicyGames:
        """Play by this model alone from these states."""
        return play_policy(self.learner.puzzle, states, partial(self.best_moves, model), max_moves)

    # --- metrics and saving ---

    def metrics(self) -> Metrics:
        """Return statistics of the games that ended since the last call."""
        games, won, moves, random_moves = self.games.tally.tolist()
        distance = float(self.games.final_estimates[0])
        self.games.tally[:] = self.games.final_estimates[:] = 0
        metrics: Metrics = {"difficulty": self.games.start_sampler.difficulty, "games": games}
        if games:
            metrics |= {"won": won / games, "length": moves / games}
            metrics |= {"random_moves": random_moves / games, "final_estimate": distance / games}
        return metrics | self.checks.metrics() | {"epsilon": self.exploration.epsilon, "turns": self.turns}

    def policy_metrics(self, evaluator: Evaluator, settings: EvalSettings) -> Metrics:
        """Return `level_left`: the mean level of the last states of policy-only play from the boards of an
        evaluation.
        """
        samples = self.learner.puzzle.view(Samples)
        if samples is None or not samples.scales:
            return {}
        scale = scale_of(self.learner.puzzle, settings.scale)[1]
        if scale.measure is None:
            return {}
        games = self._play_policy(self.learner.ema_model, np.array(evaluator.states), settings.max_moves)
        level = games.mean_level(scale)
        return {} if level is None else {"level_left": level}

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        """Return all that `restore` needs beside the learner."""
        values = {"turns": self.turns, "epsilon": self.exploration.epsilon, "checks": self.checks.state()}
        return to_tensors({"games": self.games.state()}), values

    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """Load a saved state."""
        self.games.restore(arrays_of(tensors, "games"))
        self.turns, self.exploration.epsilon = values["turns"], values["epsilon"]
        self.checks = PolicyChecks(**values["checks"])


@dataclass(kw_only=True)
class OnlineTask(GameTask):
    """Games of a network that learns from them by a replay buffer and a target network."""

    rules_type: ClassVar[type[ActingRules]] = ActingRules
    """The rules by which the recipe plays."""
    rules: Any
    acting: Acting
    target: TargetNetwork
    replay: ReplayBuffer

    @classmethod
    def new(cls, run: Run, settings: OnlineSettings, watch: Watch = lambda: None) -> Self:
        puzzle = registry.load(settings.puzzle)
        learner = new_learner(puzzle, settings.network, settings.learning, settings.seed)
        set_output_scale(learner, settings.output_mean, settings.output_scale)
        rules = cls.rules_type(puzzle, settings)
        games, acting = new_acting(rules, settings, watch)
        return cls(
            settings=settings,
            learner=learner,
            rules=rules,
            acting=acting,
            games=games,
            exploration=Exploration.of(settings.exploration),
            target=TargetNetwork.of(learner.model, settings.target_network),
            replay=ReplayBuffer(settings.replay),
        )

    @property
    def acting_model(self) -> TorchModel:
        """The network that plays."""
        return self.learner.model

    def act(self) -> None:
        """Append the transitions of the next move in all games to the replay buffer."""
        columns = self.acting.move(self.acting_model, self.exploration, self.turns)
        self.turns += 1
        if len(next(iter(columns.values()))):
            self.replay.append(columns)

    def best_moves(self, model: TorchModel, states: State, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        best: NDArray[np.int64] = self.rules.best_moves(model, states, legal)
        return best

    # --- learning ---

    def losses(self, batch: DrawnBatch, errors: list[Tensor]) -> Losses:
        """Return the loss on a batch of transitions; appends their errors `float[B]` to `errors`."""
        raise NotImplementedError

    def fit(self, batch: DrawnBatch, errors: list[Tensor], random: np.random.Generator) -> Mapping[str, float]:
        """Take one step of training on a batch of transitions: the losses; appends the errors as `losses` does."""
        return self.learner.update(lambda: self.losses(batch, errors))

    def step(self) -> Mapping[str, float]:
        """Make a move in every game when one is due, and train on a batch of transitions."""
        step, settings = self.learner.step, self.settings
        self.exploration.update_for_step(step)
        self.games.start_sampler.stepped(step)
        while step == 0 and self.games.tally[0] < settings.warmup_games:
            self.act()
        if step % settings.steps_per_move == 0:
            self.act()
        while not self.replay.can_sample(settings.learning.batch_size):
            self.act()
        random = generator(settings.seed, SAMPLING, step)
        batch = self.replay.sample(settings.learning.batch_size, step, random)
        errors: list[Tensor] = []
        losses = self.fit(batch, errors, random)
        self.replay.update_priorities(batch, errors[0].detach().abs().double().cpu().numpy())
        self.target.update(self.learner.model.module, self.learner.step)
        self.check_policy()
        return losses

    # --- an executor ---

    def use(self, executor: Executor) -> None:
        self.acting.use(executor)

    @property
    def executor_status(self) -> str:
        return self.acting.executor_status

    def close(self) -> None:
        self.acting.close()

    # --- saving ---

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        """Return all that `restore` needs beside the learner."""
        tensors, values = super().state()
        parts = {**self.acting.parts(), "replay": self.replay.state()}
        return {**tensors, **to_tensors(parts), **self.target.state()}, values

    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """Load a saved state."""
        super().restore(tensors, values)
        self.acting.restore_parts(partial(arrays_of, tensors))
        self.replay.restore(arrays_of(tensors, "replay"))
        self.target.restore(tensors)


def new_games(puzzle: Puzzle, settings: PlaySettings) -> VectorGame:
    """Return the games of a run before their first move."""
    start_sampler, random = StartSampler.of(puzzle, settings.curriculum), generator(settings.seed, INITIAL_BOARDS)
    return VectorGame.of(puzzle, start_sampler, settings.max_moves, settings.parallel_games, random)


def new_acting(rules: ActingRules, settings: OnlineSettings, watch: Watch) -> tuple[GamesSummary, Acting]:
    """Return the games of a run before their first move, and how they are played."""
    if settings.acting.num_env_runners:
        blocks = ActingBlocks(rules, StartSampler.of(rules.puzzle, settings.curriculum), watch)
        return blocks, blocks
    games = new_games(rules.puzzle, settings)
    return games, OwnGames(rules, games, rules.new_history(games))


def check_executor(settings: OnlineSettings) -> None:
    """Raise `BadOption` where the learner plays its games itself."""
    if not settings.acting.num_env_runners:
        raise BadOption(
            "with acting.num_env_runners=0 the learner plays its games itself, and leaves nothing to an executor: "
            "set it to the number of groups of games that are played at once"
        )


def check_settings(settings: OnlineSettings, head: str) -> None:
    """Raise `BadInput` for games that cannot start, a network that cannot be built, or one without this head."""
    puzzle: Any = registry.load(settings.puzzle)
    StartSampler.of(puzzle, settings.curriculum)
    device(settings.learning.device)
    heads = check_network(puzzle, settings.network).heads
    if head not in heads:
        raise BadOption(f"this recipe trains the head '{head}', and the network has {' and '.join(heads)}")


def set_output_scale(learner: Learner, mean: float, scale: float) -> None:
    """Set the mean and the scale of the network's scalar outputs."""
    for head in learner.scalar_heads():
        head.offset.fill_(mean)
        head.scale.fill_(scale)


def to_tensors(parts: Mapping[str, Mapping[str, NDArray[Any]]]) -> dict[str, Tensor]:
    """Return the arrays of several parts as tensors, named `part.array`."""
    arrays = {f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()}
    return {name: torch.as_tensor(np.array(array)) for name, array in arrays.items()}


def arrays_of(tensors: Mapping[str, Tensor], part: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of one part."""
    prefix = f"{part}."
    return {name.removeprefix(prefix): value.numpy() for name, value in tensors.items() if name.startswith(prefix)}
