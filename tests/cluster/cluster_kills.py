"""Kills on a cluster: `PYTHONPATH=benchmarks python tests/cluster/cluster_kills.py [WORK ...] [--minutes N]`.

Works are `solve`, `imitation`, `selfplay` and `dqn`; by default all, in turn. Each runs on a cluster of four
nodes of this machine, which share no folder. In so many minutes so many kills come at random moments: nodes (others
join), workers, programs such as the trainer, and once the driver, whose command is then repeated. The result must be
there once, and, except for self-play, be that of a run by local workers that nobody killed. The table tells the longest
pause between two signs of progress. The exit code is 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import puzzlelab
from puzzlelab.engine.user_cache import user_cache
from puzzlelab.storage.row_files import read_rows
from puzzlelab.training import metrics
from small_cluster import SmallCluster

IMITATION = """\
recipe = "imitation"
puzzle = "dust-6x5x4"
seed = 5
network = {kind = "exchangeable", width = 16, depth = 3, pooled = 8}
teacher = {solver = "beam", solver_options = {width = 300}}
data = {shard_games = 200, buffer_size = 20000, replay_ratio = 1.0, keep_shards = true}
learning = {steps = STEPS, batch_size = 200, warmup = 5, precision = "float32"}
evaluation = {every = 100, boards = 5, teacher_games = 5}
"""
SELFPLAY = """\
recipe = "selfplay"
puzzle = "tiles-3x3"
seed = 5
network = {kind = "dense", width = 64, depth = 2, heads = ["cost_to_go", "policy"]}
learning = {batch_size = 256, precision = "float32", schedule = "constant"}
evaluation = {every = 500, boards = 5, teacher_games = 0}
curriculum = {random_walk_share = 1.0, initial_difficulty = 2, max_difficulty = 30, growth = "wins", win_rate = 0.7}
self_play = {parallel_games = 64, playouts = 16, max_moves = 60}
replay = {capacity = 50000, samples_per_candidate = 50000, replay_ratio = 16.0}
match = {max_boards = 100, batch_size = 50, opponents = ["random"], opponent_boards = 50}
"""
DQN = """\
recipe = "dqn"
puzzle = "tiles-3x3"
seed = 5
network = {kind = "dense", width = 64, depth = 2, heads = ["q"]}
learning = {steps = STEPS, batch_size = 200, precision = "float32", schedule = "constant"}
evaluation = {every = 200, boards = 5, teacher_games = 0}
acting = {num_env_runners = 4, rollout_fragment_length = 20}
curriculum = {random_walk_share = 1.0, initial_difficulty = 10}
parallel_games = 1000
replay = {size = 100000}
"""


@dataclass
class Work:
    """A command that is killed, and what its result must be."""

    name: str
    folder: Path
    command: Callable[[Path], list[str]]
    """The words of the command whose result lies in this folder."""
    progress: Callable[[Path], int]
    """A number that grows with what is done."""
    check: Callable[[Path, Path], list[str]]
    """What is wrong with a result (first folder), compared with that of local workers (second folder)."""
    compares: bool = True
    """Whether there is a run of local workers to compare with."""


@dataclass
class Trial:
    """What happened to one work."""

    kills: Counter[str] = field(default_factory=Counter)
    longest_pause: float = 0.0
    longest_after: str = ""
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


def start(words: list[str], executor: str) -> subprocess.Popen[bytes]:
    """Start a command of puzzlelab."""
    environment = {**os.environ, "PUZZLELAB_EXECUTOR": executor}
    return subprocess.Popen([sys.executable, "-m", "puzzlelab", *words], env=environment, stdout=subprocess.DEVNULL)


def kill_something(cluster: SmallCluster, process: subprocess.Popen[bytes], chosen: str, draws: random.Random) -> str:
    """Kill a node, a worker, a program or the driver; what was killed, empty if there was no such thing."""
    processes = {"worker": "ray::run_piece", "program": "ray::ProgramHost"}
    if chosen in processes:
        found = cluster.workers(processes[chosen])
        if not found:
            return ""
        cluster.kill_worker(draws.choice(found))
    elif chosen == "node":
        cluster.kill_node(draws.randrange(len(cluster.nodes)))
        cluster.add_node()
    else:
        process.send_signal(signal.SIGKILL)
        process.wait()
    return chosen


def tried(work: Work, cluster: SmallCluster, minutes: float, kills: int, draws: random.Random) -> Trial:
    """Run the work, with kills at random moments, until it ends by itself."""
    folder, executor, trial = work.folder / "cluster", f"ray:{cluster.address}", Trial()
    folder.mkdir()
    moments = sorted(draws.uniform(5, 60 * minutes) for _ in range(kills))
    programs = ["program"] if work.name == "selfplay" else []
    others = [draws.choice(["node", "worker", *programs]) for _ in range(kills - 1)]
    plan = [*others, "driver"]
    draws.shuffle(plan)
    process, began = start(work.command(folder), executor), time.monotonic()
    last, last_at, last_kill = work.progress(folder), began, "the start"
    while process.poll() is None:
        time.sleep(0.05)
        now = time.monotonic()
        done = work.progress(folder)
        if done != last:
            if now - last_at > trial.longest_pause and last_kill != "the start":
                trial.longest_pause, trial.longest_after = now - last_at, last_kill
            last, last_at = done, now
        if moments and now - began > moments[0]:
            moments.pop(0)
            killed = kill_something(cluster, process, plan[0], draws)
            if killed:
                plan.pop(0)
                trial.kills[killed] += 1
                last_kill = killed
            else:
                moments.insert(0, now - began + 1)
            if killed == "driver":
                process = start(work.command(folder), executor)
    trial.seconds = time.monotonic() - began
    if process.returncode not in (0, 1):
        trial.wrong.append(f"exit code {process.returncode}")
    return trial


# --- the four works ---


def solving(folder: Path, scale: float) -> Work:
    """300 boards of the 15-puzzle, solved into a file of rows."""
    puzzle, boards = puzzlelab.load("tiles-4x4"), folder / "boards.txt"
    states = puzzlelab.generate(puzzle, 300, scale="uniform", seed=11)
    boards.write_text("".join(f"{puzzle.write(board.state)}\n" for board in states))
    nodes = max(1, round(200_000_000 * scale))

    def command(out: Path) -> list[str]:
        words = ["solve", "tiles-4x4", "--file", str(boards), "--with", "ida:estimate=manhattan"]
        return [*words, "--nodes", str(nodes), "--out", str(out / "rows.jsonl")]

    def check(out: Path, other: Path) -> list[str]:
        rows = [timeless(path / "rows.jsonl") for path in (out, other)]
        return [] if rows[0] == rows[1] else [f"{len(rows[0])} rows are not the {len(rows[1])} of local workers"]

    return Work("solve", folder, command, lambda out: lines(out / "rows.jsonl"), check)


def imitating(folder: Path, scale: float) -> Work:
    """Imitation of a beam search on dust."""
    return training(folder, "imitation", IMITATION.replace("STEPS", str(round(4000 * scale))), shard_differences)


def acting(folder: Path, scale: float) -> Work:
    """Deep Q-learning of the 8-puzzle, whose games are played on the nodes."""
    return training(folder, "dqn", DQN.replace("STEPS", str(round(8000 * scale))), lambda out, other: [])


def training(folder: Path, recipe: str, settings: str, differences: Callable[[Path, Path], list[str]]) -> Work:
    """A recipe with these settings."""
    config = folder / "run.toml"
    config.write_text(settings)

    def command(out: Path) -> list[str]:
        return ["train", recipe, "--config", str(config), "--run", str(out / "run")]

    def progress(out: Path) -> int:
        state = out / "run" / "state.json"
        return (
            lines(out / "run" / "metrics.jsonl")
            + len(list((out / "run").glob("shards/*.parquet")))
            + (state.stat().st_mtime_ns % 2**31 if state.exists() else 0)
        )

    def check(out: Path, other: Path) -> list[str]:
        wrong = differences(out / "run", other / "run")
        if timeless_metrics(out / "run") != timeless_metrics(other / "run"):
            wrong.append("metrics are not those of local workers")
        if (out / "run" / "champion").read_text() != (other / "run" / "champion").read_text():
            wrong.append("the network is not that of local workers")
        return wrong

    return Work(recipe, folder, command, progress, check)


def competing(folder: Path, minutes: float) -> Work:
    """Self-play of the 8-puzzle for so many minutes."""
    config = folder / "run.toml"
    config.write_text(SELFPLAY)

    def command(out: Path) -> list[str]:
        words = ["selfplay", "run", str(out / "run"), "--minutes", f"{minutes:g}"]
        return [*words, *([] if (out / "run" / "config.toml").exists() else ["--config", str(config)])]

    def check(out: Path, other: Path) -> list[str]:
        numbers = [json.loads(line)["number"] for line in (out / "run" / "games.jsonl").read_text().splitlines()]
        matches = [json.loads(line) for line in (out / "run" / "matches.jsonl").read_text().splitlines()]
        pairs = Counter((match["a"], match["b"], match["alone"]) for match in matches)
        wrong = [] if len(numbers) == len(set(numbers)) else ["a shard of games is there twice"]
        return wrong + [f"the match {pair} is there {count} times" for pair, count in pairs.items() if count > 1]

    return Work("selfplay", folder, command, lambda out: lines(out / "run" / "games.jsonl"), check, compares=False)


def shard_differences(run: Path, other: Path) -> list[str]:
    """Shards that differ from those of another run, where both have them."""
    names = sorted(path.name for path in (other / "shards").glob("shard-*.parquet"))
    common = [name for name in names if (run / "shards" / name).exists()]
    wrong = [name for name in common if (run / "shards" / name).read_bytes() != (other / "shards" / name).read_bytes()]
    return [f"{name} is not that of local workers" for name in wrong] + ([] if common else ["there are no shards"])


def lines(path: Path) -> int:
    """The lines of a file; 0 if there is none."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def timeless(path: Path) -> list[Mapping[str, Any]]:
    """The rows of a file without their seconds."""
    return [row.model_dump(exclude={"seconds"}) for _, row in read_rows(path)]


def timeless_metrics(run: Path) -> list[dict[str, float]]:
    """The metrics of a run without its times."""
    rows = list(metrics.lines(run / "metrics.jsonl"))
    return [{name: value for name, value in row.items() if name not in metrics.TIME_FIELDS} for row in rows]


def main() -> int:
    """Try all works."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("works", nargs="*", help="solve, imitation, selfplay, dqn")
    parser.add_argument("--minutes", type=float, default=10.0, help="the kills come in so many minutes")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scale", type=float, default=1.0, help="the size of the works with an end")
    parser.add_argument("--warm", action="store_true", help="nodes begin with a copy of this machine's cache")
    options = parser.parse_args()
    makers: dict[str, Callable[[Path], Work]] = {
        "solve": lambda folder: solving(folder, options.scale),
        "imitation": lambda folder: imitating(folder, options.scale),
        "selfplay": lambda folder: competing(folder, options.minutes),
        "dqn": lambda folder: acting(folder, options.scale),
    }
    table = Table("work", "kills", "seconds", "longest pause", "after", "result")
    is_wrong = False
    for name in options.works or list(makers):
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            work = makers[name](folder)
            cluster = SmallCluster(
                folder / "nodes", 4, network=40 + len(name), cache=user_cache() if options.warm else None
            )
            try:
                trial = tried(work, cluster, options.minutes, options.kills, random.Random(options.seed))
            finally:
                cluster.close()
            other = folder / "local"
            other.mkdir()
            if work.compares:
                start(work.command(other), "local").wait()
            trial.wrong += work.check(folder / "cluster", other)
        kills = ", ".join(f"{count} {what}" for what, count in sorted(trial.kills.items()))
        pause = f"{trial.longest_pause:.1f} s"
        result = "; ".join(trial.wrong) or ("equal" if work.compares else "all there once")
        table.add_row(name, kills, f"{trial.seconds:.0f}", pause, trial.longest_after, result)
        is_wrong |= bool(trial.wrong)
        Console(width=140).print(table)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
