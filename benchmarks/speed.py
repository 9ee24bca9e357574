"""Measures what docs/performance.md says: `python benchmarks/speed.py [NAME ...]`, in CPU seconds after warm-up.

Where there is a peer, both are measured in turn in one run, and their ratio counts: machines are noisy, ratios less so.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import puzzlelab
from puzzlelab.bench import suites
from puzzlelab.core.limit import Limit
from puzzlelab.core.views import KernelRules, Samples
from puzzlelab.puzzles.tiles import exact_distances_kernels, pattern_database

HERE = Path(__file__).resolve().parent
ROUNDS = 5
EASY = (1, 4)
"""Numbers (from 0) of Korf's boards that Manhattan distance solves in a fraction of a second."""

Figure = tuple[str, str, str]
"""What was measured, the figure, and what it should be."""


def korf() -> list[puzzlelab.Instance]:
    """Korf's hundred 15-puzzles."""
    suite = suites.find("korf15", None)
    return [suite.instance(entry) for entry in suite.entries]


def searched(boards: list[puzzlelab.Instance], solver: str, **options: object) -> tuple[float, int, int]:
    """CPU seconds, states expanded and states generated, after the first board was solved once to warm up."""
    puzzlelab.solve(boards[0], solver, Limit(nodes=1000), **options)
    began, expanded, generated = time.process_time(), 0, 0
    for board in boards:
        result = puzzlelab.solve(board, solver, **options)
        expanded += result.expanded
        generated += result.generated
    return time.process_time() - began, expanded, generated


def peer(program: Path, kind: str, boards: list[puzzlelab.Instance]) -> tuple[float, int, int]:
    """The same of the C++ program."""
    text = "\n".join(board.puzzle.write(board.state) for board in boards) + "\n"
    words = subprocess.run([program, kind], input=text, capture_output=True, text=True, check=True).stdout.split()
    return float(words[4]), int(words[2]), int(words[3])


def compile_peer(folder: str) -> Path:
    """The C++ program, compiled as its users would."""
    program = Path(folder) / "ida_peer"
    source = HERE / "ida_peer.cpp"
    subprocess.run(["g++", "-O3", "-march=native", "-o", program, source], check=True)
    return program


def ida() -> Iterator[Figure]:
    """IDA*'s inner loop against the same loop in C++, which must visit the same states."""
    boards = [korf()[number] for number in EASY]
    with tempfile.TemporaryDirectory() as folder:
        program = compile_peer(folder)
        for estimate, kinds in (("manhattan", ("manhattan", "recursive")), ("walking", ("walking",))):
            ours, theirs = [], {kind: [] for kind in kinds}
            for _ in range(ROUNDS):
                seconds, expanded, generated = searched(boards, "ida", estimate=estimate)
                ours.append(generated / seconds)
                for kind in kinds:
                    seconds, *counts = peer(program, kind, boards)
                    assert counts == [expanded, generated], "the C++ program visits other states"
                    theirs[kind].append(generated / seconds)
            yield f"ida, {estimate}: generated a second", f"{statistics.median(ours) / 1e6:.1f} million", ""
            for kind, rates in theirs.items():
                ratios = [mine / other for mine, other in zip(ours, rates, strict=True)]
                rate = f"{statistics.median(rates) / 1e6:.1f} million"
                wanted = "" if kind == "recursive" else "at least 0.85"
                yield f"  of the C++ {kind} ({rate})", f"{statistics.median(ratios):.2f}", wanted


def _patterns(name: str, expected: str) -> Iterator[Figure]:
    boards = korf()
    seconds, expanded, generated = searched(boards, "ida", estimate=name)
    yield f"ida, {name}: CPU ms a board of Korf's hundred", f"{1000 * seconds / len(boards):.1f}", expected
    counts = f"{generated / len(boards):,.0f} / {expanded / len(boards):,.0f}"
    yield "  states generated / expanded a board", counts, ""
    again = [puzzlelab.solve(board, "ida", estimate=name) for board in boards]
    known_lengths = [entry.known for entry in suites.find("korf15", None).entries]
    pairs = zip(again, known_lengths, strict=True)
    proven = sum(result.proof == "optimal" and result.length == length for result, length in pairs)
    yield "  proven optimal, equal to the known lengths", f"{proven} of 100", "100"


def pdb_663() -> Iterator[Figure]:
    """Korf's hundred with the 6-6-3 database."""
    yield from _patterns("pdb-663", "under 20")


def pdb_78() -> Iterator[Figure]:
    """Korf's hundred with the 7-8 database."""
    yield from _patterns("pdb-78", "under 6")


def build(name: str) -> None:
    """Build one database in this process, and print CPU seconds and peak memory; `_tables` calls it in a fresh one."""
    puzzle = puzzlelab.load("tiles-4x4")
    geometry = puzzle.view(KernelRules).tables
    pattern_database.build_group(geometry, (0, 1, 2), "warm-up")
    began = time.process_time()
    for group in pattern_database.NAMED[4, 4][name]:
        pattern_database.build_group(geometry, group, name)
    print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def tables() -> Iterator[Figure]:
    """Building the databases of the 15-puzzle."""
    for name, seconds in (("663", "under 3"), ("78", "under 60")):
        command = [sys.executable, __file__, "--build", name]
        words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        yield f"building pdb-{name}: CPU seconds", f"{float(words[0]):.2f}", seconds
        yield "  peak memory, GB", f"{float(words[1]):.2f}", "under 2.5"


def eight() -> Iterator[Figure]:
    """All 181,440 states of the 8-puzzle with their distances."""
    geometry = puzzlelab.load("tiles-3x3").view(KernelRules).tables
    exact_distances_kernels.table(geometry, 9)
    began = time.process_time()
    table = exact_distances_kernels.table(geometry, 9)
    seconds = time.process_time() - began
    reached = table[table != exact_distances_kernels.UNREACHED]
    yield "8-puzzle, the whole table: CPU seconds", f"{seconds:.3f}", "under 0.1"
    figures = f"{reached.size:,}, {reached.max()}, {(reached == reached.max()).sum()}"
    yield "  states, farthest, at the farthest", figures, ""


def threads() -> Iterator[Figure]:
    """The boards of Korf on one thread and on two, by the wall clock."""
    boards = korf()
    ratios = []
    for _ in range(3):
        times = []
        for jobs in (1, 2):
            began = time.perf_counter()
            list(puzzlelab.solve_many(boards, "ida", jobs=jobs, estimate="pdb-663"))
            times.append(time.perf_counter() - began)
        ratios.append(times[0] / times[1])
    yield "solve_many: two threads against one, wall clock", f"{statistics.median(ratios):.2f} times", "near 2"


def others() -> Iterator[Figure]:
    """The searches that keep states."""
    boards = korf()[:20]
    for solver, options in (
        ("astar", {"estimate": "pdb-663"}),
        ("beam", {"estimate": "manhattan", "width": 10_000}),
        ("beam", {"estimate": "pdb-663", "width": 10_000}),
        ("bfs", {"bidirectional": True}),
    ):
        chosen = boards if solver != "bfs" else _near()
        seconds, _, generated = searched(chosen, solver, **options)
        words = ", ".join(f"{name} {value}" for name, value in options.items())
        yield f"{solver}, {words}: generated a second", f"{generated / seconds / 1e6:.2f} million", ""


def _near() -> list[puzzlelab.Instance]:
    puzzle = puzzlelab.load("tiles-4x4")
    random = np.random.default_rng(0)
    return [puzzlelab.Instance(puzzle, puzzle.view(Samples).scales["walk"].sample(random, 60, 1)[0]) for _ in range(5)]


def startup() -> Iterator[Figure]:
    """Whole processes, warm, by the wall clock; the median of some runs."""
    board = "10 5 1 0 15 9 13 14 2 8 4 7 6 12 11 3"
    for words, wanted in ((["--help"], "under 0.5"), (["solve", "tiles-4x4", board], "under 1")):
        times = []
        for _ in range(ROUNDS + 1):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-m", "puzzlelab", *words], capture_output=True, check=True)
            times.append(time.perf_counter() - began)
        yield f"puzzlelab {words[0]}: seconds", f"{statistics.median(times[1:]):.2f}", wanted


BENCHMARKS: dict[str, Callable[[], Iterator[Figure]]] = {
    "ida": ida,
    "pdb-663": pdb_663,
    "pdb-78": pdb_78,
    "tables": tables,
    "eight": eight,
    "threads": threads,
    "others": others,
    "startup": startup,
}


def main(names: list[str]) -> None:
    """Print the figures of these benchmarks, or of all."""
    if names[:1] == ["--build"]:
        build(names[1])
        return
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        sys.exit(f"error: no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    table = Table("measured", "figure", "wanted")
    for name in names or BENCHMARKS:
        for figure in BENCHMARKS[name]():
            table.add_row(*figure)
        table.add_section()
    Console(width=120).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
