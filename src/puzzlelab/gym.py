"""Puzzles as Gymnasium environments; importing this module registers them.

Each family of puzzles has an id, `puzzlelab/Tiles-v0`, `puzzlelab/Dust-v0`, `puzzlelab/Sudoku-v0` and those of
plug-ins, and takes the arguments of its class; `puzzlelab/Puzzle-v0` takes a puzzle by its name.

Shapes: N = boards, S = length of a state, M = number of moves, F = numbers that a network is given for a board.
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
FRAMES_A_SECOND = 4


class PuzzleEnv(gymnasium.Env[Any, Any]):
    """One board of a puzzle.

    Action: `Discrete(M)`, a move. One that cannot be made leaves the board as it is, and costs what the reward says.
    Observation: `float32[F]` from 0 to 1, the puzzle's planes; with `observation="state"` the state `[S]`.
    Reward: -1 a move; with `reward=NAME` any scheme of `experience.rewards`.
    Begin: a board of the puzzle's main scale, or of `scale` and `level`; with `board` always that one, and with
        `reset(options={"board": TEXT})` this once.
    End: terminated when the board is solved, or in a dead end; truncated after `max_moves` moves, by default 10 for
        each number of a state, and at least 100.
    Info: `action_mask: int8[M]`, the moves that can be made; `solved`, `dead_end`, `moves`.
    Rendering: `ansi`, text; `rgb_array`, `uint8[height, width, 3]`.
    """

    # Gymnasium reads it of the class, and of each environment its own.
    metadata: dict[str, Any] = {"render_modes": MODES, "render_fps": FRAMES_A_SECOND}  # noqa: RUF012

    def __init__(self, **asked: Any) -> None:
        self._game = _game(1, asked)
        self.puzzle = self._game.puzzle
        self.metadata = {**self.metadata, "render_modes": _modes(self._game)}
        self.render_mode = self._game.options.render_mode
        self.action_space = gymnasium.spaces.Discrete(self.puzzle.move_count)
        self.observation_space = self._game.space()

    @property
    def instance(self) -> Instance:
        """The puzzle and the board as it stands, for solvers."""
        return Instance(self.puzzle, self._game.states[0])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        super().reset(seed=seed)
        self._game.begin(_boards(self._game, self.np_random, 1, options))
        return self._game.observations()[0], self._info()

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        turn = self._game.turn(_moves(self._game, [action]), np.zeros(1, bool), self.np_random)
        reward, terminated, truncated = (part[0].item() for part in turn)
        return self._game.observations()[0], reward, terminated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        found: dict[str, Any] = {name: values[0] for name, values in self._game.info().items()}
        return {name: value if value.ndim else value.item() for name, value in found.items()}

    def render(self) -> Any:
        return self._game.render(0)


class PuzzleVectorEnv(VectorEnv[Any, Any, Any]):
    """`num_envs` boards of a puzzle, whose moves are made at once by its kernels; else as `PuzzleEnv`.

    The step after an episode has ended draws a new board in its place, whatever the action: autoreset mode `NEXT_STEP`.
    All boards are drawn from one generator of random numbers. In infos each entry is an array `[N]` or `[N, M]`, with
    an underscored one that says of which boards it tells: of all. `reset(options={"board": ...})` takes a list too.
    """

    metadata: dict[str, Any] = {**PuzzleEnv.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(self, num_envs: int = 1, **asked: Any) -> None:
        if num_envs < 1:
            raise BadOption(f"a vector environment has 1 board or more, not {num_envs}")
        self.num_envs = num_envs
        self._game = _game(num_envs, asked)
        self.puzzle = self._game.puzzle
        self.metadata = {**self.metadata, "render_modes": _modes(self._game)}
        self.render_mode = self._game.options.render_mode
        self.single_action_space = gymnasium.spaces.Discrete(self.puzzle.move_count)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.single_observation_space = self._game.space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._ended = np.zeros(num_envs, bool)

    def instance(self, row: int) -> Instance:
        """The puzzle and one of the boards as it stands, for solvers."""
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
        turn = self._game.turn(_moves(self._game, actions), self._ended, self.np_random)
        self._ended = turn.terminated | turn.truncated
        return self._game.observations(), *turn, self._infos()

    def _infos(self) -> dict[str, Any]:
        found = self._game.info()
        return found | {f"_{name}": np.ones(self.num_envs, bool) for name in found}

    def render(self) -> Any:
        if self.render_mode is None:
            return None
        return tuple(self._game.render(row) for row in range(self.num_envs))


def _game(count: int, asked: dict[str, Any]) -> GymGame:
    from puzzlelab._gym_game import GymGame  # with the compiler, which an import of this module is not to wait for

    return GymGame.of(count, asked)


def _modes(game: GymGame) -> list[str]:
    return [mode for mode in MODES if mode != "rgb_array" or game.puzzle.view(DrawsSvg) is not None]


def _boards(game: GymGame, random: np.random.Generator, count: int, options: dict[str, Any] | None) -> State:
    """`[N, S]`: the boards that the options of a reset name, or new ones."""
    for name in options or {}:
        if name != "board":
            raise BadOption(f"reset has no option '{shorten(name)}'{nearest(name, ['board'])}")
    wanted = (options or {}).get("board")
    if wanted is None:
        return game.draw(count, random)
    texts = [wanted] * count if isinstance(wanted, str) else wanted
    if not isinstance(texts, list | tuple) or len(texts) != count or not all(isinstance(text, str) for text in texts):
        raise BadOption(f"reset takes as 'board' a text{f', or a list of {count} texts' if count > 1 else ''}")
    return np.array([game.puzzle.read(text).state for text in texts])


def _moves(game: GymGame, actions: Any) -> NDArray[np.int64]:
    """`int64[N]`; raises `BadInput` for what are no moves, and Gymnasium's `ResetNeeded` before the first board."""
    if game.states.shape[1] == 0:
        raise gymnasium.error.ResetNeeded("there is no board yet: call reset() first")
    moves = np.asarray(actions)
    if moves.shape != game.moves.shape or moves.dtype.kind not in "iu":
        raise BadInput(f"actions are {len(game.moves)} whole numbers, not {shorten(str(actions))}")
    most = game.puzzle.move_count - 1
    if moves.min() < 0 or moves.max() > most:
        wrong = moves[(moves < 0) | (moves > most)][0]
        raise BadInput(f"the moves of {game.puzzle.name} go from 0 to {most}; there is no {wrong}")
    return moves.astype(np.int64)


def register() -> None:
    """Tell Gymnasium of every family of puzzles that is installed; of those it knows already, nothing."""
    _register("Puzzle", {})
    for family in registry.families():
        _register("".join(word.capitalize() for word in re.split("[_-]", family)), {"family": family})


def _register(name: str, values: dict[str, str]) -> None:
    if (known := f"puzzlelab/{name}-v0") not in gymnasium.registry:
        one, many = f"{__name__}:PuzzleEnv", f"{__name__}:PuzzleVectorEnv"
        gymnasium.register(known, one, vector_entry_point=many, kwargs=values)


register()
