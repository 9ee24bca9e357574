"""Learning the digits of a solution from boards that are partly filled: a choice among all digits in each blank cell.

A network that is given the digits of a board learns what stands in every blank cell, one choice a cell. Boards are
shown as they are on the way when the surest cell is filled first: after each step some cells that the network is
surest of get the digit of the solution. Source: Shiva Verma, "Solving Sudoku with Convolution Neural Network" (2019).

Shapes: B = boards in play, N = cells, D = digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field
from torch import Tensor

from puzzlelab.core.errors import Unsupported
from puzzlelab.engine import candidate_logits
from puzzlelab.nets.model import candidates_of
from puzzlelab.training import loop, solved_boards
from puzzlelab.training.evaluation import Figures
from puzzlelab.training.learner import Learner, Losses
from puzzlelab.training.losses import moves_loss
from puzzlelab.training.runs import Run
from puzzlelab.training.solved_boards import BoardPool, SupervisedSettings


class CnnSettings(SupervisedSettings):
    """Every setting of the recipe."""

    recipe: Literal["cnn"] = "cnn"
    filled: float = Field(default=0.1, gt=0, le=1)
    """The share of its blank cells that a board gets filled before it is shown again; 1: each is shown once."""


@dataclass
class CnnTask:
    """A learner with the boards that it learns from."""

    settings: CnnSettings
    learner: Learner
    pool: BoardPool

    def step(self) -> Mapping[str, float]:
        model, left, right = self.learner.model, self.pool.left, self.pool.right
        blank = ~candidate_logits.known(left)
        states = candidate_logits.states_of(candidates_of(model.puzzle), left)
        logits: list[Tensor] = []

        def losses() -> Losses:
            scores = model.forward(states)["policy"]
            logits[:] = [scores.detach()]
            wanted = model.tensor(right & blank[:, :, None])
            return {"cells_loss": moves_loss(scores, wanted, model.tensor(left), "cells", left.shape[2])}

        told = self.learner.update(losses)
        share = candidate_logits.shares(left, logits[0].cpu().numpy().reshape(left.shape))
        agreement = (share.argmax(axis=2) == self.pool.answer)[blank].mean()
        self._fill(share.max(axis=2), blank)
        return {**told, "agreement": float(agreement)}

    def _fill(self, sure: Any, blank: Any) -> None:
        """Give the surest cells of each board their digits; boards that are full make room for others."""
        pool, count = self.pool, blank.sum(axis=1)
        number = np.ceil(self.settings.filled * count).astype(np.int64)
        order = np.where(blank, -sure, np.inf).argsort(axis=1).argsort(axis=1)
        chosen = blank & (order < number[:, None])
        pool.left[chosen] = pool.right[chosen]
        pool.renew(number == count)

    def figures(self) -> Figures:
        return {"boards": self.pool.taken}

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        return self.pool.state()

    def restore(self, tensors: Mapping[str, Tensor], told: Mapping[str, Any]) -> None:
        self.pool.restore(tensors, told)

    def saved(self) -> None:
        """Nothing to do: the boards are made again from the settings."""


@dataclass(frozen=True)
class CnnRecipe:
    """One program: the network says which cells are filled next."""

    settings = CnnSettings

    def check(self, settings: CnnSettings) -> None:
        if solved_boards.check(settings).reads_candidates:
            raise Unsupported("this network reads candidates, and would never see any taken away: network.reads=digits")

    def learn(self, run: Run, settings: CnnSettings, watch: Callable[[], None]) -> None:
        loop.learn(run, settings, watch, lambda: CnnTask(settings, *solved_boards.begin(settings)))


RECIPE = CnnRecipe()
