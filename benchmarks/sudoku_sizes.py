"""Makes Sudokus of all sizes, and compares the usual solver of large ones: `python benchmarks/sudoku_sizes.py`.

The first table has boards of each shape of boxes: of levels 3 and 5, whose clues keep a half turn, and minimal ones.
`dancing-links` looks for a second solution of each, clues are left out one by one where it should be minimal, and each
is rated.

The second table has two sets of boards of each large size: easy ones of level 2, and hard ones of level 5, from which
clues were taken out as long as tests showed one solution. A figure is the CPU seconds of all boards of a set, each
solved and proven unique by itself; one that reaches the limit counts with it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import puzzlelab
from puzzlelab import Instance, Limit
from puzzlelab.core import registry
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.solver import Solver
from puzzlelab.engine.solving import solve

SHAPES = ("4x4", "6x6", "6x6:boxes=3x2", "8x8", "9x9", "10x10", "12x12", "15x15", "16x16", "20x20", "25x25")
KINDS: Mapping[str, Mapping[str, Any]] = {
    "level 3, half turn": {"level": 3, "symmetry": "half-turn"},
    "level 5, half turn": {"level": 5, "symmetry": "half-turn"},
    "minimal": {"minimal": True},
}
"""The settings of the generator for each kind of boards."""
WITHOUT_MINIMAL = ("20x20", "25x25")
"""Shapes of which no minimal boards are made."""
SIZES = (16, 25)
SETS = {"easy": 2, "hard": 5}
"""The level of each set."""
SEED = 1
WIDTH = 120
"""Characters of a line."""
SECOND = Limit(nodes=5_000_000)
"""The limit for the second solution of a board."""


@dataclass(frozen=True)
class Made:
    """What was found of some boards of a puzzle."""

    seconds: tuple[float, ...]
    clues: tuple[int, ...]
    unique: int
    symmetric: int
    minimal: int
    ratings: tuple[float, ...]
    """The ratings of those that logic solves."""


def made(puzzle: Puzzle, count: int, settings: Mapping[str, Any]) -> Made:
    """Make boards with these settings of the generator, and examine them."""
    next(iter(puzzlelab.generate(puzzle, 1, seed=SEED, **settings)))  # the machine code is loaded
    seconds, boards = list[float](), list[Instance]()
    for number in range(count):
        start = time.process_time()
        boards += puzzlelab.generate(puzzle, 1, seed=SEED + number, **settings)
        seconds.append(time.process_time() - start)
    are_clues = [board.state > 0 for board in boards]
    counts = [puzzlelab.count(board, "dancing-links", SECOND, 2).solutions for board in boards]
    ratings = [rating.rating for rating in puzzlelab.rate(boards)]
    return Made(
        tuple(seconds),
        tuple(int(clues.sum()) for clues in are_clues),
        counts.count(1),
        sum(np.array_equal(clues, clues[::-1]) for clues in are_clues),
        sum(bool(puzzlelab.needless_clues(board).minimal) for board in boards) if "minimal" in settings else 0,
        tuple(rating for rating in ratings if rating is not None),
    )


def table_of_made(shapes: Sequence[str], count: int) -> Table:
    """Return the table of boards of these shapes, so many of each kind."""
    table = Table(
        *("boards", "kind", "median s", "most s", "clues", "unique", "symmetric", "minimal", "rated", "ratings")
    )
    for shape in track(shapes, "making boards", console=Console(stderr=True)):
        puzzle = registry.load(f"sudoku-{shape}")
        for kind, settings in KINDS.items():
            if shape in WITHOUT_MINIMAL and "minimal" in settings:
                continue
            found = made(puzzle, count, settings)
            checked = [found.unique, found.symmetric if "symmetry" in settings else "", found.minimal or ""]
            table.add_row(
                puzzle.name,
                kind,
                f"{median(found.seconds):.3f}",
                f"{max(found.seconds):.3f}",
                f"{min(found.clues)}-{max(found.clues)}",
                *map(str, checked),
                str(len(found.ratings)),
                f"{min(found.ratings)}-{max(found.ratings)}" if found.ratings else "",
            )
    return table


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


def table_of_solvers(sizes: Sequence[int], count: int, solvers: Sequence[str], most: float) -> Table:
    """Return the table of the usual solver and these, on `count` boards of each set."""
    table = Table("boards", "clues", "solver", "CPU s", "undecided", title="usual solvers of large Sudokus")
    for size in sizes:
        puzzle = puzzlelab.load(f"sudoku-{size}x{size}")
        usual = registry.solver(puzzle=puzzle)
        for name, level in SETS.items():
            boards = list(puzzlelab.generate(puzzle, count, level=level, seed=SEED))
            clues = [int((board.state > 0).sum()) for board in boards]
            for solver in [usual, *map(registry.parse_solver, solvers)]:
                total, undecided = seconds(solver, boards, most)
                shown = f"usual: {solver.name}" if solver is usual else solver.name
                table.add_row(
                    f"{puzzle.name} {name}", f"{min(clues)}-{max(clues)}", shown, f"{total:.2f}", str(undecided)
                )
    return table


def main() -> None:
    """Make boards, solve, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", nargs="*", default=SHAPES, help="what comes after sudoku- in names (all boxes)")
    parser.add_argument("--made", type=int, default=20, help="boards of each shape and kind (20)")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="cells of a row of large ones (16 25)")
    parser.add_argument("--boards", type=int, default=50, help="boards of each set (50)")
    parser.add_argument("--solvers", nargs="+", default=("dancing-links", "sat"), help="beside the usual one")
    parser.add_argument("--seconds", type=float, default=10, help="the limit for each board (10)")
    arguments = parser.parse_args()
    if arguments.shapes:
        Console(width=WIDTH).print(table_of_made(arguments.shapes, arguments.made))
    if arguments.sizes:
        Console(width=WIDTH).print(
            table_of_solvers(arguments.sizes, arguments.boards, arguments.solvers, arguments.seconds)
        )


if __name__ == "__main__":
    main()
