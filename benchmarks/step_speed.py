"""Steps of training a second: `python benchmarks/step_speed.py [RUN ...] [--steps N] [--device NAME]`.

A run is the name of a shipped configuration; by default 001 and 002-8, and on a graphics card `sudoku-9x9-large` too.
Each is trained for N steps with `learning.compile=off` and with `auto`, by one seed, without evaluations; the first
steps are not counted. Where the arithmetic is the same, the hashes of the weights are equal.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from puzzlelab.training import recipe
from puzzlelab.training.loop import Task
from puzzlelab.training.runs import Run

FIRST_STEPS = 10
"""Steps before the clock starts, in which graphs are recorded and layers compiled."""
CHANGES = {"sudoku-9x9-large": {"boards": [{"count": 3000, "generator": {"minimal": True}}]}}
"""Settings that only save time before the first step."""


def task_of(name: str, folder: Path, changes: list[str]) -> Task:
    """Return the task of a configuration before its first step."""
    config = tomllib.loads(recipe.config_file(Path(name)).read_text(encoding="utf-8")) | CHANGES.get(name, {})
    settings = recipe.settings_of(config["recipe"], config, changes)
    run = Run(folder)
    run.begin(settings)
    learn: Any = recipe.find(config["recipe"]).learn
    task: Task = learn.args[0](run, settings, lambda: None, None)
    return task


def timed(task: Task, steps: int) -> float:
    """Return the seconds of so many steps."""
    began = time.perf_counter()
    for _ in range(steps):
        losses = task.step()
    assert losses is not None
    float(losses["loss"])  # waits for the device
    return time.perf_counter() - began


def weights(task: Task) -> str:
    """Return a hash of the weights."""
    digest = hashlib.sha256()
    for tensor in task.learner.model.module.state_dict().values():
        digest.update(tensor.cpu().numpy().tobytes())
    return digest.hexdigest()[:12]


def main() -> None:
    """Measure, and print the table."""
    has_gpu = torch.cuda.is_available()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", default=["001", "002-8", *(["sudoku-9x9-large"] if has_gpu else [])])
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    title = torch.cuda.get_device_name() if has_gpu and options.device != "cpu" else "CPU"
    table = Table("run", "compile", "ms a step", "steps/s", "weights", title=title)
    for name in options.runs:
        for choice in ("off", "auto"):
            with tempfile.TemporaryDirectory() as folder:
                changes = [f"learning.compile={choice}", f"learning.device={options.device}"]
                task = task_of(name, Path(folder), changes)
                timed(task, FIRST_STEPS)
                seconds = timed(task, options.steps) / options.steps
                table.add_row(name, choice, f"{1000 * seconds:.1f}", f"{1 / seconds:.2f}", weights(task))
                task.close()
    Console().print(table)


if __name__ == "__main__":
    main()
