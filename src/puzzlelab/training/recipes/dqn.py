"""Deep Q-learning: a network plays many games at once, and learns from what its moves led to what they are worth.

With the parts that were found to help since Mnih et al. (2015), each of which can be switched off: double (van Hasselt
et al., 2016), duelling (Wang et al., 2016), prioritised (Schaul et al., 2016), returns of several steps (Hessel et al.,
2018), and a mask over moves that cannot be made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor

from puzzlelab.core import registry
from puzzlelab.core.batches import Made, alike, children
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.seeds import generator
from puzzlelab.core.settings import Settings
from puzzlelab.experience import rewards
from puzzlelab.experience.memory import Batch, Memory, Remembering
from puzzlelab.experience.play import Play
from puzzlelab.experience.returns import Columns, Returns
from puzzlelab.experience.starts import Starting, Starts
from puzzlelab.nets.device import device
from puzzlelab.training import learner, loop, playing
from puzzlelab.training.exams import Examination, Figures
from puzzlelab.training.exploration import Exploration, Exploring, explored
from puzzlelab.training.feed import SAMPLE
from puzzlelab.training.learner import Learner, Learning, Losses
from puzzlelab.training.losses import Distance, value_loss
from puzzlelab.training.runs import Run
from puzzlelab.training.slow import Following, Slow


class Dqn(Settings):
    """Every setting of the recipe."""

    recipe: Literal["dqn"] = "dqn"
    puzzle: str
    seed: int = Field(default=0, ge=0)
    network: dict[str, Any]
    """With the head `q`."""
    games: int = Field(default=1000, ge=1)
    """That are played at once."""
    max_moves: int = Field(default=100, ge=1)
    """After which a game is given up."""
    every: int = Field(default=1, ge=1)
    """Steps of learning for each move of all games."""
    warmup: int = Field(default=0, ge=0)
    """Games that end before the first step."""
    starts: Starting = Starting()
    exploring: Exploring = Exploring()
    memory: Remembering = Remembering()
    slow: Following = Following()
    reward: str = "moves"
    """A scheme of the puzzle; `puzzlelab list PUZZLE` names them."""
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
    margin: float = Field(default=2.0, ge=0)
    """Where all games begin with walks, and the reward is `moves`, no move is taken to be worth less than if as many
    moves remained as a walk has, and this many more.
    """
    distance: Distance = "huber"
    middle: float = 0.0
    """What the network says of every move at the beginning."""
    spread: float = Field(default=1.0, gt=0)
    """In which unit it thinks."""
    learning: Learning = Learning()
    exam: Examination = Examination(games=0)


@dataclass
class Agent:
    """A network that plays and learns."""

    settings: Dqn
    puzzle: Puzzle
    learner: Learner
    slow: Slow
    play: Play
    returns: Returns
    exploration: Exploration
    memory: Memory
    reward: rewards.Reward
    turns: int = 0

    @classmethod
    def new(cls, settings: Dqn) -> Agent:
        """With random weights, and all games at their beginning."""
        puzzle = registry.load(settings.puzzle)
        student = learner.new(puzzle, settings.network, settings.learning, settings.seed)
        playing.set_out(student, settings.middle, settings.spread)
        starts = Starts.of(puzzle, settings.starts)
        random = generator(settings.seed, playing.BEGIN)
        play = Play.of(puzzle, starts, settings.max_moves, settings.games, random)
        returns = Returns.of(settings.horizon, settings.discount, play.states)
        reward = rewards.make(puzzle, settings.reward, settings.discount)
        exploration, memory = Exploration.of(settings.exploring), Memory(settings.memory)
        slow = Slow.of(student.model, settings.slow)
        return cls(settings, puzzle, student, slow, play, returns, exploration, memory, reward)

    def step(self) -> Mapping[str, float]:
        step, settings = self.learner.step, self.settings
        self.exploration.stepped(step)
        self.play.starts.stepped(step)
        if step == 0:
            self._warm_up()
        if step % settings.every == 0:
            self._turn()
        random = generator(settings.seed, SAMPLE, step)
        batch = self.memory.batch(settings.learning.batch, step, random)
        errors: list[Tensor] = []
        found = self.learner.update(lambda: self._losses(batch, errors))
        self.memory.learned(batch, errors[0].detach().abs().double().cpu().numpy())
        self.slow.follow(self.learner.model.module, self.learner.step)
        return found

    # --- playing ---

    def _warm_up(self) -> None:
        """Play until so many games have ended, and there is a batch to learn from."""
        while self.play.tally[0] < self.settings.warmup or not self.memory.newest:
            self._turn()

    def _turn(self) -> None:
        """Make a move in every game, and remember what is complete by it."""
        random = generator(self.settings.seed, playing.TURN, self.turns)
        self.turns += 1
        possible = self.play.possible() if self.settings.masked else self._possible(self.play.states)
        values = np.where(possible, self.learner.model.outputs(self.play.states)["q"], -np.inf)
        moves, guessed = explored(values.argmax(axis=1), possible, self.exploration.epsilon, random)
        before = self.play.tally.copy()
        turn = self.play.turn(moves, guessed, random)
        games, _, made, guesses = (self.play.tally - before).tolist()
        self.exploration.finished(games, made, guesses)
        complete = self.returns.after(turn, self.reward(turn.before, turn.made))
        if len(complete["move"]):
            self.memory.append(complete)

    def _possible(self, states: NDArray[Any]) -> NDArray[np.bool_]:
        """`bool[B, M]`: the moves that count."""
        if self.settings.masked:
            return alike(self.puzzle, states) >= 0
        return np.ones((len(states), self.puzzle.move_count), bool)

    # --- learning ---

    def _losses(self, batch: Batch, errors: list[Tensor]) -> Losses:
        """The loss; `errors` is given how far each transition was off."""
        model = self.learner.model
        found = model.answers(batch.columns["state"])["q"]
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
        return max(told.least, -self.play.starts.most(told.margin)) if told.reward == "moves" else told.least

    def _made(self, columns: Columns) -> tuple[Tensor, Tensor]:
        """(`shares: float[B, M]`, which add up to 1, the same for all moves that come to the same as the one made, and
        what it turned out to be worth, `float[B, M]`).
        """
        named = alike(self.puzzle, columns["state"])
        moves = columns["move"].astype(np.int64)[:, None]
        mine = np.take_along_axis(named, moves, axis=1)
        same = np.where(mine < 0, np.arange(named.shape[1]) == moves, named == mine)
        later = self._worth(columns["next"]) * self.learner.model.tensor(columns["factor"])
        wanted = self.learner.model.tensor(columns["reward"]) + later
        return self._shares(same), wanted[:, None].expand(named.shape)

    def _whole(self, columns: Columns) -> tuple[Tensor, Tensor]:
        """(`shares: float[B, M]`, the same for all moves that can be made, and what each is worth, `float[B, M]`)."""
        states = columns["state"]
        ahead, named = children(self.puzzle, states), alike(self.puzzle, states)
        made = Made(ahead.states, np.ones(len(ahead.owner), bool), ahead.solved)
        after = alike(self.puzzle, ahead.states) >= 0
        over = ahead.solved | ~after.any(axis=1)
        reward = self.reward(states[ahead.owner], made)
        later = self._worth(ahead.states).cpu().numpy()
        worth = np.zeros(named.shape, np.float32)
        worth[ahead.owner, ahead.move] = reward + np.where(over, 0.0, self.settings.discount * later)
        wanted = np.take_along_axis(worth, np.maximum(named, 0), axis=1)
        return self._shares(named >= 0), self.learner.model.tensor(wanted)

    def _shares(self, counted: NDArray[np.bool_]) -> Tensor:
        return self.learner.model.tensor((counted / counted.sum(axis=1, keepdims=True)).astype(np.float32))

    @torch.no_grad()
    def _worth(self, states: State) -> Tensor:
        """`float[B]`: what the best move of each state is worth."""
        model = self.learner.model
        possible = model.tensor(self._possible(states))
        worth = self.slow.model.answers(states)["q"]
        chosen = model.answers(states)["q"] if self.settings.double else worth
        best = chosen.masked_fill(~possible, -torch.inf).argmax(1, keepdim=True)
        return worth.gather(1, best).squeeze(1)

    # --- telling and keeping ---

    def figures(self) -> Figures:
        return playing.figures(self.play) | {"epsilon": self.exploration.epsilon, "turns": self.turns}

    def state(self) -> tuple[Mapping[str, Tensor], Mapping[str, Any]]:
        parts = {"play": self.play.state(), "returns": self.returns.state(), "memory": self.memory.state()}
        told = {"turns": self.turns, "epsilon": self.exploration.epsilon}
        return playing.tensors(parts) | self.slow.state(), told

    def restore(self, tensors: Mapping[str, Tensor], told: Mapping[str, Any]) -> None:
        self.play.restore(playing.arrays(tensors, "play"))
        self.returns.restore(playing.arrays(tensors, "returns"))
        self.memory.restore(playing.arrays(tensors, "memory"))
        self.slow.restore(tensors)
        self.turns, self.exploration.epsilon = told["turns"], told["epsilon"]

    def saved(self) -> None:
        """Nothing lies about."""


@dataclass(frozen=True)
class DqnRecipe:
    """One program: whoever plays must know what has been learned."""

    settings = Dqn

    def check(self, settings: Dqn) -> None:
        puzzle = registry.load(settings.puzzle)
        rewards.make(puzzle, settings.reward, settings.discount)
        Starts.of(puzzle, settings.starts)
        playing.check(settings.network, puzzle, "q")
        device(settings.learning.device)

    def learn(self, run: Run, settings: Dqn, watch: Callable[[], None]) -> None:
        loop.learn(run, settings, watch, lambda: Agent.new(settings))


RECIPE = DqnRecipe()
