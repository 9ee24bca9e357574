"""Convolutions learn dust from images of the board: `python examples/gymnasium_cnn.py [SECONDS]`.

Needs `pip install 'puzzlelab[gym]' stable-baselines3 sb3-contrib`. MaskablePPO of sb3-contrib with `CnnPolicy` learns
dust-6x5x4 for SECONDS, by default 120. Prints the clicks that greedy play needs to clear 1,000 boards, in the mean, ten
times while it learns; before them those of random clicks, and after them the fewest possible of the first 100 boards.
"""

import sys
import time
from typing import Any

import puzzlelab
import puzzlelab.gym

PUZZLE, MOST = "dust-6x5x4", 60
BOARDS, PROVEN = 1000, 100
SETTINGS: dict[str, Any] = {
    "n_steps": 8,
    "batch_size": 1000,
    "n_epochs": 3,
    "learning_rate": 1e-3,
    "gamma": 0.95,
    "ent_coef": 0.003,
}


def clicks(model: Any) -> float:
    """The mean number of clicks to clear the boards; without a model, of random clicks."""
    env = puzzlelab.gym.PuzzleVectorEnv(BOARDS, puzzle=PUZZLE, observation="image", max_moves=MOST)
    observations, infos = env.reset(seed=1)
    needed, over = infos["moves"], infos["solved"]
    for _ in range(MOST):
        masks = env.action_masks()
        if model is None:
            moves = (masks * env.np_random.random(masks.shape)).argmax(axis=1)
        else:
            moves, _ = model.predict(observations, action_masks=masks, deterministic=True)
        needed[~over] += 1
        observations, _, terminated, _, _ = env.step(moves)
        over |= terminated
    return float(needed.mean())


def fewest() -> float:
    """The mean of the fewest clicks for the first of the same boards."""
    env = puzzlelab.gym.PuzzleVectorEnv(BOARDS, puzzle=PUZZLE)
    env.reset(seed=1)
    lengths = [puzzlelab.solve(env.instance(row)).length for row in range(PROVEN)]
    return sum(length for length in lengths if length is not None) / PROVEN


def learner() -> Any:
    """MaskablePPO with convolutions, untrained."""
    try:
        import torch
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
        from torch import nn
    except ModuleNotFoundError:
        sys.exit("this example needs Stable-Baselines3: pip install stable-baselines3 sb3-contrib")
    import puzzlelab.sb3

    class BoardFeatures(BaseFeaturesExtractor):
        """Convolutions that keep the size of the board: `float[B, 32 * rows * columns]` of images."""

        def __init__(self, space: Any) -> None:
            planes, rows, columns = space.shape
            super().__init__(space, 32 * rows * columns)
            first, second = nn.Conv2d(planes, 32, 3, padding=1), nn.Conv2d(32, 32, 3, padding=1)
            self.layers = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), nn.Flatten())

        def forward(self, images: Any) -> Any:
            return self.layers(images)

    torch.set_num_threads(1)
    boards = puzzlelab.sb3.vector_env(PUZZLE, BOARDS, observation="image", max_moves=MOST)
    features = {"features_extractor_class": BoardFeatures}
    return MaskablePPO("CnnPolicy", boards, policy_kwargs=features, seed=0, device="cpu", **SETTINGS)


def main(seconds: float) -> None:
    """Train, and print the curve."""
    model = learner()
    print(f"random clicks: {clicks(None):.2f} in the mean")
    spent = 0.0
    for part in range(11):
        print(f"{model.num_timesteps:9,} moves, {spent:4.0f} s: {clicks(model):.2f}", flush=True)
        if part < 10:
            began = time.perf_counter()
            end = began + seconds / 10
            model.learn(10**9, callback=lambda *_, end=end: time.perf_counter() < end, reset_num_timesteps=False)
            spent += time.perf_counter() - began
    print(f"the fewest, of {PROVEN} boards: {fewest():.2f}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 120.0)
