"""Boards a CPU second from file to file: `python benchmarks/bulk.py [--boards N] [--sudokus FILE] [--puzzles NAME]`.

Each row compares `puzzlelab solve --file` with its kernel alone, in the same run on one core: CPU seconds of the whole
process, start included, against those of `solve_batch` on the same boards as one array. "bad" is a file with a line in
a thousand that is no board. With `--two` the command runs on two cores too, by the clock. Sudokus are random symmetries
of the puzzles in each FILE (81 characters a line, more columns are left out), or minimal ones made here. With `--tdoku`
a second table compares the kernel of 9x9 Sudoku alone with tdoku, on the same boards (see `tdoku_peer.cpp`).
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import puzzlelab
from puzzlelab.core.boards import Boards
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Solver
from sudoku_speed import AVX2, rates

SUDOKU = "sudoku-9x9"
CSV = ("--as", "csv")
FORMS = {SUDOKU: (CSV, ("--out", "rows.parquet"), ("--json",)), "": (("--json",),)}
"""How the answers of a puzzle are written; "" is for all others."""
SOLVERS = {"tiles-4x4": ("ida", {"estimate": "pdb-78"})}
"""The solvers of puzzles that do not use their default one."""
MOST = {"tiles-4x4": 10_000, "dust-6x5x4": 10_000}
"""The most boards of a puzzle."""
COMMAND = """
import atexit, re, sys
from pathlib import Path

def note():
    status = Path("/proc/self/status").read_text()  # getrusage would count the memory of this script, too
    Path("peak").write_text(str(int(re.search("VmHWM: *\\t* *([0-9]+)", status)[1]) / 1024))

atexit.register(note)
from puzzlelab.cli.main import run
sys.exit(run())
"""
"""The program, which notes its greatest memory in megabytes; Linux only."""
BLOCK = 1000
BAD_EVERY = 1000
"""One line in so many is no board in a file with bad lines."""


def sudokus(path: Path | None, count: int, random: np.random.Generator) -> NDArray[np.uint8]:
    """`uint8[count, 81]`: random symmetries of the puzzles in a file, or minimal puzzles."""
    if path is None:
        return np.array([board.state for board in puzzlelab.generate("sudoku-9x9", count)])
    lines = [line[:81] for line in path.read_text(encoding="utf-8").split() if line[:1] not in "#pq"]
    known = np.array([["0123456789".find(cell) for cell in line] for line in lines]).clip(0).astype(np.uint8)
    grids = known[random.integers(len(known), size=count)].reshape(count, 9, 9)
    bands = random.permuted(np.tile(np.arange(3), (count, 2, 1)), axis=2)
    rows = random.permuted(np.tile(np.arange(3), (count, 2, 3, 1)), axis=3)
    lines_of = (3 * bands[..., None] + np.take_along_axis(rows, bands[..., None], 2)).reshape(count, 2, 9)
    grids = np.take_along_axis(grids, lines_of[:, 0, :, None], 1)
    grids = np.take_along_axis(grids, lines_of[:, 1, None, :], 2)
    digits = np.zeros((count, 10), np.uint8)
    digits[:, 1:] = random.permuted(np.tile(np.arange(1, 10), (count, 1)), axis=1)
    return np.take_along_axis(digits, grids.reshape(count, 81).astype(np.int64), 1)


def kernel_rate(solver: Solver, puzzle: Puzzle, states: NDArray[np.generic]) -> float | None:
    """Boards a CPU second of `solve_batch`; None for a solver without it."""
    first_answers = solver.solve_batch(Boards(puzzle, states[:2]), Limit(), lambda: False)
    if first_answers is None:
        return None
    list(first_answers)
    began = time.process_time()
    for first in range(0, len(states), BLOCK):
        list(solver.solve_batch(Boards(puzzle, states[first : first + BLOCK]), Limit(), lambda: False) or ())
    return len(states) / (time.process_time() - began)


class Run(NamedTuple):
    """What one call of the command took."""

    cpu_seconds: float
    seconds: float
    """By the clock."""
    megabytes: float
    """The most memory that it had."""


def run(name: str, path: Path, words: Sequence[str], exit_code: int = 0, verb: str = "solve") -> Run:
    """Call the command, its start included, in the folder of the boards."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-c", COMMAND, verb, name, "--file", path.name, *words]
    with (path.parent / "answers").open("wb") as answers, (path.parent / "errors").open("wb") as errors:
        code = subprocess.run(command, stdout=answers, stderr=errors, cwd=path.parent, check=False).returncode
    seconds = time.perf_counter() - began
    if code != exit_code:
        sys.exit(f"{' '.join(command)} ended with exit code {code}: {(path.parent / 'errors').read_text()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    for rows in path.parent.glob("rows.*"):
        rows.unlink()
    return Run(cpu_seconds, seconds, float((path.parent / "peak").read_text()))


def with_bad_lines(path: Path) -> Path:
    """The same file with an exclamation mark in one line in a thousand."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[::BAD_EVERY] = [f"!{line[1:]}" for line in lines[::BAD_EVERY]]
    bad = path.with_name("bad.txt")
    bad.write_text("".join(lines), encoding="utf-8")
    return bad


def files_of(name: str, sudokus: list[Path] | None) -> list[Path | None]:
    """The files whose boards are measured; None for boards that are made here."""
    return [*sudokus] if name == SUDOKU and sudokus else [None]


def main() -> None:
    """Measure each puzzle, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=100_000, help="boards of each puzzle (100000)")
    parser.add_argument(
        "--sudokus", type=Path, nargs="+", help="files of Sudokus, of which random symmetries are solved"
    )
    parser.add_argument("--puzzles", nargs="+", default=[SUDOKU, "tiles-3x3", "tiles-4x4", "dust-6x5x4"])
    parser.add_argument("--two", action="store_true", help="compare --jobs 2 with --jobs 1 by the clock, too")
    parser.add_argument("--tdoku", type=Path, help="the program of tdoku_peer.cpp, compiled for this processor")
    parser.add_argument("--tdoku-avx2", type=Path, help="the same with -march=haswell, beside kernels with AVX2 alone")
    arguments = parser.parse_args()
    builds = [(arguments.tdoku, "all", {}), (arguments.tdoku_avx2, "AVX2", AVX2)]
    sudoku_table = Table("Sudokus", "instructions", "bands", "tdoku", "ratio", title="Kernels: boards a CPU second")
    table = Table("puzzle", "written", "kernel", "file to file", "share", "MB", title="Boards a CPU second")
    two_table = Table("puzzle", "written", "one core, s", "two, s", "times", title="Seconds by the clock")
    sources = [(name, path) for name in arguments.puzzles for path in files_of(name, arguments.sudokus)]
    for name, source in sources:
        puzzle = puzzlelab.load(name)
        title = f"{name} {source.stem}" if source else name
        count = min(arguments.boards, MOST.get(name, arguments.boards))
        if name == SUDOKU:
            states = sudokus(source, count, np.random.default_rng(1))
        else:
            states = np.array([board.state for board in puzzlelab.generate(puzzle, count, scale="uniform", seed=1)])
        solver, options = SOLVERS.get(name, (None, {}))
        settings = [] if solver is None else ["--with", solver]
        settings += [word for option, value in options.items() for word in ("--set", f"{option}={value}")]
        kernel = kernel_rate(puzzlelab.solver(solver, puzzle, **options), puzzle, states)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "boards.txt")
            path.write_text("".join(f"{puzzle.write(state)}\n" for state in states), encoding="utf-8")
            calls = [(path, words, 0) for words in FORMS.get(name, FORMS[""])]
            calls += [(with_bad_lines(path), CSV, 2)] if name == SUDOKU else []
            for file, words, code in calls:
                cpu_seconds, _, megabytes = run(name, file, [*settings, *words], code)
                rate, written = count / cpu_seconds, " ".join([*words, *(["bad"] if code else [])])
                of_kernel = ("", "") if kernel is None else (f"{kernel:,.0f}", f"{rate / kernel:.2f}")
                table.add_row(title, written, of_kernel[0], f"{rate:,.0f}", of_kernel[1], f"{megabytes:.0f}")
            if arguments.two:
                words = [*settings, *calls[0][1]]
                one, two = (min(run(name, path, [*words, "--jobs", jobs]).seconds for _ in range(3)) for jobs in "12")
                two_table.add_row(title, " ".join(calls[0][1]), f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}")
            for program, instructions, environment in builds if name == SUDOKU else []:
                if program:
                    bands, tdoku = rates(path, program, environment)
                    sudoku_table.add_row(title, instructions, f"{bands:,.0f}", f"{tdoku:,.0f}", f"{bands / tdoku:.2f}")
    Console().print(table)
    if arguments.two:
        Console().print(two_table)
    if sudoku_table.row_count:
        Console().print(sudoku_table)


if __name__ == "__main__":
    main()
