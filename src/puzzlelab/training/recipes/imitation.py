"""Imitation of a teacher: a solver plays boards, and a network learns its remaining moves and its choice of moves.

Every position on a solution is a sample. The target of the policy is the move of the teacher, all moves with the same
effect, such as all cells of a cluster, and all moves that the teacher has proved to be equally good.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from typing import Any, ClassVar

import numpy as np
import torch
from pydantic import Field

from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput, PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import OfMachine, Settings
from puzzlelab.engine import report
from puzzlelab.engine.executor import Executor, PieceLost, Timed
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.replay import Columns
from puzzlelab.experience.schema import TrainingSamples, joined
from puzzlelab.experience.shard_leases import ShardLeases, begin_folder, encoded_shard, settings_of_shards
from puzzlelab.experience.shards import write_shard
from puzzlelab.experience.state_space import StateSpace
from puzzlelab.experience.teachers import SampleSource, Teacher, games_setup, samples_of, targets_of
from puzzlelab.experience.walks import Walks
from puzzlelab.training import loop, policy_value
from puzzlelab.training.evaluation import Metrics, compare_with_teacher
from puzzlelab.training.learner import Learner, LossFunction, check_network, new_learner
from puzzlelab.training.loop import Task
from puzzlelab.training.losses import loss_of
from puzzlelab.training.recipe import Recipe, Watch
from puzzlelab.training.run_files import saved_step
from puzzlelab.training.runs import Run
from puzzlelab.training.settings import BoardBytes, PolicyValueSettings
from puzzlelab.training.shard_loader import SAMPLING, DataSettings, ShardLoader

REPORT_SECONDS = 10.0
"""Seconds between two lines of progress of a generator that uses other processes."""
EVALUATION_SEED = 1 << 40
"""Added to the seed of the teacher for the games that the network is evaluated on."""


class TeacherSettings(Settings):
    """The source of the samples; the options are those of `puzzlelab teach`."""

    all_states: bool = False
    """Whether the samples are all states of a small puzzle with all their optimal moves; then the other options do not
    apply.
    """
    walk_length: int = Field(default=0, ge=0)
    """The length of random walks from the goal, if above 0: the samples are their positions, with the move that undoes
    the last one; then the options below do not apply.
    """
    solver: str = "beam"
    """The solver whose solutions are imitated."""
    solver_options: dict[str, Any] = Field(default_factory=dict)
    """Options of the solver."""
    exact: bool = False
    """Whether all optimal moves of each position are found, with proof."""
    tied: bool = False
    """Whether a position gets the moves of all equally short solutions within a beam, rather than of one of them."""
    scale: str = ""
    """The scale of difficulty of the boards; none: any full board."""
    levels: tuple[int, ...] = ()
    """Levels on that scale, taken in turn."""
    branches: int = Field(default=0, ge=0)
    """Further solutions that branch off each game after a random move."""
    seconds: float | None = Field(default=None, gt=0)
    """The time limit of each board; with one, two runs of one seed may differ."""
    nodes: int | None = Field(default=None, ge=1)
    """The most states that the solver expands for each board."""
    jobs: OfMachine[int] = Field(default=1, ge=1)
    """The number of threads."""


class ImitationSettings(PolicyValueSettings):
    """Every setting of the recipe."""

    samples_from: ClassVar[tuple[str, ...]] = (*PolicyValueSettings.samples_from, "teacher", "data.shard_games")
    recipe: str = "imitation"
    teacher: TeacherSettings = TeacherSettings()
    data: DataSettings = DataSettings()

    def memory_needs(self, board: BoardBytes) -> dict[str, int]:
        """Return the least bytes of memory for each setting that is a number of boards."""
        return {**super().memory_needs(board), "data.buffer_size": self.data.buffer_size * board.state}


def teacher_of(settings: ImitationSettings, seed: int) -> SampleSource:
    """Return the teacher of these settings."""
    puzzle, teacher = registry.load(settings.puzzle), settings.teacher
    if teacher.all_states:
        return StateSpace(puzzle, seed)
    if teacher.walk_length:
        return Walks(puzzle, teacher.walk_length, seed)
    solver = registry.make_solver(teacher.solver, teacher.solver_options)
    limit = Limit(teacher.seconds, teacher.nodes)
    levels = teacher.levels or (None,)
    targets = targets_of(teacher.exact, teacher.tied)
    return Teacher(puzzle, solver, targets, teacher.scale, levels, seed, limit, branches=teacher.branches)


# --- making samples ---


def generate(run: Run, settings: ImitationSettings, watch: Watch, executor: Executor) -> None:
    """Fill the run's folder with the shards that the learner requests; several programs may do so at once.

    An executor with many workers makes more shards than those. A learner reads them in the order of their numbers, so
    that it makes no difference which exist already.
    """
    teacher, data = teacher_of(settings, settings.seed), settings.data
    begin_folder(teacher, run.shards, data.shard_games)
    setup, leases = games_setup(teacher, executor), ShardLeases(run.shards)
    jobs = settings.teacher.jobs if executor.shares_memory else 1
    pending: dict[Future[Timed[bytes]], int] = {}
    written, reported_at = 0, time.monotonic()
    with leases.keeping():
        while not run.done.exists():
            watch()
            first, end = run.requested_shards()
            wanted = max(end, first + executor.slots + max(0, executor.room)) if end else 0
            last = wanted if data.shard_count is None else min(wanted, data.shard_count)
            while executor.room > 0 and (number := leases.take(last, first)) is not None:
                make = executor.submit(encoded_shard, teacher, number, data.shard_games, jobs, setup=setup)
                pending[make] = number
            for future in executor.wait(pending):
                number = pending.pop(future)
                try:
                    write_shard(run.shards, number, future.result().value)
                except PieceLost as lost:
                    raise PuzzlelabError(f"shard {number} cannot be played: {lost}") from None
                leases.release(number)
                written += 1
            if executor.status() and time.monotonic() - reported_at >= REPORT_SECONDS:
                reported_at = time.monotonic()
                report.progress("shards made", written, None, executor.status())


# --- learning ---


def new_task(
    run: Run,
    settings: ImitationSettings,
    watch: Watch,
    executor: Executor,
    losses_of: LossFunction = policy_value.losses_of,
) -> Task:
    """Return the task of a run; requests the first shards, so that generators work while the evaluation is prepared.

    Another recipe may give `losses_of`, for losses of its own.
    """
    puzzle = registry.load(settings.puzzle)
    teacher, games = teacher_of(settings, settings.seed), settings.data.shard_games
    begin_folder(teacher, run.shards, games)  # shards of other settings are refused before one is set aside
    learner = new_learner(puzzle, settings.network, settings.learning, settings.seed)
    loader = ShardLoader(run, settings.data, settings.learning.batch_size, settings_of_shards(teacher, games))
    if run.requested_shards() == (0, 0) and saved_step(run.folder) == 0:
        loader.request(0)
    samples = _evaluation_samples(settings)

    def metrics() -> Metrics:
        metrics = {} if samples is None else compare_with_teacher(learner.ema_model, samples)
        return {**metrics, "samples": sum(loader.sizes), "waited": loader.waited}

    return Task(
        learner,
        lambda: step(learner, loader, settings, losses_of),
        state=lambda: ({}, loader.state()),
        restore=lambda tensors, values: loader.restore(values),
        metrics=metrics,
        on_saved=loader.remove_old_shards,
    )


def step(
    learner: Learner, loader: ShardLoader, settings: ImitationSettings, losses_of: LossFunction
) -> Mapping[str, float] | None:
    """Train for one step; None where a shard that it needs does not exist yet."""
    if not loader.prepare(learner.step):
        return None
    if learner.step == 0 and not settings.init:
        _fit_output_scale(learner, loader.ring.columns)
    random = generator(settings.seed, SAMPLING, learner.step)
    samples = loader.ring.at(loader.indices(learner.step, random))
    return policy_value.train_on(learner, samples, settings, random, losses_of)


def _fit_output_scale(learner: Learner, columns: Columns) -> None:
    """Set the mean and the scale of the output for remaining moves to those of the samples."""
    residual = columns["remaining"].astype(np.float32) - learner.model.base_estimate(columns["state"])
    values = torch.from_numpy(residual)
    for head in learner.scalar_heads():
        head.fit(values)


def _evaluation_samples(settings: ImitationSettings) -> TrainingSamples | None:
    """Return samples of games that the network is not trained on."""
    wanted = settings.evaluation.teacher_games
    if not wanted:
        return None
    teacher = teacher_of(settings, settings.seed + EVALUATION_SEED)
    parts, done = [], 0
    with ThisProcess(settings.teacher.jobs) as executor, closing(samples_of(teacher, executor)) as stream:
        for samples, games in stream:
            parts.append(samples)
            done = games
            report.progress("samples to evaluate on", min(done, wanted), wanted)
            if done >= wanted:
                break
    samples = joined(parts)
    return samples if len(samples) else None


def check(settings: ImitationSettings) -> None:
    """Raise `BadInput` for settings that cannot be trained with."""
    teacher = teacher_of(settings, settings.seed)
    loss_of(settings.distance)
    check_network(registry.load(settings.puzzle), settings)
    if teacher.count == 0:
        raise BadInput(f"{settings.puzzle} has no state to learn from")


RECIPE = Recipe(ImitationSettings, check, partial(loop.learn, new_task), generate, check_executor=lambda settings: None)
"""Two programs: generators make samples, and the learner trains on them."""
