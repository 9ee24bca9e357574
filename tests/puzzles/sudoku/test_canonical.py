"""The canonical form: the least of all images by brute force, one for all images, and quick for every board."""

from itertools import permutations

import numpy as np
import pytest

import puzzlelab
from puzzlelab.puzzles.sudoku.canonical import least_images

KNOWN = (
    "........1.......2...3.45........16.3.7.......28...........76......82......5.....9",
    "................12..3..4........53...1..2....6.7....8.....1......9...7...8...94..",
)
"""Two puzzles of 17 clues in the form in which Gordon Royle's list has them."""


def images(puzzle, board, count, random):
    """Random images of a board."""
    made = []
    for _ in range(count):
        cells, digits = puzzle.random_symmetry(random)
        made.append(np.concatenate([[0], digits + 1])[board[cells]])
    return np.array(made, np.uint8)


def every_image(board):
    """All images of a 4x4 board, a row each."""
    pairs = [(0, 1), (2, 3)]
    orders = np.array(
        [[*one, *two] for a, b in permutations(pairs) for one in permutations(a) for two in permutations(b)]
    )
    digits = np.array([(0, *order) for order in permutations(range(1, 5))])
    grids = np.array([board.reshape(4, 4), board.reshape(4, 4).T])
    cells = grids[:, orders][:, :, :, orders].transpose(0, 1, 3, 2, 4)
    return digits[:, cells].reshape(-1, 16)


@pytest.mark.parametrize("share", [0.2, 0.4, 0.7])
def test_it_is_the_least_image(share):
    puzzle, random = puzzlelab.load("sudoku-4x4"), np.random.default_rng(1)
    solved = puzzlelab.solve(puzzle.read("." * 16)).final.state
    board = np.where(random.random(16) < share, solved, 0).astype(np.uint8)
    every = every_image(board)
    assert len(every) == 2 * 8 * 8 * 24
    assert least_images(board[None], 2, 2)[0].tolist() == min(every.tolist())


@pytest.mark.parametrize(
    ("name", "share"),
    [("sudoku-9x9", share) for share in (0, 0.02, 0.1, 0.3, 0.6, 1)]
    + [(name, 0.35) for name in ("sudoku-4x4", "sudoku-6x6", "sudoku-6x6:boxes=3x2", "sudoku-12x12", "sudoku-16x16")],
)
def test_images_of_a_board_have_one_form(name, share):
    puzzle, random = puzzlelab.load(name), np.random.default_rng(2)
    solved = puzzlelab.solve(puzzle.read("." * puzzle.cells)).final.state
    board = np.where(random.random(puzzle.cells) < share, solved, 0).astype(np.uint8)
    made = images(puzzle, board, 5, random)
    forms = least_images(np.concatenate([board[None], made]), puzzle.box_rows, puzzle.box_columns)
    assert (forms == forms[0]).all()
    assert all(forms[0].tolist() <= image.tolist() for image in made)
    assert np.array_equal(least_images(forms[:1], puzzle.box_rows, puzzle.box_columns), forms[:1])


def test_boards_with_many_symmetries():
    rows = np.arange(9)
    grid = (3 * (rows % 3)[:, None] + (rows // 3)[:, None] + rows) % 9 + 1
    boards = np.array([np.where(grid <= most, grid, 0).reshape(-1) for most in range(10)], np.uint8)
    random, puzzle = np.random.default_rng(3), puzzlelab.load("sudoku-9x9")
    forms = least_images(boards, 3, 3)
    assert np.array_equal(forms, least_images(np.concatenate([images(puzzle, b, 1, random) for b in boards]), 3, 3))
    assert len(np.unique(forms, axis=0)) == 10


def test_puzzles_that_are_known_in_this_form():
    puzzle = puzzlelab.load("sudoku-9x9")
    boards = [puzzle.read(text) for text in KNOWN]
    assert list(puzzlelab.canonical(boards)) == boards


def test_a_form_that_takes_too_much_memory_is_refused(monkeypatch):
    monkeypatch.setattr("puzzlelab.puzzles.sudoku.canonical.MOST_ROOM", 1000)
    monkeypatch.setattr("puzzlelab.puzzles.sudoku.canonical.FIRST_ROOM", 100)
    solved = puzzlelab.solve(puzzlelab.load("sudoku-9x9").read("." * 81)).final
    with pytest.raises(puzzlelab.Unsupported, match="the canonical form of board 1 of 1 takes too much memory"):
        puzzlelab.canonical([solved])
    with pytest.raises(puzzlelab.BadOption, match="there are no boards"):
        puzzlelab.canonical([])
