"""Loads the samples of a run's shards for its learner, in an order that depends on the settings alone.

Before each step the ring buffer holds as many samples as the step needs, and no more: the next shard is read as soon as
the present samples were used `replay_ratio` times on average. So the result does not depend on the speed of the
teacher.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.errors import BadFile, BadOption
from puzzlelab.core.settings import Settings
from puzzlelab.engine import report
from puzzlelab.experience.replay import Ring
from puzzlelab.experience.schema import TrainingSamples
from puzzlelab.experience.shards import check_card, facts, note_damaged, read_shard, shard_path
from puzzlelab.experience.teachers import EMPTY_SECONDS, MAX_EMPTY_GAMES, no_samples
from puzzlelab.training.runs import Run

PATIENCE = 20.0
"""The waiting time in seconds after which the wait is reported."""
SAMPLING = 1
"""The branch of the run's seed that draws samples."""


class DataSettings(Settings):
    """The settings by which samples are made, buffered and drawn."""

    shard_games: int = Field(default=2000, ge=1)
    """Games of a shard."""
    shard_count: int | None = Field(default=None, ge=1)
    """The number of shards in all; None: as many as the learner needs."""
    buffer_size: int = Field(default=2_000_000, ge=1)
    """The number of newest samples that batches are drawn from."""
    replay_ratio: float = Field(default=8.0, gt=0)
    """How often a sample is used, on average, before more samples are requested."""
    order: str = Field(default="random", pattern="^(random|fresh)$")
    """Random: drawn from the buffer. Fresh: every sample once, in the order of generation (the replay ratio is 1)."""
    shards_ahead: int = Field(default=4, ge=1)
    """Shards that the teacher may be ahead of the learner."""
    keep_shards: bool = False
    """Whether shards stay on disk when their samples have left the buffer."""


class ShardLoader:
    """The ring buffer, filled shard by shard."""

    def __init__(self, run: Run, data: DataSettings, batch_size: int, settings: Mapping[str, Any]) -> None:
        """Open the shards; `settings` are those of the samples, as shards hold them."""
        self.run, self.data, self.batch_size = run, data, batch_size
        self.settings = json.loads(json.dumps(settings))
        self.ring = Ring(data.buffer_size)
        self.sizes: list[int] = []
        """The number of samples of each shard read so far."""
        self._missing: list[int] = []
        """Shards of the saved state that are not in the buffer yet, because they have to be made again."""
        self.waited = 0.0
        """Seconds of waiting for shards."""
        self._empty_since: float | None = None
        """The time of the first of the last shards, if these have no samples."""
        self._reported_empty = False
        self._missing_since: float | None = None
        """The time when the next shard was requested; None if it is not needed yet."""
        self._reported = False
        """Whether it was reported that this shard is missing."""

    # --- batches ---

    def prepare(self, step: int) -> bool:
        """Read the shards that this step needs; False if one of them does not exist yet."""
        if self._missing and not self._read_missing():
            return False
        while not self._enough(step) and len(self.sizes) < (self.data.shard_count or len(self.sizes) + 1):
            samples = self._load(len(self.sizes))
            if samples is None:
                return False
            self.ring.append(samples.columns)
            self.sizes.append(len(samples))
            self._check_samples()
        return True

    def _check_samples(self) -> None:
        """Raise `BadOption` where many boards in a row gave no sample, or all that there are; a note comes earlier."""
        boards = sum(1 for _ in takewhile(lambda size: not size, reversed(self.sizes))) * self.data.shard_games
        sentence = no_samples(boards, str(self.settings.get("solver", "the teacher")))
        if boards >= MAX_EMPTY_GAMES or (not self.ring.total and len(self.sizes) == self.data.shard_count):
            raise BadOption(sentence)
        if not boards:
            self._empty_since = None
            return
        self._empty_since = self._empty_since or time.perf_counter()
        if time.perf_counter() - self._empty_since > EMPTY_SECONDS and not self._reported_empty:
            report.note(sentence)
            self._reported_empty = True

    def _enough(self, step: int) -> bool:
        used = (step + 1) * self.batch_size
        replay_ratio = 1.0 if self.data.order == "fresh" else self.data.replay_ratio
        return self.ring.total > 0 and self.ring.total * replay_ratio >= used

    def indices(self, step: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Return the indices of this step's samples in the ring buffer."""
        if self.data.order == "random":
            return random.integers(0, len(self.ring), self.batch_size)
        numbers = np.arange(step * self.batch_size, (step + 1) * self.batch_size) % self.ring.total
        return numbers % self.ring.capacity

    # --- shards ---

    def request(self, number: int) -> None:
        """Let generators make shard `number`, and some after it."""
        self.run.request_shards(number, number + 1 + self.data.shards_ahead)

    def _load(self, number: int) -> TrainingSamples | None:
        """Return shard `number`, which is requested; None if it does not exist yet."""
        now = time.perf_counter()
        if self._missing_since is None:
            self.request(number)
            self._missing_since, self._reported = now, False
        path, waited = shard_path(self.run.shards, number), now - self._missing_since
        if (samples := self._read(number, path)) is not None:
            self.waited += waited
            self._missing_since = None
            return samples
        if waited > PATIENCE and not self._reported:
            report.waiting(f"waiting for {path.name}: the teacher is slower than the learner")
            self._reported = True
        return None

    def _read(self, number: int, path: Path) -> TrainingSamples | None:
        """Return the samples of a shard.

        None if it does not exist, or is damaged: then it is set aside, and made again.
        """
        if not path.exists():
            return None
        try:
            games = [number * self.data.shard_games, (number + 1) * self.data.shard_games]
            check_card(facts(path)[1], {**self.settings, "games": games}, path)
            return read_shard(path)
        except BadFile as error:
            note_damaged(path, error)
            return None

    def _read_missing(self) -> bool:
        """Read the missing shards of the saved state, in their order; False if one of them does not exist yet."""
        total = len(self._missing)
        while self._missing:
            number = self._missing[0]
            samples = self._load(number)
            if samples is None:
                return False
            if len(samples) != self.sizes[number]:
                report.note(
                    f"{shard_path(self.run.shards, number)} has {len(samples):,} samples, and had "
                    f"{self.sizes[number]:,}: the result of this run is not that of a run without this change"
                )
                self.sizes[number] = len(samples)
            self.ring.append(samples.columns)
            del self._missing[0]
            report.progress("reading shards again", total - len(self._missing), total)
        return True

    # --- saving ---

    def state(self) -> dict[str, Any]:
        """Return all that `restore` needs, as values for JSON: the samples themselves are in the shards."""
        return {"sizes": self.sizes}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Fill the buffer again from its shards.

        Shards that are missing or damaged are requested, and read before the next step.
        """
        self.sizes = [int(size) for size in state["sizes"]]
        first = self.first_needed(self.sizes)
        self.ring.total = sum(self.sizes[:first])
        self._missing = [number for number in range(first, len(self.sizes)) if self.sizes[number]]
        self._read_missing()

    def first_needed(self, sizes: list[int]) -> int:
        """Return the number of the oldest shard with a sample in the buffer."""
        samples = 0
        for number in range(len(sizes) - 1, -1, -1):
            samples += sizes[number]
            if samples >= self.ring.capacity:
                return number
        return 0

    def remove_old_shards(self, oldest: Mapping[str, Any]) -> None:
        """Remove the shards that `restore` would not read with the oldest state that is kept, or a later one."""
        if self.data.keep_shards:
            return
        sizes = [int(size) for size in oldest["sizes"]]
        first = self.first_needed(sizes)
        for number, size in enumerate(sizes):
            if number < first or not size:
                shard_path(self.run.shards, number).unlink(missing_ok=True)
