"""Counts the work of the Sudoku methods by board size and empty cells: `python benchmarks/sudoku_growth.py`.

Work is counted in the steps that the worst-case bounds of docs/sudoku-run-times.md are about, not in seconds: guesses,
chosen permutations or options, decisions, nodes of branch and bound, proposed swaps, evaluations of a network. Boards
and methods have fixed seeds and end at fixed numbers of steps, so that the table does not depend on the machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from puzzlelab import Limit, load
from puzzlelab.core.boards import Instance
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.registry import parse_solver
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Solver
from puzzlelab.core.views import Candidates, Prior
from puzzlelab.engine.enumeration import Enumerator
from puzzlelab.engine.solving import solve
from puzzlelab.solvers.lattice import Lattice

SIZES = (4, 6, 9, 12, 16)
EMPTY_SHARES = (0.25, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The shares of cells that are emptied at random; such boards may have several solutions."""
DIGGER, DIGGING = parse_solver("backtracking"), Limit(nodes=1000)
"""The solver that finds whether a board has one solution, and its limit; an undecided board counts as several."""


@dataclass(frozen=True)
class Method:
    """A method, and what it is counted in."""

    name: str
    solver: str
    unit: str
    limit: int
    """The number of steps after which it is stopped."""


METHODS = (
    Method("simulated annealing", "annealing", "swaps", 10_000_000),
    Method("permutation search", "permutation", "permutations", 100_000),
    Method("integer programming", "integer", "nodes", 100),
    Method("backtracking", "backtracking", "guesses", 100_000),
    Method("SAT", "sat", "decisions", 100_000),
    Method("dancing links", "dancing-links", "options", 1_000_000),
    Method("network", "lattice", "evaluations", 1_000_000),
)


@dataclass(frozen=True)
class Work:
    """The steps of a method on one board, and whether it was stopped before its end."""

    steps: int
    stop: str
    """The limit that ended it: '' for none, '+' for the number of steps, 'memory'."""


# --- boards ---


def full_grid(puzzle: Puzzle, random: np.random.Generator) -> NDArray[np.uint8]:
    """A cyclic grid with its digits, bands, stacks, rows and columns in random order."""
    size, rows = puzzle.size, puzzle.box_rows
    line, column = np.divmod(np.arange(size * size), size)
    cyclic = (line % rows * puzzle.box_columns + line // rows + column) % size
    symmetry = puzzle.view(Candidates)
    cells, digits = symmetry.random_symmetry(random)
    grid: NDArray[np.uint8] = (digits[cyclic[cells]] + 1).astype(np.uint8)
    return grid


def boards(puzzle: Puzzle, seed: int) -> Iterator[Instance]:
    """A board for each of `EMPTY_SHARES`, and one of which no clue can be left out, all of one full grid."""
    random = np.random.default_rng([puzzle.size, seed])
    grid = full_grid(puzzle, random)
    order = random.permutation(puzzle.cells)
    for share in EMPTY_SHARES:
        state = grid.copy()
        state[order[: round(share * puzzle.cells)]] = 0
        yield Instance(puzzle, state)
    yield Instance(puzzle, minimal(puzzle, grid, order))


def minimal(puzzle: Puzzle, grid: NDArray[np.uint8], order: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The grid after emptying, in this order, every cell without which the board still has one solution."""
    state = grid.copy()
    for cell in order:
        without = state.copy()
        without[cell] = 0
        if solve(DIGGER, Instance(puzzle, without), DIGGING).proof == "unique":
            state = without
    return state


# --- work ---


def solver_of(method: Method, size: int) -> Solver:
    """The solver; numbers without a meaning stand for a network, whose evaluations do not depend on its weights."""
    if method.solver != "lattice":
        return parse_solver(method.solver)
    random = np.random.default_rng(size)
    prior = Prior("random", lambda states: random.standard_normal((len(states), size**3)))
    return Lattice(prior=prior, policy="surest", restarts=0)


def work(method: Method, board: Instance) -> Work:
    """The steps until the first solution; for a complete method until a second one, or the proof that there is none."""
    solver, limit = solver_of(method, board.puzzle.size), Limit(nodes=method.limit)
    is_complete = isinstance(solver, Enumerator)
    result = two_solutions(solver, board, limit) if is_complete else solve(solver, board, limit)
    steps = result.evaluations if method.solver == "lattice" else result.expanded
    return Work(steps, {"nodes": "+", "memory": "memory"}.get(result.stop, ""))


def two_solutions(solver: Enumerator, board: Instance, limit: Limit) -> Result:
    """The result with which the search for two solutions ends; nothing learned from earlier boards is used."""
    result, solutions = Result(None), 0
    for attempt in solver.solutions(board, limit):
        if isinstance(attempt, Result):
            result, solutions = attempt, solutions + (attempt.moves is not None)
        if solutions == 2:
            break
    return result


def in_words(works: Sequence[Work]) -> str:
    """The median and the greatest number of steps; '+' where the limit ended a search before that number was known."""
    if all(each.stop == "memory" for each in works):
        return "memory"
    greatest = max(works, key=lambda each: each.steps)
    stopped = sum(each.stop == "memory" for each in works)
    middle = round(median(each.steps for each in works))
    words = f"{middle:,} / {greatest.steps:,}{'+' if any(each.stop == '+' for each in works) else ''}"
    return words + (f", {stopped} memory" if stopped else "")


def multiplications(size: int) -> int:
    """The multiplications of one evaluation of the document's network, made for boards of this size."""
    cells = size**2
    return cells * (9 * 64 + 64 * 9 * 64 + 64 * 128) + 128 * cells * size**3


def growth(sizes: Sequence[int], count: int) -> Table:
    """The table of all methods."""
    headings = (f"{method.name}\n{method.unit}" for method in METHODS)
    table = Table("board", "empty", "solutions", *headings, title="median / greatest")
    for size in sizes:
        puzzle = load(f"sudoku-{size}x{size}")
        columns = list(zip(*(boards(puzzle, seed) for seed in range(count)), strict=True))
        for group in track(columns, description=puzzle.name, transient=True):
            empty = [int(np.count_nonzero(board.state == 0)) for board in group]
            table.add_row(
                f"{size}x{size}",
                f"{min(empty)}-{max(empty)}" if min(empty) < max(empty) else str(empty[0]),
                "one" if group is columns[-1] else "any",
                *(in_words([work(method, board) for board in group]) for method in METHODS),
            )
    return table


def network_costs(sizes: Sequence[int]) -> Table:
    """The cost of one evaluation of the document's network by board size."""
    table = Table("board", "multiplications an evaluation", "for all cells", title="the document's network")
    for size in sizes:
        once = multiplications(size)
        table.add_row(f"{size}x{size}", f"{once:,}", f"{once * size**2:,}")
    return table


def main() -> None:
    """Count, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="cells of a row (4 6 9 12 16)")
    parser.add_argument("--boards", type=int, default=5, help="boards of each kind (5)")
    arguments = parser.parse_args()
    console = Console()
    console.print(growth(arguments.sizes, arguments.boards))
    console.print(network_costs(arguments.sizes))


if __name__ == "__main__":
    main()
