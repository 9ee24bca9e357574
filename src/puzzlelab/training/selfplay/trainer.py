"""Learns from the games that there are, and puts a new candidate into the folder after each round."""

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
from puzzlelab.training import evaluation, learner, train_state
from puzzlelab.training.batch import PolicyValueBatch
from puzzlelab.training.evaluation import Figures
from puzzlelab.training.learner import Learner, Losses
from puzzlelab.training.loop import store
from puzzlelab.training.losses import shares_loss, value_loss
from puzzlelab.training.metrics import Metrics
from puzzlelab.training.online_rl import set_out
from puzzlelab.training.recipes.selfplay import SelfPlaySettings
from puzzlelab.training.selfplay.game_log import GameLog
from puzzlelab.training.selfplay.heartbeat import Heartbeat
from puzzlelab.training.selfplay.run_folder import SelfPlayRun
from puzzlelab.training.shard_loader import SAMPLE

COLUMNS = "state", "shares", "remaining"
"""What is learned from."""


@dataclass
class Trainer:
    """The one learner of a run."""

    league: SelfPlayRun
    settings: SelfPlaySettings
    diary: Heartbeat
    puzzle: Puzzle
    learner: Learner
    metrics: Metrics
    boards: evaluation.Evaluator
    ledger: GameLog
    ring: Ring
    made: int = 0
    """Samples that there ever were."""
    spent: float = 0.0
    """Seconds of learning in calls before this one, without those in which it waited."""
    totals: dict[str, float] = field(default_factory=dict)
    """Sums of the losses since the last line of the diary."""
    shards: set[int] = field(default_factory=set)
    """Those that the ring was given."""
    began: float = field(default_factory=time.perf_counter)
    saved_at: float = 0.0

    @classmethod
    def at(cls, league: SelfPlayRun, settings: SelfPlaySettings, diary: Heartbeat) -> Trainer:
        """As the folder holds it, or new: then its network is the first candidate."""
        puzzle = registry.load(settings.puzzle)
        held = train_state.load(league.folder)
        told: dict[str, Any] = held[1] if held else {}
        student = learner.new(puzzle, settings.network, settings.learning, settings.seed)
        set_out(student, settings.middle, settings.spread)
        metrics = Metrics(league.metrics, told.get("metrics", 0), league.folder / "tensorboard")
        diary.does("proves how few moves the boards need that it is examined by")
        boards = evaluation.boards(puzzle, settings.exam, settings.seed, league)
        ledger, ring = GameLog(league.ledger, league.shards), Ring(settings.samples.newest)
        found = cls(league, settings, diary, puzzle, student, metrics, boards, ledger, ring)
        if held:
            student.restore(held[0], told["step"])
            found.spent, found.totals = told["spent"], told["totals"]
        found._publish()
        found.began = time.perf_counter()
        return found

    @property
    def seconds(self) -> float:
        """Of learning, in all calls."""
        return self.spent + time.perf_counter() - self.began - self.diary.waited

    @property
    def over(self) -> bool:
        """Whether all steps are made."""
        steps = self.settings.learning.steps
        return steps is not None and self.learner.step >= steps

    def once(self, watch: Callable[[], None]) -> bool:
        """Steps, at most until the next candidate; False where there are too few games yet for another step."""
        if not self._enough():
            self._look()
            if not self._enough():
                self.diary.waits("more games")
                return False
        settings, steps = self.settings, self.settings.samples.round // self.settings.learning.batch or 1
        self.diary.does(f"learns, from step {self.learner.step:,} on")
        while self._enough() and not self.over:
            watch()
            for name, value in self._step().items():
                self.totals[name] = self.totals.get(name, 0.0) + value
            self.totals["steps"] = self.totals.get("steps", 0) + 1
            step = self.learner.step
            if step % settings.exam.every == 0 or self.over:
                self._note()
            if step % steps == 0 or self.over:
                self.save()
                self._publish()
                self._look()
                break
            if self.seconds - self.saved_at > settings.learning.save:
                self.save()
        return True

    # --- samples ---

    def _enough(self) -> bool:
        """Whether the next step shows nothing more often, on average, than it is to be shown."""
        shown = (self.learner.step + 1) * self.settings.learning.batch
        return len(self.ring) > 0 and self.made * self.settings.samples.reuse >= shown

    def _look(self) -> None:
        """Take the games that are new."""
        there = set(numbers(self.league.shards))
        for entry in self.ledger.entries():
            if entry.number in self.shards:
                continue
            self.shards.add(entry.number)
            self.made += entry.samples
            samples = self._samples(entry.number) if entry.samples and entry.number in there else None
            if samples is not None:
                self.ring.append({name: samples.columns[name] for name in COLUMNS})

    def _samples(self, number: int) -> SelfPlaySamples | None:
        """The samples of a shard, unless it has just made room for newer ones."""
        path = shard_path(self.league.shards, number)
        try:
            return read_shard(path, SelfPlaySamples)
        except BadFile:
            if path.exists():
                raise
            return None

    # --- learning ---

    def _step(self) -> dict[str, float]:
        """Learn once."""
        settings = self.settings
        random = generator(settings.seed, SAMPLE, self.learner.step)
        _, batch = self.ring.sample(random, settings.learning.batch)
        lesson = PolicyValueBatch.of(self.puzzle, batch)
        if settings.augment:
            lesson = lesson.image(self.puzzle, random, exchange=settings.network["kind"] != "exchangeable")
        return self.learner.update(lambda: self._losses(lesson))

    def _losses(self, lesson: PolicyValueBatch) -> Losses:
        model, settings = self.learner.model, self.settings
        answers = model.forward(lesson.states)
        wanted = model.tensor(lesson.remaining)
        losses = {"remaining_loss": settings.remaining * value_loss(answers["cost_to_go"], wanted, settings.distance)}
        if "policy" in answers:
            shares, named = model.tensor(lesson.wanted), model.tensor(lesson.named)
            losses["moves_loss"] = settings.moves * shares_loss(answers["policy"], shares, named)
        return losses

    # --- telling and keeping ---

    def _note(self) -> None:
        """Examine the network, and write down how it does."""
        steps = self.totals.pop("steps", 1)
        figures: Figures = {name: value / steps for name, value in self.totals.items()}
        self.totals = {}
        if self.boards.states:
            exam = self.settings.exam
            by = exam.by or ("prior" if "policy" in self.learner.model.heads else "estimate")
            figures |= self.boards.figures(self.learner.best, exam.model_copy(update={"by": by}))
        shown = self.learner.step * self.settings.learning.batch
        figures |= {"samples": self.made, "shown": shown, "seconds": self.seconds, "waited": self.diary.waited}
        figures |= {"rate": shown / self.seconds, "at": time.time()}
        self.metrics.write(self.learner.step, figures)

    def save(self) -> None:
        """Keep where the learner stands."""
        if self.learner.step == 0:
            return
        told = {"step": self.learner.step, "metrics": self.metrics.length, "totals": self.totals, "spent": self.seconds}
        train_state.save(self.league.folder, self.learner.state(), told)
        self.saved_at = self.seconds

    def _publish(self) -> None:
        """Put the network as it is now into the folder: the newest, and the champion if there is none."""
        card = store(self.league, self.settings, self.learner, self.seconds)
        self.league.write(self.league.latest, card.name + "\n")
        if not self.league.champion.exists():
            self.league.crown(card.name)
