"""Imitation of a teacher: a solver makes boards and solutions, and a network learns to say what it would say.

Every position on a solution is a sample. The network learns the remaining moves, and the move that was made: all moves
that come to the same, such as all cells of a cluster, and all moves that the teacher proved to be equally good.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.limit import Limit
from puzzlelab.core.networks import NetworkOptions
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.engine import report
from puzzlelab.experience.schema import TrainingSamples, joined
from puzzlelab.experience.shard_leases import ShardLeases, begin_folder, make_shard
from puzzlelab.experience.state_space import StateSpace
from puzzlelab.experience.teachers import SampleSource, Teacher
from puzzlelab.experience.walks import Walks
from puzzlelab.nets.device import device
from puzzlelab.nets.model import digits_per_cell
from puzzlelab.training import evaluation, learner, loop
from puzzlelab.training.batch import PolicyValueBatch
from puzzlelab.training.evaluation import EvalSettings, Figures
from puzzlelab.training.learner import Learner, LearnerSettings, Losses
from puzzlelab.training.losses import Distance, moves_loss, value_loss
from puzzlelab.training.runs import Run
from puzzlelab.training.shard_loader import SAMPLE, DataSettings, ShardLoader

IDLE = 0.2
"""Seconds between two looks whether more shards are wanted."""
EXAM_SEED = 1 << 40
"""Added to the seed of the teacher for the games that a network is examined by."""


class TeacherSettings(Settings):
    """Who teaches; the words are those of `puzzlelab teach`."""

    renamed: ClassVar[Mapping[str, str]] = {"detours": "branches"}

    all: bool = False
    """Whether the samples are all states of a small puzzle, with all their optimal moves; the rest then counts for
    nothing.
    """
    walks: int = Field(default=0, ge=0)
    """The length of random walks from the goal, whose positions are the samples, with the move that undoes the last;
    the rest then counts for nothing.
    """
    solver: str = "beam"
    set: dict[str, Any] = Field(default_factory=dict)
    """Options of the solver."""
    exact: bool = False
    scale: str = ""
    levels: tuple[int, ...] = ()
    branches: int = Field(default=0, ge=0)
    seconds: float | None = Field(default=None, gt=0)
    """For each board; then one seed does not give one run."""
    nodes: int | None = Field(default=None, ge=1)
    jobs: int = Field(default=1, ge=1)
    """Threads."""


class ImitationSettings(Settings):
    """Every setting of the recipe."""

    recipe: Literal["imitation"] = "imitation"
    puzzle: str
    seed: int = Field(default=0, ge=0)
    network: NetworkOptions
    remaining: float = Field(default=1.0, ge=0)
    """What the remaining moves count in the loss."""
    moves: float = Field(default=0.1, ge=0)
    """What the scores of moves count."""
    distance: Distance = "squared"
    augment: bool = True
    """Whether samples are shown as their images in the puzzle's symmetries, and with their symbols exchanged."""
    teacher: TeacherSettings = TeacherSettings()
    data: DataSettings = DataSettings()
    learning: LearnerSettings = LearnerSettings()
    exam: EvalSettings = EvalSettings()


def teacher_of(settings: ImitationSettings, seed: int) -> SampleSource:
    """The teacher that these settings describe."""
    puzzle, told = registry.load(settings.puzzle), settings.teacher
    if told.all:
        return StateSpace(puzzle, seed)
    if told.walks:
        return Walks(puzzle, told.walks, seed)
    solver = registry.make_solver(told.solver, told.set)
    limit = Limit(told.seconds, told.nodes)
    levels = told.levels or (None,)
    return Teacher(puzzle, solver, told.exact, told.scale, levels, seed, limit, branches=told.branches)


# --- making samples ---


def generate(run: Run, settings: ImitationSettings, watch: Callable[[], None] = lambda: None) -> None:
    """Fill the run's folder with shards, as far as the learner wants them; several programs may do so at once.

    `watch` is called between shards, and may raise.
    """
    teacher, claims, data = teacher_of(settings, settings.seed), ShardLeases(run.shards), settings.data
    begin_folder(teacher, run.shards, data.shard)
    while not run.done.exists():
        watch()
        first, end = run.wanted()
        number = claims.take(end if data.shards is None else min(end, data.shards), first)
        if number is None:
            time.sleep(IDLE)
            continue
        with claims.keeping(number):
            make_shard(teacher, run.shards, number, data.shard, settings.teacher.jobs)


# --- learning ---


@dataclass
class ImitationTask:
    """A learner with the samples that it learns from, and those that it is examined by."""

    settings: ImitationSettings
    puzzle: Puzzle
    learner: Learner
    feed: ShardLoader
    samples: TrainingSamples | None

    @classmethod
    def new(cls, run: Run, settings: ImitationSettings, watch: Callable[[], None]) -> ImitationTask:
        """With random weights; generators are asked for the first shards while the examination is made ready."""
        puzzle = registry.load(settings.puzzle)
        run.shards.mkdir(parents=True, exist_ok=True)
        student = learner.new(puzzle, settings.network, settings.learning, settings.seed)
        feed = ShardLoader(run, settings.data, settings.learning.batch, watch)
        if run.wanted() == (0, 0):
            feed.ask(0)
        return cls(settings, puzzle, student, feed, _exam_samples(settings))

    def step(self) -> Mapping[str, float]:
        step = self.learner.step
        self.feed.before(step)
        if step == 0:
            self._set_out()
        random = generator(self.settings.seed, SAMPLE, step)
        lesson = PolicyValueBatch.of(self.puzzle, self.feed.ring.at(self.feed.places(step, random)))
        if self.settings.augment:
            lesson = lesson.image(self.puzzle, random, exchange=self.settings.network["kind"] != "exchangeable")
        return self.learner.update(lambda: self._losses(lesson))

    def _set_out(self) -> None:
        """Let the remaining moves begin at their mean."""
        columns = self.feed.ring.columns
        own = columns["remaining"].astype(np.float32) - self.learner.model.base_estimate(columns["state"])
        values = torch.from_numpy(own)
        for scalar in self.learner.scalars():
            scalar.fit(values)

    def _losses(self, lesson: PolicyValueBatch) -> Losses:
        model, settings = self.learner.model, self.settings
        answers = model.forward(lesson.states)
        losses: Losses = {}
        if "cost_to_go" in answers:
            wanted = model.tensor(lesson.remaining)
            losses["remaining_loss"] = settings.remaining * value_loss(answers["cost_to_go"], wanted, settings.distance)
        if "policy" in answers:
            targets = model.tensor(lesson.wanted), model.tensor(lesson.possible)
            loss = moves_loss(answers["policy"], *targets, model.settings.policy, digits_per_cell(self.puzzle))
            losses["moves_loss"] = settings.moves * loss
        return losses

    def figures(self) -> Figures:
        found = {} if self.samples is None else evaluation.against_teacher(self.learner.best, self.samples)
        return {**found, "samples": self.feed.ring.total, "waited": self.feed.waited}

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        return {}, self.feed.state()

    def restore(self, tensors: Mapping[str, Tensor], told: Mapping[str, Any]) -> None:
        self.feed.restore(told, lambda done, all_: report.progress("reading shards again", done, all_))

    def saved(self) -> None:
        self.feed.forget()


def _exam_samples(settings: ImitationSettings) -> TrainingSamples | None:
    """Samples of games that the network does not learn from."""
    if not settings.exam.games:
        return None
    teacher = teacher_of(settings, settings.seed + EXAM_SEED)
    parts, done = [], 0
    with closing(teacher.samples(0, settings.teacher.jobs)) as stream:
        for samples, games in stream:
            parts.append(samples)
            done = games
            report.progress("samples to examine by", min(done, settings.exam.games), settings.exam.games)
            if done >= settings.exam.games:
                break
    return joined(parts)


@dataclass(frozen=True)
class ImitationRecipe:
    """The two programs."""

    settings = ImitationSettings

    def check(self, settings: ImitationSettings) -> None:
        teacher_of(settings, settings.seed)
        learner.checked(registry.load(settings.puzzle), settings.network)
        device(settings.learning.device)

    def generate(self, run: Run, settings: ImitationSettings, watch: Callable[[], None]) -> None:
        generate(run, settings, watch)

    def learn(self, run: Run, settings: ImitationSettings, watch: Callable[[], None]) -> None:
        loop.learn(run, settings, watch, lambda: ImitationTask.new(run, settings, watch))


RECIPE = ImitationRecipe()
