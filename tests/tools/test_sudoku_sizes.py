"""The examination of boards in `benchmarks/sudoku_sizes.py`, on few small boards."""

import pytest

import sudoku_sizes
from puzzlelab import load
from puzzlelab.core.registry import solver


@pytest.mark.parametrize("shape", ["4x4", "6x6:boxes=3x2", "5x5:jigsaw=1122211322143334435544555", "9x9"])
@pytest.mark.parametrize("settings", sudoku_sizes.KINDS.values(), ids=sudoku_sizes.KINDS)
def test_boards_are_made_and_examined(shape, settings) -> None:
    found = sudoku_sizes.made(load(f"sudoku-{shape}"), 3, settings)
    assert found.unique == 3
    assert (found.minimal if "minimal" in settings else found.symmetric) == 3
    assert len(found.seconds) == len(found.clues) == 3


def test_solvers_are_compared() -> None:
    table = sudoku_sizes.table_of_solvers([4], 2, ["dancing-links"], 10)
    assert [column.header for column in table.columns] == ["boards", "clues", "solver", "CPU s", "undecided"]
    assert list(table.columns[4].cells) == ["0"] * 4


def test_a_board_that_is_not_decided_is_told() -> None:
    board = load("sudoku-9x9").read("many")
    assert sudoku_sizes.seconds(solver("dancing-links"), [board], 10)[1] == 1
