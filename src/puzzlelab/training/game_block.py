"""A block of games: some moves in all games of a group, by one network.

What comes of a block is a pure function of its argument, so that it may be played anywhere, and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load

from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.seeds import generator
from puzzlelab.engine.executor import Published
from puzzlelab.experience.curriculum import StartSampler
from puzzlelab.experience.vector_game import VectorGame
from puzzlelab.nets.network import read_network
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training.acting import ActingRules, Arrays

BLOCKS = 9
"""The branch of the run's seed for the moves and new boards of each block."""


@dataclass(frozen=True)
class GameBlock:
    """The argument of a block."""

    number: int
    rules: type[ActingRules]
    puzzle: Puzzle
    settings: Any
    network: Published
    """The weights, as bytes of safetensors."""
    epsilon: float
    difficulty: int
    games: Arrays
    """The state of the group's `VectorGame`."""
    history: Arrays
    """The state of its past."""


@dataclass(frozen=True)
class PlayedBlock:
    """The result of a block."""

    games: Arrays
    """The state of the group's `VectorGame`; its tally is of the games that ended in this block."""
    history: Arrays
    columns: Arrays
    """The transitions of all moves, one move after another."""
    counts: NDArray[np.int64]
    """[moves]: the number of transitions of each move."""

    def moves(self) -> Iterator[Arrays]:
        """Yield the transitions of each move."""
        ends = np.cumsum(self.counts)
        for begin, end in zip(ends - self.counts, ends, strict=True):
            yield {name: column[begin:end] for name, column in self.columns.items()}

    @classmethod
    def of(cls, games: Arrays, history: Arrays, moves: list[Arrays]) -> PlayedBlock:
        """Make the block with these transitions of each move."""
        return cls(games, history, *joined(moves))


def joined(moves: list[Arrays]) -> tuple[Arrays, NDArray[np.int64]]:
    """Return (columns of all moves, the number of rows of each move)."""
    counts = np.array([len(next(iter(move.values()))) for move in moves], np.int64)
    return {name: np.concatenate([move[name] for move in moves]) for name in (moves[0] if moves else ())}, counts


def play_block(block: GameBlock) -> PlayedBlock:
    """Play a block; the same on every machine of the same kind, however many threads it has."""
    settings = block.settings
    start_sampler = StartSampler.fixed(block.puzzle, settings.curriculum, block.difficulty)
    games = VectorGame.resumed(block.puzzle, start_sampler, settings.max_moves, block.games)
    games.tally[:] = games.final_estimates[:] = 0
    rules = block.rules(block.puzzle, settings)
    history = rules.new_history(games)
    history.restore(dict(block.history))
    random = generator(settings.seed, BLOCKS, block.number)
    with one_thread():
        model = _model(block)
        moves = [
            rules.move(games, history, model, block.epsilon, random)
            for _ in range(settings.acting.rollout_fragment_length)
        ]
    return PlayedBlock.of(games.state(), history.state_of_running(games), moves)


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
