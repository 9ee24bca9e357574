"""Approximate value iteration: a state is worth one move more than the best of what it leads to, by a slow network.

The states are those that the network itself comes to from boards near and far, so that it learns where it goes wrong.
Source: Bertsekas and Tsitsiklis, "Neuro-dynamic programming" (1996); with walks from the goal, as Agostinelli et al.
(2019).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.puzzle import State
from puzzlelab.engine.batch_rules import successors
from puzzlelab.experience.curriculum import UNKNOWN
from puzzlelab.experience.replay import ReplayBatch, ReplaySettings
from puzzlelab.experience.trajectories import Trajectories
from puzzlelab.training import loop
from puzzlelab.training.learner import Losses
from puzzlelab.training.losses import value_loss
from puzzlelab.training.online_rl import OnlineSettings, OnlineTask, check
from puzzlelab.training.runs import Run


class ValueIterationSettings(OnlineSettings):
    """Every setting of the recipe; the network needs the head `remaining`."""

    recipe: Literal["value_iteration"] = "value_iteration"
    memory: ReplaySettings = ReplaySettings(size=0)
    """Of games that have ended; without one, states are learned from as they are come to."""
    bounded: bool = True
    """Whether a state needs no more moves than the walk that led to it had, or the game that was won from there."""
    trust: float = Field(default=0.5, ge=0, le=1)
    """What the moves of a remembered game that was won count, beside what a look one move ahead says."""
    most: float = Field(default=1000.0, gt=0)
    """No state is taken to need more moves, not even one without a move. Else states that no game was won from look
    worse at every step, and so do those that look like them.
    """


@dataclass
class ValueIterationTask:
    """Plays towards the fewest moves that remain, and looks one move ahead to learn."""

    settings: ValueIterationSettings
    table: OnlineTask
    record: Trajectories

    # --- playing ---

    def turn(self) -> None:
        """Make a move in every game, and remember those that ended by it, or without a memory where they all stood."""
        play, memory = self.table.play, self.table.memory
        costs, lengths = self._ahead(play.states), play.lengths + 1
        unknown = np.full(len(lengths), UNKNOWN, np.int32)
        here = {"state": play.states, "bound": play.bounds.copy(), "left": unknown, "worth": costs.min(axis=1)}
        self.record.record(play)
        turn = self.table.moved(costs.argmin(axis=1), np.isfinite(costs))
        if not self.settings.memory.size:
            memory.append(here)
        elif turn.ended.any():
            memory.append(self.record.completed(turn, lengths))

    def _ahead(self, states: State) -> NDArray[np.float64]:
        """`float64[B, M]`: the moves that remain with each move, by the slow network; inf where it is impossible."""
        ahead = successors(self.table.learner.puzzle, states)
        costs = np.full((len(states), self.table.learner.puzzle.move_count), np.inf)
        later = np.where(ahead.solved, 0.0, np.maximum(self.table.slow.model.cost_to_go(ahead.states), 1.0))
        costs[ahead.owner, ahead.move] = 1.0 + later
        return costs

    # --- learning ---

    def losses(self, batch: ReplayBatch, errors: list[Tensor]) -> Losses:
        """The loss; `errors` is given how far each state was off."""
        model, columns = self.table.learner.model, batch.columns
        worth = columns["worth"] if "worth" in columns else self._ahead(columns["state"]).min(axis=1)
        if self.settings.bounded:
            worth = np.minimum(worth, columns["bound"])
        left = np.where(columns["left"] == UNKNOWN, worth, columns["left"])
        worth = worth + self.settings.trust * (left - worth)
        wanted = model.tensor(np.minimum(worth, self._most).astype(np.float32))
        found = model.forward(columns["state"])["cost_to_go"]
        errors.append(wanted - found)
        weights = None if batch.weights is None else model.tensor(batch.weights)
        return {"remaining_loss": value_loss(found, wanted, self.settings.distance, weights)}

    @property
    def _most(self) -> float:
        return min(self.settings.most, self.table.play.starts.most(self.settings.margin))


def new(settings: ValueIterationSettings) -> OnlineTask:
    """All games at their beginning."""
    puzzle = registry.load(settings.puzzle)
    return OnlineTask.of(
        puzzle, settings, lambda table: ValueIterationTask(settings, table, Trajectories.of(table.play))
    )


@dataclass(frozen=True)
class ValueIterationRecipe:
    """One program: whoever plays must know what has been learned."""

    settings = ValueIterationSettings

    def check(self, settings: ValueIterationSettings) -> None:
        check(settings, "cost_to_go")

    def learn(self, run: Run, settings: ValueIterationSettings, watch: Callable[[], None]) -> None:
        loop.learn(run, settings, watch, lambda: new(settings))


RECIPE = ValueIterationRecipe()
