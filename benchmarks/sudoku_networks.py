"""Sudoku by networks: boards a second, and guesses saved: `python benchmarks/sudoku_networks.py [--boards N]`.

Each network solves the same boards of 17 clues one at a time and many at once, beside the exact solver `bands`, in one
run on one machine; boards that it does not solve count as well. Then backtracking solves hard boards, which are made by
hill-climbing, alone and guided by each network: guesses to the solution, and to the proof that it is the only one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from puzzlelab import Limit, load
from puzzlelab.bench import suites
from puzzlelab.core.boards import Instance
from puzzlelab.core.registry import parse_solver
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Solver
from puzzlelab.engine.solving import solve_all
from puzzlelab.puzzles.sudoku.generate import SudokuGenerator
from puzzlelab.puzzles.sudoku.solvers.bands import solve_batch

PUZZLE = load("sudoku-9x9")
SOLVERS = {
    "lattice": "lattice:restarts=100",
    "cnn, the surest cell first": "lattice:prior=net:sudoku-9x9-cnn:policy=surest:restarts=0:masked=true",
    "cnn, all at once": "lattice:prior=net:sudoku-9x9-cnn:policy=at once",
}
GUIDES = {
    "no network": "backtracking",
    "lattice": "backtracking:prior=net",
    "cnn": "backtracking:prior=net:sudoku-9x9-cnn",
}


def rate(ask: Callable[[], object], boards: int) -> float:
    """Boards per second; called once before the clock starts."""
    ask()
    began = time.perf_counter()
    ask()
    return boards / (time.perf_counter() - began)


def speeds(boards: Sequence[Instance], alone: int) -> Table:
    """Boards a second of everybody."""
    table = Table("solver", "solved", "one at a time", f"{len(boards)} at once", title="boards a second, 17 clues")
    states = np.stack([board.state for board in boards])
    singly = rate(lambda: [solve_batch(state[None], jobs=1) for state in states], len(boards))
    table.add_row(
        "bands", f"{len(boards)}", f"{singly:,.0f}", f"{rate(lambda: solve_batch(states, jobs=1), len(boards)):,.0f}"
    )
    for name, text in SOLVERS.items():
        solver = parse_solver(text)
        results = solve_all(solver, boards, Limit())
        solved = sum(result.moves is not None for result in results)
        one = rate(lambda solver=solver: [solve_all(solver, [board], Limit()) for board in boards[:alone]], alone)
        many = rate(lambda solver=solver: solve_all(solver, boards, Limit()), len(boards))
        table.add_row(name, str(solved), f"{one:.1f}", f"{many:.1f}")
    return table


def guesses(solver: Solver, board: Instance) -> tuple[int, int, float]:
    """The guesses until the first solution, the guesses until the proof that it is unique, and the seconds."""
    results = [each for each in solver.attempts(board, Limit()) if isinstance(each, Result)]
    return results[0].expanded, results[-1].expanded, results[-1].seconds


def guides(count: int, steps: int) -> Table:
    """The guesses on hard boards with each guide."""
    puzzles = np.concatenate([part for part, _ in SudokuGenerator(hard=steps).batches(count, 5)])
    boards = [Instance(PUZZLE, state) for state in puzzles]
    table = Table(
        "guide", "to the solution", "to the proof", "ms a board", title=f"guesses of backtracking, {count} hard boards"
    )
    for name, text in GUIDES.items():
        solver = parse_solver(text)
        measurements = np.array([guesses(solver, board) for board in boards])
        first, proof, seconds = measurements.mean(axis=0)
        table.add_row(name, f"{first:.1f}", f"{proof:.1f}", f"{1000 * seconds:.2f}")
    return table


def main() -> None:
    """Measure, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=256, help="boards at once (256)")
    parser.add_argument("--alone", type=int, default=20, help="boards that are solved one at a time (20)")
    parser.add_argument("--hard", type=int, default=100, help="hard boards for the guides (100)")
    parser.add_argument("--steps", type=int, default=1000, help="steps of hill-climbing for each of them (1000)")
    arguments = parser.parse_args()
    known_boards = [entry.board for entry in suites.find("sudoku17").entries]
    texts = known_boards * (1 + arguments.boards // len(known_boards))
    console = Console()
    console.print(speeds([PUZZLE.read(text) for text in texts[: arguments.boards]], arguments.alone))
    console.print(guides(arguments.hard, arguments.steps))


if __name__ == "__main__":
    main()
