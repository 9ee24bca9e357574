"""Games that are played in blocks, by an executor, for a learner that trains meanwhile.

A block is some moves in all games of a group, by one network. What comes of it is a pure function of its argument, so
that it may be played anywhere, and again. Block n continues the games of block n - N, for N groups, and its random
numbers depend on the seed and on n alone. The learner consumes blocks in the order of their numbers, and begins block
n + N when it consumes block n. So one seed gives one run, whatever plays the blocks, and however fast.

Shapes: B = games, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from safetensors.torch import load, save

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.engine.executor import WAIT_SECONDS, Executor, PieceLost, Published, Timed
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.curriculum import StartSampler
from puzzlelab.experience.histories import Returns, Trajectories
from puzzlelab.experience.replay import DrawnBatch
from puzzlelab.experience.vector_game import LENGTHS, VectorGame
from puzzlelab.nets.checkpoint import hash_of
from puzzlelab.nets.network import read_network
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training.exploration import epsilon_after_games
from puzzlelab.training.recipe import Watch

INITIAL_BOARDS = 3
"""The branch of the run's seed for the first boards."""
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
    games.tally[:] = games.final_estimates[:] = games.length_counts[:] = 0
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


# --- the blocks of a run ---


@dataclass
class ActingBlocks:
    """The blocks of a run, in their order, and what the learner knows of their games."""

    method: LearningMethod
    start_sampler: StartSampler
    executor: Executor = field(default_factory=ThisProcess)
    """The executor that plays the blocks."""
    watch: Watch = lambda: None
    """Is called while a block is waited for, and may raise."""
    tally: NDArray[np.int64] = field(default_factory=lambda: np.zeros(4, np.int64))
    """[4]: as that of `VectorGame`, of the games in blocks that were consumed."""
    final_estimates: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    """[1]: as those of `VectorGame`."""
    length_counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(LENGTHS, np.int64))
    """[LENGTHS]: as those of `VectorGame`."""
    next_number: int = 0
    """The number of the block that is consumed next."""
    _moves: deque[Arrays] = field(default_factory=deque)
    """The transitions of the remaining moves of the block that was consumed last."""
    _begun: dict[int, GameBlock] = field(default_factory=dict)
    """The blocks in flight, and those that are played and not consumed."""
    _futures: dict[Future[Timed[Arrays]], int] = field(default_factory=dict)
    """The blocks in flight."""
    _played: dict[int, Arrays] = field(default_factory=dict)
    """Blocks that are not consumed, by their numbers, as `play_block` returns them."""
    _problem: str = ""
    """The reason why a block was left out."""

    def executor_status(self) -> str:
        """Return the status of the executor in words; empty where this process plays."""
        return self.executor.status()

    def close(self) -> None:
        """End the blocks in flight."""
        self.executor.cancel()
        self._futures.clear()
        for number in list(self._begun):
            self._forget(number)

    @property
    def groups(self) -> int:
        """The number of groups of games."""
        count: int = self.method.settings.acting.num_env_runners
        return count

    def move(self, model: TorchModel, epsilon: float) -> tuple[Arrays, float]:
        """Return the transitions of the next move in all games of a group, and the share of random moves after it."""
        if self._moves:
            self._collect(0.0)  # which also begins the blocks that there is room for now
        else:
            epsilon = self._consume(model, epsilon)
        return self._moves.popleft(), epsilon

    def _consume(self, model: TorchModel, epsilon: float) -> float:
        """Take the next block, and begin the next one of its group; the share of random moves from there on."""
        if not self._begun and not self._played:
            self._begin_all(model, epsilon)
        number = self.next_number
        while number not in self._played:
            self.watch()
            self._collect(WAIT_SECONDS)
        played = self._played.pop(number)
        self._moves.extend(split_moves(played))
        tally = played["games.tally"]
        self.tally += tally
        self.final_estimates += played["games.final_estimates"]
        self.length_counts += played.get("games.length_counts", 0)
        self.start_sampler.ended(int(tally[0]), int(tally[1]))
        epsilon = epsilon_after_games(self.method.settings.exploration, epsilon, tally)
        self._begin(number + self.groups, model, epsilon, _group_of(played))
        self._forget(number)
        self.next_number += 1
        return epsilon

    # --- blocks in flight ---

    def _begin_all(self, model: TorchModel, epsilon: float) -> None:
        """Begin the first block of every group."""
        settings, puzzle = self.method.settings, self.method.puzzle
        for number in range(self.groups):
            random = generator(settings.seed, INITIAL_BOARDS, number)
            games = VectorGame.of(puzzle, self.start_sampler, settings.max_moves, settings.parallel_games, random)
            history = self.method.new_history(games)
            self._begin(number, model, epsilon, flat({"games": games.state(), "history": history.state()}))

    def _begin(self, number: int, model: TorchModel, epsilon: float, group: Arrays) -> None:
        block = GameBlock(
            number=number,
            method=type(self.method),
            puzzle=self.method.puzzle,
            settings=self.method.settings,
            network=self._published(model),
            epsilon=epsilon,
            difficulty=self.start_sampler.difficulty,
            group=group,
        )
        self._begun[number] = block
        self._futures[self.executor.submit(play_block, block)] = number

    def _published(self, model: TorchModel) -> Published:
        """Return the weights of the model, which are published once."""
        weights = {name: value.detach().cpu().contiguous() for name, value in model.module.state_dict().items()}
        key = hash_of(weights)
        same = (block.network for block in self._begun.values() if block.network.key == key)
        return next(same, None) or self.executor.publish(key, save(weights))

    def _forget(self, number: int) -> None:
        """Forget a block that was consumed, and its weights unless another block has the same."""
        block = self._begun.pop(number, None)
        if block is not None and block.network.key not in {each.network.key for each in self._begun.values()}:
            self.executor.forget(block.network.key)

    def _collect(self, seconds: float) -> None:
        """Take the blocks that are played; waits for the first of them, but not longer than this."""
        for future in () if self._problem else self.executor.wait(self._futures, seconds):
            number = self._futures.pop(future)
            try:
                if number in self._begun:  # or else it was played here meanwhile
                    self._played[number] = future.result().value
            except PieceLost as lost:
                self._problem = f"block {number} of the games was left out: {lost}"
        if self._problem:
            raise PuzzlelabError(f"{self._problem}; the run can be continued from its last saved state")

    def _collect_all(self) -> None:
        """Wait for all blocks in flight; where no node is left, play them here."""
        while missing := [number for number in self._begun if number not in self._played]:
            self._collect(WAIT_SECONDS)
            if not self.executor.slots:
                self._played[missing[0]] = play_block(self._begun[missing[0]])

    # --- saving ---

    def state(self) -> Arrays:
        """Return all that `restore` needs: the moves that are not used yet, and what comes of the blocks in flight,
        which are waited for.

        Their networks are not needed any more: a run that continues begins with these results. Blocks are named by
        their groups, so that the names do not change from one state to the next.
        """
        self._collect_all()
        numbers = {"start_sampler": np.array(self.start_sampler.state()), "next_number": np.array(self.next_number)}
        sums = {
            "tally": self.tally,
            "final_estimates": self.final_estimates,
            "length_counts": self.length_counts,
        }
        parts = {f"group{number % self.groups}": played for number, played in self._played.items()}
        return numbers | sums | flat({"unused": joined_moves(list(self._moves)), **parts})

    def restore(self, state: Arrays) -> None:
        """Restore what `state` returned."""
        self.start_sampler.restore(state["start_sampler"].tolist())
        self.next_number = int(state["next_number"])
        self.tally, self.final_estimates = state["tally"].copy(), state["final_estimates"].copy()
        self.length_counts[:] = state.get("length_counts", 0)
        self._moves = deque(split_moves(part_of(state, "unused")))
        for number in range(self.next_number, self.next_number + self.groups):
            if played := part_of(state, f"group{number % self.groups}"):
                self._played[number] = played


def _group_of(played: Arrays) -> Arrays:
    """Return the state of a group after a block, without the transitions."""
    return {name: array for name, array in played.items() if name.startswith(("games.", "history."))}
