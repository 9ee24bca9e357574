"""Deep Q-learning: a network plays many games side by side, and learns the values of its moves.

With the extensions since Mnih et al. (2015), each of which can be switched off: double (van Hasselt et al., 2016),
dueling (Wang et al., 2016), prioritised replay (Schaul et al., 2016), returns of several steps (Hessel et al., 2018),
and a mask over illegal moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import equivalence
from puzzlelab.engine.batch_rules import Successors, canonical_moves, successors
from puzzlelab.experience import rewards
from puzzlelab.experience.histories import Columns, Returns
from puzzlelab.experience.replay import DrawnBatch
from puzzlelab.experience.vector_game import VectorGame
from puzzlelab.nets.card import counts_moves
from puzzlelab.nets.torch_model import TorchModel, precision
from puzzlelab.training import loop
from puzzlelab.training.exploration import explore
from puzzlelab.training.learner import Losses
from puzzlelab.training.losses import value_loss
from puzzlelab.training.online_rl import OnlineLearning, OnlineSettings, check_executor, check_settings, new_task
from puzzlelab.training.recipe import Recipe
from puzzlelab.training.settings import BoardBytes
from puzzlelab.training.step_graphs import Minibatch


class DqnSettings(OnlineSettings):
    """Every setting of the recipe; the network needs the head `q`."""

    recipe: str = "dqn"
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

    def memory_needs(self, board: BoardBytes) -> dict[str, int]:
        """Return the least bytes of memory for each setting that is a number of boards."""
        return super().memory_needs(board._replace(learned=board.state) if self.minibatch_size else board)


@dataclass
class Dqn:
    """The method that plays the move of the greatest value, and learns from the results of its moves."""

    puzzle: Puzzle
    settings: DqnSettings
    reward: rewards.Reward = field(init=False)

    def __post_init__(self) -> None:
        self.reward = rewards.make(self.puzzle, self.settings.reward, self.settings.discount)

    # --- play ---

    def new_history(self, games: VectorGame) -> Returns:
        return Returns.of(self.settings.horizon, self.settings.discount, games.states)

    def acting_model(self, online: OnlineLearning) -> TorchModel:
        return online.learner.model

    def move(
        self, games: VectorGame, history: Returns, model: TorchModel, epsilon: float, random: np.random.Generator
    ) -> Columns:
        legal = games.legal() if self.settings.masked else np.ones(games.canonical_moves.shape, bool)
        values = self._move_values(model, games.states, legal)
        transition = explore(games, values, legal, self.settings.exploration, epsilon, random)
        return history.completed(transition, self.reward(transition.states, transition.successors))

    def best_moves(self, model: TorchModel, states: State, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        best: NDArray[np.int64] = self._move_values(model, states, legal).argmax(axis=1)
        return best

    def _move_values(self, model: TorchModel, states: State, legal: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return `float32[B, M]`: the values of moves, -inf for illegal ones where they are excluded."""
        values: NDArray[np.float32] = model.outputs(states)["q"]
        return np.where(legal, values, -np.inf) if self.settings.masked else values

    # --- learning ---

    def fit(
        self, online: OnlineLearning, batch: DrawnBatch, random: np.random.Generator
    ) -> tuple[Mapping[str, float], Tensor]:
        model, size = online.learner.model, self.settings.minibatch_size
        with torch.no_grad(), precision(model.device, self.settings.learning.precision):
            columns = {**model.columns(batch.columns["state"]), **self._targets(online, batch)}
            if size:
                present = model.forward(columns)["q"]
                errors = errors_of(columns, present)
                columns = with_all_moves(columns, present, self.settings.blend)
        if not size:
            return online.learner.update(losses_of, self.settings, columns)
        order = model.tensor(random.permutation(len(errors)))
        parts = zip(*(torch.split(column[order], size) for column in columns.values()), strict=True)
        minibatches = [dict(zip(columns, part, strict=True)) for part in parts]
        return online.learner.update(losses_of, self.settings, *minibatches)[0], errors

    def _targets(self, online: OnlineLearning, batch: DrawnBatch) -> dict[str, Tensor]:
        """Return the targets `float[B, M]` and the shares of the moves that are learned from, with the weights
        `float[B, 1]` of the transitions if they have some.
        """
        settings, model = self.settings, online.learner.model
        targets_of = self._targets_of_all_moves if settings.all_moves else self._targets_of_played_moves
        shares, target = targets_of(online, batch.columns)
        least = settings.min_value
        target = target.clamp(min=least if settings.reward != "moves" else max(least, -online.most_moves))
        weights = {} if batch.weights is None else {"weights": model.tensor(batch.weights)[:, None]}
        return {"target": target, "shares": shares, **weights}

    def _targets_of_played_moves(self, online: OnlineLearning, columns: Columns) -> tuple[Tensor, Tensor]:
        """Return (`shares: float[B, M]`, which sum to 1 over the played move or over all moves with its effect, and the
        target value `float[B, M]` of the played move).
        """
        model, moves = online.learner.model, columns["move"].astype(np.int64)[:, None]
        same = np.arange(self.puzzle.move_count) == moves
        if self.settings.equivalent_moves and equivalence(self.puzzle) is not None:
            canonical = canonical_moves(self.puzzle, columns["state"])
            played = np.take_along_axis(canonical, moves, axis=1)
            same |= (played >= 0) & (canonical == played)
        future = self._state_values(online, columns["next"]) * model.tensor(columns["factor"])
        target = model.tensor(columns["reward"]) + future
        return model.tensor(_equal_shares(same)), target[:, None].expand(same.shape)

    def _targets_of_all_moves(self, online: OnlineLearning, columns: Columns) -> tuple[Tensor, Tensor]:
        """Return (`shares: float[B, M]`, equal for all legal moves, and the target value `float[B, M]` of each)."""
        puzzle, states, model = self.puzzle, columns["state"], online.learner.model
        ahead, canonical = successors(puzzle, states), canonical_moves(puzzle, states)
        results = Successors(ahead.states, np.ones(len(ahead.owner), bool), ahead.solved, ahead.costs)
        has_moves = (canonical_moves(puzzle, ahead.states) >= 0).any(axis=1)
        terminal = ahead.solved | ~has_moves
        reward = self.reward(states[ahead.owner], results)
        future = self._state_values(online, ahead.states).cpu().numpy()
        values = np.zeros(canonical.shape, np.float32)
        values[ahead.owner, ahead.move] = reward + np.where(terminal, 0.0, self.settings.discount * future)
        target = np.take_along_axis(values, np.maximum(canonical, 0), axis=1)
        return model.tensor(_equal_shares(canonical >= 0)), model.tensor(target)

    @torch.no_grad()
    def _state_values(self, online: OnlineLearning, states: State) -> Tensor:
        """Return `float[B]`: the value of the best move of each state."""
        model, target = online.learner.model, online.target.model
        columns = model.columns(states)
        values = target.forward(columns)["q"]
        choice_values = model.forward(columns)["q"] if self.settings.double else values
        if self.settings.masked:
            illegal = model.tensor(canonical_moves(self.puzzle, states) < 0)
            choice_values = choice_values.masked_fill(illegal, -torch.inf)
        best = choice_values.argmax(1, keepdim=True)
        return values.gather(1, best).squeeze(1)


def losses_of(model: TorchModel, settings: DqnSettings, columns: Minibatch) -> tuple[Losses, Tensor]:
    """Return the distance of the values of each state from their targets, summed over its moves: the mean over the
    states; and the errors of the states, where all are in one minibatch.
    """
    predicted, target, shares = model.forward(columns)["q"], columns["target"], columns["shares"]
    present = predicted.detach()
    if settings.blend < 1 and not settings.minibatch_size:
        target = torch.lerp(present, target, settings.blend)
    weights = shares * columns["weights"] if "weights" in columns else shares
    loss = value_loss(predicted, target, settings.distance, weights)
    output = predicted if settings.minibatch_size else errors_of(columns, present)
    return {"q_loss": predicted.shape[1] * loss}, output


def errors_of(columns: Minibatch, present: Tensor) -> Tensor:
    """Return `float[B]`: the mean distance of the present values `float[B, M]` from the targets."""
    return (columns["shares"] * (columns["target"] - present).abs()).sum(1)


def with_all_moves(columns: Minibatch, present: Tensor, blend: float) -> dict[str, Tensor]:
    """Give each value without a target the present value as target, with the share of a played move."""
    target, shares = columns["target"], columns["shares"]
    if blend < 1:
        target = torch.lerp(present, target, blend)
    has_target = shares > 0
    share = shares.sum(dim=1, keepdim=True).expand_as(shares)
    return {**columns, "target": target.where(has_target, present), "shares": shares.where(has_target, share)}


def _equal_shares(moves: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return `float32[B, M]`: shares of 1 that are equal for all these moves `bool[B, M]`."""
    shares: NDArray[np.float32] = (moves / moves.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares


def check(settings: DqnSettings) -> None:
    """Raise `BadInput` for settings that cannot be trained with."""
    check_settings(settings, "q")
    if settings.evaluation.guide == "estimate" and not counts_moves(settings.reward, settings.discount):
        raise BadOption("evaluation.guide 'estimate' needs values that count moves: reward 'moves' and discount 1")
    rewards.make(registry.load(settings.puzzle), settings.reward, settings.discount)


RECIPE = Recipe(DqnSettings, check, partial(loop.learn, partial(new_task, Dqn)), check_executor=check_executor)
"""A single program, because the network that learns also plays; an executor may play its games."""
