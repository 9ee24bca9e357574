"""Puzzles for Stable-Baselines3: a `VecEnv` of many boards, on all of which one call of the kernels makes the moves.

`vector_env` makes such an environment of a puzzle, `adapt` of a vector environment of Gymnasium. Stable-Baselines3 is
imported when one of them is called, not with this module.

Shapes: N = boards, K = some of them, M = number of moves, F = length of the network input of a board.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.gym import EnvironmentOptions, PuzzleVectorEnv

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from stable_baselines3.common.vec_env import VecEnv

Indices = int | Iterable[int] | None
"""Rows of the vector environment; None means all."""


def vector_env(
    puzzle: str | Puzzle,
    num_envs: int = 1,
    *,
    render_mode: Literal["ansi", "rgb_array"] | None = None,
    **options: Unpack[EnvironmentOptions],
) -> VecEnv:
    """Return an environment with `num_envs` boards of a puzzle, for any learner of Stable-Baselines3 or sb3-contrib.

    The options are those of `puzzlelab.gym.PuzzleVectorEnv`. Raises `BadInput` for a bad option, and if
    Stable-Baselines3 is not installed.
    """
    return adapt(PuzzleVectorEnv(num_envs, puzzle=puzzle, render_mode=render_mode, **options))


def adapt(env: PuzzleVectorEnv) -> VecEnv:
    """Adapt a vector environment, such as `gymnasium.make_vec` returns, to Stable-Baselines3.

    Raises `BadInput` if Stable-Baselines3 is not installed.
    """
    try:
        from stable_baselines3.common.vec_env import VecEnv
    except ModuleNotFoundError as missing:
        library = (missing.name or "").partition(".")[0]
        raise BadInput(
            f"this environment needs {library}, which is not installed: pip install stable-baselines3"
        ) from None

    class PuzzleVecEnv(VecEnvMethods, VecEnv):
        """The methods with the base class by which Stable-Baselines3 knows its environments."""

        def __init__(self) -> None:
            VecEnvMethods.__init__(self, env)
            VecEnv.__init__(self, env.num_envs, env.single_observation_space, env.single_action_space)

    return PuzzleVecEnv()


class BoardOfMany:
    """One board of a vector environment, as `get_attr`, `set_attr` and `env_method` address it.

    It also holds the attributes that `set_attr` sets.
    """

    def __init__(self, env: PuzzleVectorEnv, row: int) -> None:
        self._env = env
        self._row = row
        self.puzzle = env.puzzle
        self.spec = env.spec
        self.metadata = env.metadata
        self.render_mode = env.render_mode
        self.observation_space = env.single_observation_space
        self.action_space = env.single_action_space

    @property
    def instance(self) -> Instance:
        """The puzzle and the current board, for solvers."""
        return self._env.instance(self._row)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return `bool[M]`: the legal moves."""
        masks: NDArray[np.bool_] = self._env.action_masks()[self._row]
        return masks

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the board as text, or as `uint8[height, width, 3]`."""
        return self._env.render_row(self._row)


class VecEnvMethods:
    """The methods of Stable-Baselines3's `VecEnv`, for a vector environment; needs no Stable-Baselines3.

    A board whose episode ends is replaced in the same step: its observation is the first one of the new episode, and
    its info holds `terminal_observation: float32[F]`, `TimeLimit.truncated`, `is_success`, `solved`, `dead_end`,
    `moves`, and `episode` as `VecMonitor` writes it: `r`, the sum of rewards, `l`, the number of moves, and `t`, the
    seconds since this environment was made. The infos of all other boards are empty.
    """

    def __init__(self, env: PuzzleVectorEnv) -> None:
        self.env = env
        self.num_envs = env.num_envs
        self.render_mode = env.render_mode
        self._boards = [BoardOfMany(env, row) for row in range(env.num_envs)]
        self._seed: int | None = None
        self._start: dict[str, Any] = {}
        self._actions: NDArray[Any] = np.zeros(env.num_envs, np.int64)
        self._returns = np.zeros(env.num_envs)
        self._made = time.time()

    # --- playing ---

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Take this seed at the next reset; all boards are drawn from one generator, so it is the seed of each."""
        self._seed = int(np.random.default_rng().integers(2**32)) if seed is None else seed
        return [self._seed] * self.num_envs

    def set_options(self, options: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None = None) -> None:
        """Take these options at the next reset: for all boards, such as `{"board": TEXT}`, or a list with one each."""
        if options is None or isinstance(options, Mapping):
            self._start = deepcopy(dict(options or {}))
        else:
            names = {name for each in options for name in each}
            self._start = {name: [each.get(name) for each in options] for name in names}

    def reset(self) -> NDArray[Any]:
        """Return `float32[N, F]`, or the states: the first observations of new episodes on all boards."""
        observations, _ = self.env.reset(seed=self._seed, options=self._start)
        self._seed, self._start = None, {}
        self._returns[:] = 0
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the moves `int[N]` for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Make the moves: observations `[N, F]`, rewards `float32[N]`, ends `bool[N]` and infos."""
        observations, rewards, terminated, truncated, info = self.env.step(self._actions)
        ends = terminated | truncated
        self._returns += rewards
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if ends.any():
            for row in np.flatnonzero(ends):
                infos[row] = self._final_info(int(row), info) | {
                    "terminal_observation": observations[row],
                    "TimeLimit.truncated": bool(truncated[row]),
                }
            observations, _ = self.env.reset(options={"reset_mask": ends})
            self._returns[ends] = 0
        return observations, rewards.astype(np.float32), ends, infos

    def _final_info(self, row: int, info: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Return what the info of an episode that has ended says of the whole episode."""
        values = {name: info[name][row].item() for name in ("solved", "dead_end", "moves")}
        seconds = round(time.time() - self._made, 6)
        episode = {"r": float(self._returns[row]), "l": values["moves"], "t": seconds}
        return {**values, "is_success": values["solved"], "episode": episode}

    def close(self) -> None:
        """Close the vector environment."""
        self.env.close()

    # --- single boards ---

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of each board; raises `AttributeError` if it does not exist."""
        return [getattr(self._boards[row], attr_name) for row in self._rows(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of each board, which `get_attr` reads again; it does not change the play."""
        for row in self._rows(indices):
            setattr(self._boards[row], attr_name, value)

    def env_method(self, method_name: str, *arguments: Any, indices: Indices = None, **named: Any) -> list[Any]:
        """Return the results of a method of each board, such as `action_masks: bool[M]`, which is computed for all at
        once.
        """
        rows = self._rows(indices)
        if method_name == "action_masks":
            masks = self.env.action_masks()
            return [masks[row] for row in rows]
        return [getattr(self._boards[row], method_name)(*arguments, **named) for row in rows]

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """Return False for each board: none has an environment of its own that could be wrapped."""
        return [False for _ in self._rows(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return the pictures `uint8[height, width, 3]` of all boards.

        None for each if `render_mode` is not `rgb_array`.
        """
        if self.render_mode != "rgb_array":
            warnings.warn(f"pictures need render_mode='rgb_array', which is {self.render_mode} here", stacklevel=2)
            return [None] * self.num_envs
        return list(self.env.render())

    def _rows(self, indices: Indices) -> list[int]:
        if indices is None:
            return list(range(self.num_envs))
        return [indices] if isinstance(indices, int) else list(indices)
