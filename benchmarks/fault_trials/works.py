"""Commands that work for some seconds and leave files behind, with the result that an uninterrupted run has."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fault_trials import judge
from fault_trials.judge import Result
from fault_trials.programs import Outcome

if TYPE_CHECKING:
    from fault_trials.bench import Site

IMITATION = """
puzzle = "dust-4x3x3"
seed = 5
network = { kind = "dense", width = 8, depth = 1 }
teacher = { solver_options = { width = 3 } }
data = { shard_games = 20, buffer_size = 300, replay_ratio = 2.0 }
learning = { steps = 60, batch_size = 20, precision = "float32", save_seconds = 0.05 }
evaluation = { every = 10, boards = 4, teacher_games = 4 }
"""
DQN = """
puzzle = "tiles-2x3"
seed = 5
parallel_games = 20
max_moves = 12
steps_per_move = 2
network = { kind = "dense", width = 8, depth = 1, heads = ["q", "cost_to_go"] }
replay = { size = 500, alpha = 0.6 }
learning = { steps = 60, batch_size = 20, precision = "float32", save_seconds = 0.05 }
evaluation = { every = 10, boards = 4, scale = "uniform", max_moves = 20 }
[curriculum]
random_walk_share = 1.0
initial_difficulty = 4
max_difficulty = 20
growth = "wins"
games_per_check = 20
"""
CNN = """
puzzle = "sudoku-9x9"
seed = 1
network = { kind = "lattice", reads = "digits", width = 8, rounds = 3 }
learning = { steps = 40, batch_size = 20, precision = "float32", save_seconds = 0.05 }
boards = [{ count = 300, generator = { minimal = true } }]
[evaluation]
every = 10
boards = 4
solver = "lattice:policy=surest:restarts=0:masked=true"
guide = "prior"
scale = "minimal"
prove_optimum = false
"""
TABULAR = """
puzzle = "tiles-2x3"
seed = 3
parallel_games = 50
max_moves = 30
curriculum = { scale = "uniform" }
exploration = { initial_epsilon = 0.2 }
learning = { steps = 1500, save_seconds = 0.05 }
evaluation = { every = 500, boards = 5, scale = "uniform", max_moves = 30, guide = "prior" }
"""
SELFPLAY = """
puzzle = "tiles-2x3"
seed = 5
network = { kind = "dense", width = 16, depth = 1, heads = ["policy", "cost_to_go"] }
self_play = { parallel_games = 8, playouts = 4, max_moves = 20 }
replay = { capacity = 300, samples_per_candidate = 200, replay_ratio = 4.0 }
match = { max_boards = 8, batch_size = 4, opponent_boards = 4 }
learning = { steps = 20, batch_size = 20, precision = "float32", save_seconds = 0.05 }
evaluation = { every = 10, boards = 4, teacher_games = 0, scale = "uniform", max_moves = 20 }
[curriculum]
random_walk_share = 1.0
initial_difficulty = 3
max_difficulty = 9
growth = "wins"
games_per_check = 16
checks_in_a_row = 1
"""
CONFIGS = {"imitation": IMITATION, "dqn": DQN, "cnn": CNN, "tabular": TABULAR, "selfplay": SELFPLAY}


@dataclass(frozen=True)
class Work:
    """A command; `{out}` stands for the folder it writes to, `{inputs}` for that of boards and settings."""

    name: str
    text: str
    result_of: Callable[[Path], Result] | None = judge.snapshot
    """The comparable result in `out`; None for what is printed."""
    other: str = ""
    """Words that ask for something else in the same place, which must be refused."""
    smaller: str = ""
    """Words that ask for less, which must cut nothing."""
    target: str = ""
    """What it writes below `out`, for notes in its place; empty: it writes no file."""
    wants_run: bool = False
    """It works on a finished run of self-play."""
    check: Callable[[Path], list[str]] | None = None
    """For a result that is not deterministic: what is wrong with it."""
    codes: tuple[int, ...] = (0,)
    kills: int = 12

    @property
    def slug(self) -> str:
        """The name as that of a folder."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.name)

    def words(self, out: Path, site: Site, more: str = "") -> list[str]:
        """The words of the command."""
        return [word.format(out=out, inputs=site.inputs) for word in f"{self.text} {more}".split()]

    def begin(self, out: Path, site: Site) -> None:
        """Make the folder, and what must be there before."""
        out.mkdir(parents=True, exist_ok=True)
        if self.wants_run:
            from fault_trials.works import FINISHED_RUN

            shutil.copytree(site.folder / FINISHED_RUN, out / "run", dirs_exist_ok=True)

    def result(self, out: Path, outcome: Outcome) -> Result:
        """What the work left behind, for `judge.differences`."""
        if self.result_of is None:
            return {"the output": outcome.out.splitlines()}
        return self.result_of(out)

    def wrong(self, expected: Result, out: Path, outcome: Outcome) -> list[str]:
        """Complaints about what the work left behind."""
        if self.check is not None:
            return self.check(out) + judge.litter(out)
        return judge.differences(expected, self.result(out, outcome)) + judge.litter(out)


FINISHED_RUN = "finished-selfplay"


def write_configs(site: Site) -> None:
    """Write the settings of all small runs beside the boards."""
    for name, text in CONFIGS.items():
        (site.inputs / f"{name}.toml").write_text(f'recipe = "{name}"\n{text.lstrip()}', encoding="utf-8")


def _train(recipe: str) -> Work:
    return Work(
        f"train {recipe}",
        f"train {recipe} --config {{inputs}}/{recipe}.toml --run {{out}}/run",
        lambda out: judge.of_run(out / "run"),
        other="--set seed=77",
        target="run",
    )


def _whole_matches(out: Path) -> list[str]:
    return judge.whole_lines(out / "run" / "matches.jsonl")


SOLVE = Work(
    "solve",
    "solve dust-6x5x4 --file {inputs}/dust.txt --json --out {out}/rows.jsonl",
    judge.of_rows,
    target="rows.jsonl",
)
GENERATE = Work(
    "generate dust",
    "generate dust-6x5x4 --level 7 --count 300 --seed 3 --out {out}/boards.txt",
    other="--seed 4",
    smaller="--count 10",
    target="boards.txt",
)
IMITATION_RUN = _train("imitation")
SELFPLAY_RUN = Work(
    "selfplay run, no workers",
    "selfplay run {out}/run --config {inputs}/selfplay.toml --workers 0",
    lambda out: judge.of_run(out / "run"),
    other="--set seed=77",
    target="run",
)
WORKS = (
    SOLVE,
    Work("solve, 2 jobs", f"{SOLVE.text} --jobs 2", judge.of_rows, target="rows.jsonl"),
    GENERATE,
    Work(
        "generate tiles",
        "generate tiles-3x3 --level 20 --count 20000 --seed 3 --out {out}/boards.txt",
        other="--seed 4",
        smaller="--count 10",
        target="boards.txt",
    ),
    *(
        Work(
            f"generate sudoku {suffix}",
            f"generate sudoku-9x9 --mix doubling --count 15000 --seed 3 --out {{out}}/boards.{suffix}",
            other="--seed 4",
            smaller="--count 10",
            target=f"boards.{suffix}",
        )
        for suffix in ("csv", "parquet")
    ),
    Work(
        "teach",
        "teach dust-6x5x4 --out {out}/samples --count 10000 --shard 1000 --seed 2",
        other="--seed 4",
        smaller="--count 2000",
        target="samples",
    ),
    Work(
        "bench",
        "bench dust-6x5x4 {inputs}/dust.txt --with halves,random --out {out}/results",
        judge.of_rows,
        other="dust8x6x5",
        target="results",
        codes=(0, 1),
    ),
    IMITATION_RUN,
    _train("dqn"),
    _train("cnn"),
    _train("tabular"),
    SELFPLAY_RUN,
    Work(
        "selfplay run, a worker",
        "selfplay run {out}/run --config {inputs}/selfplay.toml --workers 1",
        lambda out: {},
        other="--set seed=77",
        target="run",
        check=lambda out: judge.counted_games(out / "run"),
    ),
    Work(
        "match",
        "match {out}/run champion random --games 400 --shifts 6",
        lambda out: {},
        wants_run=True,
        check=_whole_matches,
    ),
    Work("count", "count sudoku-9x9 " + 81 * "0" + " --most 1000000", None),
    Work("enumerate", "enumerate sudoku-9x9 " + 81 * "0" + " --most 3000", None),
)
BY_NAME = {work.name: work for work in WORKS}
