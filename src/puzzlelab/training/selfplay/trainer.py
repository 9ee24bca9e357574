"""The trainer: learns from the newest games, and adds a candidate network to the folder after each round."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.experience.ring import Ring
from puzzlelab.experience.schema import SelfPlaySamples
from puzzlelab.experience.shards import numbers, read_shard, shard_path
from puzzlelab.training import train_state
from puzzlelab.training.batch import PolicyValueBatch
from puzzlelab.training.evaluation import Evaluator, Metrics, make_evaluator
from puzzlelab.training.learner import Learner, Losses, new_learner
from puzzlelab.training.loop import save_network
from puzzlelab.training.losses import search_policy_loss, value_loss
from puzzlelab.training.metrics import MetricsWriter
from puzzlelab.training.online_rl import set_output_scale
from puzzlelab.training.selfplay.game_log import GameLog
from puzzlelab.training.selfplay.heartbeat import Heartbeat
from puzzlelab.training.selfplay.run_folder import SelfPlayRun
from puzzlelab.training.selfplay.settings import SelfPlaySettings
from puzzlelab.training.shard_loader import SAMPLING

COLUMNS = "state", "shares", "remaining"
"""The columns of the samples that are learned from."""


@dataclass
class Trainer:
    """The only learner of a run."""

    run: SelfPlayRun
    settings: SelfPlaySettings
    heartbeat: Heartbeat
    puzzle: Puzzle
    learner: Learner
    writer: MetricsWriter
    evaluator: Evaluator
    game_log: GameLog
    ring: Ring
    samples_made: int = 0
    """The number of samples of all shards ever made."""
    earlier_seconds: float = 0.0
    """Training time of the calls before this one, without waiting."""
    totals: dict[str, float] = field(default_factory=dict)
    """Sums of the losses since the last evaluation, and the number of `steps`."""
    shards: set[int] = field(default_factory=set)
    """The shards that were read."""
    began: float = field(default_factory=time.perf_counter)
    saved_at: float = 0.0

    @classmethod
    def open(cls, run: SelfPlayRun, settings: SelfPlaySettings, heartbeat: Heartbeat) -> Trainer:
        """Continue from the saved state of the folder, or start anew; a new network is the first candidate."""
        puzzle = registry.load(settings.puzzle)
        saved = train_state.load(run.folder)
        values: dict[str, Any] = saved[1] if saved else {}
        learner = new_learner(puzzle, settings.network, settings.learning, settings.seed)
        set_output_scale(learner, settings.output_mean, settings.output_scale)
        writer = MetricsWriter(run.metrics, values.get("metrics", 0), run.folder / "tensorboard")
        heartbeat.busy("proves the optima of the evaluation boards")
        evaluator = make_evaluator(puzzle, settings.evaluation, settings.seed, run)
        game_log, ring = GameLog(run.game_log, run.shards), Ring(settings.replay.capacity)
        trainer = cls(run, settings, heartbeat, puzzle, learner, writer, evaluator, game_log, ring)
        if saved:
            learner.restore(saved[0], values["step"])
            trainer.earlier_seconds, trainer.totals = values["spent"], values["totals"]
        trainer._publish()
        trainer.began = time.perf_counter()
        return trainer

    @property
    def seconds(self) -> float:
        """Training time of all calls, without waiting."""
        return self.earlier_seconds + time.perf_counter() - self.began - self.heartbeat.waited

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        steps = self.settings.learning.steps
        return steps is not None and self.learner.step >= steps

    def work_once(self, watch: Callable[[], None]) -> bool:
        """Train until the next candidate at most; False if there are too few games for another step."""
        if not self._enough():
            self._read_new_shards()
            if not self._enough():
                self.heartbeat.waiting("more games")
                return False
        settings = self.settings
        steps = settings.replay.samples_per_candidate // settings.learning.batch_size or 1
        self.heartbeat.busy(f"learns, from step {self.learner.step:,} on")
        while self._enough() and not self.finished:
            watch()
            for name, value in self._step().items():
                self.totals[name] = self.totals.get(name, 0.0) + value
            self.totals["steps"] = self.totals.get("steps", 0) + 1
            step = self.learner.step
            if step % settings.evaluation.every == 0 or self.finished:
                self._evaluate()
            if step % steps == 0 or self.finished:
                self.save()
                self._publish()
                self._read_new_shards()
                break
            if self.seconds - self.saved_at > settings.learning.save_seconds:
                self.save()
        return True

    # --- samples ---

    def _enough(self) -> bool:
        """Whether the average use of a sample stays within the replay ratio after the next step."""
        used = (self.learner.step + 1) * self.settings.learning.batch_size
        return len(self.ring) > 0 and self.samples_made * self.settings.replay.replay_ratio >= used

    def _read_new_shards(self) -> None:
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

    # --- learning ---

    def _step(self) -> dict[str, float]:
        """Train for one step."""
        settings = self.settings
        random = generator(settings.seed, SAMPLING, self.learner.step)
        _, samples = self.ring.sample(random, settings.learning.batch_size)
        batch = PolicyValueBatch.from_samples(self.puzzle, samples)
        if settings.augment:
            has_symmetry = settings.network["kind"] == "exchangeable"
            batch = batch.augmented(self.puzzle, random, permute_symbols=not has_symmetry)
        return self.learner.update(lambda: self._losses(batch))

    def _losses(self, batch: PolicyValueBatch) -> Losses:
        model, settings = self.learner.model, self.settings
        outputs = model.forward(batch.states)
        distance = value_loss(outputs["cost_to_go"], model.tensor(batch.cost_to_go), settings.distance)
        losses = {"remaining_loss": settings.cost_to_go_weight * distance}
        if "policy" in outputs:
            shares, canonical = model.tensor(batch.policy_target), model.tensor(batch.canonical)
            losses["moves_loss"] = settings.policy_weight * search_policy_loss(outputs["policy"], shares, canonical)
        return losses

    # --- evaluating and saving ---

    def _evaluate(self) -> None:
        """Evaluate the network, and write the metrics."""
        steps = self.totals.pop("steps", 1)
        metrics: Metrics = {name: value / steps for name, value in self.totals.items()}
        self.totals = {}
        if self.evaluator.states:
            settings = self.settings.evaluation
            guide = settings.guide or ("prior" if "policy" in self.learner.model.heads else "estimate")
            metrics |= self.evaluator.evaluate(self.learner.ema_model, settings.model_copy(update={"guide": guide}))
        used = self.learner.step * self.settings.learning.batch_size
        metrics |= {"samples": self.samples_made, "shown": used, "seconds": self.seconds}
        metrics |= {"waited": self.heartbeat.waited, "rate": used / self.seconds, "at": time.time()}
        self.writer.write(self.learner.step, metrics)

    def save(self) -> None:
        """Save the state of training."""
        if self.learner.step == 0:
            return
        values: dict[str, Any] = {"step": self.learner.step, "metrics": self.writer.length}
        values |= {"totals": self.totals, "spent": self.seconds}
        train_state.save(self.run.folder, self.learner.state(), values)
        self.saved_at = self.seconds

    def _publish(self) -> None:
        """Save the present network as the newest one, and as the champion if there is none."""
        card = save_network(self.run, self.settings, self.learner, self.seconds)
        self.run.write(self.run.latest, card.name + "\n")
        if not self.run.champion.exists():
            self.run.promote(card.name)
