"""Approximate value iteration: the cost-to-go of a state is one more than the least cost-to-go of its successors.

A target network gives the cost-to-go of the successors. The states are those that the network itself visits in games
from boards near and far, so that it learns where it errs. With a horizon, the target network scores only the leaves of
a tree of several moves, and every state within the tree is learned, with its shortest way to a leaf. Sources:
Bertsekas and Tsitsiklis, "Neuro-dynamic programming" (1996); random walks from the goal: Agostinelli et al. (2019);
the horizon: Hadar, Agostinelli and Shperberg, "Beyond single-step updates" (2025).

Shapes: B = states, S = length of a state, M = number of moves, I = inner states of all trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.objective import require_counted_moves
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.engine.batch_rules import inverses, successors
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
    horizon: int = Field(default=1, ge=1, le=16)
    """The number of moves that the lookahead goes ahead. Without a replay buffer, all states before its last move are
    learned from, not only the visited ones.
    """
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
    """The method that plays greedily by the cost-to-go of the target network, and learns it by a lookahead."""

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
        trees, lengths = search_trees(self.puzzle, games.states, model, self.settings.horizon), games.lengths + 1
        visited = {
            "state": trees.states,
            "bound": np.minimum(games.bounds[trees.root] + trees.back, UNKNOWN).astype(np.int32),
            "moves_to_end": np.full(len(trees.states), UNKNOWN, np.int32),
            "lookahead": np.minimum(trees.costs, self.settings.max_cost_to_go),
        }
        if self.settings.replay.size:
            history.record(games)
        legal = np.isfinite(trees.move_costs)
        transition = explore(games, -trees.move_costs, legal, self.settings.exploration, epsilon, random)
        return history.completed(transition, lengths) if self.settings.replay.size else visited

    def best_moves(self, model: TorchModel, states: State, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        best: NDArray[np.int64] = search_trees(self.puzzle, states, model, 1).move_costs.argmin(axis=1)
        return best

    # --- learning ---

    def fit(
        self, online: OnlineLearning, batch: DrawnBatch, random: np.random.Generator
    ) -> tuple[Mapping[str, float], Tensor]:
        return online.learner.update(losses_of, self.settings, self.columns(online, batch))

    def columns(self, online: OnlineLearning, batch: DrawnBatch) -> Minibatch:
        """Return the states of a batch of transitions for the network, with their targets and weights."""
        model, columns, settings = online.learner.model, batch.columns, self.settings
        if "lookahead" in columns:
            lookahead = columns["lookahead"]
        else:
            trees = search_trees(self.puzzle, columns["state"], online.target.model, settings.horizon)
            lookahead = trees.move_costs.min(axis=1)
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


class TreeLayer(NamedTuple):
    """The unsolved states of trees after the same number of moves. L = their number, C = children of the layer before,
    the solved ones among them.
    """

    states: State
    """[L, S]."""
    root: NDArray[np.int64]
    """[L]: the number of the root of each."""
    back: NDArray[np.int64]
    """[L]: the moves back to it, or UNKNOWN where they cannot be undone."""
    undo: NDArray[np.int64]
    """[L]: the move back to the parent, or -1."""
    owner: NDArray[np.int64]
    """[C]: the number of the parent of each child."""
    move: NDArray[np.int64]
    """[C]: the move to each child."""
    is_open: NDArray[np.bool_]
    """[C]: whether the child is unsolved."""


class Trees(NamedTuple):
    """Trees of moves from several states, their roots; inner states are unsolved, and not those after the last move."""

    states: State
    """[I, S]: the inner states, the roots first."""
    root: NDArray[np.int64]
    """[I]: the number of the root of each."""
    back: NDArray[np.int64]
    """[I]: the moves back to it, or UNKNOWN where they cannot be undone."""
    costs: NDArray[np.float64]
    """[I]: the fewest moves within the tree to a leaf with its cost-to-go by the network; inf where no way leads on."""
    move_costs: NDArray[np.float64]
    """[B, M]: the same for each move of a root; inf for an illegal move."""


def search_trees(puzzle: Puzzle, states: State, model: TorchModel, horizon: int) -> Trees:
    """Return trees of `horizon` moves from unsolved `states[B, S]`: this network scores those after the last move.

    No move of a tree undoes the one before. A way to a leaf may go back towards the root first.
    """
    roots, none = np.arange(len(states)), np.full(len(states), -1)
    layers = [TreeLayer(states, roots, np.zeros(len(states), np.int64), none, none, none, none >= 0)]
    for _ in range(horizon):
        layers.append(_grown(puzzle, layers[-1]))
    *inner, leaves = layers
    costs = [np.maximum(model.cost_to_go(leaves.states), 1.0).astype(np.float64)]  # of each layer
    for layer, children in zip(reversed(inner), reversed(layers), strict=False):
        ways = np.ones(len(children.owner))
        ways[children.is_open] += costs[0]
        shortest = np.full(len(layer.states), np.inf)
        np.minimum.at(shortest, children.owner, ways)
        costs.insert(0, shortest)
    move_costs = np.full((len(states), puzzle.move_count), np.inf)
    move_costs[layers[1].owner, layers[1].move] = ways
    for number, layer in enumerate(inner[1:], start=1):
        through_parent = 1.0 + costs[number - 1][layer.owner[layer.is_open]]
        costs[number] = np.where(layer.undo >= 0, np.minimum(costs[number], through_parent), costs[number])
    parts = ((layer.states, layer.root, layer.back, cost) for layer, cost in zip(inner, costs, strict=False))
    inner_states, root, back, inner_costs = map(np.concatenate, zip(*parts, strict=True))
    return Trees(inner_states, root, back, inner_costs, move_costs)


def _grown(puzzle: Puzzle, layer: TreeLayer) -> TreeLayer:
    """Return the layer after one move more, which does not undo the last one."""
    ahead = successors(puzzle, layer.states)
    kept = ahead.move != layer.undo[ahead.owner]
    owner, move, is_open = ahead.owner[kept], ahead.move[kept], ~ahead.solved[kept]
    undo = inverses(puzzle)[move[is_open]]
    back = np.where(undo >= 0, np.minimum(layer.back[owner[is_open]] + 1, UNKNOWN), UNKNOWN)
    return TreeLayer(ahead.states[kept][is_open], layer.root[owner[is_open]], back, undo, owner, move, is_open)


def check(settings: ValueIterationSettings) -> None:
    """Raise `BadInput` for settings that cannot be trained with."""
    require_counted_moves(registry.load(settings.puzzle), "value iteration")
    check_settings(settings, "cost_to_go")


RECIPE = Recipe(
    ValueIterationSettings, check, partial(loop.learn, partial(new_task, ValueIteration)), check_executor=check_executor
)
"""A single program, because the network that learns also plays; an executor may play its games."""
