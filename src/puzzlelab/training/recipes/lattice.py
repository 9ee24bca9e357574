"""Learning to take candidates away: the network says of each whether it stays, on boards as its own play makes them.

Every slot holds a board with the candidates that are left. In each step the network learns which of them belong to the
solution, in all its last rounds; then those that it holds for improbable are taken away, as `lattice` does when it
solves, and where none is, the surest cell gets the digit of the solution. A board that is solved, or has lost a
candidate of its solution, makes room for the next. Source: "Lattice Deduction Transformer" (2026).

Shapes: B = boards in play, N = cells, D = digits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor
from torch.nn import functional

from puzzlelab.core.errors import Unsupported
from puzzlelab.engine import candidate_logits
from puzzlelab.training import loop, solved_boards
from puzzlelab.training.evaluation import Figures
from puzzlelab.training.learner import Learner, Losses
from puzzlelab.training.losses import moves_loss
from puzzlelab.training.runs import Run
from puzzlelab.training.solved_boards import BoardPool, SupervisedSettings


class LatticeSettings(SupervisedSettings):
    """Every setting of the recipe."""

    recipe: Literal["lattice"] = "lattice"
    threshold: float = Field(default=0.02, gt=0, lt=1)
    """Candidates that are less probable are taken away."""
    rounds: int = Field(default=3, ge=1)
    """How many of the network's last rounds are learned from."""
    keep: float = Field(default=4.0, ge=0)
    """What a candidate of the solution counts in the binary cross-entropy,"""
    drop: float = Field(default=0.5, ge=0)
    """and what any other."""
    choice: float = Field(default=0.2, ge=0)
    """What the cross-entropy of the choice in each cell counts."""


@dataclass
class LatticeTask:
    """A learner with the boards that it learns from."""

    settings: LatticeSettings
    learner: Learner
    pool: BoardPool
    ended: dict[str, int] = field(default_factory=lambda: {"won": 0, "lost": 0})
    """Boards since the last examination that were solved, and those that lost a candidate of their solution."""

    def step(self) -> Mapping[str, float]:
        logits: list[Tensor] = []
        told = self.learner.update(lambda: self._losses(logits))
        self._go_on(logits[0].detach().cpu().numpy().reshape(self.pool.left.shape))
        return told

    def _losses(self, last: list[Tensor]) -> Losses:
        """The mean over the last rounds; `last` is given the logits `float[B, N * D]` of the very last."""
        told, model, left = self.settings, self.learner.model, self.pool.left
        flat = model.tensor(left.reshape(len(left), -1))
        right = model.tensor(self.pool.right.reshape(len(left), -1))
        open_ = model.tensor((left & ~candidate_logits.known(left)[:, :, None]).reshape(len(left), -1))
        rounds = deque(model.module.each_round(flat), maxlen=told.rounds)  # type: ignore[operator]
        losses: Losses = {}
        for features in rounds:
            logits: Tensor = model.module.logits(features)  # type: ignore[operator]
            weights = open_ * (told.drop + (told.keep - told.drop) * right)
            each = functional.binary_cross_entropy_with_logits(logits, right.to(logits.dtype), weights, reduction="sum")
            choice = moves_loss(logits, right & open_, flat, "cells", left.shape[2])
            for name, loss in (
                ("keep_loss", each / open_.sum().clamp_min(1)),
                ("choice_loss", told.choice * choice),
            ):
                losses[name] = losses.get(name, 0) + loss / len(rounds)
        last[:] = [logits]
        return losses

    def _go_on(self, logits: Any) -> None:
        """What `lattice` would do, but for the digit that is chosen."""
        pool = self.pool
        low = candidate_logits.is_improbable(pool.left, logits, np.full(len(logits), self.settings.threshold))
        fell = candidate_logits.any_of(low)
        pool.left &= ~low
        open_ = ~candidate_logits.known(pool.left)
        stuck = ~fell & open_.any(axis=1)
        left = pool.left[stuck]
        cells = candidate_logits.most_certain_cell(candidate_logits.shares(left, logits[stuck]), open_[stuck])
        pool.left[stuck] = candidate_logits.written(left, cells, pool.answer[stuck, cells].astype(np.int64))
        lost = candidate_logits.any_of(pool.right & ~pool.left)
        over: NDArray[np.bool_] = lost | candidate_logits.known(pool.left).all(axis=1)
        self.ended["won"] += int((over & ~lost).sum())
        self.ended["lost"] += int(lost.sum())
        pool.renew(over)

    def figures(self) -> Figures:
        won, lost = self.ended["won"], self.ended["lost"]
        self.ended = {"won": 0, "lost": 0}
        return {"boards": self.pool.taken, "won": won / max(won + lost, 1)}

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        tensors, told = self.pool.state()
        return tensors, {**told, "ended": self.ended}

    def restore(self, tensors: Mapping[str, Tensor], told: Mapping[str, Any]) -> None:
        self.pool.restore(tensors, told)
        self.ended = dict(told["ended"])

    def saved(self) -> None:
        """Nothing to do: the boards are made again from the settings."""


@dataclass(frozen=True)
class LatticeRecipe:
    """One program: what is learned from depends on what was learned."""

    settings = LatticeSettings

    def check(self, settings: LatticeSettings) -> None:
        if not solved_boards.check(settings).reads_candidates:
            raise Unsupported("this network is not given candidates: take network.kind=lattice that reads candidates")

    def learn(self, run: Run, settings: LatticeSettings, watch: Callable[[], None]) -> None:
        loop.learn(run, settings, watch, lambda: LatticeTask(settings, *solved_boards.begin(settings)))


RECIPE = LatticeRecipe()
