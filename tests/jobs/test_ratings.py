"""Boards in parts with their ratings: their order, and how many are rated at once."""

import numpy as np
import pytest

from puzzlelab import Boards, Limit, Rating, load, rate, solver
from puzzlelab.jobs import ratings
from puzzlelab.jobs.ratings import rated_parts, ratings_of

EASY = ".54.8213..6...37943.16..2..2...7....693.1.547....4...9..9..78.24368...7..2856.41."
TWO_ONES = "11" + "." * 79


@pytest.fixture
def boards():
    """Boards with one, several, one and no solutions."""
    puzzle = load("sudoku-9x9")
    return Boards.of([puzzle.read(text) for text in (EASY, "." * 81, EASY, TWO_ONES)])


def test_boards_and_ratings_stay_together(boards):
    parts = list(rated_parts(boards, None, solver(puzzle=boards.puzzle), Limit()))
    texts = [boards.puzzle.write(board.state) for part, _ in parts for board in part]
    assert texts == [boards.puzzle.write(board.state) for board in boards]
    assert [each.rating for _, part in parts for each in part] == [1.2, None, 1.2, None]
    assert rate(boards) == [each for _, part in parts for each in part]


def test_fast_boards_are_rated_in_ever_larger_parts(boards, monkeypatch):
    monkeypatch.setattr(ratings, "FIRST", 1)
    monkeypatch.setattr(ratings, "SECONDS", float("inf"))
    many = Boards(boards.puzzle, np.repeat(boards.states[:1], 8, axis=0))
    parts = rated_parts(many, "118", solver(puzzle=boards.puzzle), Limit())
    assert [len(part) for part, _ in parts] == [1, 2, 4, 1]
    monkeypatch.setattr(ratings, "FIRST", 4)
    monkeypatch.setattr(ratings, "SECONDS", 0.0)
    parts = rated_parts(many, "118", solver(puzzle=boards.puzzle), Limit())
    assert [len(part) for part, _ in parts] == [4, 2, 1, 1]


def test_the_first_boards_with_one_solution_are_rated(boards):
    found = ratings_of(boards, [True, False, True, False], 2)
    assert [each and each.rating for each in found] == [1.2, None, None, None]
    small = Boards.of([load("sudoku-4x4").read("small")])
    assert [each and (each.scale, each.rating) for each in ratings_of(small, [True], 10)] == [("units", 1.2)]
    tiles = Boards.of([load("tiles-3x3").read("1 2 3 4 5 6 7 0 8")])
    assert ratings_of(tiles, [True], 10) == [None]


def test_no_boards_have_no_ratings():
    assert rate([]) == []
    assert Rating("121", reason="why") == Rating("121", reason="why")
