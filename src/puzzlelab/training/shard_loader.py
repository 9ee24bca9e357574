"""Brings the samples of a run's shards to its learner, in an order that depends on nothing but the settings.

Before each step the ring holds as many samples as that step needs, and no more: shard after shard, as soon as what is
there was shown `reuse` times. So a run is the same whether its teacher is fast or slow, here or elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.settings import Settings
from puzzlelab.engine import report
from puzzlelab.experience.ring import Ring
from puzzlelab.experience.schema import TrainingSamples
from puzzlelab.experience.shards import read_shard, shard_path
from puzzlelab.training.runs import Run

LOOK = 0.05
"""Seconds between two looks for a shard."""
PATIENCE = 20.0
"""Seconds after which it is told what the learner waits for."""
SAMPLE = 1
"""The branch of the run's seed that draws samples."""


class DataSettings(Settings):
    """How samples come and go."""

    shard: int = Field(default=2000, ge=1)
    """Games in a shard."""
    shards: int | None = Field(default=None, ge=1)
    """How many shards are made in all; without an end if None."""
    ring: int = Field(default=2_000_000, ge=1)
    """The newest samples, among which batches are drawn."""
    reuse: float = Field(default=8.0, gt=0)
    """How often a sample is shown, on average, before more are asked for."""
    order: str = Field(default="random", pattern="^(random|fresh)$")
    """Random: drawn from the ring. Fresh: every sample once, in the order in which they were made (`reuse` is 1)."""
    ahead: int = Field(default=4, ge=1)
    """Shards that the teacher may be ahead of the learner."""
    keep: bool = False
    """Whether shards stay when the ring has passed over them."""


class ShardLoader:
    """The ring, and the shards that go into it."""

    def __init__(self, run: Run, data: DataSettings, batch: int, watch: Callable[[], None] = lambda: None) -> None:
        self.run, self.data, self.batch, self.watch = run, data, batch, watch
        self.ring = Ring(data.ring)
        self.sizes: list[int] = []
        """Samples of each shard that the ring was given."""
        self.waited = 0.0

    # --- batches ---

    def before(self, step: int) -> None:
        """Give the ring what this step needs, waiting for it if need be."""
        while not self._enough(step) and len(self.sizes) < (self.data.shards or len(self.sizes) + 1):
            self._take(self._next())

    def _enough(self, step: int) -> bool:
        shown = (step + 1) * self.batch
        reuse = 1.0 if self.data.order == "fresh" else self.data.reuse
        return self.ring.total > 0 and self.ring.total * reuse >= shown

    def places(self, step: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Where the samples of this step stand in the ring."""
        if self.data.order == "random":
            return random.integers(0, len(self.ring), self.batch)
        numbers = np.arange(step * self.batch, (step + 1) * self.batch) % self.ring.total
        return numbers % self.ring.capacity

    # --- shards ---

    def ask(self, number: int) -> None:
        """Let generators make shard `number`, and some that come after it."""
        self.run.want(number, number + 1 + self.data.ahead)

    def _next(self) -> TrainingSamples:
        """The next shard, when it is there."""
        number, began = len(self.sizes), time.perf_counter()
        self.ask(number)
        path, told = shard_path(self.run.shards, number), False
        while not path.exists():
            self.watch()
            time.sleep(LOOK)
            if not told and time.perf_counter() - began > PATIENCE:
                report.waiting(f"waiting for {path.name}: the teacher is slower than the learner")
                told = True
        self.waited += time.perf_counter() - began
        return read_shard(path)

    def _take(self, samples: TrainingSamples) -> None:
        self.ring.append(samples.columns)
        self.sizes.append(len(samples))

    # --- keeping ---

    def state(self) -> dict[str, Any]:
        """All that `restore` needs, as plain numbers: the samples themselves are in the shards."""
        return {"sizes": self.sizes}

    def restore(self, state: Mapping[str, Any], told: Callable[[int, int], None]) -> None:
        """Fill the ring again from the shards that it held."""
        sizes = [int(size) for size in state["sizes"]]
        first = self.oldest(sizes)
        self.ring.total = sum(sizes[:first])
        self.sizes = sizes[:first]
        for number in range(first, len(sizes)):
            self._take(read_shard(shard_path(self.run.shards, number)))
            told(number + 1 - first, len(sizes) - first)

    def oldest(self, sizes: list[int]) -> int:
        """The number of the oldest shard of which the ring still holds a sample."""
        held = 0
        for number in range(len(sizes) - 1, -1, -1):
            held += sizes[number]
            if held >= self.ring.capacity:
                return number
        return 0

    def forget(self) -> None:
        """Remove shards that a restored learner would not read; called when the state that says so is saved."""
        if not self.data.keep:
            for number in range(self.oldest(self.sizes)):
                shard_path(self.run.shards, number).unlink(missing_ok=True)
