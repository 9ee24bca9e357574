"""What each part of deep Q-learning is worth on the 8-puzzle: `python benchmarks/dqn_parts.py [--seeds N] [--jobs N]`.

The short training of `recipes/tiles-3x3-parts.toml` again and again, each time with one part switched off, or in the
place of another; then greedy play on 2,000 boards, of a seed the same for all lines. A line tells the mean of the
seeds, and the half width of its 95 % interval by Student's t. With `--folder` the runs are kept there, and gone on with
when this was ended.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

RECIPE = Path(__file__).parent.parent / "recipes" / "tiles-3x3-parts.toml"
UNIFORM = "curriculum.random_walk_share=0 curriculum.initial_difficulty=0 curriculum.max_difficulty=0"
GROWING = (
    "curriculum.random_walk_share=1 curriculum.initial_difficulty=4 curriculum.max_difficulty=40 "
    "curriculum.growth=wins curriculum.win_rate=0.7 curriculum.checks_in_a_row=1"
)
PARTS = {
    "all parts": "",
    "not double": "double=false",
    "not dueling": "network.dueling=false",
    "without a canonical mirror image": "network.canonical=false",
    "without the Manhattan distance": "network.residual_over=",
    "no target network": "target_network.rule=none",
    "squared distance": "distance=squared",
    "no mask": "masked=false",
    "replay buffer of 100,000, uniform": "replay.size=100000",
    "replay buffer of 100,000, prioritised": "replay.size=100000 replay.alpha=0.6",
    "played moves only": "all_moves=false",
    "played moves only, returns of 3 moves": "all_moves=false horizon=3",
    "uniform boards only": UNIFORM,
    "random walks only, longer as games are won": GROWING,
    "discount 0.9": "discount=0.9",
    "reward by distance (level)": "reward=level",
}
"""What is changed, by the name of its line."""
STUDENT = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78}
"""The 97.5 % point of Student's t for so many seeds."""


class Outcome(NamedTuple):
    """Of one training."""

    solved: float
    """The share of boards that greedy play solves within 50 moves."""
    moves: float
    """That it needed for those."""
    seconds: float


def trained(folder: Path, work: tuple[str, int]) -> Outcome:
    """One training in a program of its own."""
    part, seed = work
    run = folder / f"{list(PARTS).index(part)}-{seed}"
    changes = [f"--set={change}" for change in [f"seed={seed}", *PARTS[part].split()]]
    command = [sys.executable, "-m", "puzzlelab", "train", "dqn", "--config", str(RECIPE), "--run", str(run), *changes]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    last = json.loads((run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    return Outcome(last["solved"], last.get("moves", float("nan")), last["seconds"])


def mean(values: Iterable[float], template: str) -> str:
    """Of the seeds, and how far it may be off."""
    all_values = list(values)
    text = template.format(statistics.fmean(all_values))
    if len(all_values) not in STUDENT:
        return text
    return (
        f"{text} ± {template.format(STUDENT[len(all_values)] * statistics.stdev(all_values) / len(all_values) ** 0.5)}"
    )


def main() -> None:
    """Train, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each line")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at once")
    parser.add_argument("--folder", type=Path, help="where the runs are kept")
    arguments = parser.parse_args()
    tasks, outcomes = list(product(PARTS, range(arguments.seeds))), list[Outcome]()
    with tempfile.TemporaryDirectory() as spare, ThreadPoolExecutor(arguments.jobs) as pool:
        try:
            outcomes.extend(pool.map(partial(trained, arguments.folder or Path(spare)), tasks))
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
    table = Table("part", "solved", "in moves", "seconds", title=f"{arguments.seeds} seeds, 2,000 boards")
    for row, part in enumerate(PARTS):
        of_part = outcomes[row * arguments.seeds : (row + 1) * arguments.seeds]
        if len(of_part) == arguments.seeds:
            solved, moves, seconds = zip(*of_part, strict=True)
            table.add_row(part, mean(solved, "{:.1%}"), mean(moves, "{:.2f}"), mean(seconds, "{:.0f}"))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
