"""Stable-Baselines3's DQN learns the 2x3 sliding puzzle: `python examples/gymnasium_dqn.py [SECONDS]`, without: 60.

Needs `pip install 'puzzlelab[gym]' stable-baselines3`. Prints the share of boards that greedy play solves within 50
moves, before learning and after.
"""

import sys
import time
from typing import Any

import gymnasium

import puzzlelab.gym  # noqa: F401 (registers the environments)

ID = "puzzlelab/Tiles-v0"
MOST = 50
PUZZLE: dict[str, Any] = {"rows": 2, "columns": 3, "scale": "uniform", "max_moves": MOST, "reward": "goal"}
GAMES = 1000
# Rather quick than careful: the board has 360 states, and the clock ends learning.
SETTINGS: dict[str, Any] = {
    "learning_rate": 1e-3,
    "buffer_size": 100_000,
    "learning_starts": 1_000,
    "batch_size": 128,
    "gamma": 0.95,
    "target_update_interval": 1_000,
    "exploration_fraction": 0.03,
    "exploration_final_eps": 0.1,
    "policy_kwargs": {"net_arch": [128, 128]},
}


def solved(model: Any) -> float:
    """The share of so many random boards that greedy play solves; all are played at once."""
    env = gymnasium.make_vec(ID, num_envs=GAMES, **PUZZLE)
    observations, infos = env.reset(seed=1)
    won = infos["solved"]
    for _ in range(MOST):
        moves, _ = model.predict(observations, deterministic=True)
        observations, _, _, _, infos = env.step(moves)
        won |= infos["solved"]
    return float(won.mean())


def learner() -> Any:
    """A model that knows nothing yet."""
    try:
        import torch
        from stable_baselines3 import DQN
    except ModuleNotFoundError:
        sys.exit("this example needs Stable-Baselines3: pip install stable-baselines3")
    torch.set_num_threads(1)  # so small a network is quicker on one
    return DQN("MlpPolicy", gymnasium.make(ID, **PUZZLE), seed=0, **SETTINGS)


def main(seconds: float) -> None:
    """Learn for so long."""
    model = learner()
    print(f"before learning: {solved(model):.1%} of {GAMES:,} boards solved")
    ends = time.perf_counter() + seconds
    model.learn(1_000_000, callback=lambda *_: time.perf_counter() < ends)
    print(f"after {seconds:g} seconds and {model.num_timesteps:,} moves: {solved(model):.1%}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
