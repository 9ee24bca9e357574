"""The play of recipes that learn from their own games: the rules by which they move, and the games of the learner.

The rules know neither learner nor replay buffer, so that games can be played elsewhere too: see `acting_blocks`.

Shapes: B = games, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.engine.executor import Executor
from puzzlelab.experience.curriculum import StartSampler
from puzzlelab.experience.vector_game import Transition, VectorGame
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training.exploration import Exploration, epsilon_greedy

INITIAL_BOARDS, TURNS = 3, 4
"""The branches of the run's seed for the first boards, and for the moves and new boards of each turn."""
Arrays = Mapping[str, NDArray[Any]]
"""Named arrays, as saved states have them."""


class ActingSettings(Settings):
    """The places where the games are played that a learner learns from. The names are those of RLlib."""

    num_env_runners: int = Field(default=0, ge=0)
    """0: the learner makes a move in its `parallel_games` games whenever one is due. Above 0: this number of groups of
    `parallel_games` games each are played in blocks, as many of which are played at once. An executor may play them
    anywhere; without one, they are played by the learner's process, with the same result.
    """
    rollout_fragment_length: int = Field(default=10, ge=1)
    """The moves of a block in each game of its group; all are made by the network of the block's beginning."""


class History(Protocol):
    """The past of the games in progress, as far as a recipe needs it."""

    def state(self) -> Arrays: ...
    def state_of_running(self, games: VectorGame) -> Arrays: ...
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...


@dataclass
class ActingRules:
    """The rules by which a recipe moves in its games, and what it keeps of them."""

    puzzle: Puzzle
    settings: Any

    def new_history(self, games: VectorGame) -> Any:
        """Return the past of games without a move yet."""
        raise NotImplementedError

    def best_moves(self, model: TorchModel, states: State, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the best of the legal moves `bool[B, M]` in each of the plain `states[B, S]` by this model:
        `int64[B]`.
        """
        raise NotImplementedError

    def move(
        self, games: VectorGame, history: Any, model: TorchModel, epsilon: float, random: np.random.Generator
    ) -> Arrays:
        """Make a move in every game; the transitions that are complete now, as columns, which may have no rows."""
        raise NotImplementedError


def explore(
    games: VectorGame,
    best: NDArray[np.int64],
    legal: NDArray[np.bool_],
    epsilon: float,
    random: np.random.Generator,
) -> Transition:
    """Make the best move `int64[B]` in every game, or to explore, with probability `epsilon`, a random legal one.

    `legal: bool[B, M]` are the legal moves.
    """
    moves, is_random = epsilon_greedy(best, legal, epsilon, random)
    return games.step(moves, is_random, random)


class GamesSummary(Protocol):
    """The facts that a learner knows of its games, wherever they are played."""

    start_sampler: StartSampler
    tally: NDArray[np.int64]
    """[4]: of all games that ended: their number, the number of those won, and the sums of moves and random moves."""
    final_estimates: NDArray[np.float64]
    """[1]: the sum of the puzzle's simplest estimate over the last states of these games."""

    def state(self) -> Arrays: ...
    def restore(self, state: dict[str, NDArray[Any]]) -> None: ...


class Acting:
    """A source of transitions: games, and the rules by which they are played; the base class of both ways to play."""

    def move(self, model: TorchModel, exploration: Exploration, turn: int) -> Arrays:
        """Return the transitions of the next move in all games of a group; the turn is the number of this call."""
        raise NotImplementedError

    def use(self, executor: Executor) -> None:
        """Let this executor play the games, if they are played in blocks."""

    @property
    def executor_status(self) -> str:
        """The status of the executor, in words; empty without one."""
        return ""

    def close(self) -> None:
        """End what the executor is doing."""

    def parts(self) -> dict[str, Arrays]:
        """Return all that `restore_parts` needs beside the state of the games."""
        raise NotImplementedError

    def restore_parts(self, part: Callable[[str], dict[str, NDArray[Any]]]) -> None:
        """Restore what `parts` returned, each part by its name."""
        raise NotImplementedError


@dataclass
class OwnGames(Acting):
    """Games that are played by the learner's process, one move at a time."""

    rules: ActingRules
    games: VectorGame
    history: History

    def move(self, model: TorchModel, exploration: Exploration, turn: int) -> Arrays:
        random, before = generator(self.rules.settings.seed, TURNS, turn), self.games.tally.copy()
        columns = self.rules.move(self.games, self.history, model, exploration.epsilon, random)
        exploration.update_for_tally(self.games.tally - before)
        return columns

    def parts(self) -> dict[str, Arrays]:
        return {"record": self.history.state()}

    def restore_parts(self, part: Callable[[str], dict[str, NDArray[Any]]]) -> None:
        self.history.restore(part("record"))
