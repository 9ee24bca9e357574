"""Puzzles as Gymnasium environments; importing this module registers them.

Each family of puzzles, also of a plug-in, has an id such as `puzzlelab/Tiles-v0`, `puzzlelab/Dust-v0` or
`puzzlelab/Sudoku-v0`, and takes the arguments of its class; `puzzlelab/Puzzle-v0` takes a puzzle by its name.

Shapes: N = boards, S = length of a state, M = number of moves, F = length of the network input of a board.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from puzzlelab.core import registry
from puzzlelab.core.errors import BadInput, BadOption, nearest, shorten
from puzzlelab.core.puzzle import Instance, State
from puzzlelab.core.views import DrawsSvg

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as missing:
    raise BadInput(f"environments need {missing.name}, which is not installed: pip install 'puzzlelab[gym]'") from None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from puzzlelab._gym_game import GymGame

MODES = ["ansi", "rgb_array"]
FRAMES_PER_SECOND = 4


class PuzzleEnv(gymnasium.Env[Any, Any]):
    """An environment with one board of a puzzle.

    Action: `Discrete(M)`, a move. An illegal move does not change the board; the reward scheme defines its reward.
    Observation: `float32[F]` from 0 to 1, the puzzle's planes; with `observation="state"` the state `[S]`.
    Reward: -1 for each move; with `reward=NAME` any scheme of `experience.rewards`.
    Start: a board of the puzzle's main scale, or of `scale` and `level`; with `board` always that one, and with
        `reset(options={"board": TEXT})` for one episode.
    End: terminated when the board is solved, or in a dead end; truncated after `max_moves` moves, by default 10 times
        the length of a state, and at least 100.
    Info: `action_mask: int8[M]`, the legal moves; `solved`, `dead_end`, `moves`.
    Rendering: `ansi`, text; `rgb_array`, `uint8[height, width, 3]`.
    """

    # Gymnasium reads the attribute of the class, and that of each environment.
    metadata: dict[str, Any] = {"render_modes": MODES, "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012

    def __init__(self, **arguments: Any) -> None:
        self._game = _game(1, arguments)
        self.puzzle = self._game.puzzle
        self.metadata = {**self.metadata, "render_modes": _modes(self._game)}
        self.render_mode = self._game.options.render_mode
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
        self._game.begin(_boards(self._game, self.np_random, 1, options))
        return self._game.observations()[0], self._info()

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        transition = self._game.step(_moves(self._game, [action]), np.zeros(1, bool), self.np_random)
        reward, terminated, truncated = (values[0].item() for values in transition)
        return self._game.observations()[0], reward, terminated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {name: values[0] for name, values in self._game.info().items()}
        return {name: value if value.ndim else value.item() for name, value in info.items()}

    def render(self) -> Any:
        return self._game.render(0)


class PuzzleVectorEnv(VectorEnv[Any, Any, Any]):
    """A vector environment with `num_envs` boards, whose moves the puzzle's kernels make at once; else as `PuzzleEnv`.

    The step after the end of an episode ignores its action and starts a new board: autoreset mode `NEXT_STEP`. All
    boards are drawn from one random number generator. Each entry of the infos is an array `[N]` or `[N, M]`, with an
    underscored mask that is True for all boards. `reset(options={"board": ...})` also takes a list.
    """

    metadata: dict[str, Any] = {**PuzzleEnv.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int = 1, **arguments: Any) -> None:
        if num_envs < 1:
            raise BadOption(f"a vector environment has 1 board or more, not {num_envs}")
        self.num_envs = num_envs
        self._game = _game(num_envs, arguments)
        self.puzzle = self._game.puzzle
        self.metadata = {**self.metadata, "render_modes": _modes(self._game)}
        self.render_mode = self._game.options.render_mode
        self.single_action_space = gymnasium.spaces.Discrete(self.puzzle.move_count)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = self._game.space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._ended = np.zeros(num_envs, bool)

    def instance(self, row: int) -> Instance:
        """The puzzle and the current board of one row, for solvers."""
        return Instance(self.puzzle, self._game.states[row])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        self._game.begin(_boards(self._game, self.np_random, self.num_envs, options))
        self._ended = np.zeros(self.num_envs, bool)
        return self._game.observations(), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        transition = self._game.step(_moves(self._game, actions), self._ended, self.np_random)
        self._ended = transition.terminated | transition.truncated
        return self._game.observations(), *transition, self._infos()

    def _infos(self) -> dict[str, Any]:
        info = self._game.info()
        return info | {f"_{name}": np.ones(self.num_envs, bool) for name in info}

    def render(self) -> Any:
        if self.render_mode is None:
            return None
        return tuple(self._game.render(row) for row in range(self.num_envs))


def _game(count: int, arguments: dict[str, Any]) -> GymGame:
    from puzzlelab._gym_game import GymGame  # imports the compiler, which would slow down the import of this module

    return GymGame.of(count, arguments)


def _modes(game: GymGame) -> list[str]:
    return [mode for mode in MODES if mode != "rgb_array" or game.puzzle.view(DrawsSvg) is not None]


def _boards(game: GymGame, random: np.random.Generator, count: int, options: dict[str, Any] | None) -> State:
    """`[N, S]`: the boards in the options of a reset, or new ones."""
    for name in options or {}:
        if name != "board":
            raise BadOption(f"reset has no option '{shorten(name)}'{nearest(name, ['board'])}")
    board = (options or {}).get("board")
    if board is None:
        return game.draw(count, random)
    texts = [board] * count if isinstance(board, str) else board
    if not isinstance(texts, list | tuple) or len(texts) != count or not all(isinstance(text, str) for text in texts):
        raise BadOption(f"reset takes as 'board' a text{f', or a list of {count} texts' if count > 1 else ''}")
    return np.array([game.puzzle.read(text).state for text in texts])


def _moves(game: GymGame, actions: Any) -> NDArray[np.int64]:
    """`int64[N]`; raises `BadInput` for invalid actions, and Gymnasium's `ResetNeeded` before the first board."""
    if game.states.shape[1] == 0:
        raise gymnasium.error.ResetNeeded("there is no board yet: call reset() first")
    moves = np.asarray(actions)
    if moves.shape != game.moves.shape or moves.dtype.kind not in "iu":
        raise BadInput(f"actions are {len(game.moves)} whole numbers, not {shorten(str(actions))}")
    last_move = game.puzzle.move_count - 1
    if moves.min() < 0 or moves.max() > last_move:
        first_wrong = moves[(moves < 0) | (moves > last_move)][0]
        raise BadInput(f"the moves of {game.puzzle.name} go from 0 to {last_move}; there is no {first_wrong}")
    return moves.astype(np.int64)


def register() -> None:
    """Register every installed family of puzzles that is not registered yet."""
    _register("Puzzle", {})
    for family in registry.families():
        _register("".join(word.capitalize() for word in re.split("[_-]", family)), {"family": family})


def _register(name: str, values: dict[str, str]) -> None:
    if (env_id := f"puzzlelab/{name}-v0") not in gymnasium.registry:
        one, many = f"{__name__}:PuzzleEnv", f"{__name__}:PuzzleVectorEnv"
        gymnasium.register(env_id, one, vector_entry_point=many, kwargs=values)


register()
