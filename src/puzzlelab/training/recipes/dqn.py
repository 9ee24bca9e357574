"""Deep Q-learning: a network plays many games side by side, and learns the values of its moves.

With the extensions since Mnih et al. (2015), each of which can be switched off: double (van Hasselt et al., 2016),
dueling (Wang et al., 2016), prioritised replay (Schaul et al., 2016), returns of several steps (Hessel et al., 2018),
and a mask over illegal moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import State
from puzzlelab.engine.batch_rules import Successors, canonical_moves, successors
from puzzlelab.experience import rewards
from puzzlelab.experience.returns import Columns, Returns
from puzzlelab.experience.ring import DrawnBatch
from puzzlelab.experience.vector_game import VectorGame
from puzzlelab.nets.card import counts_moves
from puzzlelab.nets.device import precision
from puzzlelab.nets.torch_model import TorchModel, evaluating
from puzzlelab.training import loop
from puzzlelab.training.acting import ActingRules, explore
from puzzlelab.training.learner import Losses
from puzzlelab.training.losses import value_loss
from puzzlelab.training.online_rl import OnlineSettings, OnlineTask, check_executor, check_settings
from puzzlelab.training.recipe import Recipe


class DqnSettings(OnlineSettings):
    """Every setting of the recipe; the network needs the head `q`."""

    recipe: Literal["dqn"] = "dqn"
    reward: str = "moves"
    """A reward scheme of the puzzle; `puzzlelab list PUZZLE` names them. `slack` applies only to `moves`."""
    discount: float = Field(default=1.0, ge=0, le=1)
    """The factor of the value of the next state."""
    horizon: int = Field(default=1, ge=1)
    """The number of moves of a return."""
    double: bool = True
    """Whether the network chooses the next move and the target network only values it."""
    all_moves: bool = False
    """Whether all legal moves of a state are learned from, by the rules, and not only the move that was played."""
    masked: bool = True
    """Whether illegal moves are excluded from play and from targets."""
    blend: float = Field(default=1.0, gt=0, le=1)
    """The share of the new value in a target; the rest is the present value."""
    equivalent_moves: bool = True
    """Whether the value of the played move is learned for all moves with its effect (in dust all cells of a cluster),
    and not only for the move itself.
    """
    minibatch_size: int = Field(default=0, ge=0)
    """The size of minibatches, if above 0: a step fits a batch as Keras' `fit` does: all targets are computed first,
    and then the batch is learned from once, in random order, in minibatches of this size. All moves have a target: the
    """
    min_value: float = -1000.0
    """The lower bound of targets. Without a discount, the values of moves in cycles would fall without end, and with
    them those of similar moves.
    """


class Targets(NamedTuple):
    """The targets towards which the values of a batch are learned. B = transitions."""

    states: State
    """[B, S]."""
    values: Tensor
    """[B, M]."""
    weights: Tensor
    """[B, M]: the weight of each value in the loss; 0: the value has no target."""

    def with_all_moves(self, present: Tensor) -> Targets:
        """Give each value without a target the present value as target, with the weight of a played move."""
        has_target = self.weights > 0
        weight = self.weights.sum(dim=1, keepdim=True).expand_as(self.weights)
        values, weights = self.values.where(has_target, present), self.weights.where(has_target, weight)
        return Targets(self.states, values, weights)

    def rows(self, rows: NDArray[np.int64]) -> Targets:
        """Return the targets of these transitions."""
        index = torch.from_numpy(rows).to(self.values.device)
        return Targets(self.states[rows], self.values[index], self.weights[index])


@dataclass
class DqnRules(ActingRules):
    """The rules that play the move of the greatest value."""

    settings: DqnSettings
    reward: rewards.Reward = field(init=False)

    def __post_init__(self) -> None:
        self.reward = rewards.make(self.puzzle, self.settings.reward, self.settings.discount)

    def new_history(self, games: VectorGame) -> Returns:
        return Returns.of(self.settings.horizon, self.settings.discount, games.states)

    def move(
        self, games: VectorGame, history: Returns, model: TorchModel, epsilon: float, random: np.random.Generator
    ) -> Columns:
        legal = games.legal() if self.settings.masked else np.ones(games.canonical_moves.shape, bool)
        transition = explore(games, self.best_moves(model, games.states, legal), legal, epsilon, random)
        return history.completed(transition, self.reward(transition.states, transition.successors))

    def best_moves(self, model: TorchModel, states: State, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        values = model.outputs(states)["q"]
        best: NDArray[np.int64] = np.where(legal | (not self.settings.masked), values, -np.inf).argmax(axis=1)
        return best


@dataclass
class DqnTask(OnlineTask):
    """The task that plays by the network that it trains, and learns from the results of its moves."""

    rules_type: ClassVar[type[ActingRules]] = DqnRules
    settings: DqnSettings
    rules: DqnRules

    def losses(self, batch: DrawnBatch, errors: list[Tensor]) -> Losses:
        predicted = self._values(batch.columns["state"])
        return self._loss(predicted, self._targets(batch, predicted.detach(), errors))

    def fit(self, batch: DrawnBatch, errors: list[Tensor], random: np.random.Generator) -> Mapping[str, float]:
        size = self.settings.minibatch_size
        if not size:
            return super().fit(batch, errors, random)
        states = batch.columns["state"]
        model = self.learner.model
        with torch.no_grad(), evaluating(model.module), precision(model.device, self.settings.learning.precision):
            present = self._values(states)
            targets = self._targets(batch, present, errors).with_all_moves(present)
        order = random.permutation(len(states))
        minibatches = [targets.rows(order[begin : begin + size]) for begin in range(0, len(order), size)]
        return self.learner.update_in_minibatches([partial(self._fresh_loss, each) for each in minibatches])

    def _values(self, states: State) -> Tensor:
        """Return `float[B, M]`: the values of all moves by the network in training."""
        return self.learner.model.forward(states)["q"]

    def _targets(self, batch: DrawnBatch, present: Tensor, errors: list[Tensor]) -> Targets:
        """Return the targets of the moves that are learned from, whose present values are `float[B, M]`."""
        targets_of = self._targets_of_all_moves if self.settings.all_moves else self._targets_of_played_moves
        shares, target = targets_of(batch.columns)
        target = target.clamp(min=self._min_value)
        errors.append((shares * (target - present).abs()).sum(1))
        if self.settings.blend < 1:
            target = torch.lerp(present, target, self.settings.blend)
        if batch.weights is not None:
            shares = shares * self.learner.model.tensor(batch.weights)[:, None]
        return Targets(batch.columns["state"], target, shares)

    def _fresh_loss(self, targets: Targets) -> Losses:
        return self._loss(self._values(targets.states), targets)

    def _loss(self, predicted: Tensor, targets: Targets) -> Losses:
        """Return the distance of each state, summed over its moves; the mean over the states."""
        distance = value_loss(predicted, targets.values, self.settings.distance, targets.weights)
        return {"q_loss": predicted.shape[1] * distance}

    @property
    def _min_value(self) -> float:
        settings = self.settings
        if settings.reward != "moves":
            return settings.min_value
        return max(settings.min_value, -self.games.start_sampler.most(settings.slack))

    def _targets_of_played_moves(self, columns: Columns) -> tuple[Tensor, Tensor]:
        """Return (`shares: float[B, M]`, which sum to 1 over the played move or over all moves with its effect, and the
        target value `float[B, M]` of the played move).
        """
        canonical = canonical_moves(self.learner.puzzle, columns["state"])
        moves = columns["move"].astype(np.int64)[:, None]
        played = np.take_along_axis(canonical, moves, axis=1)
        alone = (played < 0) | (not self.settings.equivalent_moves)
        same = np.where(alone, np.arange(canonical.shape[1]) == moves, canonical == played)
        future = self._state_values(columns["next"]) * self.learner.model.tensor(columns["factor"])
        target = self.learner.model.tensor(columns["reward"]) + future
        return self._equal_shares(same), target[:, None].expand(canonical.shape)

    def _targets_of_all_moves(self, columns: Columns) -> tuple[Tensor, Tensor]:
        """Return (`shares: float[B, M]`, equal for all legal moves, and the target value `float[B, M]` of each)."""
        puzzle, states = self.learner.puzzle, columns["state"]
        ahead, canonical = successors(puzzle, states), canonical_moves(puzzle, states)
        results = Successors(ahead.states, np.ones(len(ahead.owner), bool), ahead.solved, ahead.costs)
        has_moves = (canonical_moves(puzzle, ahead.states) >= 0).any(axis=1)
        terminal = ahead.solved | ~has_moves
        reward = self.rules.reward(states[ahead.owner], results)
        future = self._state_values(ahead.states).cpu().numpy()
        values = np.zeros(canonical.shape, np.float32)
        values[ahead.owner, ahead.move] = reward + np.where(terminal, 0.0, self.settings.discount * future)
        target = np.take_along_axis(values, np.maximum(canonical, 0), axis=1)
        return self._equal_shares(canonical >= 0), self.learner.model.tensor(target)

    def _equal_shares(self, moves: NDArray[np.bool_]) -> Tensor:
        return self.learner.model.tensor((moves / moves.sum(axis=1, keepdims=True)).astype(np.float32))

    @torch.no_grad()
    def _state_values(self, states: State) -> Tensor:
        """Return `float[B]`: the value of the best move of each state."""
        model = self.learner.model
        with evaluating(model.module), evaluating(self.target.model.module):
            values = self.target.model.forward(states)["q"]
            choice_values = model.forward(states)["q"] if self.settings.double else values
        if self.settings.masked:
            illegal = model.tensor(canonical_moves(self.learner.puzzle, states) < 0)
            choice_values = choice_values.masked_fill(illegal, -torch.inf)
        best = choice_values.argmax(1, keepdim=True)
        return values.gather(1, best).squeeze(1)


def check(settings: DqnSettings) -> None:
    """Raise `BadInput` for settings that cannot be trained with."""
    check_settings(settings, "q")
    if settings.evaluation.guide == "estimate" and not counts_moves(settings.reward, settings.discount):
        raise BadOption("evaluation.guide 'estimate' needs values that count moves: reward 'moves' and discount 1")
    rewards.make(registry.load(settings.puzzle), settings.reward, settings.discount)


RECIPE = Recipe(DqnSettings, check, partial(loop.learn, DqnTask), check_executor=check_executor)
"""A single program, because the network that learns also plays; an executor may play its games."""
