"""Learning to eliminate candidates: the network classifies each candidate as right or wrong, on boards of its own play.

Every slot holds a board with its remaining candidates. In each step the network learns which of them belong to the
solution, in all of its last rounds. Then improbable candidates are eliminated, as the solver `lattice` does it; where
there are none, the most certain cell gets the digit of the solution. A board that is solved, or has lost a candidate of
its solution, is replaced. Source: "Lattice Deduction Transformer" (2026).

Shapes: B = boards in play, N = cells, D = digits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor
from torch.nn import functional

from puzzlelab.core.errors import Unsupported
from puzzlelab.engine import candidate_logits
from puzzlelab.engine.executor import Executor
from puzzlelab.nets.layers import RoundsNetwork
from puzzlelab.nets.model import digits_per_cell
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training import loop, solved_boards
from puzzlelab.training.evaluation import Metrics
from puzzlelab.training.learner import Losses
from puzzlelab.training.loop import State, Task
from puzzlelab.training.losses import policy_loss
from puzzlelab.training.recipe import Recipe, Watch
from puzzlelab.training.runs import Run
from puzzlelab.training.solved_boards import BoardPool, SupervisedSettings
from puzzlelab.training.step_graphs import Minibatch


class LatticeSettings(SupervisedSettings):
    """Every setting of the recipe."""

    recipe: str = "lattice"
    threshold: float = Field(default=0.02, gt=0, lt=1)
    """Candidates with a smaller probability are eliminated."""
    loss_rounds: int = Field(default=3, ge=1)
    """The number of the network's last rounds that the loss is the mean of."""
    keep_weight: float = Field(default=4.0, ge=0)
    """The weight of candidates of the solution in the binary cross-entropy."""
    drop_weight: float = Field(default=0.5, ge=0)
    """The weight of all other candidates in the binary cross-entropy."""
    choice_weight: float = Field(default=0.2, ge=0)
    """The weight of the cross-entropy of the choice in each cell."""


def new_task(run: Run, settings: LatticeSettings, watch: Watch, executor: Executor) -> Task:
    """Return the task of a run."""
    learner, pool = solved_boards.new_parts(run, settings, watch)
    outcomes = {"won": 0, "lost": 0}  # of the boards that ended since the last evaluation

    def step() -> Mapping[str, float]:
        loss_values, logits = learner.update(losses_of, settings, columns_of(learner.model, pool))
        won, lost = eliminate(pool, settings.threshold, logits.cpu().numpy().reshape(pool.candidates.shape))
        outcomes["won"] += won
        outcomes["lost"] += lost
        return loss_values

    def metrics() -> Metrics:
        won, lost = outcomes["won"], outcomes["lost"]
        outcomes.update(won=0, lost=0)
        return {"boards": pool.taken, "won": won / max(won + lost, 1)}

    def state() -> State:
        tensors, values = pool.state()
        return tensors, {**values, "outcomes": outcomes}

    def restore(tensors: Mapping[str, Tensor], values: Mapping[str, Any]) -> None:
        pool.restore(tensors, values)
        outcomes.update(values["outcomes"])

    return Task(learner, step, state, restore, metrics)


def columns_of(model: TorchModel, pool: BoardPool) -> Minibatch:
    """Return `bool[B, N * D]`: the candidates, those of the solutions, and those of cells with several."""
    candidates = pool.candidates
    undecided = candidates & ~candidate_logits.known(candidates)[:, :, None]
    masks = {"candidates": candidates, "correct": pool.solution_candidates, "open": undecided}
    return {name: model.tensor(mask.reshape(len(mask), -1)) for name, mask in masks.items()}


def losses_of(model: TorchModel, settings: LatticeSettings, columns: Minibatch) -> tuple[Losses, Tensor]:
    """Return the means over the last rounds of the network, and the logits `float[B, N * D]` of the last round."""
    flat, correct, open_ = columns["candidates"], columns["correct"], columns["open"]
    digits = digits_per_cell(model.puzzle)
    network = cast(RoundsNetwork, model.module)
    rounds = deque(network.each_round(flat), maxlen=settings.loss_rounds)
    losses: Losses = {}
    for features in rounds:
        logits = network.logits(features)
        weights = open_ * (settings.drop_weight + (settings.keep_weight - settings.drop_weight) * correct)
        target = correct.to(logits.dtype)
        total = functional.binary_cross_entropy_with_logits(logits, target, weights, reduction="sum")
        choice = policy_loss(logits, correct & open_, flat, "cells", digits)
        for name, loss in (
            ("keep_loss", total / open_.sum().clamp_min(1)),
            ("choice_loss", settings.choice_weight * choice),
        ):
            losses[name] = losses.get(name, 0) + loss / len(rounds)
    return losses, logits


def eliminate(pool: BoardPool, threshold: float, logits: Any) -> tuple[int, int]:
    """Continue each board as the solver `lattice` would, except that a chosen digit is that of the solution.

    Returns how many boards were solved now, and how many lost a candidate of their solution; both are replaced.
    """
    improbable = candidate_logits.is_improbable(pool.candidates, logits, np.full(len(logits), threshold))
    has_eliminated = candidate_logits.any_of(improbable)
    pool.candidates &= ~improbable
    open_ = ~candidate_logits.known(pool.candidates)
    stuck = ~has_eliminated & open_.any(axis=1)
    candidates = pool.candidates[stuck]
    probabilities = candidate_logits.shares(candidates, logits[stuck])
    cells = candidate_logits.most_certain_cell(probabilities, open_[stuck])
    digits = pool.solutions[stuck, cells].astype(np.int64)
    pool.candidates[stuck] = candidate_logits.written(candidates, cells, digits)
    lost = candidate_logits.any_of(pool.solution_candidates & ~pool.candidates)
    finished: NDArray[np.bool_] = lost | candidate_logits.known(pool.candidates).all(axis=1)
    pool.replace(finished)
    return int((finished & ~lost).sum()), int(lost.sum())


def check(settings: LatticeSettings) -> None:
    """Raise `BadInput` for settings that cannot be trained with."""
    if not solved_boards.check_settings(settings).reads_candidates:
        raise Unsupported("this network does not read candidates: take network.kind=lattice that reads candidates")


RECIPE = Recipe(LatticeSettings, check, partial(loop.learn, new_task), check_new=solved_boards.check_files)
"""A single program, because the boards depend on what the network eliminates."""
