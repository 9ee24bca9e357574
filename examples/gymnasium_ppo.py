"""PPO learns the 2x3 sliding puzzle on one board, and on 1,000 at once: `python examples/gymnasium_ppo.py [SECONDS]`.

Needs `pip install 'puzzlelab[gym]' stable-baselines3 sb3-contrib`. MaskablePPO of sb3-contrib learns on one board, PPO
of Stable-Baselines3 on 1,000, each for SECONDS, by default 60. Prints for each the moves a second, and the share of
boards that greedy play solves within 50 moves, before learning and after.
"""

import sys
import time
from typing import Any

import gymnasium

import puzzlelab.gym  # registers the environments

MOST = 50
OPTIONS: puzzlelab.gym.EnvironmentOptions = {"scale": "uniform", "max_moves": MOST, "reward": "goal"}
BOARDS = 1000
"""Played at once, by PPO and in each evaluation."""
# Chosen for quick learning, not for stable learning: the puzzle has 360 boards, and the clock ends learning.
SHARED: dict[str, Any] = {"learning_rate": 2e-3, "gamma": 0.95, "ent_coef": 0.01, "seed": 0, "device": "cpu"}
ONE: dict[str, Any] = {"n_steps": 1024, "batch_size": 256, "n_epochs": 8}
MANY: dict[str, Any] = {"n_steps": 32, "batch_size": 4000, "n_epochs": 4, "target_kl": 0.03}


def solved(model: Any, masked: bool) -> float:
    """The share of random boards that greedy play solves; `masked` says whether the model takes masks."""
    env = puzzlelab.gym.PuzzleVectorEnv(BOARDS, puzzle="tiles-2x3", **OPTIONS)
    observations, infos = env.reset(seed=1)
    won = infos["solved"]
    for _ in range(MOST):
        masks = {"action_masks": env.action_masks()} if masked else {}
        moves, _ = model.predict(observations, deterministic=True, **masks)
        observations, _, _, _, infos = env.step(moves)
        won |= infos["solved"]
    return float(won.mean())


def learners() -> tuple[Any, Any]:
    """MaskablePPO on one board, and PPO on many; both are untrained."""
    try:
        import torch
        from sb3_contrib import MaskablePPO
        from stable_baselines3 import PPO
    except ModuleNotFoundError:
        sys.exit("this example needs Stable-Baselines3: pip install stable-baselines3 sb3-contrib")
    import puzzlelab.sb3

    torch.set_num_threads(1)  # faster than several for so small a network
    one = gymnasium.make("puzzlelab/Tiles-v0", rows=2, columns=3, **OPTIONS)
    many = puzzlelab.sb3.vector_env("tiles-2x3", BOARDS, **OPTIONS)
    return MaskablePPO("MlpPolicy", one, **SHARED, **ONE), PPO("MlpPolicy", many, **SHARED, **MANY)


def learn(title: str, model: Any, masked: bool, seconds: float) -> None:
    """Train for this time, and print what it changed."""
    before, began = solved(model, masked), time.perf_counter()
    model.learn(10**9, callback=lambda *_: time.perf_counter() < began + seconds)
    rate = model.num_timesteps / (time.perf_counter() - began)
    share = f"solved {before:.1%} before, {solved(model, masked):.1%} after"
    print(f"{title}: {model.num_timesteps:,} moves, {rate:,.0f} a second; {share}")


def main(seconds: float) -> None:
    """Train both."""
    one, many = learners()
    learn("MaskablePPO, 1 board", one, True, seconds)
    learn(f"PPO, {BOARDS:,} boards", many, False, seconds)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
