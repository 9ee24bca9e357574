"""The trainer: learns from the newest games, and adds a candidate network to the folder after each round."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile
from puzzlelab.core.seeds import generator
from puzzlelab.experience.ring import Ring
from puzzlelab.experience.schema import SelfPlaySamples
from puzzlelab.experience.shards import numbers, read_shard, shard_path
from puzzlelab.training import policy_value
from puzzlelab.training.evaluation import Metrics
from puzzlelab.training.learner import Learner, new_learner
from puzzlelab.training.loop import Loop, TrainingTask
from puzzlelab.training.online_rl import set_output_scale
from puzzlelab.training.recipe import Watch
from puzzlelab.training.selfplay.game_log import GameLog
from puzzlelab.training.selfplay.heartbeat import Heartbeat
from puzzlelab.training.selfplay.run_folder import SelfPlayRun
from puzzlelab.training.selfplay.settings import SelfPlaySettings
from puzzlelab.training.shard_loader import SAMPLING

COLUMNS = "state", "shares", "remaining"
"""The columns of the samples that are learned from."""


@dataclass
class SelfPlayTask(TrainingTask):
    """Learns from the newest samples of all generators."""

    run: SelfPlayRun
    settings: SelfPlaySettings
    heartbeat: Heartbeat
    learner: Learner
    game_log: GameLog
    ring: Ring
    samples_made: int = 0
    """The number of samples of all shards ever made."""
    shards: set[int] = field(default_factory=set)
    """The shards that were read."""
    prefers_prior: ClassVar[bool] = True

    @property
    def has_enough(self) -> bool:
        """Whether the average use of a sample stays within the replay ratio after the next step."""
        used = (self.learner.step + 1) * self.settings.learning.batch_size
        return len(self.ring) > 0 and self.samples_made * self.settings.replay.replay_ratio >= used

    def step(self) -> Mapping[str, float] | None:
        if not self.has_enough:
            return None
        random = generator(self.settings.seed, SAMPLING, self.learner.step)
        _, samples = self.ring.sample(random, self.settings.learning.batch_size)
        return policy_value.train_on(self.learner, samples, self.settings, random)

    def read_new_shards(self) -> None:
        """Append the samples of new shards to the ring buffer."""
        existing = set(numbers(self.run.shards))
        for entry in self.game_log.entries():
            if entry.number in self.shards:
                continue
            self.shards.add(entry.number)
            self.samples_made += entry.samples
            samples = self._samples(entry.number) if entry.samples and entry.number in existing else None
            if samples is not None:
                self.ring.append({name: samples.columns[name] for name in COLUMNS})

    def _samples(self, number: int) -> SelfPlaySamples | None:
        """The samples of a shard, unless it has just been removed."""
        path = shard_path(self.run.shards, number)
        try:
            return read_shard(path, SelfPlaySamples)
        except BadFile:
            if path.exists():
                raise
            return None

    @property
    def idle_seconds(self) -> float:
        return self.heartbeat.waited

    def metrics(self) -> Metrics:
        return {"samples": self.samples_made, "waited": self.heartbeat.waited, "at": time.time()}


@dataclass
class Trainer:
    """The only learner of a run."""

    heartbeat: Heartbeat
    task: SelfPlayTask
    loop: Loop

    @classmethod
    def open(cls, run: SelfPlayRun, settings: SelfPlaySettings, heartbeat: Heartbeat, watch: Watch) -> Trainer:
        """Continue from the saved state of the folder, or start anew; a new network is the first candidate."""
        learner = new_learner(registry.load(settings.puzzle), settings.network, settings.learning, settings.seed)
        set_output_scale(learner, settings.output_mean, settings.output_scale)
        game_log, ring = GameLog(run.game_log, run.shards), Ring(settings.replay.capacity)
        task = SelfPlayTask(run, settings, heartbeat, learner, game_log, ring)
        heartbeat.busy("proves the optima of the evaluation boards")
        interval = settings.replay.samples_per_candidate // settings.learning.batch_size or 1
        loop = Loop.open(run, settings, task, publish_interval=interval, reports_progress=False, watch=watch)
        loop.publish()
        return cls(heartbeat, task, loop)

    def work_once(self, watch: Watch) -> bool:
        """Train until the next candidate at most; False if there are too few games for another step."""
        if not self.loop.unfinished and not self.task.has_enough:
            self.task.read_new_shards()
            if not self.task.has_enough:
                self.heartbeat.waiting("more games")
                return False
        self.heartbeat.busy(f"learns, from step {self.loop.step:,} on")
        if self.loop.run_steps(watch):
            self.task.read_new_shards()
        return True
