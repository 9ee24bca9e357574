"""The replay buffer of a reinforcement learner: its last transitions, drawn uniformly or by priority."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.settings import Settings
from puzzlelab.experience.ring import Columns, DrawnBatch, Ring

MIN_PRIORITY = 1e-3
"""Added to every error, so that every transition can be drawn again."""


class ReplaySettings(Settings):
    """The size of the replay buffer, and how batches are drawn from it."""

    size: int = Field(default=100_000, ge=0)
    """Transitions in the buffer; with 0 each transition is learned from once, as soon as it exists."""
    alpha: float = Field(default=0.0, ge=0)
    """The exponent of the priorities, which are the errors; 0 draws uniformly."""
    beta: float = Field(default=0.4, ge=0, le=1)
    """The initial exponent of the importance weights, which correct for the priorities."""
    beta_steps: int = Field(default=10_000, ge=1)
    """Steps in which `beta` rises to 1, the full correction."""


class ReplayBuffer:
    """The last transitions."""

    def __init__(self, settings: ReplaySettings) -> None:
        self.settings = settings
        self.ring = Ring(max(1, settings.size), settings.alpha)
        self.newest: Columns = {}

    def __len__(self) -> int:
        return len(self.ring)

    @property
    def has_priorities(self) -> bool:
        """Whether transitions are drawn by priority."""
        return bool(self.settings.size and self.settings.alpha)

    def can_sample(self, count: int) -> bool:
        """Tell whether the buffer is full enough to draw a batch of this size."""
        size = self.settings.size
        return len(self.ring) >= min(count, size) if size else bool(self.newest)

    def append(self, columns: Columns) -> None:
        """Add transitions."""
        if self.settings.size:
            self.ring.append(columns)
        self.newest = columns

    def sample(self, count: int, step: int, random: np.random.Generator) -> DrawnBatch:
        """Return a batch of `count` transitions for this step; with size 0, the transitions that were appended last."""
        settings = self.settings
        if not settings.size:
            return DrawnBatch(np.arange(0), self.newest)
        beta = settings.beta + min(1.0, step / settings.beta_steps) * (1.0 - settings.beta)
        return self.ring.sample(random, count, beta)

    def update_priorities(self, batch: DrawnBatch, errors: NDArray[np.float64]) -> None:
        """Set the priorities of a batch from the absolute errors `float64[B]` of its transitions."""
        self.ring.update(batch.indices, errors + MIN_PRIORITY)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that `restore` needs, as plain arrays."""
        return self.ring.state() if self.settings.size else dict(self.newest)

    def restore(self, state: Columns) -> None:
        """Restore what `state` returned."""
        if self.settings.size:
            self.ring.restore(state)
        else:
            self.newest = {name: column.copy() for name, column in state.items()}
