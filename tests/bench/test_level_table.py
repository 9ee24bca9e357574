"""Tables by level: boards that are solved, and cells that are right in boards that are not."""

import io

import numpy as np
import pytest
from rich.console import Console

from puzzlelab import load
from puzzlelab.bench import runs, tables
from puzzlelab.bench.suites import Suite, SuiteEntry
from puzzlelab.core.limit import Limit
from puzzlelab.core.views import Prior
from puzzlelab.solvers.backtracking import Backtracking
from puzzlelab.solvers.lattice import Lattice

FOUR = load("sudoku-4x4")
GRID = "1234341221434321"
EASY, HARDER, OPEN = "123434122143432.", "12343412........", "1..............."
ENTRIES = (SuiteEntry(EASY, 1), SuiteEntry(EASY, 1), SuiteEntry(HARDER, 2), SuiteEntry(OPEN, 2), SuiteEntry(OPEN))


def telling(wrong=()):
    """A prior that knows GRID, but for these cells."""
    truth = np.array([int(digit) - 1 for digit in GRID])
    truth[list(wrong)] = (truth[list(wrong)] + 1) % 4
    marks = np.where(truth[:, None] == np.arange(4), 5.0, -5.0)
    return Prior("made", lambda states: pytest.fail("asked"), lambda left: np.repeat(marks[None], len(left), 0), True)


def lines(run):
    return [(solver, level, *found) for solver, levels in tables.levels(run).items() for level, found in levels.items()]


@pytest.fixture
def run():
    """A network that is wrong in the last cell but one, and a solver that asks nobody."""
    solvers = [Lattice(prior=telling(wrong=[14]), restarts=0), Backtracking()]
    return runs.run(Suite("graded", FOUR, ENTRIES), solvers, Limit())


def test_each_solver_has_a_line_for_each_level(run) -> None:
    found = [(solver.split(":")[0], level, at.solved) for solver, level, at, _ in lines(run)]
    assert found == [
        ("lattice", 1, (2, 2)),
        ("lattice", 2, (0, 2)),
        ("backtracking", 1, (2, 2)),
        ("backtracking", 2, (2, 2)),
    ]
    assert [row[2] for row in tables.of_levels(run).rows] == ["15", "1-8", "", "15", "1-8", ""]


def test_cells_count_where_the_board_has_one_solution(run) -> None:
    easy, hard, *others = [cells for *_, cells in lines(run)]
    assert easy == (2, 2)
    assert hard.total == 0  # neither board of level 2 has one solution
    assert all(cells.total == 0 for cells in others)  # who asks no network writes no wrong cells


def test_a_cell_that_is_wrong_is_one_less() -> None:
    board = "12343412214....."
    run = runs.run(
        Suite("one", FOUR, (SuiteEntry(EASY, 1), SuiteEntry(board, 2))),
        [Lattice(prior=telling(wrong=[14]), restarts=0)],
        Limit(),
    )
    *_, at, cells = lines(run)[1]
    assert (at.solved.number, *cells) == (0, 4, 5)


def test_the_table_ends_with_the_mean_of_the_levels(run) -> None:
    text = io.StringIO()
    Console(file=text, width=200).print(tables.of_levels(run))
    lines = [line.split() for line in text.getvalue().splitlines()]
    means = [line for line in lines if "mean" in line]
    assert [line[1:3] for line in means] == [["50.00", "%"], ["100.00", "%"]]


def test_without_levels_or_for_puzzles_that_are_played_there_is_no_table(run) -> None:
    bare = Suite("bare", FOUR, (SuiteEntry(EASY), SuiteEntry(HARDER)))
    assert tables.of_levels(runs.run(bare, [Backtracking()], Limit())) is None
    one = Suite("one", FOUR, (SuiteEntry(EASY, 1), SuiteEntry(HARDER, 1)))
    assert tables.of_levels(runs.run(one, [Backtracking()], Limit())) is None
