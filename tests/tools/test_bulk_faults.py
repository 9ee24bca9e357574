"""The faults that `benchmarks/bulk_faults.py` puts into a file, in a small one."""

import subprocess
import sys

import numpy as np

import bulk_faults
from puzzlelab import generate
from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch


def test_check_names_each_fault(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(bulk_faults, "BAD_EVERY", 4)
    states = np.array([board.state for board in generate("sudoku-9x9", 18, seed=0)])
    solutions, path = solve_batch(states).solutions, tmp_path / "boards.csv"
    faults = bulk_faults.with_faults(states, solutions)
    bulk_faults.write(path, states, solutions)
    words = [sys.executable, "-m", "puzzlelab", "check", "sudoku-9x9", "--file", path, "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    named = bulk_faults.named(done.stdout)
    assert named == faults == {"several solutions": 5, "a wrong solution": 4, "no board": 4}
