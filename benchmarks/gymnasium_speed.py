"""Steps a CPU second of the Gymnasium environments: `python benchmarks/gymnasium_speed.py [--boards N] [--seconds S]`.

Random moves that can be made, with new boards in the place of those that are over. Only `step` is timed: it makes the
moves, draws the new boards, and gives observations and masks. Beside the vector environment stands one board by itself.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import puzzlelab.gym  # noqa: F401 (registers the environments)

PUZZLES = ("tiles-3x3", "tiles-4x4", "tiles-5x5", "dust-8x6x5", "sudoku-9x9")
OBSERVATIONS = ("planes", "state")
WARM = 3
"""Steps before a clock starts."""


def many(puzzle: str, observation: str, boards: int, seconds: float) -> float:
    """Steps a CPU second of this many boards at once."""
    env = gymnasium.make_vec("puzzlelab/Puzzle-v0", num_envs=boards, puzzle=puzzle, observation=observation)
    random = np.random.default_rng(0)
    infos = env.reset(seed=0)[1]
    steps, spent = -WARM, 0.0
    while spent < seconds:
        moves = chosen(infos["action_mask"], random)
        began = time.process_time()
        infos = env.step(moves)[4]
        steps += 1
        spent += (time.process_time() - began) * (steps > 0)
    return steps * boards / spent


def one(puzzle: str, observation: str, seconds: float) -> float:
    """Steps a CPU second of one board; drawing a new one is timed too."""
    env = gymnasium.make("puzzlelab/Puzzle-v0", puzzle=puzzle, observation=observation, disable_env_checker=True)
    random = np.random.default_rng(0)
    info, over = env.reset(seed=0)[1], False
    steps, spent = -WARM, 0.0
    while spent < seconds:
        move = chosen(info["action_mask"][None], random)[0]
        began = time.process_time()
        if over:
            info, over = env.reset()[1], False
        else:
            _, _, terminated, truncated, info = env.step(move)
            over = terminated or truncated
        steps += 1
        spent += (time.process_time() - began) * (steps > 0)
    return steps / spent


def chosen(masks: NDArray[np.int8], random: np.random.Generator) -> NDArray[Any]:
    """`int64[N]`: any of the moves that can be made, and the first where there is none, from `masks: int8[N, M]`."""
    counts = masks.sum(axis=1, dtype=np.int64)
    wanted = (random.random(len(masks)) * counts).astype(np.int64)
    return np.asarray((masks.cumsum(axis=1, dtype=np.int16) > wanted[:, None]).argmax(axis=1))


def main() -> None:
    """Measure every puzzle, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=10_000, help="how many are stepped at once (10000)")
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU seconds for each (5)")
    arguments = parser.parse_args()
    columns = ("puzzle", "observation", f"{arguments.boards:,} boards at once", "one board")
    table = Table(*columns, title="Steps a CPU second")
    for puzzle in PUZZLES:
        for observation in OBSERVATIONS:
            rates = (
                many(puzzle, observation, arguments.boards, arguments.seconds),
                one(puzzle, observation, arguments.seconds),
            )
            table.add_row(puzzle, observation, *(f"{rate:,.0f}" for rate in rates))
    Console().print(table)


if __name__ == "__main__":
    main()
