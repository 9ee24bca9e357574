"""Deep Q-learning: a network plays many games at once, and learns from what its moves led to what they are worth.

With the parts that were found to help since Mnih et al. (2015), each of which can be switched off: double (van Hasselt
et al., 2016), dueling (Wang et al., 2016), prioritised (Schaul et al., 2016), returns of several steps (Hessel et al.,
2018), and a mask over moves that cannot be made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.puzzle import State
from puzzlelab.engine.batch_rules import Successors, canonical_moves, successors
from puzzlelab.experience import rewards
from puzzlelab.experience.replay import ReplayBatch
from puzzlelab.experience.returns import Columns, Returns
from puzzlelab.training import loop
from puzzlelab.training.learner import Losses
from puzzlelab.training.losses import value_loss
from puzzlelab.training.online_rl import OnlineSettings, OnlineTask, check
from puzzlelab.training.runs import Run


class DqnSettings(OnlineSettings):
    """Every setting of the recipe; the network needs the head `q`."""

    recipe: Literal["dqn"] = "dqn"
    reward: str = "moves"
    """A scheme of the puzzle; `puzzlelab list PUZZLE` names them. With any but `moves`, `margin` counts for nothing."""
    discount: float = Field(default=1.0, ge=0, le=1)
    horizon: int = Field(default=1, ge=1)
    """Moves of a return."""
    double: bool = True
    """Whether the network says which move comes next, and the slow one only what it is worth."""
    whole: bool = False
    """Whether a state is learned from with all its moves, which the rules allow, and not with the one that was made."""
    masked: bool = True
    """Whether only moves that can be made are tried and counted."""
    blend: float = Field(default=1.0, gt=0, le=1)
    """The share of what is new in what a value is moved towards."""
    least: float = -1000.0
    """No move is taken to be worth less. Without a discount, moves that lead in circles would else be worth less and
    less, and so would those that look like them.
    """


@dataclass
class DqnTask:
    """Plays what is worth most, and learns from what that led to."""

    settings: DqnSettings
    table: OnlineTask
    record: Returns
    reward: rewards.Reward

    # --- playing ---

    def turn(self) -> None:
        """Make a move in every game, and remember what is complete by it."""
        play = self.table.play
        possible = play.legal() if self.settings.masked else np.ones(play.canonical_moves.shape, bool)
        values = np.where(possible, self.table.learner.model.outputs(play.states)["q"], -np.inf)
        turn = self.table.moved(values.argmax(axis=1), possible)
        complete = self.record.completed(turn, self.reward(turn.states, turn.successors))
        if len(complete["move"]):
            self.table.memory.append(complete)

    # --- learning ---

    def losses(self, batch: ReplayBatch, errors: list[Tensor]) -> Losses:
        """The loss; `errors` is given how far each transition was off."""
        model = self.table.learner.model
        found = model.forward(batch.columns["state"])["q"]
        shares, wanted = (self._whole if self.settings.whole else self._made)(batch.columns)
        wanted = wanted.clamp(min=self._least)
        errors.append((shares * (wanted - found.detach()).abs()).sum(1))
        if self.settings.blend < 1:
            wanted = torch.lerp(found.detach(), wanted, self.settings.blend)
        if batch.weights is not None:
            shares = shares * model.tensor(batch.weights)[:, None]
        return {"q_loss": found.shape[1] * value_loss(found, wanted, self.settings.distance, shares)}

    @property
    def _least(self) -> float:
        told = self.settings
        return max(told.least, -self.table.play.starts.most(told.margin)) if told.reward == "moves" else told.least

    def _made(self, columns: Columns) -> tuple[Tensor, Tensor]:
        """(`shares: float[B, M]`, which add up to 1, the same for all moves that come to the same as the one made, and
        what it turned out to be worth, `float[B, M]`).
        """
        named = canonical_moves(self.table.learner.puzzle, columns["state"])
        moves = columns["move"].astype(np.int64)[:, None]
        mine = np.take_along_axis(named, moves, axis=1)
        same = np.where(mine < 0, np.arange(named.shape[1]) == moves, named == mine)
        later = self._worth(columns["next"]) * self.table.learner.model.tensor(columns["factor"])
        wanted = self.table.learner.model.tensor(columns["reward"]) + later
        return self._shares(same), wanted[:, None].expand(named.shape)

    def _whole(self, columns: Columns) -> tuple[Tensor, Tensor]:
        """(`shares: float[B, M]`, the same for all moves that can be made, and what each is worth, `float[B, M]`)."""
        states = columns["state"]
        ahead, named = successors(self.table.learner.puzzle, states), canonical_moves(self.table.learner.puzzle, states)
        made = Successors(ahead.states, np.ones(len(ahead.owner), bool), ahead.solved)
        after = canonical_moves(self.table.learner.puzzle, ahead.states) >= 0
        over = ahead.solved | ~after.any(axis=1)
        reward = self.reward(states[ahead.owner], made)
        later = self._worth(ahead.states).cpu().numpy()
        worth = np.zeros(named.shape, np.float32)
        worth[ahead.owner, ahead.move] = reward + np.where(over, 0.0, self.settings.discount * later)
        wanted = np.take_along_axis(worth, np.maximum(named, 0), axis=1)
        return self._shares(named >= 0), self.table.learner.model.tensor(wanted)

    def _shares(self, counted: NDArray[np.bool_]) -> Tensor:
        return self.table.learner.model.tensor((counted / counted.sum(axis=1, keepdims=True)).astype(np.float32))

    @torch.no_grad()
    def _worth(self, states: State) -> Tensor:
        """`float[B]`: what the best move of each state is worth."""
        model = self.table.learner.model
        worth = self.table.slow.model.forward(states)["q"]
        chosen = model.forward(states)["q"] if self.settings.double else worth
        if self.settings.masked:
            impossible = model.tensor(canonical_moves(self.table.learner.puzzle, states) < 0)
            chosen = chosen.masked_fill(impossible, -torch.inf)
        best = chosen.argmax(1, keepdim=True)
        return worth.gather(1, best).squeeze(1)


def new(settings: DqnSettings) -> OnlineTask:
    """All games at their beginning."""
    puzzle = registry.load(settings.puzzle)
    reward = rewards.make(puzzle, settings.reward, settings.discount)

    def player(table: OnlineTask) -> DqnTask:
        return DqnTask(settings, table, Returns.of(settings.horizon, settings.discount, table.play.states), reward)

    return OnlineTask.of(puzzle, settings, player)


@dataclass(frozen=True)
class DqnRecipe:
    """One program: whoever plays must know what has been learned."""

    settings = DqnSettings

    def check(self, settings: DqnSettings) -> None:
        check(settings, "q")
        rewards.make(registry.load(settings.puzzle), settings.reward, settings.discount)

    def learn(self, run: Run, settings: DqnSettings, watch: Callable[[], None]) -> None:
        loop.learn(run, settings, watch, lambda: new(settings))


RECIPE = DqnRecipe()
