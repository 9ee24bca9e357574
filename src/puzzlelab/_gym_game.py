"""What both kinds of Gymnasium environments do: read what is asked for, draw boards, and make moves on many at once.

Shapes: N = boards, S = length of a state, M = number of moves, F = numbers that a network is given for a board.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pydantic import Field, model_validator

from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput, BadOption, Unsupported, nearest, shorten
from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.settings import Settings
from puzzlelab.core.views import DrawsSvg, Planes, Samples, scale_of
from puzzlelab.engine.batch_rules import apply_moves, canonical_moves
from puzzlelab.experience import rewards

USUAL_PUZZLE = "tiles-3x3"
SHORTEST, MOVES_A_NUMBER = 100, 10
"""The usual limit: so many moves at the least, and so many for each number of a state."""
FONT = "DejaVu Sans"
"""Comes with matplotlib, so that pictures look the same wherever they are made."""


Sample = Callable[[np.random.Generator, int | None], State]
"""`[S]`: a board of this level."""


class EnvironmentSettings(Settings):
    """What an environment can be asked for, besides its puzzle."""

    reward: str = "moves"
    """A scheme of `experience.rewards`."""
    discount: float = Field(default=1.0, ge=0, le=1)
    """Of what comes later; only the reward `potential:...` depends on it."""
    scale: str | None = None
    """Where boards come from; the puzzle's main scale if not given."""
    level: int | None = None
    """On that scale; any if not given."""
    board: str | None = None
    """The board that every episode begins with, instead of new ones."""
    max_moves: int | None = Field(default=None, ge=1)
    """After so many an episode is truncated; see `Game.most`."""
    observation: Literal["planes", "state"] | None = None
    """What is seen of a board; planes where the puzzle has them, if not given."""
    render_mode: Literal["ansi", "rgb_array"] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> EnvironmentSettings:
        if self.board is not None and (self.scale is not None or self.level is not None):
            raise ValueError("episodes begin with this board, or with boards of a scale and level, not with both")
        return self


class GymStep(NamedTuple):
    """What a move on each board led to."""

    rewards: NDArray[np.float64]
    """[N]."""
    terminated: NDArray[np.bool_]
    """[N]: solved, or in a dead end."""
    truncated: NDArray[np.bool_]
    """[N]: given up after too many moves."""


@dataclass(eq=False)
class GymGame:
    """N boards of one puzzle that are played side by side."""

    puzzle: Puzzle
    options: EnvironmentSettings
    states: State
    """[N, S]."""
    moves: NDArray[np.int64]
    """[N]: made in this episode."""
    solved: NDArray[np.bool_]
    """[N]."""
    dead: NDArray[np.bool_]
    """[N]: dead ends, in which something is left to do, and no move can be made."""
    named: NDArray[np.int64]
    """[N, M]: the legal move that each comes to, -1 for one that cannot be made."""
    reward: rewards.Reward
    sample: Sample

    @classmethod
    def of(cls, count: int, asked: Mapping[str, Any]) -> GymGame:
        """So many boards, none of them drawn yet, as the arguments of `gymnasium.make` ask for.

        Raises `BadInput` for what does not exist, or cannot have this value.
        """
        puzzle, options = read(asked)
        if options.observation == "planes" and puzzle.view(Planes) is None:
            raise Unsupported(f"{puzzle.name} has no planes; its observation can be 'state'")
        if options.render_mode == "rgb_array" and puzzle.view(DrawsSvg) is None:
            raise Unsupported(f"{puzzle.name} draws no pictures; its render_mode can be 'ansi'")
        reward = rewards.make(puzzle, options.reward, options.discount)
        none, no, named = np.zeros(count, np.int64), np.zeros(count, bool), np.zeros((count, 0), np.int64)
        return cls(puzzle, options, np.zeros((count, 0)), none, no, no, named, reward, sampler(puzzle, options))

    @cached_property
    def planes(self) -> Planes | None:
        """What makes observations, or None where they are states."""
        return None if self.options.observation == "state" else self.puzzle.view(Planes)

    @property
    def most(self) -> int:
        """Moves after which an episode is given up."""
        return self.options.max_moves or max(SHORTEST, MOVES_A_NUMBER * self.states.shape[1])

    def space(self) -> spaces.Box:
        """Of the observation of one board: planes, which lie in 0 to 1, or the numbers of a state."""
        if self.planes:
            return spaces.Box(0.0, 1.0, (self.planes.input_size,), np.float32)
        state = self.draw(1, np.random.default_rng(0))[0]
        return spaces.Box(*limits(state.dtype), state.shape, state.dtype.type)

    # --- playing ---

    def draw(self, count: int, random: np.random.Generator) -> State:
        """`[count, S]`: the boards of new episodes."""
        return np.array([self.sample(random, self.options.level) for _ in range(count)])

    def begin(self, states: State) -> None:
        """Put these boards `[N, S]` in the place of all."""
        self.states = states
        self.moves = np.zeros(len(states), np.int64)
        self.solved = self._all_solved(states)
        self._look()

    def turn(self, moves: NDArray[np.int64], over: NDArray[np.bool_], random: np.random.Generator) -> GymStep:
        """Make `moves: int64[N]`, or draw a new board where the episode is `over: bool[N]`."""
        done = apply_moves(self.puzzle, self.states, moves, self.named)
        found = self.reward(self.states, done).astype(np.float64)
        self.states, self.solved = done.states, done.solved
        self.moves = self.moves + 1
        if over.any():
            self.states[over] = fresh = self.draw(int(over.sum()), random)
            self.solved[over] = self._all_solved(fresh)
            self.moves[over] = found[over] = 0
        self._look()
        terminated = (self.solved | self.dead) & ~over
        return GymStep(found, terminated, ~terminated & (self.moves >= self.most))

    def _look(self) -> None:
        """See which moves can be made now."""
        self.named = canonical_moves(self.puzzle, self.states)
        self.dead = ~self.solved & (self.named < 0).all(axis=1)

    def _all_solved(self, states: State) -> NDArray[np.bool_]:
        return np.array([self.puzzle.solved(state) for state in states])

    # --- what is seen ---

    def observations(self) -> NDArray[Any]:
        """`float32[N, F]`, or the states `[N, S]`."""
        return self.planes.planes(self.states) if self.planes else self.states.copy()

    def info(self) -> dict[str, NDArray[Any]]:
        """What is known besides, of each board."""
        return {
            "action_mask": (self.named >= 0).view(np.int8),
            "solved": self.solved.copy(),
            "dead_end": self.dead.copy(),
            "moves": self.moves.copy(),
        }

    def render(self, row: int) -> str | NDArray[np.uint8] | None:
        """This board as text, or as `uint8[height, width, 3]`, as the options say."""
        if self.options.render_mode is None:
            return None
        if self.options.render_mode == "ansi":
            return self.puzzle.draw(self.states[row])
        drawing = self.puzzle.view(DrawsSvg)
        assert drawing is not None  # see `of`
        return picture(drawing.svg(self.states[row]))


def limits(kind: np.dtype[Any]) -> tuple[Any, Any]:
    """The least and the greatest number of this type."""
    if kind.kind == "b":
        return 0, 1
    found = np.iinfo(kind) if kind.kind in "iu" else np.finfo(kind)
    return found.min, found.max


def read(asked: Mapping[str, Any]) -> tuple[Puzzle, EnvironmentSettings]:
    """What the arguments of `gymnasium.make` mean: a puzzle, or a family and arguments of its class; and options."""
    values = dict(asked)
    family = values.pop("family", None)
    kind = type(registry.load(registry.family(family).names[0])) if family else None
    own = [field.name for field in fields(cast(Any, kind))] if kind else ["puzzle"]
    known = [*own, *EnvironmentSettings.model_fields]
    for name in values:
        if name not in known:
            raise BadOption(f"the environment has no option '{shorten(name)}'{nearest(name, known)}")
    chosen = {name: values.pop(name) for name in own if name in values}
    options = EnvironmentSettings(**values)
    if kind:
        return sized(kind, chosen), options
    puzzle = chosen.get("puzzle", USUAL_PUZZLE)
    if isinstance(puzzle, str):
        return registry.load(puzzle), options
    if not {"legal", "apply", "solved", "view"} <= set(dir(puzzle)):
        raise BadOption(f"'puzzle' is a name such as {USUAL_PUZZLE}, or a puzzle, not {shorten(str(puzzle))}")
    return cast("Puzzle", puzzle), options


def sized(kind: type[Puzzle], sizes: Mapping[str, Any]) -> Puzzle:
    """The puzzle of this class with these arguments; raises `BadOption` where that is none."""
    try:
        return kind(**sizes)
    except TypeError as error:
        given = ", ".join(f"{name}={value!r}" for name, value in sizes.items()) or "nothing"
        raise BadOption(f"{kind.__name__} cannot be made of {shorten(given)}: {error}") from None


def sampler(puzzle: Puzzle, options: EnvironmentSettings) -> Sample:
    """Where boards come from; raises `BadInput` for a scale that does not exist, and a board that cannot be read."""
    if options.board is not None:
        start = puzzle.read(options.board).state
        return lambda random, level: start
    samples = puzzle.view(Samples)
    if samples is not None and samples.scales:
        return scale_of(puzzle, options.scale)[1].sample

    def none(random: np.random.Generator, level: int | None) -> State:
        raise Unsupported(f"{puzzle.name} cannot make boards of its own; give it one: board=TEXT")

    return none


def picture(drawing: str) -> NDArray[np.uint8]:
    """`uint8[height, width, 3]` of an SVG drawing; raises `BadInput` where what this needs is not installed."""
    try:
        from matplotlib import get_data_path
        from PIL import Image
        from resvg_py import svg_to_bytes
    except ModuleNotFoundError as error:
        raise BadInput(f"pictures need {error.name}, which is not installed: pip install 'puzzlelab[gym]'") from None
    font = str(Path(get_data_path(), "fonts", "ttf", "DejaVuSans.ttf"))
    png = svg_to_bytes(drawing, background="white", skip_system_fonts=True, font_files=[font], sans_serif_family=FONT)
    return np.array(Image.open(BytesIO(png)).convert("RGB"))
