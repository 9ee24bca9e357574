"""Moves a second that deep Q-learning plays and learns from: `python benchmarks/dqn_speed.py [--seconds S]`.

Two comparisons, each in one run on one machine and with one network. On the 8-puzzle against Stable-Baselines3's DQN on
the same Gymnasium environment, with its own settings. On dust against the document's way: a thousand boards in plain
Python, moved by a pool of six workers, every move learned from once. Needs `pip install stable-baselines3`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import dust_document
from puzzlelab.core import registry
from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.training import recipe
from puzzlelab.training.learner import new_learner
from puzzlelab.training.online_rl import OnlineLearning
from puzzlelab.training.recipes import dqn

WORKERS, BOARDS = 6, 1000
Rate = tuple[float, float]
"""(moves of games, moves learned from) a second."""

SMALL: dict[str, Any] = {
    "puzzle": "tiles-3x3",
    "network": {"kind": "dense", "width": 250, "depth": 3, "heads": ["q"]},
    "discount": 0.95,
    "curriculum": {"scale": "uniform"},
    "evaluation": {"boards": 0, "teacher_games": 0},
}
DOCUMENT: dict[str, Any] = {
    "puzzle": "dust-8x6x5",
    "network": {"kind": "dense", "width": 1500, "depth": 5, "initial": "he", "heads": ["q"]},
    "curriculum": {"scale": "uniform"},
    "replay": {"size": 0},
    "reward": "goal",
    "discount": 0.8,
    "blend": 0.9,
    "masked": False,
    "double": False,
    "target_network": {"rule": "none"},
    "learning": {"optimiser": "adam", "schedule": "constant", "warmup": 0, "max_grad_norm": 0.0, "ema": 0.0},
    "evaluation": {"boards": 0, "teacher_games": 0},
}


def ours(settings: dict[str, Any], seconds: float) -> Rate:
    """As `puzzlelab train dqn` does it: a thousand games at once, a batch of a thousand for each of their moves."""
    method = dqn.Dqn(registry.load(settings["puzzle"]), recipe.settings_of("dqn", settings))
    online = OnlineLearning.of(method, ThisProcess())
    for _ in range(3):
        online.step()
    turns, steps, began = online.play.turns, online.learner.step, time.perf_counter()
    while time.perf_counter() - began < seconds:
        online.step()
    spent = time.perf_counter() - began
    games, batch = method.settings.parallel_games, method.settings.learning.batch_size
    return (online.play.turns - turns) * games / spent, (online.learner.step - steps) * batch / spent


def baseline(seconds: float) -> Rate:
    """Stable-Baselines3's DQN with its own settings, but for the network, and for learning from the first moves on."""
    import gymnasium
    from stable_baselines3 import DQN

    import puzzlelab.gym  # noqa: F401 (registers the environments)

    torch.set_num_threads(1)
    env = gymnasium.make("puzzlelab/Tiles-v0", rows=3, columns=3, scale="uniform", max_moves=100)
    model = DQN("MlpPolicy", env, learning_starts=100, policy_kwargs={"net_arch": [250, 250, 250]}, seed=0)
    model.learn(200)
    began, before, moves = time.perf_counter(), model._n_updates, 0
    while time.perf_counter() - began < seconds:
        model.learn(200, reset_num_timesteps=False)
        moves += 200
    spent = time.perf_counter() - began
    return moves / spent, (model._n_updates - before) * model.batch_size / spent


def moved(task: tuple[NDArray[np.uint8], int]) -> tuple[NDArray[np.uint8], bool, bool]:
    """What becomes of a board of the document by a click; whether anything was cleared, and whether all is."""
    board, cell = task
    after = dust_document.play(board, *divmod(cell, 6))
    return after, bool((after != board).any()), dust_document.done(after)


def encoded(board: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The one-hot board, as the document makes it."""
    return (board[..., None] == np.arange(6)).astype(np.float32).reshape(-1)


def document(seconds: float) -> Rate:
    """The document's loop, with the same network in PyTorch."""
    settings = recipe.settings_of("dqn", DOCUMENT)
    puzzle, random = registry.load(DOCUMENT["puzzle"]), np.random.default_rng(0)
    learner = new_learner(puzzle, settings.network, settings.learning, settings.seed)
    fresh = lambda: random.integers(1, 6, (8, 6)).astype(np.uint8)  # noqa: E731
    boards, rows, turns = [fresh() for _ in range(BOARDS)], np.arange(BOARDS), 0
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        inputs = np.array(pool.map(encoded, boards))
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            values = _values(learner, inputs)
            moves = np.where(random.random(BOARDS) < 0.05, random.integers(0, 48, BOARDS), values.argmax(1))
            results = pool.map(moved, zip(boards, moves.tolist(), strict=True))
            done = np.array([result[2] for result in results])
            reward = np.array([10 if over else (-1 if cleared else -10) for _, cleared, over in results])
            boards = [fresh() if over else after for after, _, over in results]
            later = np.array(pool.map(encoded, boards))
            worth = np.where(done, 0.0, _values(learner, later).max(1))
            values[rows, moves] = 0.1 * values[rows, moves] + 0.9 * (reward + 0.8 * worth)
            _fit(learner, inputs, values)
            inputs, turns = later, turns + 1
        spent = time.perf_counter() - began
    return turns * BOARDS / spent, turns * BOARDS / spent


def _values(learner: Any, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    with torch.inference_mode():
        outputs: NDArray[np.float32] = learner.model.module(torch.from_numpy(inputs))["q"].float().numpy().copy()
    return outputs


def _fit(learner: Any, inputs: NDArray[np.float32], values: NDArray[np.float32]) -> None:
    batch, targets = torch.from_numpy(inputs), torch.from_numpy(values)
    learner.update(lambda: {"q": torch.nn.functional.huber_loss(learner.model.module(batch)["q"], targets)})


def main() -> None:
    """Measure all four, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each way runs (60)")
    seconds = parser.parse_args().seconds
    console = Console()
    for title, others, mine in (
        ("8-puzzle, 3 x 250", lambda: ("Stable-Baselines3", baseline(seconds)), SMALL),
        ("dust, 5 x 1500", lambda: (f"Python boards, {WORKERS} workers", document(seconds)), DOCUMENT),
    ):
        ours(mine, 1.0)  # machine code is there before a clock starts
        name, other = others()
        own = ours(mine, seconds)
        shown = Table("way", "moves played/s", "moves learned from/s", title=title)
        for way, rate in ((name, other), ("puzzlelab", own)):
            shown.add_row(way, f"{rate[0]:,.0f}", f"{rate[1]:,.0f}")
        console.print(shown)
        console.print(f"{own[0] / other[0]:.1f} times as many played, {own[1] / other[1]:.1f} times learned from")


if __name__ == "__main__":
    main()
