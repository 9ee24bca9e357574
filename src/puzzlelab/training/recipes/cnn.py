"""Supervised learning of the digits of a solution: one choice among all digits in each blank cell.

The boards are partly filled, as during play that fills the most certain cell first: after each step some of the cells
that the network is most certain of get the digit of the solution. Source: Shiva Verma, "Solving Sudoku with
Convolution Neural Network" (2019).

Shapes: B = boards in play, N = cells, D = digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core.errors import Unsupported
from puzzlelab.engine import candidate_logits
from puzzlelab.engine.candidate_logits import CandidateMask
from puzzlelab.engine.executor import Executor
from puzzlelab.nets.form import candidates_of
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training import loop, solved_boards
from puzzlelab.training.learner import Learner, Losses
from puzzlelab.training.loop import Task
from puzzlelab.training.losses import policy_loss
from puzzlelab.training.recipe import Recipe, Watch
from puzzlelab.training.runs import Run
from puzzlelab.training.solved_boards import BoardPool, SupervisedSettings
from puzzlelab.training.step_graphs import Minibatch


class CnnSettings(SupervisedSettings):
    """Every setting of the recipe."""

    recipe: str = "cnn"
    fill_share: float = Field(default=0.1, gt=0, le=1)
    """The share of its blank cells that a board gets filled before it is shown again; 1: each is shown once."""
    loss_cells: Literal["blank", "all"] = "blank"
    """The cells whose digits are learned: the blank ones, or the filled ones too, which the network then repeats."""


def new_task(run: Run, settings: CnnSettings, watch: Watch, executor: Executor) -> Task:
    """Return the task of a run."""
    learner, pool = solved_boards.new_parts(run, settings, watch)
    return Task(
        learner,
        lambda: step(learner, pool, settings),
        state=pool.state,
        restore=pool.restore,
        metrics=lambda: {"boards": pool.taken},
    )


def step(learner: Learner, pool: BoardPool, settings: CnnSettings) -> Mapping[str, float]:
    """Learn the digits of the blank cells, and fill the cells that the network is most certain of."""
    model, candidates, correct = learner.model, pool.candidates, pool.solution_candidates
    blank = ~candidate_logits.known(candidates)
    states = candidate_logits.states_of(candidates_of(model.puzzle), candidates)
    target, legal = (model.tensor(mask) for mask in choices(settings, candidates, correct, blank))
    columns = {**model.columns(states), "target": target, "legal": legal}
    loss_values, logits = learner.update(losses_of, settings, columns)
    probabilities = candidate_logits.shares(candidates, logits.cpu().numpy().reshape(candidates.shape))
    agreement = (probabilities.argmax(axis=2) == pool.solutions)[blank].mean()
    fill(pool, settings.fill_share, probabilities.max(axis=2), blank)
    return {**loss_values, "agreement": float(agreement)}


def losses_of(model: TorchModel, settings: CnnSettings, columns: Minibatch) -> tuple[Losses, Tensor]:
    """Return the loss, and the logits `float[B, N * D]`."""
    logits, target = model.forward(columns)["policy"], columns["target"]
    return {"cells_loss": policy_loss(logits, target, columns["legal"], "cells", target.shape[2])}, logits


def choices(
    settings: CnnSettings, candidates: CandidateMask, correct: CandidateMask, blank: NDArray[np.bool_]
) -> tuple[CandidateMask, CandidateMask]:
    """Return the digits to learn and those that compete with them, both `bool[B, N, D]`; `blank: bool[B, N]`."""
    if settings.loss_cells == "all":
        return correct, np.ones_like(candidates)
    return correct & blank[:, :, None], candidates


def fill(pool: BoardPool, share: float, certainty: Any, blank: Any) -> None:
    """Fill a share of the most certain cells of each board; full boards are replaced. Both arrays are [B, N]."""
    count = blank.sum(axis=1)
    number = np.ceil(share * count).astype(np.int64)
    rank = np.where(blank, -certainty, np.inf).argsort(axis=1).argsort(axis=1)
    chosen = blank & (rank < number[:, None])
    pool.candidates[chosen] = pool.solution_candidates[chosen]
    pool.replace(number == count)


def check(settings: CnnSettings) -> None:
    """Raise `BadInput` for settings that cannot be trained with."""
    if solved_boards.check_settings(settings).reads_candidates:
        raise Unsupported("this network reads candidates, which this recipe never removes: network.reads=digits")


RECIPE = Recipe(CnnSettings, check, partial(loop.learn, new_task), check_new=solved_boards.check_files)
"""A single program, because the network decides which cells are filled next."""
