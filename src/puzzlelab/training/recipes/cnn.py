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

from puzzlelab.core.errors import NotSuited
from puzzlelab.nets.model import candidates_of
from puzzlelab.solvers import _marks
from puzzlelab.training import loop, quizzes
from puzzlelab.training.exams import Figures
from puzzlelab.training.learner import Learner, Losses
from puzzlelab.training.losses import moves_loss
from puzzlelab.training.quizzes import Pool, Quizzed
from puzzlelab.training.runs import Run


class Cnn(Quizzed):
    """Every setting of the recipe."""

    recipe: Literal["cnn"] = "cnn"
    filled: float = Field(default=0.1, gt=0, le=1)
    """The share of its blank cells that a board gets filled before it is shown again; 1: each is shown once."""


@dataclass
class Filler:
    """A learner with the boards that it learns from."""

    settings: Cnn
    learner: Learner
    pool: Pool

    def step(self) -> Mapping[str, float]:
        model, left, right = self.learner.model, self.pool.left, self.pool.right
        blank = ~_marks.known(left)
        states = _marks.states_of(candidates_of(model.puzzle), left)
        logits: list[Tensor] = []

        def losses() -> Losses:
            scores = model.answers(states)["moves"]
            logits[:] = [scores.detach()]
            wanted = model.tensor(right & blank[:, :, None])
            return {"cells_loss": moves_loss(scores, wanted, model.tensor(left), "cells", left.shape[2])}

        told = self.learner.update(losses)
        share = _marks.shares(left, logits[0].cpu().numpy().reshape(left.shape))
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

    settings = Cnn

    def check(self, settings: Cnn) -> None:
        if quizzes.check(settings).eliminates:
            raise NotSuited("this network reads candidates, and would never see any taken away: network.reads=digits")

    def learn(self, run: Run, settings: Cnn, watch: Callable[[], None]) -> None:
        loop.learn(run, settings, watch, lambda: Filler(settings, *quizzes.begin(settings)))


RECIPE = CnnRecipe()
