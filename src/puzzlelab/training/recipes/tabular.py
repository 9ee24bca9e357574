"""Tabular Q-learning: the values of all moves in all states of a small puzzle, in a table.

The reference for deep Q-learning, whose network takes the place of the table. After each move in a state, its value is
moved by the share `blend` towards the reward and the discounted value of the best next move (the Bellman update).
Source: Watkins and Dayan, "Q-learning" (1992).

Shapes: N = states of the table, B = games, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption
from puzzlelab.core.objective import require_counted_moves
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.views import Reversible
from puzzlelab.engine.batch_rules import canonical_moves
from puzzlelab.engine.executor import Executor
from puzzlelab.experience import rewards
from puzzlelab.experience.curriculum import CurriculumSettings, StartSampler
from puzzlelab.experience.state_space import label_reachable, label_states
from puzzlelab.nets.architectures.table import Table, ValueTable
from puzzlelab.nets.form import some_state
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training import loop
from puzzlelab.training.evaluation import EvalSettings, Metrics, check_evaluation
from puzzlelab.training.exploration import explore
from puzzlelab.training.learner import Learner, check_memory
from puzzlelab.training.loop import Task
from puzzlelab.training.online_rl import Play, PlaySettings, new_games
from puzzlelab.training.recipe import Recipe, Watch
from puzzlelab.training.runs import Run

START_BOARDS = 5
"""The branch of the run's seed that draws the boards from which the states of a puzzle are reached."""


class TabularSettings(PlaySettings):
    """Every setting of the recipe. Of `learning` only `steps`, `save_seconds` and `threads` have an effect."""

    recipe: str = "tabular"
    network: dict[str, Any] = Field(default={"kind": "table"})
    """The table; its number of states is found from the puzzle."""
    evaluation: EvalSettings = EvalSettings(teacher_games=0, guide="prior")
    reward: str = "moves"
    """A reward scheme of the puzzle; `puzzlelab list PUZZLE` names them."""
    discount: float = Field(default=1.0, ge=0, le=1)
    """The factor of the value of the next state."""
    blend: float = Field(default=1.0, gt=0, le=1)
    """The share of the new value in a value, the learning rate of the documents. 1 is right for deterministic rules."""
    start_boards: int = Field(default=10_000, ge=1)
    """The number of random boards from which all states of the table are reached, where moves cannot be undone."""


@dataclass
class TabularLearning:
    """The learner that plays the move of the greatest value, and moves its value towards what the move led to."""

    play: Play
    optimal_moves: NDArray[np.bool_]
    """`bool[N, M]`: the optimal moves of each state of the table."""
    distances: NDArray[np.int32]
    """`int32[N]`: the fewest moves from each state; -1 where no goal is reached."""

    @classmethod
    def of(cls, settings: TabularSettings) -> TabularLearning:
        """Make the table and the games before the first step."""
        torch.set_num_threads(settings.learning.threads)
        puzzle: Any = registry.load(settings.puzzle)
        states, distances, masks = labels(puzzle, settings.curriculum, settings.start_boards, settings.seed)
        architecture = Table(**{**settings.network, "states": len(states), "length": states.shape[1]})
        table = architecture.build(puzzle)
        own = canonical_moves(puzzle, states) == np.arange(puzzle.move_count)
        table.fill(states, own & (distances != 0)[:, None])
        model = TorchModel(puzzle, architecture, table)
        # The update is the Bellman update; the optimiser is a placeholder, and has no state.
        learner = Learner(puzzle, settings.learning, model, torch.optim.SGD(table.parameters()), table)
        rows = table_rows(table, states)
        optimal_moves, sorted_distances = np.empty_like(masks), np.empty_like(distances)
        optimal_moves[rows], sorted_distances[rows] = masks, distances
        play = Play(
            settings=settings,
            learner=learner,
            games=new_games(puzzle, settings),
            best_moves=best_moves,
            epsilon=settings.exploration.initial_epsilon,
        )
        return cls(play, optimal_moves, sorted_distances)

    def task(self) -> Task:
        """Return what the training loop calls."""
        play, count = self.play, self.play.settings.parallel_games
        task = Task(play.learner, self.step, play.state, play.restore, self.metrics, play.policy_metrics)
        return replace(task, samples_per_step=count)

    @property
    def table(self) -> ValueTable:
        """The table, whose arrays are shared with NumPy."""
        table: Any = self.play.learner.model.module
        return table  # type: ignore[no-any-return]

    def step(self) -> Mapping[str, float]:
        """Make a move in every game, and update the values of these moves."""
        play, settings = self.play, self.play.settings
        play.begin_step()
        games: Any = play.games
        states, canonical = games.states, games.canonical_moves
        rows = table_rows(self.table, states)
        values, legal = _values(self.table, rows), canonical >= 0
        transition = play.turn(partial(explore, games, values, legal, settings.exploration))
        future = _values(self.table, table_rows(self.table, transition.successors.states)).max(axis=1)
        reward = self.reward(transition.states, transition.successors)
        target = reward + settings.discount * np.where(transition.terminal, 0.0, future)
        moves = canonical[np.arange(len(rows)), transition.moves]
        known = np.flatnonzero((rows >= 0) & (moves >= 0) & (self.distances[rows] != 0))
        places = rows[known], moves[known]
        table = self.table.values.numpy()
        errors = target[known] - table[places]
        table[places] += np.float32(settings.blend) * errors.astype(np.float32)
        play.learner.step += 1
        play.check_policy()
        return {"loss": float(np.mean(np.square(errors))) if len(known) else 0.0}

    @cached_property
    def reward(self) -> rewards.Reward:
        """The reward function of the settings."""
        settings = self.play.settings
        return rewards.make(self.play.learner.puzzle, settings.reward, settings.discount)

    def metrics(self) -> Metrics:
        """Return beside those of the games `optimal`: the share of all unsolved states whose best move is optimal."""
        return {**self.play.metrics(), "optimal": self.optimal_share()}

    def optimal_share(self) -> float:
        """Return the share of the unsolved states with a solution whose move of the greatest value is an optimal
        one.
        """
        rows = np.flatnonzero(self.distances > 0)
        best = self.table.values.numpy()[rows].argmax(axis=1)
        return float(self.optimal_moves[rows, best].mean())


def best_moves(model: TorchModel, states: State, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return `int64[B]`: the move of the greatest value in each state, by the model of a table."""
    table: Any = model.module
    best: NDArray[np.int64] = _values(table, table_rows(table, states)).argmax(axis=1)
    return best


def table_rows(table: ValueTable, states: State) -> NDArray[np.int64]:
    """Return `int64[B]`: the rows of the states, -1 for those that are not in the table."""
    rows: NDArray[np.int64] = table.rows(torch.from_numpy(states.astype(np.int16))).numpy()
    return rows


def _values(table: ValueTable, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return `float32[B, M]`: the values of all moves in these rows; 0 for the row -1."""
    values: NDArray[np.float32] = table.values.numpy()[rows]
    values[rows < 0] = 0.0
    return values


@lru_cache(maxsize=2)
def labels(
    puzzle: Puzzle, curriculum: CurriculumSettings, boards: int, seed: int
) -> tuple[State, NDArray[np.int32], NDArray[np.bool_]]:
    """Return (states `[N, S]`, distances `int32[N]`, optimal moves `bool[N, M]`) of all states of a small puzzle.

    Where moves cannot be undone: of those that are reached from `start_boards` boards. Raises `BadInput` for
    a puzzle with too many states.
    """
    if puzzle.view(Reversible) is not None:
        return label_states(puzzle)
    return label_reachable(puzzle, StartSampler.of(puzzle, curriculum).boards(boards, generator(seed, START_BOARDS))[0])


def check(settings: TabularSettings) -> None:
    """Raise `BadInput` for settings that cannot be trained with, and for a puzzle with too many states."""
    if settings.init:
        raise BadOption("tabular Q-learning begins with an equal value for all moves, not with a network: no init")
    puzzle: Any = registry.load(settings.puzzle)
    require_counted_moves(puzzle, "tabular Q-learning")
    StartSampler.of(puzzle, settings.curriculum)
    rewards.make(puzzle, settings.reward, settings.discount)
    states = some_state(puzzle)[None]
    table = Table(**{**settings.network, "states": 1, "length": states.shape[1]})
    check_memory(puzzle, settings)
    check_evaluation(settings.evaluation, TorchModel(puzzle, table, table.build(puzzle)))
    labels(puzzle, settings.curriculum, settings.start_boards, settings.seed)


def new_task(run: Run, settings: TabularSettings, watch: Watch, executor: Executor) -> Task:
    """Return the task of a run."""
    return TabularLearning.of(settings).task()


RECIPE = Recipe(TabularSettings, check, partial(loop.learn, new_task))
"""A single program, because the table that learns also plays."""
