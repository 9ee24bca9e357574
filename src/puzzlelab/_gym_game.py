"""Shared by both Gymnasium environments: reads their arguments, draws boards, and makes moves on many boards at once.

Shapes: N = boards, K = some of them, S = length of a state, M = number of moves, F = length of the network input of a
board, P = planes of a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any, Literal, cast

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray
from pydantic import Field, model_validator

from puzzlelab.core import registry
from puzzlelab.core.errors import BadOption, UnknownOption, Unsupported, nearest, shorten
from puzzlelab.core.puzzle import Drawings, Puzzle, State
from puzzlelab.core.settings import Settings
from puzzlelab.core.views import Planes, Reversible, Samples, check_level, scale_of
from puzzlelab.engine.batch_rules import MoveNames, move_names, play_moves, random_walks, solved
from puzzlelab.experience import rewards
from puzzlelab.experience.curriculum import scrambled
from puzzlelab.jobs.pictures import pixels

DEFAULT_PUZZLE = "tiles-3x3"
MIN_MOVE_LIMIT, MOVES_PER_ENTRY = 100, 10
"""The default limit of moves: at least the first, and the second for each entry of a state."""
LONGEST_WALK = MIN_MOVE_LIMIT
"""The most moves of a random walk from the goal, where no level asks for a number of them."""


Sample = Callable[[np.random.Generator, int | None, int], State]
"""A function of (random numbers, level, B) that gives boards `[B, S]` of this level."""


class EnvironmentSettings(Settings):
    """The options of an environment, besides its puzzle; `gym.EnvironmentOptions` says what each is."""

    reward: str = "moves"
    discount: float = Field(default=1.0, ge=0, le=1)
    scale: str | None = None
    level: int | None = None
    board: str | None = None
    max_moves: int | None = Field(default=None, ge=1)
    """The default is in `GymGame.move_limit`."""
    observation: Literal["planes", "image", "state"] | None = None
    render_mode: Literal["ansi", "rgb_array"] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> EnvironmentSettings:
        if self.board is not None and (self.scale is not None or self.level is not None):
            raise ValueError("episodes start with this board, or with boards of a scale and level, not with both")
        return self


class GymGame:
    """N boards of one puzzle that are played side by side, for the arguments of `gymnasium.make`; not drawn yet.

    Raises `BadInput` for an unknown argument or a bad value.
    """

    def __init__(self, count: int, arguments: Mapping[str, Any]) -> None:
        self.puzzle, self.options = read(arguments)
        if self.options.render_mode == "rgb_array" and self.puzzle.view(Drawings) is None:
            raise Unsupported(f"{self.puzzle.name} draws no pictures; its render_mode can be 'ansi'")
        self._prepare()
        self.states: State = np.zeros((count, 0))
        """[N, S]."""
        self.moves = np.zeros(count, np.int64)
        """[N]: the number of moves in this episode."""
        self.solved = np.zeros(count, bool)
        """[N]."""
        self.stuck = np.zeros(count, bool)
        """[N]: the boards on which no move is legal: dead ends, and some that are solved."""
        self.names = MoveNames(np.zeros((count, 0), bool), None)
        """The legal moves of each board."""

    def _prepare(self) -> None:
        """Set what follows from the puzzle and the options, and cannot be pickled."""
        self.planes = None if self.options.observation == "state" else planes_for(self.puzzle, self.options.observation)
        self.reward = rewards.make(self.puzzle, self.options.reward, self.options.discount)
        self.sample = sampler(self.puzzle, self.options)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("planes", "reward", "sample")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare()

    def change(self, **options: Any) -> None:
        """Change options for all that comes next; raises `BadInput` for bad values."""
        changed = self._with(options)
        self.sample = sampler(self.puzzle, changed)
        self.options = changed

    def _with(self, options: Mapping[str, Any]) -> EnvironmentSettings:
        return EnvironmentSettings(**{**dict(self.options), **options})

    @property
    def move_limit(self) -> int:
        """Moves after which an episode is truncated."""
        return self.options.max_moves or max(MIN_MOVE_LIMIT, MOVES_PER_ENTRY * self.states.shape[1])

    def space(self) -> spaces.Box:
        """Return the observation space of one board: planes from 0 to 1, or the entries of a state."""
        if self.planes is None:
            state = self.draw(1, np.random.default_rng(0))[0]
            return spaces.Box(*limits(state.dtype), state.shape, state.dtype.type)
        shape: tuple[int, ...] = (self.planes.input_size,)
        if self.options.observation == "image":
            cells = cells_of(self.planes)
            shape = (self.planes.input_size // cells.size, *cells.shape)
        return spaces.Box(0.0, 1.0, shape, np.float32)

    # --- playing ---

    def draw(self, count: int, random: np.random.Generator, options: Mapping[str, Any] | None = None) -> State:
        """Draw the boards of new episodes: `[count, S]`; with `options`, such as a level, for these alone."""
        chosen = self._with(options) if options else self.options
        sample = sampler(self.puzzle, chosen) if options else self.sample
        return sample(random, chosen.level, count)

    def begin(self, states: State) -> None:
        """Start new episodes with these boards `[N, S]`."""
        self.states = states
        self.moves = np.zeros(len(states), np.int64)
        self.solved = solved(self.puzzle, states)
        self.names = move_names(self.puzzle, states)
        self.stuck = self._without_moves()

    def replace(self, rows: NDArray[np.bool_], states: State) -> None:
        """Start new episodes with these boards `[K, S]` in the K `rows: bool[N]`; the other episodes go on."""
        self.states = self.states.copy()  # an `Instance` may still show the old boards
        self.states[rows] = states
        self.moves[rows] = 0
        self.solved[rows] = solved(self.puzzle, states)
        self.names.replace(rows, move_names(self.puzzle, states))
        self.stuck = self._without_moves()

    def step(
        self, moves: NDArray[np.int64], over: NDArray[np.bool_], random: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Make `moves: int64[N]`; a row whose episode is `over: bool[N]` gets a new board instead.

        Returns the rewards `[N]`, the rows that are terminated (solved, or in a dead end), and those that are truncated
        (ended by the limit of moves).
        """
        successors, self.names = play_moves(self.puzzle, self.states, moves, self.names)
        values = self.reward(self.states, successors).astype(np.float64)
        self.states, self.solved = successors.states, successors.solved
        self.moves = self.moves + 1
        self.stuck = self._without_moves()
        if over.any():
            self.replace(over, self.draw(int(over.sum()), random))
            values[over] = 0
        terminated = (self.solved | self.stuck) & ~over
        return values, terminated, ~terminated & (self.moves >= self.move_limit)

    def _without_moves(self) -> NDArray[np.bool_]:
        return ~np.asarray(self.names.legal.any(axis=1))

    # --- observations ---

    def observations(self, rows: Any = slice(None)) -> NDArray[Any]:
        """Return `float32[K, F]`, `float32[K, P, rows, columns]`, or the states `[K, S]`, by default of all boards."""
        states: State = self.states[rows]
        if self.planes is None:
            return states.copy()
        planes = self.planes.planes(states)
        if self.options.observation != "image":
            return planes
        cells = cells_of(self.planes)
        images: NDArray[np.float32] = planes.reshape(len(planes), cells.size, -1)[:, cells]
        return np.ascontiguousarray(images.transpose(0, 3, 1, 2))

    def masks(self) -> NDArray[np.bool_]:
        """Return `bool[N, M]`: the legal moves, with those that are equivalent to a legal one.

        Where no move is legal, the episode is over, and the mask holds all moves: which of them comes next is ignored.
        """
        self.require_boards()
        masks = self.names.legal.copy()
        masks[self.stuck] = True
        return masks

    def require_boards(self) -> None:
        """Raise Gymnasium's `ResetNeeded` before the first board."""
        if self.states.shape[1] == 0:
            raise ResetNeeded("there is no board yet: call reset() first")

    def info(self) -> dict[str, NDArray[Any]]:
        """Return the infos of all boards."""
        return {
            "action_mask": self.masks().view(np.int8),
            "solved": self.solved.copy(),
            "dead_end": self.stuck & ~self.solved,
            "moves": self.moves.copy(),
        }

    def render(self, row: int) -> str | NDArray[np.uint8] | None:
        """Return the board as text, or as `uint8[height, width, 3]`, as the options say."""
        if self.options.render_mode is None:
            return None
        if self.options.render_mode == "ansi":
            return self.puzzle.draw(self.states[row])
        drawing = self.puzzle.view(Drawings)
        assert drawing is not None  # see `__init__`
        return pixels(drawing.svg(self.states[row]))


def limits(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Return the smallest and the largest number of this type."""
    if dtype.kind == "b":
        return 0, 1
    info = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
    return info.min, info.max


def read(arguments: Mapping[str, Any]) -> tuple[Puzzle, EnvironmentSettings]:
    """Return the puzzle and the options in the arguments of `gymnasium.make`: a puzzle, or a family and its
    arguments.
    """
    values = dict(arguments)
    family = values.pop("family", None)
    puzzle_class = type(registry.load(registry.family(family).names[0])) if family else None
    class_arguments = [field.name for field in fields(cast(Any, puzzle_class))] if puzzle_class else ["puzzle"]
    option_names = [*class_arguments, *EnvironmentSettings.model_fields]
    for name in values:
        if name not in option_names:
            # TorchRL looks for these words, which Python uses
            problem = f"unexpected keyword argument '{shorten(name)}'"
            raise UnknownOption(f"the environment got an {problem}{nearest(name, option_names)}")
    puzzle_arguments = {name: values.pop(name) for name in class_arguments if name in values}
    options = EnvironmentSettings(**values)
    if puzzle_class:
        return puzzle_of_class(puzzle_class, puzzle_arguments), options
    puzzle = puzzle_arguments.get("puzzle", DEFAULT_PUZZLE)
    if isinstance(puzzle, str):
        return registry.load(puzzle), options
    if not {"legal", "apply", "solved", "view"} <= set(dir(puzzle)):
        raise BadOption(f"'puzzle' is a name such as {DEFAULT_PUZZLE}, or a puzzle, not {shorten(str(puzzle))}")
    return cast("Puzzle", puzzle), options


def puzzle_of_class(puzzle_class: type[Puzzle], arguments: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle of this class with these arguments; raises `BadOption` for bad arguments."""
    try:
        return puzzle_class(**arguments)
    except TypeError as error:
        text = ", ".join(f"{name}={value!r}" for name, value in arguments.items()) or "nothing"
        raise BadOption(f"{puzzle_class.__name__} cannot be made of {shorten(text)}: {error}") from None


def planes_for(puzzle: Puzzle, observation: str | None) -> Planes | None:
    """Return the planes of observations of this kind, by default if there are any; raises `Unsupported`."""
    planes = puzzle.view(Planes)
    if planes is None and observation is not None:
        raise Unsupported(f"{puzzle.name} has no planes; its observation can be 'state'")
    if planes is not None and planes.grid is None and observation == "image":
        raise Unsupported(f"the planes of {puzzle.name} are no grid; its observation can be 'planes' or 'state'")
    return planes


def cells_of(planes: Planes) -> NDArray[np.int64]:
    """Return `int64[rows, columns]`: the cell at each place of the board, of planes that are a grid."""
    cells = planes.cell_at
    assert cells is not None  # see `planes_for`
    return cells


def sampler(puzzle: Puzzle, options: EnvironmentSettings) -> Sample:
    """Return the source of start boards.

    Raises `BadInput` for an unknown scale or level, and for a board that cannot be read.
    """
    if options.board is not None:
        start = puzzle.read(options.board).state
        return lambda random, level, count: np.repeat(start[None], count, axis=0)
    samples = puzzle.view(Samples)
    if options.scale is not None or (samples is not None and samples.scales):
        name, scale = scale_of(puzzle, options.scale)
        check_level(puzzle, name, scale, options.level)
        return scale.sample
    if puzzle.view(Reversible) is not None:
        if options.level is not None and options.level < 1:
            raise BadOption(f"a random walk from the goal has 1 move or more, not {options.level}")
        return partial(walked, puzzle)

    def unsupported(random: np.random.Generator, level: int | None, count: int) -> State:
        raise Unsupported(f"{puzzle.name} cannot make new boards; pass one: board=TEXT")

    return unsupported


def walked(puzzle: Puzzle, random: np.random.Generator, level: int | None, count: int) -> State:
    """Return boards `[count, S]` that are `level` random moves from a goal, one more where these lead to a goal."""
    lengths = random.integers(1, LONGEST_WALK + 1, count) if level is None else np.full(count, level)
    states = scrambled(puzzle, lengths, random)
    again = solved(puzzle, states)
    states[again] = random_walks(puzzle, states[again], np.ones(again.sum(), np.int64), random)
    return states
