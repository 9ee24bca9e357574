"""Sudokus with faults in a large file: `python benchmarks/bulk_faults.py [--boards N]`.

The file is CSV with the solutions beside minimal boards. Of a thousand lines one board lacks a clue, so that it has
several solutions, one has a wrong solution beside it, and one is no board. The table has the CPU seconds of commands,
start included, beside those for the same file without faults; the second one, how many of the faults `check` names.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bulk import BAD_EVERY, CSV, SUDOKU, run, sudokus
from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch

CALLS = {"solve": (CSV, ("--out", "rows.jsonl")), "check": (("--json",),)}
"""Command -> the words of its calls."""
FEW = 200
"""Boards of a first call."""


def write(path: Path, states: NDArray[np.uint8], solutions: NDArray[np.uint8]) -> None:
    """Write boards and what stands beside them, both `uint8[B, 81]`, as CSV."""
    digits = (np.concatenate([states, solutions], axis=1) + ord("0")).astype(np.uint8).tobytes().decode()
    lines = (digits[begin : begin + 162] for begin in range(0, len(digits), 162))
    path.write_text("".join(["puzzle,solution\n", *(f"{line[:81]},{line[81:]}\n" for line in lines)]), encoding="utf-8")


def with_faults(states: NDArray[np.uint8], solutions: NDArray[np.uint8]) -> dict[str, int]:
    """Put faults into minimal boards and their solutions, both `uint8[B, 81]`; return how many of each kind."""
    blanks = states == 0
    several, wrong, bad = (np.arange(first, len(states), BAD_EVERY) for first in (1, 2, 3))
    states[several, (~blanks[several]).argmax(axis=1)] = 0
    cells = blanks[wrong].argmax(axis=1)
    solutions[wrong, cells] = solutions[wrong, cells] % 9 + 1
    states[bad, 80] = ord("A") - ord("0")
    return {"several solutions": len(several), "a wrong solution": len(wrong), "no board": len(bad)}


def named(objects: str) -> dict[str, int]:
    """Return how many faults of each kind the output of `check --json` names."""
    found = dict.fromkeys(("several solutions", "a wrong solution", "no board"), 0)
    for each in map(json.loads, objects.splitlines()):
        found["several solutions"] += each.get("solutions") == 2
        found["a wrong solution"] += any("the file says" in text for text in each.get("objections", ()))
        found["no board"] += "error" in each
    return found


def main() -> None:
    """Write both files, run the commands on each, and print two tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=1_000_000, help="boards of each file (1000000)")
    parser.add_argument("--sudokus", type=Path, help="minimal puzzles, of which random symmetries are taken")
    arguments = parser.parse_args()
    states = sudokus(arguments.sudokus, arguments.boards, np.random.default_rng(1))
    solutions = solve_batch(states).solutions
    times = Table("command", "no faults, CPU s", "faults, CPU s", title=f"{len(states):,} boards")
    with tempfile.TemporaryDirectory() as folder:
        few, good, faulty = (Path(folder, f"{name}.csv") for name in ("few", "good", "faults"))
        write(few, states[:FEW], solutions[:FEW])
        write(good, states, solutions)
        counts = with_faults(states, solutions)
        write(faulty, states, solutions)
        for verb, calls in CALLS.items():
            for words in calls:
                run(SUDOKU, few, words, 0, verb)  # compiles what is not compiled yet
                seconds = [run(SUDOKU, path, words, code, verb).cpu_seconds for path, code in ((good, 0), (faulty, 2))]
                times.add_row(" ".join([verb, *words]), *(f"{each:.1f}" for each in seconds))
        found = named(Path(folder, "answers").read_text(encoding="utf-8"))
    Console().print(times)
    faults = Table("fault", "lines", "named by check")
    for kind, count in counts.items():
        faults.add_row(kind, f"{count:,}", f"{found[kind]:,}")
    Console().print(faults)


if __name__ == "__main__":
    main()
