"""What a command costs from its start to its end: `python benchmarks/start.py [COMMAND ...] [--states warm,cold,pack]`.

Each command is a process of its own, and `python -c "import numpy, numba"` takes turns with it: what else runs on the
machine hinders both alike, and a ratio is of two turns that follow one another. CPU seconds are those of user and
system, of the whole process. In the state `cold` its cache folder is empty, in `pack` too, but it has the prebuilt
kernels of `--pack FOLDER`; in `warm` the same command has run before. Nothing is compiled in the background.

`--before FOLDER` measures another checkout in the same turns, as shares of it. `--slowest` compiles everything once
more, and shows which kernels cost the most.
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
OPTIONS = {"tiles-5x5": ("--estimate", "conflicts")}
"""As in the demo: the usual estimate of the 24-puzzle is a table of half a gigabyte."""
COMMANDS = {
    "help": ("--help",),
    **{name: ("solve", name, board, *OPTIONS.get(name, ())) for name, board, _, _ in BOARDS if name in SOLVED},
    "demo": ("demo",),
}
STATES = {"cold": "with an empty cache", "pack": "with an empty cache and a pack of kernels", "warm": "the next time"}
TURNS = {"cold": 1, "pack": 3, "warm": 5}
NOW, BEFORE = "now", "before"
RECORD = "--record"
SLOWEST = 10


@dataclass(frozen=True)
class Cost:
    """What one process took, in seconds."""

    cpu: float
    wall: float


@dataclass(frozen=True)
class Turn:
    """A command once, and what importing Numba took beside it."""

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
    """Where commands run: the checkouts by name, and a folder that goes away."""

    sources: Mapping[str, Path]
    folder: Path
    pack: Path | None = None

    def cost(self, arguments: Sequence[str], tree: str, cache: Path, pack: Path | None = None) -> Cost:
        """What `python ARGUMENTS` takes."""
        began = time.perf_counter()
        with subprocess.Popen(
            [sys.executable, *arguments],
            env=self._environment(tree, cache, pack),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process:
            assert process.stderr is not None
            said = process.stderr.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"python {' '.join(arguments)} ended with code {process.returncode}: {said.decode().strip()}")
        return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - began)

    def _environment(self, tree: str, cache: Path, pack: Path | None) -> dict[str, str]:
        """Nothing of the caller's settings of Python and puzzlelab."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith(("PUZZLELAB_", "PYTHON"))}
        ours |= {"PYTHONPATH": str(self.sources[tree]), "PUZZLELAB_CACHE": str(cache), "PUZZLELAB_BACKGROUND": "0"}
        return ours | ({"PUZZLELAB_KERNELS": str(pack)} if pack else {})

    def turn(self, tree: str, state: str, command: str) -> Turn:
        """One command, after the import."""
        arguments = ("-m", "puzzlelab", *COMMANDS[command])
        with self.cache(tree, state) as cache:
            beside = self.cost(IMPORT, tree, cache)
            return Turn(
                tree, state, command, self.cost(arguments, tree, cache, self.pack if state == "pack" else None), beside
            )

    @contextmanager
    def cache(self, tree: str, state: str) -> Iterator[Path]:
        """The folder for what is compiled: always the same one for `warm`, a new one each time for other states."""
        if state == "warm":
            yield self.folder / f"warm-{tree}"
            return
        with tempfile.TemporaryDirectory(dir=self.folder) as empty:
            yield Path(empty)

    def turns(self, state: str, commands: Sequence[str], count: int) -> Iterator[list[Turn]]:
        """The turns of each command, checkout by checkout; the first one of a warm command is not among them."""
        for command in commands:
            for tree in self.sources if state == "warm" else ():
                self.turn(tree, state, command)
            yield [self.turn(tree, state, command) for _ in range(count) for tree in self.sources]

    def slowest(self, tree: str, commands: Sequence[str]) -> list[tuple[str, float]]:
        """The kernels that these commands compile, with CPU seconds, the dearest first."""
        seconds: dict[str, float] = defaultdict(float)
        record = self.folder / "kernels.json"
        with self.cache(tree, "cold") as cache:
            for command in commands:
                self.cost((str(Path(__file__).resolve()), RECORD, str(record), *COMMANDS[command]), tree, cache)
                for name, spent in json.loads(record.read_text()):
                    seconds[name] += spent
        return sorted(seconds.items(), key=lambda pair: -pair[1])


def record(path: Path, arguments: list[str]) -> None:
    """Run the program, and write down which kernels it compiled: their names, and CPU seconds of each by itself.

    What is inlined belongs to the kernel that it is inlined in. Numba is told so by `no_cpython_wrapper`.
    """
    from numba.core.dispatcher import Dispatcher

    from puzzlelab.cli.main import run

    compile_one, kernels, inner = Dispatcher.compile, [], [0.0]

    def compile_and_count(self: Any, signature: Any) -> Any:
        if self.targetoptions.get("no_cpython_wrapper"):
            return compile_one(self, signature)
        began = time.process_time()
        inner.append(0.0)
        try:
            return compile_one(self, signature)
        finally:
            whole = time.process_time() - began
            function = self.py_func
            module = function.__module__.removeprefix("puzzlelab.")
            kernels.append((f"{module}.{function.__name__}", whole - inner.pop()))
            inner[-1] += whole

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
        "imports": statistics.median(turn.ratio for turn in turns),
    }


def table(rows: Sequence[Mapping[str, Any]], compared: bool) -> Table:
    """The figures, a section for each state."""
    extra = ("CPU s before", "share of it") if compared else ()
    shown = Table("command", "CPU s", "s by the clock", "times the import", *extra)
    for state, words in STATES.items():
        found = [row for row in rows if row["state"] == state]
        if found:
            shown.add_section()
            shown.add_row(f"[bold]{words}[/bold]")
        for row in (row for row in found if row["tree"] == NOW):
            other = next((each for each in found if (each["tree"], each["command"]) == (BEFORE, row["command"])), None)
            share = (f"{other['cpu']:.2f}", f"{row['cpu'] / other['cpu']:.0%}") if other else ()
            words = COMMANDS[row["command"]]
            name = " ".join((*words[:2], *words[3:]))
            shown.add_row(name, f"{row['cpu']:.2f}", f"{row['wall']:.2f}", f"{row['imports']:.2f}", *share)
    return shown


def kernels(found: Mapping[str, list[tuple[str, float]]]) -> Table:
    """The kernels that cost the most to compile, beside what they cost before."""
    shown = Table("the slowest kernels", "CPU s", *(("CPU s before",) if BEFORE in found else ()))
    before = dict(found.get(BEFORE, ()))
    for name, seconds in found[NOW][:SLOWEST]:
        old = (f"{before[name]:.2f}" if name in before else "-",) if before else ()
        shown.add_row(name, f"{seconds:.2f}", *old)
    for tree, each in found.items():
        shown.caption = " ".join(
            filter(None, [shown.caption, f"{tree}: {len(each)} kernels, {sum(dict(each).values()):.1f} CPU s."])
        )
    return shown


def options() -> argparse.Namespace:
    """What is to be measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help=f"of {', '.join(COMMANDS)} (all)")
    parser.add_argument("--states", default="warm", help="of cold, pack and warm, with commas (warm)")
    parser.add_argument("--turns", type=int, help="of each command (1 cold, 3 with a pack, 5 warm)")
    parser.add_argument("--pack", type=Path, help="the folder of a pack, for the state pack")
    parser.add_argument("--before", type=Path, help="another checkout, to compare with")
    parser.add_argument("--slowest", action="store_true", help="also show the kernels that cost the most to compile")
    parser.add_argument("--json", type=Path, help="also write the figures into this file")
    given = parser.parse_args()
    given.states = [state for state in given.states.split(",") if state]
    for kind, names, known in (("command", given.commands, COMMANDS), ("state", given.states, STATES)):
        if unknown := set(names) - set(known):
            parser.error(f"there is no {kind} '{unknown.pop()}'; known are {', '.join(known)}")
    if "pack" in given.states and given.pack is None:
        parser.error("the state pack needs --pack FOLDER")
    return given


def main() -> None:
    """Measure what was asked for, and print it."""
    given = options()
    commands = given.commands or list(COMMANDS)
    sources = {NOW: Path(puzzlelab.__file__).resolve().parents[1]}
    if given.before:
        sources[BEFORE] = given.before.resolve() / "src"
    rows: list[dict[str, Any]] = []
    found: dict[str, list[tuple[str, float]]] = {}
    imports: list[Cost] = []
    errors = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder, Progress(console=errors, transient=True) as bars:
        bench = Bench(sources, Path(folder), given.pack and given.pack.resolve())
        task = bars.add_task("measuring", total=len(commands) * len(given.states))
        for tree, source in sources.items():  # modules are byte code, as after an installation, before a clock starts
            bench.cost(("-m", "compileall", "-q", str(source)), tree, Path(folder))
            bench.cost(IMPORT, tree, Path(folder))
        for state in given.states:
            for turns in bench.turns(state, commands, given.turns or TURNS[state]):
                imports += [turn.beside for turn in turns]
                rows += [summary([turn for turn in turns if turn.tree == tree]) for tree in sources]
                bars.advance(task)
        if given.slowest:
            compiling = [command for command in commands if command != "help"]
            found = {tree: bench.slowest(tree, compiling) for tree in sources}
    console = Console(width=None if sys.stdout.isatty() else 120)
    if imports:
        cpu, wall = (statistics.median(getattr(cost, kind) for cost in imports) for kind in ("cpu", "wall"))
        console.print(f"import numpy, numba: {cpu:.2f} CPU s, {wall:.2f} s by the clock")
        console.print(table(rows, len(sources) > 1))
    if found:
        console.print(kernels(found))
    if given.json:
        given.json.write_text(json.dumps({"commands": rows, "kernels": found}, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == [RECORD]:
        record(Path(sys.argv[2]), sys.argv[3:])
    else:
        main()
