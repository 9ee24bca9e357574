"""Compares the usual solver of large Sudokus with `dancing-links` and `sat`: `python benchmarks/sudoku_sizes.py`.

Each size has two sets of boards, made by the generator from seed 1: easy ones of level 2, and hard ones of level 5,
from which clues were taken out as long as tests showed one solution. A figure is the CPU seconds of all boards of a
set, each solved and proven unique by itself; one that reaches the limit counts with it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

import puzzlelab
from puzzlelab import Limit
from puzzlelab.core import registry
from puzzlelab.core.boards import Instance
from puzzlelab.core.solver import Solver
from puzzlelab.engine.solving import solve

SIZES = (16, 25)
SETS = {"easy": 2, "hard": 5}
"""The level of each set."""
SEED = 1


def seconds(solver: Solver, boards: Sequence[Instance], most: float) -> tuple[float, int]:
    """The CPU seconds of all boards, and how many of them were not decided in `most` seconds each."""
    undecided, total = 0, 0.0
    solve(solver, boards[0], Limit(seconds=most))  # the machine code is loaded
    for board in boards:
        start = time.process_time()
        result = solve(solver, board, Limit(seconds=most))
        total += time.process_time() - start
        undecided += result.proof != "unique"
    return total, undecided


def main() -> None:
    """Solve, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="cells of a row (16 25)")
    parser.add_argument("--boards", type=int, default=50, help="boards of each set (50)")
    parser.add_argument("--solvers", nargs="+", default=("dancing-links", "sat"), help="beside the usual one")
    parser.add_argument("--seconds", type=float, default=10, help="the limit for each board (10)")
    arguments = parser.parse_args()
    table = Table("boards", "clues", "solver", "CPU s", "undecided", title="usual solvers of large Sudokus")
    for size in arguments.sizes:
        puzzle = puzzlelab.load(f"sudoku-{size}x{size}")
        usual = registry.solver(puzzle=puzzle)
        for name, level in SETS.items():
            boards = list(puzzlelab.generate(puzzle, arguments.boards, level=level, seed=SEED))
            clues = [int((board.state > 0).sum()) for board in boards]
            for solver in [usual, *map(registry.parse_solver, arguments.solvers)]:
                total, undecided = seconds(solver, boards, arguments.seconds)
                shown = f"usual: {solver.name}" if solver is usual else solver.name
                table.add_row(
                    f"{puzzle.name} {name}", f"{min(clues)}-{max(clues)}", shown, f"{total:.2f}", str(undecided)
                )
    Console().print(table)


if __name__ == "__main__":
    main()
