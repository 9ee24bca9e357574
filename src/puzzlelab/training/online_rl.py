"""Reinforcement learning from games that the learner plays itself: games, replay buffer, and target network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

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
from puzzlelab.experience.histories import Returns, Trajectories
from puzzlelab.experience.replay import ReplayBuffer, ReplaySettings
from puzzlelab.experience.vector_game import VectorGame
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training.acting import (
    INITIAL_BOARDS,
    ActingBlocks,
    ActingSettings,
    Arrays,
    LearningMethod,
    flat,
    part_of,
)
from puzzlelab.training.evaluation import EvalSettings, Evaluator, Metrics
from puzzlelab.training.exploration import (
    ExplorationSettings,
    epsilon_after_games,
    epsilon_at_step,
    mean_level,
    play_policy,
)
from puzzlelab.training.learner import Learner, check_network, new_learner
from puzzlelab.training.loop import Task
from puzzlelab.training.losses import loss_of
from puzzlelab.training.recipe import Watch
from puzzlelab.training.runs import Run
from puzzlelab.training.settings import BoardBytes, Distance, RecipeSettings
from puzzlelab.training.shard_loader import SAMPLING
from puzzlelab.training.target_network import TargetNetwork, TargetUpdate

TURNS = 4
"""The branch of the run's seed for the moves and new boards of each turn."""
CHECKS = 8
"""The branch of the run's seed for the boards of each evaluation of the curriculum."""

T = TypeVar("T")


class PlaySettings(RecipeSettings):
    """The settings of the games that a learner plays."""

    evaluation: EvalSettings = EvalSettings(teacher_games=0)
    parallel_games: int = Field(default=1000, ge=1)
    """The number of games played side by side."""
    max_moves: int = Field(default=100, ge=1)
    """The move limit of a game."""
    curriculum: CurriculumSettings = CurriculumSettings()
    exploration: ExplorationSettings = ExplorationSettings()

    def memory_needs(self, board: BoardBytes) -> dict[str, int]:
        """Return the least bytes of memory for each setting that is a number of boards."""
        return {**super().memory_needs(board), "parallel_games": self.parallel_games * board.played}


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

    def memory_needs(self, board: BoardBytes) -> dict[str, int]:
        """Return the least bytes of memory for each setting that is a number of boards."""
        return {**super().memory_needs(board), "replay.size": 2 * self.replay.size * board.state}


@dataclass(kw_only=True)
class Play:
    """The games of a learner: how random their moves are, and how they become harder."""

    settings: Any
    learner: Learner
    games: VectorGame | ActingBlocks
    best_moves: Callable[[TorchModel, State, NDArray[np.bool_]], NDArray[np.int64]]
    """Returns the best of the legal moves `bool[B, M]` in each of the plain `states[B, S]` by this model:
    `int64[B]`.
    """
    epsilon: float
    """The present share of random moves."""
    turns: int = 0
    """Moves made in each game; where they are played in blocks, in all groups together."""
    checks: Metrics = field(default_factory=dict)
    """The number of evaluations of the curriculum (`checks`) and of the boards solved in all of them (`finishes`); the
    share of boards solved in the last one (`check_solved`), and the mean level of its last states (`check_level`), if
    the scale can measure states.
    """

    def begin_step(self) -> None:
        """Set the share of random moves and the difficulty to those of the present step."""
        step = self.learner.step
        self.epsilon = epsilon_at_step(self.settings.exploration, self.epsilon, step)
        self.games.start_sampler.stepped(step)

    def turn(self, move: Callable[[float, np.random.Generator], T]) -> T:
        """Make a move in every game, by a function of the share of random moves and a random generator; its result."""
        random, before = generator(self.settings.seed, TURNS, self.turns), self.games.tally.copy()
        self.turns += 1
        result = move(self.epsilon, random)
        self.epsilon = epsilon_after_games(self.settings.exploration, self.epsilon, self.games.tally - before)
        return result

    def check_policy(self) -> None:
        """Play new boards of the curriculum's difficulty without random moves, where evaluations decide how it goes
        on.
        """
        start_sampler = self.games.start_sampler
        if not start_sampler.evaluation_due:
            return
        curriculum, number = start_sampler.settings, int(self.checks.get("checks", 0))
        boards = curriculum.evaluation_boards
        states, _ = start_sampler.boards(boards, generator(self.settings.seed, CHECKS, number))
        is_solved, last = self._play_policy(self.learner.model, states, self.settings.max_moves)
        level = mean_level(scale_of(start_sampler.puzzle, curriculum.scale or None)[1], is_solved, last)
        solved = int(is_solved.sum())
        finishes = self.checks.get("finishes", 0) + solved
        self.checks = {"checks": number + 1, "check_solved": float(is_solved.mean()), "finishes": finishes}
        self.checks |= {} if level is None else {"check_level": level}
        start_sampler.judge(boards, solved)

    def _play_policy(self, model: TorchModel, states: State, max_moves: int) -> tuple[NDArray[np.bool_], State]:
        """Play by this model alone from these states; see `play_policy`."""
        return play_policy(self.learner.puzzle, states, partial(self.best_moves, model), max_moves)

    # --- metrics and saving ---

    def metrics(self) -> Metrics:
        """Return statistics of the games that ended since the last call: a tenth had at most `length_low` moves, and
        nine tenths at most `length_high`.
        """
        games, won, moves, random_moves = self.games.tally.tolist()
        distance = float(self.games.final_estimates[0])
        ended = self.games.length_counts.cumsum()
        self.games.tally[:] = self.games.final_estimates[:] = self.games.length_counts[:] = 0
        metrics: Metrics = {"difficulty": self.games.start_sampler.difficulty, "games": games}
        if games:
            low, high = np.searchsorted(ended, ended[-1] * np.array([0.1, 0.9])).tolist()
            metrics |= {"won": won / games, "length": moves / games, "length_low": low, "length_high": high}
            metrics |= {"random_moves": random_moves / games, "final_estimate": distance / games}
        return metrics | self.checks | {"epsilon": self.epsilon, "turns": self.turns}

    def policy_metrics(self, evaluator: Evaluator) -> Metrics:
        """Return `level_left`: the mean level of the last states of policy-only play from the boards of an
        evaluation.
        """
        samples = self.learner.puzzle.view(Samples)
        if samples is None or not samples.scales:
            return {}
        scale = scale_of(self.learner.puzzle, evaluator.settings.scale)[1]
        if scale.measure is None:
            return {}
        games = self._play_policy(self.learner.ema_model, np.array(evaluator.states), evaluator.settings.max_moves)
        level = mean_level(scale, *games)
        return {} if level is None else {"level_left": level}

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        """Return all that `restore` needs beside the learner."""
        values = {"turns": self.turns, "epsilon": self.epsilon, "checks": self.checks}
        return to_tensors({"games": self.games.state()}), values

    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """Load a saved state."""
        self.games.restore(arrays_of(tensors, "games"))
        self.turns, self.epsilon, self.checks = values["turns"], values["epsilon"], values["checks"]


@dataclass
class OnlineLearning:
    """A network that learns from its games by a method, a replay buffer and a target network."""

    method: LearningMethod
    learner: Learner
    target: TargetNetwork
    play: Play
    replay: ReplayBuffer
    history: Returns | Trajectories | None
    """The past of the games in progress; None where they are played in blocks."""

    @classmethod
    def of(cls, method: LearningMethod, executor: Executor, watch: Watch = lambda: None) -> OnlineLearning:
        """Make the games and the network of a method before the first step; the executor plays what is in blocks."""
        puzzle, settings = method.puzzle, method.settings
        learner = new_learner(puzzle, settings.network, settings.learning, settings.seed)
        set_output_scale(learner, settings.output_mean, settings.output_scale)
        games: VectorGame | ActingBlocks
        if settings.acting.num_env_runners:
            games = ActingBlocks(method, StartSampler.of(puzzle, settings.curriculum), executor, watch)
            history = None
        else:
            games = new_games(puzzle, settings)
            history = method.new_history(games)
        play = Play(
            settings=settings,
            learner=learner,
            games=games,
            best_moves=method.best_moves,
            epsilon=settings.exploration.initial_epsilon,
        )
        target = TargetNetwork.of(learner.model, settings.target_network)
        return cls(method, learner, target, play, ReplayBuffer(settings.replay), history)

    def task(self) -> Task:
        """Return what the training loop calls."""
        play, blocks = self.play, self.play.games if isinstance(self.play.games, ActingBlocks) else None
        task = Task(self.learner, self.step, self.state, self.restore, play.metrics, play.policy_metrics)
        task.on_initial_weights = lambda: self.target.copy(self.learner.model.module)
        return task if blocks is None else replace(task, close=blocks.close, executor_status=blocks.executor_status)

    def act(self) -> None:
        """Append the transitions of the next move in all games to the replay buffer."""
        play, model = self.play, self.method.acting_model(self)
        if isinstance(play.games, ActingBlocks):
            columns, play.epsilon = play.games.move(model, play.epsilon)
            play.turns += 1
        else:
            columns = play.turn(partial(self.method.move, play.games, self.history, model))
        if len(next(iter(columns.values()))):
            self.replay.append(columns)

    @property
    def most_moves(self) -> float:
        """The number of moves that a state can need, as far as the boards that games start from tell; else inf."""
        return self.play.games.start_sampler.most(self.method.settings.slack)

    def step(self) -> Mapping[str, float]:
        """Make a move in every game when one is due, and train on a batch of transitions."""
        step, settings = self.learner.step, self.method.settings
        self.play.begin_step()
        while step == 0 and self.play.games.tally[0] < settings.warmup_games:
            self.act()
        if step % settings.steps_per_move == 0:
            self.act()
        while not self.replay.can_sample(settings.learning.batch_size):
            self.act()
        random = generator(settings.seed, SAMPLING, step)
        batch = self.replay.sample(settings.learning.batch_size, step, random)
        losses, errors = self.method.fit(self, batch, random)
        if self.replay.has_priorities:
            self.replay.update_priorities(batch, errors.abs().double().cpu().numpy())
        self.target.update(self.learner.model.module, self.learner.step)
        self.play.check_policy()
        return losses

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        """Return all that `restore` needs beside the learner."""
        tensors, values = self.play.state()
        parts = {"replay": self.replay.state(), "history": {} if self.history is None else self.history.state()}
        return {**tensors, **to_tensors(parts), **self.target.state()}, values

    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """Load a saved state."""
        self.play.restore(tensors, values)
        if self.history is not None:
            self.history.restore(arrays_of(tensors, "history"))
        self.replay.restore(arrays_of(tensors, "replay"))
        self.target.restore(tensors)


def new_task(
    method: Callable[[Puzzle, Any], LearningMethod],
    run: Run,
    settings: OnlineSettings,
    watch: Watch,
    executor: Executor,
) -> Task:
    """Return the task of a run that learns by this method."""
    return OnlineLearning.of(method(registry.load(settings.puzzle), settings), executor, watch).task()


def new_games(puzzle: Puzzle, settings: PlaySettings) -> VectorGame:
    """Return the games of a run before their first move."""
    start_sampler, random = StartSampler.of(puzzle, settings.curriculum), generator(settings.seed, INITIAL_BOARDS)
    return VectorGame.of(puzzle, start_sampler, settings.max_moves, settings.parallel_games, random)


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
    loss_of(settings.distance)
    heads = check_network(puzzle, settings).heads
    if head not in heads:
        raise BadOption(f"this recipe trains the head '{head}', and the network has {' and '.join(heads)}")


def set_output_scale(learner: Learner, mean: float, scale: float) -> None:
    """Set the mean and the scale of the network's scalar outputs."""
    for head in learner.scalar_heads():
        head.offset.fill_(mean)
        head.scale.fill_(scale)


def to_tensors(parts: Mapping[str, Arrays]) -> dict[str, Tensor]:
    """Return the arrays of several parts as tensors, named `part.array`."""
    return {name: torch.as_tensor(np.array(array)) for name, array in flat(parts).items()}


def arrays_of(tensors: Mapping[str, Tensor], part: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of one part."""
    return {name: tensor.numpy() for name, tensor in part_of(tensors, part).items()}
