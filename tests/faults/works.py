"""The commands that write files, and the part of their results that is the same each time."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from programs import without_times
from small_runs import PLAYING, SELFPLAY

from puzzlelab.nets.onnx_model import is_sealed
from puzzlelab.storage.row_files import read_rows

LEARNING = 'learning = { steps = 40, batch_size = 20, precision = "float32", save_seconds = 0.05 }\nseed = 5\n'
CONFIGS = {
    "imitation": f"""puzzle = "dust-4x3x3"
{LEARNING}
network = {{ kind = "dense", width = 8, depth = 1 }}
teacher = {{ solver_options = {{ width = 3 }} }}
data = {{ shard_games = 20, buffer_size = 300, replay_ratio = 2.0 }}
evaluation = {{ every = 10, boards = 4, teacher_games = 4 }}
""",
    "dqn": f"""puzzle = "tiles-2x3"
{LEARNING}
parallel_games = 20
max_moves = 12
{PLAYING}""",
    "tabular": """puzzle = "tiles-2x3"
seed = 3
parallel_games = 50
max_moves = 30
curriculum = { scale = "uniform" }
exploration = { initial_epsilon = 0.2 }
learning = { steps = 1500, save_seconds = 0.05 }
evaluation = { every = 500, boards = 5, scale = "uniform", max_moves = 30, guide = "prior" }
""",
    "selfplay": SELFPLAY,
}
"""The settings of small runs, by their recipe."""
UNCOMPARED = re.compile(r"run/(tensorboard|programs|shards)/|run/state|\.(lock|damaged|claim)$|^out\.log$")
"""The files that depend on the moments at which a run saves."""
TEMPORARY = re.compile(r"\.\d+\.\d+$|\.tmp|\.part$|\.partial|~$")
"""The names of files that are not complete yet."""
LEFT_BY_KILLS = re.compile(TEMPORARY.pattern + r"|/writing[^/]*$|\.parts/")
"""The same, and those that the next program writes anew."""


@dataclass(frozen=True)
class Work:
    """A command: `{out}` stands for the folder that it writes to, `{inputs}` for that of boards and settings."""

    name: str
    text: str
    target: str = ""
    """What it writes below `out`; empty: it prints its result."""
    other: str = ""
    """Words that ask for something else in the same place, which must be refused."""
    smaller: str = ""
    """Words that ask for less, which must cut nothing."""
    is_repeatable: bool = True
    """Whether the result is the same each time."""
    codes: tuple[int, ...] = (0,)

    def words(self, out: Path, inputs: Path, more: str = "") -> list[str]:
        """Return the words of the command."""
        return [word.format(out=out, inputs=inputs) for word in f"{self.text} {more}".split()]

    def result(self, out: Path, printed: str) -> object:
        """Return the result as it must be each time."""
        if not self.target:
            return printed
        return content(out) if self.is_repeatable else games(out)


def files_in(folder: Path) -> list[Path]:
    """Return all files below a folder."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def lines_of(path: Path) -> list[Any]:
    """Return the lines of a file of JSON without times."""
    return [without_times(line) for line in path.read_text(errors="replace").splitlines()]


def content(folder: Path) -> dict[str, object]:
    """Return {path: what must be equal in two runs}, but for the files that depend on the moments of saving."""
    names = {path.relative_to(folder).as_posix(): path for path in files_in(folder)}
    return {name: _essence(path, name) for name, path in names.items() if not is_uncompared(name)}


def is_uncompared(name: str) -> bool:
    """Return whether a file depends on the moments of saving or of a kill."""
    return bool(UNCOMPARED.search(name) or LEFT_BY_KILLS.search(name))


def _essence(path: Path, name: str) -> object:
    """Return rows and metrics without times, the hashes of boards, samples and weights, or that a file is whole."""
    if path.stem == "rows" and path.suffix != ".jsonl":
        return sorted(row.model_dump_json(exclude={"seconds"}) for _, row in read_rows(path))
    if path.name == "networks.jsonl":  # it names what the run may remove, perhaps twice
        return sorted({str(line) for line in lines_of(path)})
    if path.suffix == ".jsonl":
        lines = [line for line in lines_of(path) if "batch" not in line]
        return lines if name.startswith("run/") else sorted(lines, key=repr)
    if path.suffix == ".onnx":  # it has times in it
        return is_sealed(path.read_bytes())
    is_same = path.suffix == ".safetensors" or path.name in ("champion", "latest")
    if path.name == "history.json" or (name.startswith("run/") and not is_same):
        return "there"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def games(folder: Path) -> dict[str, object]:
    """Return whether every line of a run of self-play is whole, every game is counted once, and its networks exist."""
    run = folder / "run"
    lines = [json.loads(line) for line in (run / "games.jsonl").read_text().splitlines()]
    numbers = [line["number"] for line in lines]
    nets = [(run / name).read_text().strip() for name in ("champion", "latest", "done")]
    whole = [(run / "nets" / f"{net}{ending}").exists() for net in nets for ending in (".safetensors", ".onnx")]
    matches = [json.loads(line) for line in (run / "matches.jsonl").read_text().splitlines()]
    return {"once": sorted(numbers) == list(range(len(numbers))), "networks": all(whole), "matches": bool(matches)}


def litter(folder: Path) -> list[str]:
    """Return the temporary files that were left; the names of TensorBoard's files end with numbers."""
    names = [path.relative_to(folder) for path in files_in(folder)]
    return [f"litter: {name}" for name in names if TEMPORARY.search(name.name) and "tensorboard" not in name.parts]


def _train(recipe: str) -> Work:
    text = f"train {recipe} --config {{inputs}}/{recipe}.toml --run {{out}}/run"
    return Work(f"train {recipe}", text, "run", other="--set seed=77")


def _generate(name: str, words: str, ending: str = "txt") -> Work:
    text = f"generate {words} --seed 3 --out {{out}}/boards.{ending}"
    return Work(f"generate {name}", text, f"boards.{ending}", other="--seed 4", smaller="--count 10")


def _solve(ending: str, more: str = "") -> Work:
    text = f"solve dust-6x5x4 --file {{inputs}}/dust.txt --out {{out}}/rows.{ending} {more}"
    return Work(f"solve {ending} {more}".strip(), text, f"rows.{ending}")


SOLVE = _solve("jsonl", "--json")
IMITATION, SELFPLAY = _train("imitation"), Work(
    "selfplay",
    "selfplay run {out}/run --config {inputs}/selfplay.toml --workers 0",
    "run",
    other="--set seed=77",
)  # fmt: skip
WORKS = (
    SOLVE,
    _solve("jsonl", "--json --jobs 2"),
    _solve("csv"),
    _solve("parquet"),
    _generate("dust", "dust-6x5x4 --level 7 --count 300"),
    _generate("tiles", "tiles-3x3 --level 20 --count 20000"),
    _generate("sudoku csv", "sudoku-9x9 --mix doubling --count 15000", "csv"),
    _generate("sudoku parquet", "sudoku-9x9 --mix doubling --count 15000", "parquet"),
    Work("teach", "teach dust-6x5x4 --out {out}/samples --count 10000 --shard 1000 --seed 2", "samples",
         other="--seed 4", smaller="--count 2000"),
    Work("bench", "bench dust-6x5x4 {inputs}/dust.txt --with halves,random --out {out}/results", "results",
         codes=(0, 1)),
    IMITATION,
    *map(_train, ("dqn", "tabular")),
    SELFPLAY,
    Work("selfplay, a worker", SELFPLAY.text.replace("workers 0", "workers 1"), "run", is_repeatable=False),
    Work("count", f"count sudoku-9x9 {81 * '0'} --most 1000000"),
    Work("enumerate", f"enumerate sudoku-9x9 {81 * '0'} --most 3000"),
)  # fmt: skip
WRITING = [work for work in WORKS if work.target]
