"""What a learner that plays for itself remembers: its last transitions, drawn all alike, or by how wrong it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.settings import Settings
from puzzlelab.experience.ring import PrioritisedRing, Ring


class ReplaySettings(Settings):
    """How much, and how it is drawn from."""

    size: int = Field(default=100_000, ge=0)
    """Transitions; with 0 each is learned from once, as soon as it is there."""
    alpha: float = Field(default=0.0, ge=0)
    """The power of the error by which transitions are drawn; 0 draws all alike."""
    beta: float = Field(default=0.4, ge=0, le=1)
    """How far weights make up for that at the beginning; in `over` steps it grows to 1, all of it."""
    over: int = Field(default=10_000, ge=1)


@dataclass(frozen=True)
class ReplayBatch:
    """Transitions to learn from. B = transitions."""

    columns: Mapping[str, NDArray[Any]]
    weights: NDArray[np.float32] | None = None
    """[B]: what each counts; None if all count alike."""
    places: NDArray[np.int64] | None = None
    """[B]: where they are remembered; None if that does not matter."""


class ReplayBuffer:
    """The transitions."""

    def __init__(self, settings: ReplaySettings) -> None:
        self.settings = settings
        size = max(1, settings.size)
        self.ring = PrioritisedRing(size, settings.alpha) if settings.alpha else Ring(size)
        self.newest: Mapping[str, NDArray[Any]] = {}

    def __len__(self) -> int:
        return len(self.ring)

    def has(self, count: int) -> bool:
        """Whether there is enough to draw a batch of so many from."""
        size = self.settings.size
        return len(self.ring) >= min(count, size) if size else bool(self.newest)

    def append(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add transitions."""
        if self.settings.size:
            self.ring.append(columns)
        self.newest = columns

    def batch(self, count: int, step: int, random: np.random.Generator) -> ReplayBatch:
        """So many transitions for this step; without a memory, those that came last."""
        if not self.settings.size:
            return ReplayBatch(self.newest)
        if isinstance(self.ring, Ring):
            return ReplayBatch(self.ring.sample(random, count)[1])
        told = self.settings
        beta = told.beta + min(1.0, step / told.over) * (1.0 - told.beta)
        places, columns, weights = self.ring.sample(random, count, beta)
        return ReplayBatch(columns, weights, places)

    def learned(self, batch: ReplayBatch, errors: NDArray[np.float64]) -> None:
        """Note how wrong `float64[B]` each transition of the batch was found to be."""
        if isinstance(self.ring, PrioritisedRing) and batch.places is not None:
            self.ring.update(batch.places, errors + LEAST)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs, as plain arrays."""
        return self.ring.state() if self.settings.size else dict(self.newest)

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Become the memory that gave this state."""
        if self.settings.size:
            self.ring.restore(state)
        else:
            self.newest = {name: column.copy() for name, column in state.items()}


LEAST = 1e-3
"""Added to every error, so that nothing is forgotten for good."""
