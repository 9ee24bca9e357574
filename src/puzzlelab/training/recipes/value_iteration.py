"""Approximate value iteration: the cost-to-go of a state is one more than the least cost-to-go of its successors.

A target network gives the cost-to-go of the successors. The states are those that the network itself visits in games
from boards near and far, so that it learns where it errs. Source: Bertsekas and Tsitsiklis, "Neuro-dynamic programming"
(1996); with random walks from the goal, as Agostinelli et al. (2019).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.objective import require_counted_moves
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.engine.batch_rules import successors
from puzzlelab.experience.curriculum import UNKNOWN
from puzzlelab.experience.histories import Trajectories
from puzzlelab.experience.replay import DrawnBatch, ReplaySettings
from puzzlelab.experience.vector_game import VectorGame
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training import loop
from puzzlelab.training.acting import Arrays
from puzzlelab.training.exploration import explore
from puzzlelab.training.learner import Losses
from puzzlelab.training.losses import value_loss
from puzzlelab.training.online_rl import OnlineLearning, OnlineSettings, check_executor, check_settings, new_task
from puzzlelab.training.recipe import Recipe
from puzzlelab.training.step_graphs import Minibatch


class ValueIterationSettings(OnlineSettings):
    """Every setting of the recipe; the network needs the head `remaining`."""

    recipe: str = "value_iteration"
    replay: ReplaySettings = ReplaySettings(size=0)
    """A replay buffer of finished games; with size 0, states are learned from as they are visited."""
    bounded: bool = True
    """Whether the target is bounded by the length of the random walk to the state, or of the solution found from it."""
    outcome_weight: float = Field(default=0.5, ge=0, le=1)
    """The weight of the outcome of a solved game in the target; the rest is the lookahead by one move."""
    max_cost_to_go: float = Field(default=1000.0, gt=0)
    """The upper bound of targets. Without one, the values of states that are never solved, and of dead ends, grow at
    every step, and with them those of similar states.
    """


@dataclass
class ValueIteration:
    """The method that plays greedily by the cost-to-go of the target network, and learns it by a lookahead of one
    move.
    """

    puzzle: Puzzle
    settings: ValueIterationSettings

    # --- play ---

    def new_history(self, games: VectorGame) -> Trajectories:
        return Trajectories.of(games, None if self.settings.replay.size else 0)

    def acting_model(self, online: OnlineLearning) -> TorchModel:
        return online.target.model

    def move(
        self, games: VectorGame, history: Trajectories, model: TorchModel, epsilon: float, random: np.random.Generator
    ) -> Arrays:
        """Make a move in every game; the states of the games that ended, or without a replay buffer all states."""
        costs, lengths = move_costs(self.puzzle, games.states, model), games.lengths + 1
        unknown = np.full(len(lengths), UNKNOWN, np.int32)
        visited = {
            "state": games.states,
            "bound": games.bounds.copy(),
            "moves_to_end": unknown,
            "lookahead": costs.min(axis=1),
        }
        if self.settings.replay.size:
            history.record(games)
        transition = explore(games, -costs, np.isfinite(costs), self.settings.exploration, epsilon, random)
        return history.completed(transition, lengths) if self.settings.replay.size else visited

    def best_moves(self, model: TorchModel, states: State, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        best: NDArray[np.int64] = move_costs(self.puzzle, states, model).argmin(axis=1)
        return best

    # --- learning ---

    def fit(
        self, online: OnlineLearning, batch: DrawnBatch, random: np.random.Generator
    ) -> tuple[Mapping[str, float], Tensor]:
        return online.learner.update(losses_of, self.settings, self.columns(online, batch))

    def columns(self, online: OnlineLearning, batch: DrawnBatch) -> Minibatch:
        """Return the states of a batch of transitions for the network, with their targets and weights."""
        model, columns, settings = online.learner.model, batch.columns, self.settings
        lookahead = (
            columns["lookahead"]
            if "lookahead" in columns
            else move_costs(self.puzzle, columns["state"], online.target.model).min(axis=1)
        )
        if settings.bounded:
            lookahead = np.minimum(lookahead, columns["bound"])
        outcome = np.where(columns["moves_to_end"] == UNKNOWN, lookahead, columns["moves_to_end"])
        values = lookahead + settings.outcome_weight * (outcome - lookahead)
        most = min(settings.max_cost_to_go, online.most_moves)
        weights = {} if batch.weights is None else {"weights": model.tensor(batch.weights)}
        target = model.tensor(np.minimum(values, most).astype(np.float32))
        return {**model.columns(columns["state"]), "target": target, **weights}


def losses_of(model: TorchModel, settings: ValueIterationSettings, columns: Minibatch) -> tuple[Losses, Tensor]:
    """Return the loss on a batch of transitions, and their errors `float[B]`."""
    predicted, target = model.forward(columns)["cost_to_go"], columns["target"]
    loss = value_loss(predicted, target, settings.distance, columns.get("weights"))
    return {"cost_to_go_loss": loss}, target - predicted


def move_costs(puzzle: Puzzle, states: State, model: TorchModel) -> NDArray[np.float64]:
    """Return `float64[B, M]`: the cost-to-go with each move, by this network; inf for an illegal move."""
    ahead = successors(puzzle, states)
    costs = np.full((len(states), puzzle.move_count), np.inf)
    cost_to_go = np.where(ahead.solved, 0.0, np.maximum(model.cost_to_go(ahead.states), 1.0))
    costs[ahead.owner, ahead.move] = 1.0 + cost_to_go
    return costs


def check(settings: ValueIterationSettings) -> None:
    """Raise `BadInput` for settings that cannot be trained with."""
    require_counted_moves(registry.load(settings.puzzle), "value iteration")
    check_settings(settings, "cost_to_go")


RECIPE = Recipe(
    ValueIterationSettings, check, partial(loop.learn, partial(new_task, ValueIteration)), check_executor=check_executor
)
"""A single program, because the network that learns also plays; an executor may play its games."""
