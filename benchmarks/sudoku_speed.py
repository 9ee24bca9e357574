"""Measures bands and the generator of Sudoku: `python benchmarks/sudoku_speed.py [FILE.csv ...]`, after warm-up.

A file has lines `puzzle,solution` (or `puzzle,count`); without one, puzzles are made here. Puzzles a CPU second are the
best of several runs over the same set: machines are noisy, and a set takes milliseconds. Answers are checked. With
`--pass FILE` it counts the solutions of boards once, for `bulk.py --tdoku`, which has tdoku do the same in turns.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from puzzlelab.core.registry import load
from puzzlelab.engine.enumeration import UNLIMITED
from puzzlelab.engine.parallel import cores
from puzzlelab.engine.record_parts import new_control
from puzzlelab.jobs.board_generation import boards
from puzzlelab.puzzles.sudoku import bands_kernels
from puzzlelab.puzzles.sudoku.generate import SudokuGenerator
from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch

RUNS = 9
LEAST = 20_000
"""Puzzles of one run: a smaller set is repeated."""
ALL = 10**9
PASSES = 7
PASS = "--pass"
AVX2 = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
"""The environment in which kernels are compiled for a processor with AVX2 and without AVX-512."""
Grids = NDArray[np.uint8]
Figure = tuple[str, str, str]


def read(path: Path) -> tuple[Grids, list[str]]:
    """The puzzles of a file, `uint8[B, 81]`, and what stands beside them."""
    pairs = [line.split(",")[:2] for line in path.read_text(encoding="utf-8").split() if line[:1] not in "#pq"]
    puzzles = np.array([["0123456789".find(cell) for cell in puzzle] for puzzle, _ in pairs])
    return np.maximum(puzzles, 0).astype(np.uint8), [beside for _, beside in pairs]


def check(puzzles: Grids, known_answers: list[str], limit: int) -> tuple[str, float]:
    """(how many answers are right, guesses a puzzle)."""
    batch = solve_batch(puzzles, limit)
    answers = ["".join(map(str, grid)) for grid in batch.solutions.tolist()]
    pairs = zip(known_answers, answers, batch.counts.tolist(), strict=True)
    right = sum(
        known_answer == str(count) if len(known_answer) < 81 else (known_answer, 1) == (answer, count)
        for known_answer, answer, count in pairs
    )
    return f"{right:,} of {len(puzzles):,} right", batch.guesses.mean()


def rate(puzzles: Grids, most: int) -> float:
    """Puzzles a CPU second on one thread."""
    many = np.concatenate([puzzles] * -(-LEAST // len(puzzles)))
    room = bands_kernels.new_stack(), new_control(bands_kernels.CONTROL), bands_kernels.DIGIT_OF
    outputs = np.zeros_like(many), np.zeros_like(many), *(np.zeros(len(many), np.int64) for _ in range(3))
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        bands_kernels.solve_all(many, *room, most, UNLIMITED, *outputs)
        times.append(time.process_time() - began)
    return len(many) / min(times)


def solving(paths: list[Path]) -> Iterator[Figure]:
    """Bands on each file, or on minimal puzzles made here."""
    if not paths:
        generated = list(SudokuGenerator().batches(LEAST))
        puzzles, solutions = (np.concatenate(each) for each in zip(*generated, strict=True))
        sets = {"minimal puzzles": (puzzles, ["".join(map(str, grid)) for grid in solutions.tolist()])}
    else:
        sets = {path.stem: read(path) for path in paths}
    for name, (puzzles, beside) in sets.items():
        most = 2 if len(beside[0]) == 81 else ALL
        right, guesses = check(puzzles, beside, most)
        yield f"bands, {name}", f"{rate(puzzles, most):,.0f} a CPU second", f"{right}, {guesses:.2f} guesses each"


def making() -> Iterator[Figure]:
    """The generator on one thread, by CPU time; and on all, by the wall clock."""
    for name, settings in (("minimal", {}), ("doubling mix", {"mix": "doubling"}), ("level 1", {"level": 1})):
        generator = SudokuGenerator(**settings)
        times = []
        for _ in range(3):
            began = time.process_time()
            clues = np.concatenate([(puzzles != 0).sum(axis=1) for puzzles, _ in generator.batches(5000, 1)])
            times.append(time.process_time() - began)
        yield f"unique puzzles made, {name}", f"{5000 / min(times):,.0f} a CPU second", f"{clues.mean():.2f} clues each"
    walls = []
    for jobs in (1, cores()):
        began = time.perf_counter()
        for _ in boards(load("sudoku-9x9"), 20_000, seed=2, jobs=jobs):
            pass
        walls.append(time.perf_counter() - began)
    yield f"minimal puzzles on {cores()} threads against one", f"{walls[0] / walls[1]:.2f} times", "by the wall clock"


class KernelRates(NamedTuple):
    """Boards a CPU second on one core, the best of several passes."""

    bands: float
    tdoku: float


def rates(boards: Path, tdoku: Path, environment: Mapping[str, str]) -> KernelRates:
    """Measure both programs in turns; exits if they disagree about the number of solutions."""
    ours = [sys.executable, __file__, PASS, str(boards)]
    best = {"bands": 0.0, "tdoku": 0.0}
    for _ in range(PASSES):
        bands_pass, tdoku_pass = run_pass(ours, environment), run_pass([str(tdoku), str(boards)], {})
        if bands_pass[1:] != tdoku_pass[1:]:
            sys.exit(f"(boards, solutions) of bands are {bands_pass[1:]}, of tdoku {tdoku_pass[1:]}")
        for name, (seconds, count, _) in (("bands", bands_pass), ("tdoku", tdoku_pass)):
            best[name] = max(best[name], count / seconds)
    return KernelRates(**best)


def run_pass(command: list[str], environment: Mapping[str, str]) -> tuple[float, int, int]:
    """(CPU seconds, boards, solutions) that a program prints."""
    words = subprocess.run(
        command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()
    return float(words[0]), int(words[1]), int(words[2])


def one_pass(path: Path) -> None:
    """Count up to two solutions of each board of a file on one thread, and print what `tdoku_peer.cpp` prints."""
    cells = np.array([list(line[:81]) for line in path.read_text(encoding="utf-8").split()])
    puzzles = np.where(cells == ".", "0", cells).astype(np.uint8)
    solve_batch(puzzles[:2], jobs=1)
    began = time.process_time()
    counts = solve_batch(puzzles, jobs=1).counts
    print(time.process_time() - began, len(puzzles), counts.sum())


def main(names: list[str]) -> None:
    """Print the figures."""
    list(SudokuGenerator().batches(10))
    table = Table("measured", "figure", "")
    for part in (solving([Path(name) for name in names]), making()):
        for figure in part:
            table.add_row(*figure)
        table.add_section()
    Console(width=120).print(table)


if __name__ == "__main__":
    if sys.argv[1:2] == [PASS]:
        one_pass(Path(sys.argv[2]))
    else:
        main(sys.argv[1:])
