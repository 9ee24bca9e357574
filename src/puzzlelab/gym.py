"""Puzzles as Gymnasium environments; importing this module registers them.

Each family of puzzles, also of a plug-in, has an id such as `puzzlelab/Tiles-v0`, `puzzlelab/Dust-v0` or
`puzzlelab/Sudoku-v0`, and takes the arguments of its class; `puzzlelab/Puzzle-v0` takes a puzzle by its name.

Shapes: N = boards, K = some of them, S = length of a state, M = number of moves, F = length of the network input of a
board.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput, BadOption, UnknownOption, nearest, shorten
from puzzlelab.core.puzzle import Drawings, Puzzle, State

try:
    import gymnasium
    from gymnasium.error import ResetNeeded
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as missing:
    raise BadInput(f"environments need {missing.name}, which is not installed: pip install 'puzzlelab[gym]'") from None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from puzzlelab._gym_game import GymGame

MODES = ["ansi", "rgb_array"]
FRAMES_PER_SECOND = 4
RESET_OPTIONS = ["board", "level", "scale"]
"""The options of a reset, for the boards that it starts with."""
ATTRIBUTES = ["board", "level", "max_moves", "scale"]
"""The options that can be set while an environment plays."""


class EnvironmentOptions(TypedDict, total=False):
    """The options that all environments share, for editors and type checkers; docs/gymnasium.md explains each.

    The ids of single families also take the arguments of the puzzle's class, such as `rows` and `columns`.
    """

    reward: str
    """A scheme of `experience.rewards`; by default `moves`."""
    discount: float
    """The discount of later rewards, 0 to 1; only the reward `potential:...` depends on it."""
    scale: str | None
    """The scale of the boards; by default the puzzle's main scale."""
    level: int | None
    """The level on that scale; by default any. Without a scale, the moves of a random walk from the goal."""
    board: str | None
    """The start board of every episode, in place of sampled ones."""
    max_moves: int | None
    """An episode is truncated after this number of moves."""
    observation: Literal["planes", "image", "state"] | None
    """The kind of observation; by default planes, if the puzzle has them."""


def _attribute(name: str, about: str) -> property:
    return property(
        lambda env: getattr(env._game.options, name),
        lambda env, value: env._game.change(**{name: value}),
        doc=f"{about}; a new value holds for all that comes next.",
    )


class _Playing:
    """The part that both environments have: their boards, and the attributes that can be set."""

    board = _attribute("board", "The start board of every episode, or None")
    level = _attribute("level", "The level of new boards, or None for any")
    max_moves = _attribute("max_moves", "The moves after which an episode is truncated, or None for the default")
    scale = _attribute("scale", "The scale of new boards, or None for the main one")
    metadata: dict[str, Any]
    render_mode: str | None

    def _make_game(self, count: int, puzzle: str | Puzzle | None, render_mode: str | None, options: Any) -> None:
        from puzzlelab._gym_game import GymGame  # imports the compiler, which would slow down the import of this module

        named = {"puzzle": puzzle, "render_mode": render_mode}
        self._game = GymGame(count, {**options, **{name: value for name, value in named.items() if value is not None}})
        self.puzzle = self._game.puzzle
        self.render_mode = self._game.options.render_mode
        available = MODES if self.puzzle.view(Drawings) is not None else MODES[:1]
        self.metadata = {**self.metadata, "render_modes": available.copy()}


class PuzzleEnv(_Playing, gymnasium.Env[Any, Any]):
    """An environment with one board of a puzzle, by default `tiles-3x3`.

    Action: `Discrete(M)`, a move. An illegal move does not change the board; the reward scheme defines its reward.
    Observation: `float32[F]` from 0 to 1, the puzzle's planes; with `observation="image"` the same as
        `float32[P, rows, columns]`, P planes for each cell; with `observation="state"` the state `[S]`.
    Reward: -1 for each move; with `reward=NAME` any scheme of `experience.rewards`.
    Start: a board of the puzzle's main scale, or of `scale` and `level`; with `board` always that one. For one episode
        `reset(options=...)` takes a `board`, or a `scale` and a `level`.
    End: terminated when the board is solved, or in a dead end; truncated after `max_moves` moves, by default 10 times
        the length of a state, and at least 100.
    Info: `action_mask: int8[M]`, the legal moves, or all moves where none is legal; `solved`, `dead_end`, `moves`.
    Attributes: `board`, `level`, `scale` and `max_moves` can be set, for all that comes next.
    Rendering: `ansi`, text; `rgb_array`, `uint8[height, width, 3]`. `gymnasium.make(ID, render_mode="human")` shows
        this picture in a window at every reset and step, by `HumanRendering` of Gymnasium, which needs pygame.
    """

    # Gymnasium reads the attribute of the class, and that of each environment.
    metadata: dict[str, Any] = {"render_modes": MODES, "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(
        self,
        *,
        puzzle: str | Puzzle | None = None,
        render_mode: Literal["ansi", "rgb_array"] | None = None,
        **options: Unpack[EnvironmentOptions],
    ) -> None:
        self._make_game(1, puzzle, render_mode, options)
        self.action_space = gymnasium.spaces.Discrete(self.puzzle.move_count)
        self.observation_space = self._game.space()

    @property
    def instance(self) -> Instance:
        """The puzzle and the current board, for solvers."""
        return Instance(self.puzzle, self._game.states[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        _check_names(options, RESET_OPTIONS)
        self._game.begin(_boards(self._game, self.np_random, 1, options))
        return self._game.observations()[0], self._info()

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        transition = self._game.step(_moves(self._game, [action]), np.zeros(1, bool), self.np_random)
        reward, terminated, truncated = (values[0].item() for values in transition)
        return self._game.observations()[0], reward, terminated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {name: values[0] for name, values in self._game.info().items()}
        return {name: value if value.ndim else value.item() for name, value in info.items()}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return `bool[M]`: the legal moves, by the name under which MaskablePPO of sb3-contrib looks for them."""
        masks: NDArray[np.bool_] = self._game.masks()[0]
        return masks

    def render(self) -> Any:
        return self._game.render(0)


class PuzzleVectorEnv(_Playing, VectorEnv[Any, Any, Any]):
    """A vector environment with `num_envs` boards, whose moves the puzzle's kernels make at once; else as `PuzzleEnv`.

    `autoreset_mode` says what follows the end of an episode, as for the vector environments of Gymnasium. `NextStep`:
    the next step ignores its action and starts a new board. `SameStep`: the step itself starts a new board, and its
    infos hold `final_obs` and `final_info` of the old one. `Disabled`: a reset must come before the next step. All
    boards are drawn from one random number generator. Each entry of the infos is an array `[N]` or `[N, M]`, with an
    underscored mask that is True for all boards. `reset(options={"board": ...})` also takes a list, and
    `reset(options={"reset_mask": rows})` starts new episodes only in these `rows: bool[N]`, at once. No window.
    """

    metadata = PuzzleEnv.metadata

    def __init__(
        self,
        num_envs: int = 1,
        *,
        puzzle: str | Puzzle | None = None,
        render_mode: Literal["ansi", "rgb_array"] | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Unpack[EnvironmentOptions],
    ) -> None:
        if num_envs < 1:
            raise BadOption(f"a vector environment has 1 board or more, not {num_envs}")
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = ", ".join(mode.value for mode in AutoresetMode)
            raise BadOption(f"'autoreset_mode' is one of {modes}, not {shorten(str(autoreset_mode))}") from None
        self.num_envs = num_envs
        self._make_game(num_envs, puzzle, render_mode, options)
        self.metadata["autoreset_mode"] = self.autoreset_mode
        self.single_action_space = gymnasium.spaces.Discrete(self.puzzle.move_count)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = self._game.space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._ended = np.zeros(num_envs, bool)

    def set_attr(self, name: str, value: Any) -> None:
        """Set `board`, `level`, `max_moves` or `scale` for all that comes next on every board."""
        if name not in ATTRIBUTES:
            raise UnknownOption(f"'{shorten(name)}' cannot be set{nearest(name, ATTRIBUTES)}")
        setattr(self, name, value)

    def instance(self, row: int) -> Instance:
        """Return the puzzle and the current board of one row, for solvers."""
        return Instance(self.puzzle, self._game.states[row])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        _check_names(options, [*RESET_OPTIONS, "reset_mask"])
        rows = _rows(self._game, options)
        boards = _boards(self._game, self.np_random, int(rows.sum()), options)
        if rows.all():
            self._game.begin(boards)
        else:
            self._game.replace(rows, boards)
        self._ended = self._ended & ~rows
        return self._game.observations(), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        moves, ended = _moves(self._game, actions), self._ended
        if self.autoreset_mode is AutoresetMode.DISABLED and ended.any():
            raise ResetNeeded("some episodes are over: call reset(options={'reset_mask': terminated | truncated})")
        transition = _, terminated, truncated = self._game.step(moves, ended, self.np_random)
        self._ended = ended = terminated | truncated
        if self.autoreset_mode is not AutoresetMode.SAME_STEP or not ended.any():
            return self._game.observations(), *transition, self._infos()
        final = self._final(ended)
        self._game.replace(ended, self._game.draw(int(ended.sum()), self.np_random))
        self._ended = np.zeros(self.num_envs, bool)
        return self._game.observations(), *transition, self._infos() | final

    def _final(self, ended: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the last observations and infos of the episodes that have `ended: bool[N]`, as Gymnasium has them."""
        observations = np.full(self.num_envs, None, object)
        for row, observation in zip(np.flatnonzero(ended), self._game.observations(ended), strict=True):
            observations[row] = observation
        infos: dict[str, Any] = {name: (values.T * ended).T for name, values in self._game.info().items()}
        infos |= {f"_{name}": ended for name in infos}
        return {"final_obs": observations, "_final_obs": ended, "final_info": infos, "_final_info": ended}

    def _infos(self) -> dict[str, Any]:
        info = self._game.info()
        return info | {f"_{name}": np.ones(self.num_envs, bool) for name in info}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return `bool[N, M]`: the legal moves of each board."""
        return self._game.masks()

    def render(self) -> Any:
        return None if self.render_mode is None else tuple(map(self.render_row, range(self.num_envs)))

    def render_row(self, row: int) -> str | NDArray[np.uint8] | None:
        """Return the board of one row as `render` shows it."""
        return self._game.render(row)


def _check_names(options: dict[str, Any] | None, known: list[str]) -> None:
    """Raise `UnknownOption` for an unknown option of a reset."""
    for name in options or {}:
        if name not in known:
            raise UnknownOption(f"reset has no option '{shorten(name)}'{nearest(name, known)}")


def _rows(game: GymGame, options: dict[str, Any] | None) -> NDArray[np.bool_]:
    """Return `bool[N]`: the rows that a reset is for, by default all."""
    count = len(game.moves)
    rows = (options or {}).get("reset_mask")
    if rows is None:
        return np.ones(count, bool)
    if not isinstance(rows, np.ndarray) or rows.dtype != bool or rows.shape != (count,) or not rows.any():
        raise BadOption(f"reset takes as 'reset_mask' an array of {count} booleans, one of which at least is True")
    if not rows.all():
        game.require_boards()
    return rows


def _boards(game: GymGame, random: np.random.Generator, count: int, options: dict[str, Any] | None) -> State:
    """Return `[K, S]`: the boards in the options of a reset, or new ones; K is `count`."""
    start = {name: value for name in RESET_OPTIONS if (value := (options or {}).get(name)) is not None}
    board = start.get("board")
    if board is None:
        return game.draw(count, random, start)
    if len(start) > 1:
        raise BadOption("reset takes as 'options' a board, or a scale and a level, not both")
    texts = [board] * count if isinstance(board, str) else board
    if not isinstance(texts, list | tuple) or len(texts) != count or not all(isinstance(text, str) for text in texts):
        raise BadOption(f"reset takes as 'board' a text{f', or a list of {count} texts' if count > 1 else ''}")
    return np.array([game.puzzle.read(text).state for text in texts])


def _moves(game: GymGame, actions: Any) -> NDArray[np.int64]:
    """Return `int64[N]`.

    Raises `BadInput` for invalid actions, and Gymnasium's `ResetNeeded` before the first board.
    """
    game.require_boards()
    moves = np.asarray(actions)
    if moves.shape != game.moves.shape or moves.dtype.kind not in "iu":
        raise BadInput(f"actions are {len(game.moves)} whole numbers, not {shorten(str(actions))}")
    last_move = game.puzzle.move_count - 1
    if moves.min() < 0 or moves.max() > last_move:
        first_wrong = moves[(moves < 0) | (moves > last_move)][0]
        raise BadInput(f"the moves of {game.puzzle.name} go from 0 to {last_move}; there is no {first_wrong}")
    return np.asarray(moves, np.int64)


def register() -> None:
    """Register every installed family of puzzles that is not registered yet."""
    values: dict[str, dict[str, str]] = {"Puzzle": {}}
    for family in registry.families():
        values["".join(word.capitalize() for word in re.split("[_-]", family))] = {"family": family}
    for name, arguments in values.items():
        if (env_id := f"puzzlelab/{name}-v0") not in gymnasium.registry:
            one, many = f"{__name__}:PuzzleEnv", f"{__name__}:PuzzleVectorEnv"
            gymnasium.register(env_id, one, vector_entry_point=many, kwargs=arguments)


register()
