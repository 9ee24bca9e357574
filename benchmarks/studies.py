"""Trainings that differ in one setting: `python benchmarks/studies.py STUDY [--seeds N] [--jobs N] [--folder FOLDER]`.

A study trains by one recipe again and again, each time with another variant of its settings, each variant with several
seeds by `puzzlelab train --seeds`. The table is the one that this prints, with a line for each variant. With `--folder`
the runs are kept there: the same command continues those that were interrupted, and `puzzlelab plot FOLDER/*` draws
their curves.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import track

from puzzlelab.bench.seeds import runs_in, tables_of_runs

CONFIGS = Path(__file__).parent.parent / "src" / "puzzlelab" / "configs"


@dataclass(frozen=True)
class Study:
    """Variants of one training."""

    about: str
    recipe: str
    config: str
    """The file of the settings that all variants share."""
    variants: Mapping[str, Sequence[str]]
    """What is changed, by the name of its line."""
    common: Sequence[str] = ()
    """What is changed in all of them."""


SMALL_DUST = (
    "puzzle=dust-6x5x4",
    "max_moves=100",
    "learning.steps=500",
    "evaluation.every=100",
    "evaluation.boards=1000",
)
"""The game of the document 001 on a smaller board, for minutes instead of hours."""
SMALL_NETWORK = ("network.width=400", "network.depth=3")
REWARDS = (
    "goal",
    "win + illegal",
    "cleared",
    "cleared-squared",
    "goal + 0.1*cleared",
    "goal + cleared",
    "goal + 0.1*cleared-squared",
)
UNIFORM = ("curriculum.random_walk_share=0", "curriculum.initial_difficulty=0", "curriculum.max_difficulty=0")
GROWING = (
    "curriculum.random_walk_share=1",
    "curriculum.initial_difficulty=4",
    "curriculum.max_difficulty=40",
    "curriculum.growth=wins",
    "curriculum.win_rate=0.7",
    "curriculum.checks_in_a_row=1",
)
TOPOLOGIES = {
    "dense, 3 layers of 400": {"kind": "dense", "width": 400, "depth": 3},
    "dense, 6 layers of 260": {"kind": "dense", "width": 260, "depth": 6},
    "residual, 2 blocks of 300": {"kind": "residual", "width": 300, "blocks": 2},
    "convolution, 4 layers of 64 filters": {"kind": "convolution", "filters": [64] * 4, "width": 160},
    "exchangeable, 3 layers of 300": {"kind": "exchangeable", "width": 300, "depth": 3, "pooled": 128},
}
"""Networks of some 400,000 weights on the smaller board."""

TEACHABLE = {
    "dense, 3 layers of 450": {"kind": "dense", "width": 450, "depth": 3},
    "dense, 10 layers of 220": {"kind": "dense", "width": 220, "depth": 10},
    "residual, 2 blocks of 300": {"kind": "residual", "width": 300, "blocks": 2},
    "convolution, 4 layers of 64 filters": {"kind": "convolution", "filters": [64] * 4, "width": 120},
    "exchangeable, 4 layers of 256": {"kind": "exchangeable", "width": 256, "depth": 4, "pooled": 128},
}
"""Networks of some 500,000 weights on the board of the document 000."""

UNEXPLORED = ("exploration.rule=constant", "exploration.initial_epsilon=0")
ALL_BY_SOFTMAX = ("exploration.rule=constant", "exploration.initial_epsilon=1")


def with_network(network: Mapping[str, object], **outputs: object) -> list[str]:
    """The change to this network with these outputs."""
    return [f"network={json.dumps({**network, **outputs})}"]


OWN_NETWORK = with_network(
    {"kind": "exchangeable", "width": 256, "depth": 4, "pooled": 128}, heads=["policy"], policy="binary"
)
ITS_SEARCH = ("teacher.seconds=15", "teacher.nodes=1000")
OPTIMAL = ("teacher.solver=halves", "teacher.solver_options={}")


def one_more(changes: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Variants that make each change beside all changes before it."""
    variants: dict[str, list[str]] = {}
    made: list[str] = []
    for name, change in changes.items():
        made = [*made, *change]
        variants[name] = made
    return variants


CHANGES = {
    "001": (),
    "+ illegal clicks excluded": ["masked=true"],
    "+ the value of a click for its whole cluster": ["equivalent_moves=true"],
    "+ a memory of 300,000 transitions": ["replay.size=300000"],
    "+ a target network, double": ["target_network.rule=soft", "target_network.tau=0.05", "double=true"],
    "+ -1 for each click, without a discount": [
        *("reward=moves", "discount=1", "blend=1", "output_mean=-8", "output_scale=5"),
    ],
    "+ a network that treats colours alike": with_network(
        TOPOLOGIES["exchangeable, 3 layers of 300"], heads=["q"], dueling=True
    ),
    "+ AdamW, falling learning rate, mean of weights": [
        *("learning.optimiser=adamw", "learning.learning_rate=0.0015", "learning.schedule=cosine"),
        *("learning.max_grad_norm=5", "learning.ema=0.99", "exploration.rule=constant"),
    ],
    "+ one batch of 1,000 a turn for 32 of 32": ["minibatch_size=0"],
}
"""What `dust-8x6x5-dqn` changes in 001, in an order in which each change can have its effect.

In all but the last line, a turn makes 1,000 moves and takes 32 steps of gradient descent on 1,000 transitions, new ones
or drawn from the memory; in the last one it takes one step on them. The target network and the mean of the weights
follow faster than in `dust-8x6x5-dqn`, whose run is 36 times as long.
"""


STUDIES = {
    "parts": Study(
        "deep Q-learning on the 8-puzzle, with one part switched off or replaced",
        "dqn",
        "tiles-3x3-parts.toml",
        {
            "all parts": (),
            "not double": ["double=false"],
            "not dueling": ["network.dueling=false"],
            "without a canonical mirror image": ["network.canonical=false"],
            "without the Manhattan distance": ["network.residual_over="],
            "no target network": ["target_network.rule=none"],
            "squared distance": ["distance=squared"],
            "no mask": ["masked=false"],
            "replay buffer of 100,000, uniform": ["replay.size=100000"],
            "replay buffer of 100,000, prioritised": ["replay.size=100000", "replay.alpha=0.6"],
            "played moves only": ["all_moves=false"],
            "played moves only, returns of 3 moves": ["all_moves=false", "horizon=3"],
            "uniform boards only": UNIFORM,
            "random walks only, longer as games are won": GROWING,
            "discount 0.9": ["discount=0.9"],
            "reward by distance (level)": ["reward=level"],
        },
    ),
    "rewards": Study(
        "the rewards of the document 001 (line 82) on a small board of dust",
        "dqn",
        "001.toml",
        {reward: [f"reward={reward}"] for reward in REWARDS},
        (*SMALL_DUST, *SMALL_NETWORK),
    ),
    "changes": Study(
        "from the document 001 to dust-8x6x5-dqn, one change at a time, on a small board of dust",
        "dqn",
        "001.toml",
        one_more(CHANGES),
        (*SMALL_DUST, *SMALL_NETWORK),
    ),
    "exploration": Study(
        "ways to explore in the document 001 (line 181), on a small board of dust",
        "dqn",
        "001.toml",
        {
            "adaptive, 1 random click a game": (),
            "constant, 0.05": ["exploration.rule=constant"],
            "falling from 0.5 to 0.01": [
                *("exploration.rule=linear", "exploration.decay_steps=500"),
                *("exploration.initial_epsilon=0.5", "exploration.final_epsilon=0.01"),
            ],
            "none": UNEXPLORED,
            "softmax, temperature 0.1": [*ALL_BY_SOFTMAX, "exploration.temperature=0.1"],
            "softmax, temperature 0.5": [*ALL_BY_SOFTMAX, "exploration.temperature=0.5"],
        },
        (*SMALL_DUST, *SMALL_NETWORK),
    ),
    "document-002": Study(
        "the learner of the document 002 on the 8-puzzle, from walks to level 10, with one part changed",
        "dqn",
        "002-8.toml",
        {
            "002": (),
            "prioritised replay": ["replay.alpha=0.6"],
            "no target network": ["target_network.rule=none"],
            "double": ["double=true"],
            "memory of 5,000": ["replay.size=5000"],
            "reward in place": ["reward=in-place"],
            "reward in place, impossible moves free": ["reward=in-place + -0.1*illegal"],
            "reward Manhattan": ["reward=manhattan"],
            "epsilon 0.3": ["exploration.rule=constant", "exploration.initial_epsilon=0.3"],
            "tanh": ["network.activation=tanh"],
            "sigmoid": ["network.activation=sigmoid"],
            "discount 0.95": ["discount=0.95"],
            "discount 0.99": ["discount=0.99"],
            "discount 0.99, in place": ["discount=0.99", "reward=in-place"],
            "discount 0.99, Manhattan": ["discount=0.99", "reward=manhattan"],
        },
        (
            # grows with the steps: by evaluations, a learner that is slower would get easier boards
            *("curriculum.growth=linear", "curriculum.max_difficulty=10", "curriculum.growth_steps=8000"),
            *("learning.steps=10000", "evaluation.every=2500", "evaluation.boards=1500"),
            f"evaluation.levels={list(range(1, 16))}",
        ),
    ),
    "optimal": Study(
        "imitation of optimal solutions (the document 000, line 556) and of its search, 1,000 boards each",
        "imitation",
        "000.toml",
        {
            f"{network}, {teacher}": [*layers, *solver]
            for network, layers in {"000": (), "exchangeable": OWN_NETWORK}.items()
            for teacher, solver in {"its search": ITS_SEARCH, "optimal": OPTIMAL}.items()
        },
        (
            *("data.shard_games=500", "data.shard_count=2", "data.order=random", "data.replay_ratio=50"),
            *("learning.steps=1000", "evaluation.every=500", "evaluation.boards=1000"),
            *("evaluation.prove_optimum=false", "teacher.jobs=1"),
        ),
    ),
    "small-boards": Study(
        "imitation by the network of the document 000 of its search (line 555), on boards of two sizes",
        "imitation",
        "000.toml",
        {"6x4, three colours": ["puzzle=dust-6x4x3"], "8x6, five colours": ["puzzle=dust-8x6x5"]},
        (
            *(*ITS_SEARCH, "data.shard_games=240", "teacher.jobs=1"),
            *("learning.steps=500", "evaluation.every=250", "evaluation.boards=1000"),
            *("evaluation.prove_optimum=false", "evaluation.teacher_games=1000"),
        ),
    ),
    "topologies": Study(
        "networks for the method of the document 001 (lines 70 and 181) on a small board of dust",
        "dqn",
        "001.toml",
        {
            name: with_network(network, initial="he", output_initial="he", heads=["q"])
            for name, network in TOPOLOGIES.items()
        },
        SMALL_DUST,
    ),
    "imitation": Study(
        "networks for imitation on dust, as the document 000 asks (lines 29 to 31 and 58 to 66)",
        "imitation",
        "dust-8x6x5.toml",
        {name: with_network(network, heads=["policy", "cost_to_go"]) for name, network in TEACHABLE.items()},
        (
            "learning.steps=3000",
            "learning.batch_size=500",
            "evaluation.every=1000",
            "evaluation.boards=1000",
            "evaluation.teacher_games=0",
            "evaluation.prove_optimum=false",
        ),
    ),
}


def trained(study: Study, folder: Path, seeds: int, variant: str) -> list[Path]:
    """The folders of the trainings of a variant, in a program of its own."""
    sweep = folder / re.sub(r"\W+", "-", variant)
    words = ["train", study.recipe, "--config", str(CONFIGS / study.config), "--run", str(sweep), f"--seeds={seeds}"]
    changes = [*study.common, *study.variants[variant]]
    command = [sys.executable, "-m", "puzzlelab", *words, *(f"--set={change}" for change in changes)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with code {done.returncode}: {done.stderr[-500:]}")
    return runs_in(sweep)


def main() -> None:
    """Train, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=STUDIES, help="; ".join(f"{name}: {s.about}" for name, s in STUDIES.items()))
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each variant")
    parser.add_argument("--jobs", type=int, default=2, help="trainings at once")
    parser.add_argument("--folder", type=Path, help="where the runs are kept")
    arguments = parser.parse_args()
    study, console = STUDIES[arguments.study], Console(width=120)
    console.print(f"{study.about}: {arguments.seeds} seeds")
    with tempfile.TemporaryDirectory() as spare, ThreadPoolExecutor(arguments.jobs) as pool:
        work = partial(trained, study, arguments.folder or Path(spare), arguments.seeds)
        done = pool.map(work, study.variants)
        try:
            runs = list(track(done, "training", len(study.variants), console=Console(stderr=True)))
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise
        tables = tables_of_runs([run for each in runs for run in each])
    for table in tables[:1]:
        rows = [(name, *row[1:]) for name, row in zip(study.variants, table.rows, strict=True)]
        console.print(replace(table, rows=rows))


if __name__ == "__main__":
    main()
