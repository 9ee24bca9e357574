"""Steps of training a second, and what a plain loop reaches: `python benchmarks/training_speed.py [RUN ...]`.

A run is the name of a shipped configuration. The plain loop is what one would write in PyTorch for the same arithmetic:
the same forward passes and minibatches, which lie there as tensors, the loss, the gradients, the optimiser and the
average of the weights, without games, samples, metrics, or the choice of what to learn from. It begins with the weights
and moments of the run, and takes numbers below 1e-38 for 0, as `train` does; without that it is slower. Both take turns
in one run, on one thread, by CPU time, and on a graphics card by the clock; the share is the median of those of the
turns. A card also has the steps without `learning.compile`, and whether the weights are equal. The last table has
Stable-Baselines3's DQN (`pip install stable-baselines3`) beside the recipe `dqn` with one game, on one environment,
with the same network and batch. `--minutes` bounds all of it; what did not fit is named.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import importlib.util
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from torch import Tensor, nn

from puzzlelab.engine.parallel import ThisProcess
from puzzlelab.experience.shard_leases import encoded_shard
from puzzlelab.experience.shards import write_shard
from puzzlelab.nets.torch_model import TorchModel, precision
from puzzlelab.training import recipe
from puzzlelab.training.learner import Learner
from puzzlelab.training.loop import Task
from puzzlelab.training.recipes.imitation import teacher_of
from puzzlelab.training.runs import Run

ON_CPU = (
    "002-8",
    "tiles-3x3-dqn",
    "tiles-3x3-values",
    "tiles-3x3",
    "dust-8x6x5",
    "sudoku-9x9",
    "sudoku-9x9-cnn",
    "001",
)
ON_GPU = ("001", "002-8", "sudoku-9x9-large", "tiles-3x3-dqn", "dust-8x6x5")
FEW_BOARDS = {"boards": [{"count": 3000, "generator": {"minimal": True}}]}
FEW_SAMPLES = {
    "imitation": {"data": {"shard_count": 1, "shard_games": 500}},
    "lattice": FEW_BOARDS,
    "cnn": FEW_BOARDS,
}
"""Settings by recipe that only save time before the first step."""
FIRST_STEPS = 20
"""Steps before the clock starts, in which graphs are recorded and layers compiled."""
BLOCK_SECONDS = 0.5
"""The time of a turn, at least one step."""
SB3 = {
    "recipe": "dqn",
    "puzzle": "tiles-3x3",
    "parallel_games": 1,
    "network": {"kind": "dense", "width": 250, "depth": 3, "heads": ["q"]},
    "curriculum": {"scale": "uniform"},
    "double": False,
    "target_network": {"rule": "hard", "interval": 500},
    "replay": {"alpha": 0.0, "size": 100_000},
    "learning": {"batch_size": 100, "optimiser": "adam", "ema": 0.0, "max_grad_norm": 10.0},
}
"""Stable-Baselines3's DQN in settings of `dqn`, with a step of training after each move."""


def task_of(config: dict[str, Any], folder: Path, *changes: str) -> Task:
    """Return the task of a configuration before its first step, with its samples."""
    name = config["recipe"]
    without = ("evaluation.boards=0", "evaluation.teacher_games=0")
    settings: Any = recipe.settings_of(name, config | FEW_SAMPLES.get(name, {}), [*without, *changes])
    run = Run(folder)
    run.begin(settings)
    learn: Any = recipe.find(name).learn
    task: Task = learn.args[0](run, settings, lambda: None, ThisProcess())
    if name == "imitation":
        games = settings.data.shard_games
        write_shard(run.shards, 0, encoded_shard(teacher_of(settings, settings.seed), 0, games, 1))
    return task


def shipped(name: str) -> dict[str, Any]:
    """Return a shipped configuration."""
    return tomllib.loads(recipe.config_file(Path(name)).read_text(encoding="utf-8"))


def weights(task: Task) -> str:
    """Return a hash of the weights."""
    digest = hashlib.sha256()
    for tensor in task.learner.model.module.state_dict().values():
        digest.update(tensor.cpu().numpy().tobytes())
    return digest.hexdigest()[:12]


# --- the plain loop ---


@dataclass
class PlainLoop:
    """The arithmetic of one step, again and again."""

    network: nn.Module
    """A copy of the network, as one would write it: dense layers one after the other."""
    model: TorchModel
    optimiser: torch.optim.Optimizer
    average: nn.Module
    settings: Any
    forward_passes: list[tuple[Tensor, ...]]
    """The inputs of the forward passes without gradients: those of play, and of targets."""
    loss: Callable[[Any], Tensor]
    """The loss of a minibatch."""
    minibatches: list[Any]

    def step(self) -> None:
        """Make one step."""
        torch.set_flush_denormal(True)
        model = self.model
        for inputs in self.forward_passes:
            with torch.inference_mode(), precision(model.device, model.precision):
                self.network(*inputs)
        for columns in self.minibatches:
            with precision(model.device, model.precision):
                loss = self.loss(columns)
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            if self.settings.max_grad_norm:
                nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.max_grad_norm)
            self.optimiser.step()
        torch.set_flush_denormal(False)
        if self.settings.ema:
            pairs = list(self.average.parameters()), list(self.network.parameters())
            with torch.no_grad():
                torch._foreach_lerp_(*pairs, 1 - self.settings.ema)


@contextmanager
def recorded(task: Task) -> Iterator[tuple[list[tuple[Tensor, ...]], list[Any]]]:
    """Record the forward passes without gradients, and the arguments of `Learner.update`, within this block."""
    passes: list[tuple[Tensor, ...]] = []
    updates: list[Any] = []
    module, update = task.learner.model.module, task.learner.update

    def note(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        if not torch.is_grad_enabled():
            passes.append(tuple(each.clone() for each in inputs))

    def noting(*arguments: Any) -> Any:
        updates.append(arguments)
        return update(*arguments)

    target = getattr(getattr(task.step, "__self__", None), "target", None)
    modules = {module, *([] if target is None else [target.model.module])}
    hooks = [each.register_forward_pre_hook(note) for each in modules]
    task.learner.update = noting  # type: ignore[method-assign]
    try:
        yield passes, updates
    finally:
        del task.learner.update
        for hook in hooks:
            hook.remove()


def plain_loop(task: Task) -> PlainLoop:
    """Return the plain loop of the next step of a task."""
    learner = task.learner
    with recorded(task) as (passes, updates):
        task.step()
    ((losses_of, settings, *minibatches),) = updates
    network = copy.deepcopy(learner.model.module).requires_grad_(True).train()
    model = replace(learner.model, module=network)
    if type(network).__name__ == "DenseNetwork" and network.heads.names == ("q",) and network.heads.value is None:
        network = nn.Sequential(*network.layers, network.heads.each["q"].linear)
        measure = nn.functional.huber_loss if settings.distance == "huber" else nn.functional.mse_loss

        def loss(columns: Any) -> Tensor:
            errors = measure(network(columns["input0"]), columns["target"], reduction="none")
            return (columns["shares"] * errors).sum(1).mean()
    else:

        def loss(columns: Any) -> Tensor:
            return sum(losses_of(model, settings, columns)[0].values())  # type: ignore[return-value]

    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[learner.settings.optimiser]
    optimiser = kind(list(network.parameters()), learner.settings.learning_rate, fused=True)
    optimiser.load_state_dict(copy.deepcopy(learner.optimiser.state_dict()))
    return PlainLoop(network, model, optimiser, copy.deepcopy(network), learner.settings, passes, loss, minibatches)


# --- measuring ---


def clock(device: torch.device) -> float:
    """Return the CPU time of this process; with a graphics card the time by the clock, after all its work."""
    if device.type == "cuda":
        torch.cuda.synchronize()
        return time.perf_counter()
    return time.process_time()


def in_turns(ways: dict[str, Callable[[], object]], device: torch.device, seconds: float) -> dict[str, list[float]]:
    """Return the seconds a step of each way, measured in turns."""
    counts, spent = dict.fromkeys(ways, 1), dict[str, list[float]]({name: [] for name in ways})
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends or len(spent[next(iter(ways))]) < 3:
        for name, step in ways.items():
            began = clock(device)
            for _ in range(counts[name]):
                step()
            spent[name].append((clock(device) - began) / counts[name])
            counts[name] = max(1, round(BLOCK_SECONDS / spent[name][-1]))
    return {name: each[1:] for name, each in spent.items()}


def row_of(name: str, device: str, seconds: float) -> list[str]:
    """Return the row of a configuration: steps a second with and without `learning.compile`, and of the plain loop."""
    config, found = shipped(name), dict[str, tuple[Task, str]]()
    with tempfile.TemporaryDirectory() as folder:
        for choice in ("auto", "off") if device == "cuda" else ("off",):
            changes = f"learning.compile={choice}", f"learning.device={device}"
            task = task_of(config, Path(folder) / choice, *changes)
            for _ in range(FIRST_STEPS):
                task.step()
            found[choice] = task, weights(task)
        task = found["off"][0]
        learner: Learner = task.learner
        ways: dict[str, Callable[[], object]] = {choice: each.step for choice, (each, _) in found.items()}
        times = in_turns({**ways, "plain": plain_loop(task).step}, learner.model.device, seconds)
        for each, _ in found.values():
            each.close()
    rate = {way: 1 / median(each) for way, each in times.items()}
    best = next(iter(found))
    share = median(plain / own for plain, own in zip(times["plain"], times[best], strict=True))
    equal = "" if len(found) == 1 else "equal" if found["auto"][1] == found["off"][1] else "within rounding"
    columns = [config["recipe"], str(learner.settings.batch_size), f"{rate[best]:.4g}"]
    columns += [f"{rate['off']:.4g}", equal] if device == "cuda" else []
    return [name, *columns, f"{rate['plain']:.4g}", f"{share:.2f}"]


def beside_sb3(seconds: float) -> Table:
    """Return moves and steps a second of Stable-Baselines3's DQN and of the recipe `dqn`, in turns."""
    import gymnasium
    from stable_baselines3 import DQN

    import puzzlelab.gym  # noqa: F401 (registers the environments)

    env = gymnasium.make("puzzlelab/Tiles-v0", rows=3, columns=3, scale="uniform", max_moves=100)
    options = {"batch_size": 100, "train_freq": 1, "gradient_steps": 1, "target_update_interval": 500}
    model = DQN(
        "MlpPolicy", env, learning_starts=100, policy_kwargs={"net_arch": [250] * 3}, seed=0, device="cpu", **options
    )
    model.learn(200)
    with tempfile.TemporaryDirectory() as folder, closing(task_of(SB3, Path(folder), "learning.device=cpu")) as task:
        for _ in range(200):
            task.step()

        def theirs() -> None:
            model.learn(100, reset_num_timesteps=False)

        def ours() -> None:
            for _ in range(100):
                task.step()

        times = in_turns({"Stable-Baselines3": theirs, "puzzlelab": ours}, torch.device("cpu"), seconds)
    table = Table(
        "way", "moves and steps/s", title="DQN on the 8-puzzle: 3 x 250, one game, a step of 100 after each move"
    )
    for name, each in times.items():
        table.add_row(name, f"{100 / median(each):,.0f}")
    return table


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each configuration (20)")
    parser.add_argument("--minutes", type=float, default=10.0, help="for all (10)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args()
    is_gpu, ends, console = options.device == "cuda", time.perf_counter() + 60 * options.minutes, Console()
    of_gpu = ("steps/s without compile", "weights") if is_gpu else ()
    title = torch.cuda.get_device_name() if is_gpu else "CPU, one thread"
    table = Table("run", "recipe", "batch", "steps/s", *of_gpu, "plain loop steps/s", "share", title=title)
    missing = []
    for name in options.runs or (ON_GPU if is_gpu else ON_CPU):
        if time.perf_counter() + 3 * options.seconds > ends:
            missing.append(f"{name} (no time was left)")
            continue
        try:
            table.add_row(*row_of(name, options.device, options.seconds))
        except Exception as error:
            missing.append(f"{name} ({type(error).__name__}: {error})")
    console.print(table)
    if importlib.util.find_spec("stable_baselines3"):
        console.print(beside_sb3(options.seconds))
    else:
        missing.append("Stable-Baselines3 (not installed)")
    if missing:
        console.print(f"left out: {'; '.join(missing)}")


if __name__ == "__main__":
    main()
