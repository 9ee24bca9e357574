"""Puzzles for Stable-Baselines3: a `VecEnv` of many boards, on all of which one call of the kernels makes the moves.

Shapes: N = boards, M = number of moves, F = length of the network input of a board.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from gymnasium.vector import AutoresetMode

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput, BadOption
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.gym import EnvironmentOptions, PuzzleVectorEnv

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as missing:
    library = (missing.name or "").partition(".")[0]
    raise BadInput(f"puzzlelab.sb3 needs {library}, which is not installed: pip install stable-baselines3") from None

if TYPE_CHECKING:
    from numpy.typing import NDArray

Indices = int | Iterable[int] | None
"""Rows of the vector environment; None means all."""


def vector_env(
    puzzle: str | Puzzle,
    num_envs: int = 1,
    *,
    render_mode: Literal["ansi", "rgb_array"] | None = None,
    **options: Unpack[EnvironmentOptions],
) -> PuzzleVecEnv:
    """Return an environment with `num_envs` boards of a puzzle, for any learner of Stable-Baselines3 or sb3-contrib.

    The options are those of `puzzlelab.gym.PuzzleVectorEnv`. Raises `BadInput` for a bad option.
    """
    mode = AutoresetMode.SAME_STEP
    return PuzzleVecEnv(
        PuzzleVectorEnv(num_envs, puzzle=puzzle, render_mode=render_mode, autoreset_mode=mode, **options)
    )


class BoardOfMany:
    """One board of a vector environment, as `get_attr` and `env_method` address it."""

    def __init__(self, env: PuzzleVectorEnv, row: int) -> None:
        self._env = env
        self._row = row
        self.puzzle = env.puzzle
        self.spec = env.spec
        self.metadata = env.metadata
        self.render_mode = env.render_mode
        self.observation_space = env.single_observation_space
        self.action_space = env.single_action_space
        self.board, self.level, self.max_moves, self.scale = env.board, env.level, env.max_moves, env.scale

    @property
    def instance(self) -> Instance:
        """The puzzle and the current board, for solvers."""
        return self._env.instance(self._row)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return `bool[M]`: the legal moves, or all moves where none is legal."""
        masks: NDArray[np.bool_] = self._env.action_masks()[self._row]
        return masks

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the board as text, or as `uint8[height, width, 3]`."""
        return self._env.render_row(self._row)


class PuzzleVecEnv(VecEnv):
    """The `VecEnv` of a vector environment whose autoreset mode is `SameStep`.

    A board whose episode ends is replaced in the same step: its observation is the first one of the new episode, and
    its info holds `terminal_observation: float32[F]`, `TimeLimit.truncated`, `is_success`, `solved`, `dead_end`,
    `moves`, and `episode` as `Monitor` writes it: `r`, the sum of rewards, `l`, the number of moves, and `t`, the
    seconds since this environment was made. The infos of all other boards are empty.
    """

    def __init__(self, env: PuzzleVectorEnv) -> None:
        if env.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise BadOption("Stable-Baselines3 needs an environment with autoreset_mode='SameStep'")
        self.env = env
        self._actions: NDArray[Any] = np.zeros(env.num_envs, np.int64)
        self._returns = np.zeros(env.num_envs)
        self._made = time.time()
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    # --- playing ---

    def reset(self) -> NDArray[Any]:
        """Return `float32[N, F]`, or as the environment has it: the first observations of new episodes on all boards.

        All boards are drawn from one generator, whose seed is the first one of `seed`.
        """
        observations, _ = self.env.reset(seed=self._seeds[0], options=self._start())
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        return observations

    def _start(self) -> dict[str, Any]:
        """Return the options of `set_options` for a reset of all boards: a value of all, or a list with one each."""
        if len(self._options) != self.num_envs:
            raise BadOption(f"set_options takes a dictionary, or a list of {self.num_envs} dictionaries")
        names = {name for each in self._options for name in each}
        values = {name: [each.get(name) for each in self._options] for name in names}
        return {name: each[0] if each.count(each[0]) == len(each) else each for name, each in values.items()}

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the moves `int[N]` for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Make the moves: observations `[N, F]`, rewards `float32[N]`, ends `bool[N]` and infos."""
        observations, rewards, terminated, truncated, info = self.env.step(self._actions)
        ends = terminated | truncated
        self._returns += rewards
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ends).tolist():
            final = {name: info["final_info"][name][row].item() for name in ("solved", "dead_end", "moves")}
            seconds = round(time.time() - self._made, 6)
            infos[row] = {
                **final,
                "is_success": final["solved"],
                "terminal_observation": info["final_obs"][row],
                "TimeLimit.truncated": bool(truncated[row]),
                "episode": {"r": float(self._returns[row]), "l": final["moves"], "t": seconds},
            }
        self._returns[ends] = 0
        return observations, rewards.astype(np.float32), ends, infos

    def close(self) -> None:
        """Close the vector environment."""
        self.env.close()

    # --- single boards ---

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of each board; raises `AttributeError` if it does not exist."""
        return [getattr(BoardOfMany(self.env, row), attr_name) for row in self._rows(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set `board`, `level`, `max_moves` or `scale` of all boards, for all that comes next.

        Raises `BadOption` for another attribute, and for some of the boards only, which share these values.
        """
        if len(set(self._rows(indices))) < self.num_envs:
            raise BadOption(f"all {self.num_envs} boards share '{attr_name}': set it without indices")
        self.env.set_attr(attr_name, value)

    def env_method(self, method_name: str, *arguments: Any, indices: Indices = None, **named: Any) -> list[Any]:
        """Return the results of a method of each board, such as `action_masks: bool[M]`, which is computed for all at
        once.
        """
        rows = self._rows(indices)
        if method_name == "action_masks":
            masks = self.env.action_masks()
            return [masks[row] for row in rows]
        return [getattr(BoardOfMany(self.env, row), method_name)(*arguments, **named) for row in rows]

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """Tell whether this is `Monitor`, whose `episode` the infos hold; no board is wrapped in anything else."""
        return [wrapper_class is Monitor for _ in self._rows(indices)]

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
