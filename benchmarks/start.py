"""The total cost of a command: `python benchmarks/start.py [COMMAND ...] [--states warm,cold,pack,disk]`.

Each command runs in its own process, in turns with `python -c "import numpy, numba"`: other load on the machine slows
both equally, and a ratio is of two successive runs. CPU seconds are user and system time of the whole process. In the
state `cold` the cache folder is empty; in `pack` it is empty too, but the prebuilt kernels of `--pack FOLDER` are used;
in `warm` the same command has run before; in `disk` too, but the system has to read all files of Python, packages and
the cache from the disk again. Nothing is compiled in the background.

`--before FOLDER` measures another checkout in the same turns, for comparison. `--slowest` compiles everything once
more, and shows the kernels that take longest.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import puzzlelab
from puzzlelab.cli.demo import BOARDS

IMPORT = ("-c", "import numpy, numba")
SOLVED = ("tiles-3x3", "tiles-4x4", "tiles-5x5", "sudoku-9x9", "dust-8x6x5")
OPTIONS = {"tiles-5x5": ("--estimate", "conflicts", "--set", "width=16384")}
"""As in the demo: the usual estimate of the 24-puzzle is a table of half a gigabyte. Without a width the search of this
board goes on until nothing better comes."""
PAIR = ".4....59.89.5...623659.287......164..1649.7..43.6...1...47..1.668...4.57.73....8."
"""A board whose easiest step is a naked pair: a hint comes to it by singles and locked candidates."""
COMMANDS = {
    "help": ("--help",),
    **{name: ("solve", name, board, *OPTIONS.get(name, ())) for name, board, _, _ in BOARDS if name in SOLVED},
    "network": ("solve", *BOARDS[0][:2], "--with", "greedy"),
    "hint": ("hint", "sudoku-9x9", PAIR),
    "rate": ("rate", "sudoku-9x9", "easy"),
    "demo": ("demo",),
}
STATES = {
    "cold": "with an empty cache",
    "pack": "with an empty cache and a pack of kernels",
    "disk": "the next time, when all files have to be read from the disk",
    "warm": "the next time",
}
TURNS = {"cold": 1, "pack": 3, "disk": 3, "warm": 5}
REPEATED = ("disk", "warm")
"""The states in which the same command has run before."""
NOW, BEFORE = "now", "before"
RECORD = "--record"
SLOWEST = 10


@dataclass(frozen=True)
class Cost:
    """The seconds and the memory of one process."""

    cpu: float
    wall: float
    peak: float
    """Megabytes of memory, at most."""


@dataclass(frozen=True)
class Turn:
    """One run of a command, and of the import of Numba before it."""

    tree: str
    state: str
    command: str
    cost: Cost
    beside: Cost

    @property
    def ratio(self) -> float:
        """CPU seconds of the command for one of the import."""
        return self.cost.cpu / self.beside.cpu


# --- running --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bench:
    """The environment of the runs: the checkouts by name, and a temporary folder."""

    sources: Mapping[str, Path]
    folder: Path
    pack: Path | None = None

    def cost(self, arguments: Sequence[str], tree: str, cache: Path, pack: Path | None = None) -> Cost:
        """The cost of `python ARGUMENTS`."""
        start = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, *arguments],
            env=self._environment(tree, cache, pack),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stderr is not None
            error_output = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(
                f"python {' '.join(arguments)} ended with code {process.returncode}: {error_output.decode().strip()}"
            )
        unit = 1 if sys.platform == "darwin" else 1024
        return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss * unit / 1e6)

    def _environment(self, tree: str, cache: Path, pack: Path | None) -> dict[str, str]:
        """The environment variables, without the caller's settings of Python and puzzlelab."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("PUZZLELAB_", "PYTHON"))}
        variables |= {"PYTHONPATH": str(self.sources[tree]), "PUZZLELAB_CACHE": str(cache), "PUZZLELAB_BACKGROUND": "0"}
        return variables | ({"PUZZLELAB_KERNELS": str(pack)} if pack else {})

    def turn(self, tree: str, state: str, command: str) -> Turn:
        """One command, after the import."""
        arguments = ("-m", "puzzlelab", *COMMANDS[command])
        with self.cache(tree, state) as cache:
            beside = self.cost(IMPORT, tree, cache)
            if state == "disk":
                drop_from_memory(Path(sys.prefix), Path(sys.base_prefix) / "lib", self.sources[tree], cache)
            return Turn(
                tree, state, command, self.cost(arguments, tree, cache, self.pack if state == "pack" else None), beside
            )

    @contextmanager
    def cache(self, tree: str, state: str) -> Iterator[Path]:
        """The cache folder: always the same one for repeated commands, a new one each time for other states."""
        if state in REPEATED:
            yield self.folder / f"warm-{tree}"
            return
        with tempfile.TemporaryDirectory(dir=self.folder) as empty:
            yield Path(empty)

    def turns(self, state: str, commands: Sequence[str], count: int) -> Iterator[list[Turn]]:
        """The runs of each command in all checkouts, without the first run of a repeated command."""
        for command in commands:
            for tree in self.sources if state in REPEATED else ():
                self.turn(tree, state, command)
            yield [self.turn(tree, state, command) for _ in range(count) for tree in self.sources]

    def slowest(self, tree: str, commands: Sequence[str]) -> list[tuple[str, float]]:
        """The kernels that these commands compile, with CPU seconds, the slowest first."""
        seconds: dict[str, float] = defaultdict(float)
        record = self.folder / "kernels.json"
        with self.cache(tree, "cold") as cache:
            for command in commands:
                self.cost((str(Path(__file__).resolve()), RECORD, str(record), *COMMANDS[command]), tree, cache)
                for name, spent in json.loads(record.read_text()):
                    seconds[name] += spent
        return sorted(seconds.items(), key=lambda pair: -pair[1])


def drop_from_memory(*folders: Path) -> None:
    """Let the system forget the contents of all files below, except those that a running program has mapped."""
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file():
                with path.open("rb") as file:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def record(path: Path, arguments: list[str]) -> None:
    """Run the program, and write the names of the kernels that it compiled, with their own CPU seconds.

    An inlined function (with `no_cpython_wrapper`) counts for the kernel into which it is inlined.
    """
    from numba.core.dispatcher import Dispatcher

    from puzzlelab.cli.main import run

    compile_one, kernels, inner = Dispatcher.compile, [], [0.0]

    def compile_and_count(self: Any, signature: Any) -> Any:
        if self.targetoptions.get("no_cpython_wrapper"):
            return compile_one(self, signature)
        start = time.process_time()
        inner.append(0.0)
        try:
            return compile_one(self, signature)
        finally:
            elapsed = time.process_time() - start
            function = self.py_func
            module = function.__module__.removeprefix("puzzlelab.")
            kernels.append((f"{module}.{function.__name__}", elapsed - inner.pop()))
            inner[-1] += elapsed

    Dispatcher.compile = compile_and_count
    sys.argv = ["puzzlelab", *arguments]
    try:
        run()
    finally:
        path.write_text(json.dumps(kernels))


# --- showing --------------------------------------------------------------------------------------------------------


def summary(turns: Sequence[Turn]) -> dict[str, Any]:
    """The medians of the turns of one command in one checkout."""
    first = turns[0]
    return {
        "state": first.state,
        "command": first.command,
        "tree": first.tree,
        "turns": len(turns),
        "cpu": statistics.median(turn.cost.cpu for turn in turns),
        "wall": statistics.median(turn.cost.wall for turn in turns),
        "peak": statistics.median(turn.cost.peak for turn in turns),
        "imports": statistics.median(turn.ratio for turn in turns),
    }


def table(rows: Sequence[Mapping[str, Any]], compared: bool) -> Table:
    """The results, with a section for each state."""
    extra = ("CPU s before", "share of it", "s by the clock before", "MB before") if compared else ()
    result = Table("command", "CPU s", "s by the clock", "MB", "times the import", *extra)
    for state, title in STATES.items():
        rows_of_state = [row for row in rows if row["state"] == state]
        if rows_of_state:
            result.add_section()
            result.add_row(f"[bold]{title}[/bold]")
        for row in (row for row in rows_of_state if row["tree"] == NOW):
            other = next(
                (each for each in rows_of_state if (each["tree"], each["command"]) == (BEFORE, row["command"])), None
            )
            share = (
                (
                    f"{other['cpu']:.2f}",
                    f"{row['cpu'] / other['cpu']:.0%}",
                    f"{other['wall']:.2f}",
                    f"{other['peak']:.0f}",
                )
                if other
                else ()
            )
            title = COMMANDS[row["command"]]
            name = " ".join((*title[:2], *title[3:]))
            figures = (f"{row['cpu']:.2f}", f"{row['wall']:.2f}", f"{row['peak']:.0f}", f"{row['imports']:.2f}")
            result.add_row(name, *figures, *share)
    return result


def kernels(kernels_by_tree: Mapping[str, list[tuple[str, float]]]) -> Table:
    """The slowest kernels to compile, compared with the other checkout."""
    result = Table("the slowest kernels", "CPU s", *(("CPU s before",) if BEFORE in kernels_by_tree else ()))
    before = dict(kernels_by_tree.get(BEFORE, ()))
    for name, seconds in kernels_by_tree[NOW][:SLOWEST]:
        old = (f"{before[name]:.2f}" if name in before else "-",) if before else ()
        result.add_row(name, f"{seconds:.2f}", *old)
    for tree, each in kernels_by_tree.items():
        result.caption = " ".join(
            filter(None, [result.caption, f"{tree}: {len(each)} kernels, {sum(dict(each).values()):.1f} CPU s."])
        )
    return result


def options() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"of {', '.join(COMMANDS)} (all)")
    parser.add_argument("--states", default="warm", help="of cold, pack, disk and warm, with commas (warm)")
    parser.add_argument("--turns", type=int, help="of each command (1 cold, 3 with a pack or from disk, 5 warm)")
    parser.add_argument("--pack", type=Path, help="the folder of a pack, for the state pack")
    parser.add_argument("--before", type=Path, help="another checkout, to compare with")
    parser.add_argument("--slowest", action="store_true", help="also show the kernels that cost the most to compile")
    parser.add_argument("--json", type=Path, help="also write the figures into this file")
    arguments = parser.parse_args()
    arguments.states = [state for state in arguments.states.split(",") if state]
    for kind, names, valid in (("command", arguments.commands, COMMANDS), ("state", arguments.states, STATES)):
        if unknown := set(names) - set(valid):
            parser.error(f"there is no {kind} '{unknown.pop()}'; known are {', '.join(valid)}")
    if "pack" in arguments.states and arguments.pack is None:
        parser.error("the state pack needs --pack FOLDER")
    return arguments


def main() -> None:
    """Measure and print the results."""
    arguments = options()
    commands = arguments.commands or list(COMMANDS)
    sources = {NOW: Path(puzzlelab.__file__).resolve().parents[1]}
    if arguments.before:
        sources[BEFORE] = arguments.before.resolve() / "src"
    rows: list[dict[str, Any]] = []
    kernels_by_tree: dict[str, list[tuple[str, float]]] = {}
    imports: list[Cost] = []
    errors = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder, Progress(console=errors, transient=True) as bars:
        bench = Bench(sources, Path(folder), arguments.pack and arguments.pack.resolve())
        task = bars.add_task("measuring", total=len(commands) * len(arguments.states))
        for tree, source in sources.items():  # modules are byte code, as after an installation, before a clock starts
            bench.cost(("-m", "compileall", "-q", str(source)), tree, Path(folder))
            bench.cost(IMPORT, tree, Path(folder))
        for state in arguments.states:
            for turns in bench.turns(state, commands, arguments.turns or TURNS[state]):
                imports += [turn.beside for turn in turns]
                rows += [summary([turn for turn in turns if turn.tree == tree]) for tree in sources]
                bars.advance(task)
        if arguments.slowest:
            compiling = [command for command in commands if command != "help"]
            kernels_by_tree = {tree: bench.slowest(tree, compiling) for tree in sources}
    console = Console(width=None if sys.stdout.isatty() else 120)
    if imports:
        cpu, wall = (statistics.median(getattr(cost, kind) for cost in imports) for kind in ("cpu", "wall"))
        console.print(f"import numpy, numba: {cpu:.2f} CPU s, {wall:.2f} s by the clock")
        console.print(table(rows, len(sources) > 1))
    if kernels_by_tree:
        console.print(kernels(kernels_by_tree))
    if arguments.json:
        arguments.json.write_text(json.dumps({"commands": rows, "kernels": kernels_by_tree}, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == [RECORD]:
        record(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
