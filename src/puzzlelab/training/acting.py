"""Blocks of games: some moves in all games of a group, by one network, which may be played anywhere.

What comes of a block is a pure function of its argument, so that it may be played again. The method by which a recipe
plays knows neither learner nor replay buffer here.

Shapes: B = games, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from safetensors.torch import load

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.engine.executor import Published
from puzzlelab.experience.curriculum import StartSampler
from puzzlelab.experience.histories import Returns, Trajectories
from puzzlelab.experience.replay import DrawnBatch
from puzzlelab.experience.vector_game import VectorGame
from puzzlelab.nets.network import read_network
from puzzlelab.nets.torch_model import TorchModel

BLOCKS = 9
"""The branch of the run's seed for the moves and new boards of each block."""
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


class LearningMethod(Protocol):
    """The way in which a recipe moves in its games, and learns from the transitions."""

    puzzle: Puzzle
    settings: Any

    def new_history(self, games: VectorGame) -> Returns | Trajectories:
        """Return the past of games without a move yet."""

    def best_moves(self, model: TorchModel, states: State, legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the best of the legal moves `bool[B, M]` in each of the plain `states[B, S]` by this model:
        `int64[B]`.
        """

    def move(
        self, games: VectorGame, history: Any, model: TorchModel, epsilon: float, random: np.random.Generator
    ) -> Arrays:
        """Make a move in every game; the transitions that are complete now, as columns, which may have no rows."""

    def acting_model(self, online: Any) -> TorchModel:
        """Return the network that plays, of the learner or its target network (`OnlineLearning`)."""

    def fit(
        self, online: Any, batch: DrawnBatch, random: np.random.Generator
    ) -> tuple[Mapping[str, float], torch.Tensor]:
        """Take one step of training (of `OnlineLearning`) on a batch of transitions: the losses, and the errors of the
        transitions, `float[B]`.
        """


@dataclass(frozen=True)
class GameBlock:
    """The argument of a block."""

    number: int
    method: type[Any]
    """The class of the `LearningMethod`."""
    puzzle: Puzzle
    settings: Any
    network: Published
    """The weights, as bytes of safetensors."""
    epsilon: float
    difficulty: int
    group: Arrays
    """The state of the group: `games.NAME` of its `VectorGame`, and `history.NAME` of its past."""


def flat(parts: Mapping[str, Arrays]) -> dict[str, NDArray[Any]]:
    """Return the arrays of several parts together, named `part.array`."""
    return {f"{part}.{name}": array for part, arrays in parts.items() for name, array in arrays.items()}


def part_of(arrays: Mapping[str, Any], part: str) -> dict[str, Any]:
    """Return the arrays of one part of a `flat` collection by their own names."""
    prefix = f"{part}."
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def joined_moves(moves: list[Arrays]) -> dict[str, NDArray[Any]]:
    """Return the transitions of several moves together: `columns.NAME`, and `moves.counts`, the rows of each move."""
    columns = {name: np.concatenate([move[name] for move in moves]) for name in (moves[0] if moves else ())}
    counts = np.array([len(next(iter(move.values()))) for move in moves], np.int64)
    return flat({"columns": columns, "moves": {"counts": counts}})


def split_moves(arrays: Arrays) -> Iterator[Arrays]:
    """Yield the transitions of each move of `joined_moves`."""
    columns, ends = part_of(arrays, "columns"), np.cumsum(arrays["moves.counts"])
    for begin, end in zip(ends - arrays["moves.counts"], ends, strict=True):
        yield {name: column[begin:end] for name, column in columns.items()}


def play_block(block: GameBlock) -> dict[str, NDArray[Any]]:
    """Play a block; the same on every machine of the same kind, however many threads it has.

    Returns the state of the group after it, as in `GameBlock.group`, with the transitions as in `joined_moves`. The
    tally is that of the games that ended in this block.
    """
    settings = block.settings
    start_sampler = StartSampler.fixed(block.puzzle, settings.curriculum, block.difficulty)
    games = VectorGame.resumed(block.puzzle, start_sampler, settings.max_moves, part_of(block.group, "games"))
    games.tally[:] = games.final_estimates[:] = 0
    method: LearningMethod = block.method(block.puzzle, settings)
    history = method.new_history(games)
    history.restore(part_of(block.group, "history"))
    random = generator(settings.seed, BLOCKS, block.number)
    with one_thread():
        model = _model(block)
        moves = [
            method.move(games, history, model, block.epsilon, random)
            for _ in range(settings.acting.rollout_fragment_length)
        ]
    return {**flat({"games": games.state(), "history": history.state()}), **joined_moves(moves)}


def _model(block: GameBlock) -> TorchModel:
    """Return the network of a block, on the CPU, and in float32 on every node: bfloat16 is fast on some only."""
    architecture = read_network(block.settings.network)
    module = architecture.build(block.puzzle)
    module.load_state_dict(load(block.network.value()))
    return TorchModel(block.puzzle, architecture, module.eval().requires_grad_(False), precision="float32")


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread of PyTorch within this block, on whose number its sums depend."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
