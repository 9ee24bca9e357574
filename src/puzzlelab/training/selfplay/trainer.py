"""The trainer: learns from the newest games, and adds a candidate network to the folder after each round."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.errors import BadFile
from puzzlelab.core.seeds import generator
from puzzlelab.engine import report
from puzzlelab.experience.replay import Ring
from puzzlelab.experience.schema import SelfPlaySamples
from puzzlelab.experience.shards import facts, read_shard, set_aside, shard_path
from puzzlelab.nets import run_networks
from puzzlelab.nets.card import CARD, read_card
from puzzlelab.training import policy_value
from puzzlelab.training.evaluation import Metrics
from puzzlelab.training.learner import Learner, new_learner
from puzzlelab.training.loop import Loop, Start, Task
from puzzlelab.training.online_rl import set_output_scale
from puzzlelab.training.recipe import Watch
from puzzlelab.training.runs import Run
from puzzlelab.training.selfplay.game_log import GameLog, GameLogEntry
from puzzlelab.training.selfplay.heartbeat import Heartbeat
from puzzlelab.training.selfplay.matches import MatchLog
from puzzlelab.training.selfplay.settings import SelfPlaySettings
from puzzlelab.training.shard_loader import SAMPLING

COLUMNS = "state", "shares", "remaining"
"""The columns of the samples that are learned from."""


@dataclass
class Trainer:
    """The only learner of a run, which learns from the newest samples of all generators.

    New shards are read when the present samples are used up, and after each candidate. If the programs take turns, turn
    t reads no shard after number t. So what a step learns from depends on the turn alone, also if a killed run replays
    a turn whose shard exists already.
    """

    run: Run
    settings: SelfPlaySettings
    heartbeat: Heartbeat
    learner: Learner
    game_log: GameLog
    ring: Ring
    publish_interval: int
    """Steps between two candidates."""
    turn: int | None = None
    """The present turn; None if the programs do not take turns."""
    restored: bool = False
    """Whether the training was continued from a saved state."""
    samples_made: int = 0
    """The number of samples of all shards ever made."""
    read_below: int = 0
    """All shards of lower numbers were read."""
    read_others: set[int] = field(default_factory=set)
    """The other shards that were read."""
    later: list[GameLogEntry] = field(default_factory=list)
    """The entries of shards that belong to later turns."""
    shards_in_ring: list[tuple[int, int]] = field(default_factory=list)
    """Number and samples of each shard with a sample in the ring, in their order."""
    first_needed: int = 0
    """The oldest shard that one of the last two saved states needs."""
    loop: Loop = field(init=False)

    @property
    def has_enough(self) -> bool:
        """Whether the average use of a sample stays within the replay ratio after the next step."""
        used = (self.learner.step + 1) * self.settings.learning.batch_size
        return len(self.ring) > 0 and self.samples_made * self.settings.replay.replay_ratio >= used

    def step(self) -> Mapping[str, float] | None:
        if not self.has_enough:
            self.read_new_shards()
            if not self.has_enough:
                return None
        random = generator(self.settings.seed, SAMPLING, self.learner.step)
        samples = self.ring.sample(random, self.settings.learning.batch_size).columns
        losses = policy_value.train_on(self.learner, samples, self.settings, random)
        if self.is_turn_over:
            self.read_new_shards()
            self.end_turn()
        return losses

    @property
    def is_turn_over(self) -> bool:
        """Whether a candidate is due after the last step, which ended its turn."""
        return self.learner.step % self.publish_interval == 0 or self.learner.step == self.settings.learning.steps

    def end_turn(self) -> None:
        """Go on with the next turn if the programs take turns."""
        if self.turn is not None:
            self.turn += 1

    def read_new_shards(self) -> None:
        """Append the samples of new shards to the ring buffer."""
        new = [
            entry
            for entry in self.game_log.new_entries()
            if entry.number >= self.read_below and entry.number not in self.read_others
        ]
        entries, self.later = sorted([*self.later, *new], key=lambda entry: entry.number), []
        for entry in entries:
            if self.turn is not None and entry.number > self.turn:
                self.later.append(entry)
                continue
            self.read_others.add(entry.number)
            while self.read_below in self.read_others:
                self.read_others.remove(self.read_below)
                self.read_below += 1
            self.samples_made += entry.samples
            if (samples := self._samples(entry.number, entry.samples)) is not None:
                self._append(entry.number, samples)

    def _append(self, number: int, samples: SelfPlaySamples) -> None:
        """Append the samples of a shard to the ring buffer."""
        self.ring.append({name: samples.columns[name] for name in COLUMNS})
        self.shards_in_ring.append((number, len(samples)))
        while sum(count for _, count in self.shards_in_ring[1:]) >= self.ring.capacity:
            del self.shards_in_ring[0]

    def _samples(self, number: int, count: int) -> SelfPlaySamples | None:
        """Return this number of samples of a shard.

        None if it is not there, or is damaged: then it is set aside, with a note.
        """
        path = shard_path(self.run.shards, number)
        if not count:
            return None
        try:
            rows, card = facts(path)
            if (rows, card.get("puzzle")) == (count, self.settings.puzzle):
                return read_shard(path, SelfPlaySamples)
        except BadFile:
            if not path.exists():
                return None
        report.note(
            f"{path} is damaged, and is kept as {set_aside(path).name}: its samples are left out, and the result is "
            "not that of a run that still has them"
        )
        return None

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        """Return the shards in the ring buffer; the samples themselves are on disk."""
        read = {"below": self.read_below, "others": sorted(self.read_others)}
        counts = {"samples_made": self.samples_made, "total": self.ring.total}
        return {}, {"turn": self.turn, "read": read, "in_ring": self.shards_in_ring, **counts}

    def restore(self, tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        """Fill the ring buffer as it was."""
        self.restored = True
        self.turn, self.samples_made = values["turn"], int(values["samples_made"])
        self.read_below, self.read_others = int(values["read"]["below"]), set(values["read"]["others"])
        counts = {int(number): int(count) for number, count in values["in_ring"]}
        shards = {number: self._samples(number, count) for number, count in counts.items()}
        present = {number: samples for number, samples in shards.items() if samples is not None}
        if {number: len(samples) for number, samples in present.items()} == counts:
            self.ring.total = int(values["total"]) - sum(counts.values())
        elif self.turn is not None:
            missing = sorted(counts.keys() - present.keys())[:5]
            report.note(
                f"{', '.join(str(shard_path(self.run.shards, number)) for number in missing)} cannot be read: the run "
                "goes on without these samples, and its result is not that of a run that still has them"
            )
        for number, samples in present.items():
            self._append(number, samples)

    def on_saved(self, oldest: Mapping[str, Any]) -> None:
        """Note which shards the states that are kept need."""
        self.first_needed = min((int(number) for number, _ in oldest.get("in_ring", ())), default=0)

    def metrics(self) -> Metrics:
        return {"samples": self.samples_made, "waited": self.heartbeat.waited, "at": time.time()}

    @classmethod
    def open(cls, run: Run, settings: SelfPlaySettings, heartbeat: Heartbeat, watch: Watch) -> Trainer:
        """Continue from the saved state of the folder, or start anew; a new network is the first candidate."""
        start = Start.of(run, settings)
        settings = start.settings
        learner = new_learner(registry.load(settings.puzzle), settings.network, settings.learning, settings.seed)
        set_output_scale(learner, settings.output_mean, settings.output_scale)
        game_log, ring = GameLog(run.game_log, run.shards), Ring(settings.replay.capacity)
        interval = settings.replay.samples_per_candidate // settings.learning.batch_size or 1
        trainer = cls(run, settings, heartbeat, learner, game_log, ring, interval)
        run_networks.repair_all(run.folder)
        heartbeat.busy("proves the optima of the evaluation boards")
        task = Task(
            learner,
            trainer.step,
            trainer.state,
            trainer.restore,
            trainer.metrics,
            on_saved=trainer.on_saved,
            idle_seconds=lambda: heartbeat.waited,
            publish=partial(_add_candidate, run),
            prefers_prior=True,
        )
        loop = Loop(run, task, start, watch, interval, reports_progress=False)
        if loop.finished or (loop.step % interval == 0 and not loop.unfinished):
            loop.publish()  # a killed program may have saved, and not published
        elif run.network("latest") is None:
            _restore_latest(run, loop, interval)
        trainer.loop = loop
        return trainer

    def work_once(self, watch: Watch) -> bool:
        """Train until the next candidate at most; False if there are too few games for another step."""
        if not self.loop.unfinished and not self.has_enough:
            self.read_new_shards()
            if not self.has_enough:
                self.heartbeat.waiting("more games")
                return False
        self.heartbeat.busy(f"learns, from step {self.loop.step:,} on")
        self.loop.run_steps(watch)
        return True

    def take_turn(self, watch: Watch) -> None:
        """Train until the next candidate, or until more games than those of this turn are needed."""
        turn, was_over = self.turn, self.loop.unfinished and self.is_turn_over
        self.work_once(watch)
        if self.turn == turn and not was_over and not self.loop.at_change:
            self.end_turn()


def _add_candidate(run: Run, name: str) -> None:
    """Make a network that was saved just now the newest one, and the champion if there is none; the others stay.

    Where matches were played, they tell which network the champion was.
    """
    run.write(run.latest, name + "\n")
    if not run.champion.exists():
        run.promote(MatchLog(run).champion() or name)


def _restore_latest(run: Run, loop: Loop, interval: int) -> None:
    """Write the missing file `latest`: the last candidate, or if its network is gone too, the network of this step."""
    step = loop.step - loop.step % interval
    for name in sorted(run_networks.written(run.folder)):
        with suppress(BadFile):
            card = read_card(run.nets / f"{name}{CARD}")
            if card.steps == step and run.has_network(card.name):
                report.note(f"{run.latest} is missing: the network of step {step:,} is the newest one")
                run.write(run.latest, card.name + "\n")
                return
    report.note(
        f"{run.latest} is missing: the network of step {loop.step:,} is the newest one, and the result is not that of "
        "a run that still has the file"
    )
    loop.publish()
