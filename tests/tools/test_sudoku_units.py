"""The comparison of counts in `benchmarks/sudoku_units.py`, on few boards of each kind."""

import pytest

import sudoku_units
from puzzlelab import load

pytest.importorskip("pysat")


@pytest.mark.parametrize("kind", sudoku_units.KINDS)
def test_all_solvers_count_alike(kind) -> None:
    found = sudoku_units.compare(sudoku_units.KINDS[kind], 40)
    assert found.boards == 40
    assert found.wrong == []
    assert {"none", "one", "several"} >= set(found.solutions) > {"several"}


def test_boards_are_the_same_each_time() -> None:
    puzzle = load("sudoku-6x6:diagonal")
    first, again = ([str(board) for board in sudoku_units.boards(puzzle, 8)] for _ in range(2))
    assert first == again
    assert len(set(first)) == 8
