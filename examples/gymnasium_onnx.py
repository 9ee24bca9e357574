"""PPO learns the 8-puzzle, and its policy becomes a network: `python examples/gymnasium_onnx.py FILE.onnx [SECONDS]`.

Needs `pip install 'puzzlelab[gym,learn]' stable-baselines3`. PPO of Stable-Baselines3 plays 1,000 boards at once for
SECONDS, by default 300. The boards are one move from the goal at first, and one move more whenever nine of ten are
solved. The file works wherever puzzlelab takes a network, such as
`puzzlelab bench tiles8-10000 --net FILE.onnx --avoid-repeats`, and declares the moves that it learned from.
"""

import sys
import time
from typing import Any

import onnx
import torch

import puzzlelab.gym

PUZZLE, BOARDS, ROUND = "tiles-3x3", 1000, 32_000
"""The puzzle, the boards that are played at once, and the moves of a round of learning."""
FARTHEST, SOLVED = 31, 0.9
"""Moves of the farthest boards from the goal, and the share that has to be solved before boards are farther."""
OPTIONS: puzzlelab.gym.EnvironmentOptions = {"scale": "distance", "level": 1, "max_moves": 50, "reward": "goal"}


class Policy(torch.nn.Module):
    """The scores of moves of a policy of Stable-Baselines3, which reads the planes of boards."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.features, self.body, self.scores = policy.pi_features_extractor, policy.mlp_extractor, policy.action_net

    def forward(self, planes: torch.Tensor) -> Any:
        """Return the scores `[boards, moves]` for planes `[boards, features]`."""
        return self.scores(self.body.forward_actor(self.features(planes)))


def learned(seconds: float) -> Any:
    """Train for this time."""
    try:
        from stable_baselines3 import PPO
    except ModuleNotFoundError:
        sys.exit("this example needs Stable-Baselines3: pip install stable-baselines3")
    import puzzlelab.sb3

    torch.set_num_threads(1)  # faster than several for so small a network
    boards = puzzlelab.sb3.vector_env(PUZZLE, BOARDS, **OPTIONS)
    settings: dict[str, Any] = {"n_steps": 32, "batch_size": 4000, "n_epochs": 4, "learning_rate": 1e-3, "gamma": 0.95}
    layers = {"net_arch": [256, 256]}
    model = PPO("MlpPolicy", boards, seed=0, device="cpu", ent_coef=0.01, policy_kwargs=layers, **settings)
    level, began = 1, time.perf_counter()
    while time.perf_counter() < began + seconds:
        model.learn(ROUND, reset_num_timesteps=False)
        successes = model.ep_success_buffer or [False]
        if level < FARTHEST and sum(successes) > SOLVED * len(successes):
            level += 1
            boards.set_attr("level", level)
            print(f"{time.perf_counter() - began:.0f} s: boards {level} moves from the goal")
    return model


def save(model: Any, path: str) -> None:
    """Write the policy into one file, with the number of moves that it learned from."""
    planes = torch.zeros(2, *model.observation_space.shape)
    program = torch.onnx.export(
        Policy(model.policy).eval(),
        (planes,),
        input_names=["planes"],
        output_names=["policy"],
        dynamic_shapes=({0: "boards"},),
        verbose=False,
    )
    assert program is not None
    network = program.model_proto
    declared = network.metadata_props.add()
    declared.key, declared.value = "training_samples", str(model.num_timesteps)
    onnx.save(network, path)
    print(f"{path}: learned from {model.num_timesteps:,} moves")


def main(path: str, seconds: float) -> None:
    """Train, and write the file."""
    save(learned(seconds), path)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("name the file to write: python examples/gymnasium_onnx.py FILE.onnx [SECONDS]")
    main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 300.0)
