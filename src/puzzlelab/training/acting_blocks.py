"""Games that are played in blocks, by an executor, for a learner that trains meanwhile.

Block n continues the games of block n - N, for N groups, and its random numbers depend on the seed and on n alone. The
learner consumes blocks in the order of their numbers, and begins block n + N when it consumes block n. So one seed
gives one run, whatever plays the blocks, however fast, and however often they have to be played again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.torch import save

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.seeds import generator
from puzzlelab.engine.executor import WAIT_SECONDS, Executor, Piece, Published
from puzzlelab.engine.inline_workers import InlineWorkers
from puzzlelab.experience.curriculum import StartSampler
from puzzlelab.experience.vector_game import VectorGame
from puzzlelab.nets.checkpoint import hash_of
from puzzlelab.nets.torch_model import TorchModel
from puzzlelab.training.acting import INITIAL_BOARDS, Acting, ActingRules, Arrays
from puzzlelab.training.exploration import Exploration
from puzzlelab.training.game_block import GameBlock, PlayedBlock, joined, play_block
from puzzlelab.training.recipe import Watch


@dataclass
class ActingBlocks(Acting):
    """The blocks of a run, in their order, and what the learner knows of their games; see `GamesSummary`."""

    rules: ActingRules
    start_sampler: StartSampler
    watch: Watch = lambda: None
    """Is called while a block is waited for, and may raise."""
    executor: Executor = field(default_factory=lambda: Executor(InlineWorkers()))
    """The executor that plays the blocks; by default this process plays them."""
    shows_executor: bool = False
    """Whether the progress line tells what the executor is doing."""
    tally: NDArray[np.int64] = field(default_factory=lambda: np.zeros(4, np.int64))
    final_estimates: NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    next_number: int = 0
    """The number of the block that is consumed next."""
    _moves: deque[Arrays] = field(default_factory=deque)
    """The transitions of the remaining moves of the block that was consumed last."""
    _begun: dict[int, GameBlock] = field(default_factory=dict)
    """The blocks in flight, and those that are played and not consumed."""
    _played: dict[int, PlayedBlock] = field(default_factory=dict)
    """Blocks that are not consumed, by their numbers."""
    _problem: str = ""
    """The reason why a block was put aside."""

    def use(self, executor: Executor) -> None:
        self.executor, self.shows_executor = executor, True

    @property
    def executor_status(self) -> str:
        return self.executor.status().in_words() if self.shows_executor else ""

    def close(self) -> None:
        """End the blocks in flight."""
        self.executor.cancel()
        for number in list(self._begun):
            self._forget(number)

    @property
    def groups(self) -> int:
        """The number of groups of games."""
        count: int = self.rules.settings.acting.num_env_runners
        return count

    def move(self, model: TorchModel, exploration: Exploration, turn: int) -> Arrays:
        if self._moves:
            self._collect(0.0)  # which also begins the blocks that there is room for now
        else:
            self._consume(model, exploration)
        return self._moves.popleft()

    def _consume(self, model: TorchModel, exploration: Exploration) -> None:
        if not self._begun and not self._played:
            self._begin_all(model, exploration.epsilon)
        number = self.next_number
        while number not in self._played:
            self.watch()
            self._collect(WAIT_SECONDS)
        played = self._played.pop(number)
        self._moves.extend(played.moves())
        tally = played.games["tally"]
        self.tally += tally
        self.final_estimates += played.games["final_estimates"]
        self.start_sampler.ended(int(tally[0]), int(tally[1]))
        exploration.update_for_tally(tally)
        self._begin(number + self.groups, model, exploration.epsilon, played.games, played.history)
        self._forget(number)
        self.next_number += 1

    # --- blocks in flight ---

    def _begin_all(self, model: TorchModel, epsilon: float) -> None:
        """Begin the first block of every group."""
        settings, puzzle = self.rules.settings, self.rules.puzzle
        for number in range(self.groups):
            random = generator(settings.seed, INITIAL_BOARDS, number)
            games = VectorGame.of(puzzle, self.start_sampler, settings.max_moves, settings.parallel_games, random)
            history = self.rules.new_history(games).state_of_running(games)
            self._begin(number, model, epsilon, games.state(), history)

    def _begin(self, number: int, model: TorchModel, epsilon: float, games: Arrays, history: Arrays) -> None:
        block = GameBlock(
            number=number,
            rules=type(self.rules),
            puzzle=self.rules.puzzle,
            settings=self.rules.settings,
            network=self._published(model),
            epsilon=epsilon,
            difficulty=self.start_sampler.difficulty,
            games=games,
            history=history,
        )
        self._begun[number] = block
        self.executor.submit(Piece(f"block {number} of the games", play_block, block, context=number))

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
        if not self._problem:
            for done in self.executor.completed(seconds):
                if done.problem:
                    self._problem = f"{done.piece.name} was put aside: {done.problem}"
                elif done.piece.context in self._begun:  # or else it was played here meanwhile
                    self._played[done.piece.context] = done.value
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
        """Return what the learner knows of the games."""
        numbers = {"start_sampler": np.array(self.start_sampler.state()), "next_number": np.array(self.next_number)}
        return {**numbers, "tally": self.tally, "final_estimates": self.final_estimates}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Restore what `state` returned."""
        self.start_sampler.restore(state["start_sampler"].tolist())
        self.next_number = int(state["next_number"])
        self.tally, self.final_estimates = state["tally"].copy(), state["final_estimates"].copy()

    def parts(self) -> dict[str, Arrays]:
        """Return the moves that are not used yet, and what comes of the blocks in flight, which are waited for.

        Their networks are not needed any more: a run that continues begins with these results.
        """
        self._collect_all()
        columns, counts = joined(list(self._moves))
        parts: dict[str, Arrays] = {"moves": columns, "moves_of": {"counts": counts}}
        for number, played in self._played.items():
            name = self._part_name(number)
            parts |= {f"{name}.games": played.games, f"{name}.history": played.history}
            parts |= {f"{name}.columns": played.columns, f"{name}.of": {"counts": played.counts}}
        return parts

    def restore_parts(self, part: Callable[[str], dict[str, NDArray[Any]]]) -> None:
        """Restore what `parts` returned, after the state."""
        columns, counts = part("moves"), part("moves_of")["counts"]
        self._moves = deque(PlayedBlock({}, {}, columns, counts).moves())
        for number in range(self.next_number, self.next_number + self.groups):
            name = self._part_name(number)
            games, history, columns = (part(f"{name}.{each}") for each in ("games", "history", "columns"))
            if games:
                self._played[number] = PlayedBlock(games, history, columns, part(f"{name}.of")["counts"])

    def _part_name(self, number: int) -> str:
        """Name a block by its group, so that the names do not change from one state to the next."""
        return f"group{number % self.groups}"
