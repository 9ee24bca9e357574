"""The kernel of `bands` beside tdoku, for `bulk.py --tdoku`; `python benchmarks/sudoku_kernels.py FILE` runs one pass.

A pass over the boards of FILE (81 characters a line, '.' for a blank) counts up to two solutions of each board and
prints CPU seconds, boards and solutions, as the program of `tdoku_peer.cpp` does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch

PASSES = 7
AVX2 = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
"""The environment in which kernels are compiled for a processor with AVX2 and without AVX-512."""


class KernelRates(NamedTuple):
    """Boards a CPU second on one core, the best of several passes."""

    bands: float
    tdoku: float


def rates(boards: Path, tdoku: Path, environment: Mapping[str, str]) -> KernelRates:
    """Measure both programs in turns; exits if they disagree about the number of solutions."""
    ours = [sys.executable, __file__, str(boards)]
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


def main(path: Path) -> None:
    """One pass of `bands` on one thread, after warm-up."""
    cells = np.array([list(line[:81]) for line in path.read_text(encoding="utf-8").split()])
    puzzles = np.where(cells == ".", "0", cells).astype(np.uint8)
    solve_batch(puzzles[:2], jobs=1)
    began = time.process_time()
    counts = solve_batch(puzzles, jobs=1).counts
    print(time.process_time() - began, len(puzzles), counts.sum())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
