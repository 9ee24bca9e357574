"""Boards of dust for networks, and the mirror of the centre line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.puzzles.dust.rules import Dust

EVEN = st.builds(Dust, st.sampled_from([2, 4, 6, 8]), st.integers(1, 6), st.integers(2, 9))
ODD = st.builds(Dust, st.sampled_from([1, 3, 5, 7]), st.integers(1, 6), st.integers(2, 9))


@given(puzzle=st.one_of(EVEN, ODD), seed=st.integers(0, 2**32))
def test_each_cell_says_which_colour_it_holds_or_that_it_is_empty(plainly, puzzle: Dust, seed: int) -> None:
    boards = np.stack([plainly.board(puzzle, seed, played) for played in range(4)])
    planes = puzzle.planes(boards)
    assert (planes.shape, planes.dtype) == ((4, puzzle.input_size), np.float32)
    cells = planes.reshape(4, puzzle.cells, puzzle.colours + 1)
    assert (cells.sum(axis=2) == 1).all()
    assert np.array_equal(cells.argmax(axis=2), boards)


@given(puzzle=EVEN, seed=st.integers(0, 2**32), played=st.integers(0, 8))
def test_a_click_in_the_mirror_is_the_mirror_of_the_click(plainly, puzzle: Dust, seed: int, played: int) -> None:
    board = plainly.board(puzzle, seed, played)
    (same, moves), (images, renamed) = puzzle.symmetries(board[None])
    assert np.array_equal(same[0], board)
    assert moves.tolist() == list(range(puzzle.cells))
    image = images[0]
    assert np.array_equal(image.reshape(puzzle.width, -1)[::-1], board.reshape(puzzle.width, -1))
    for move in np.flatnonzero(puzzle.legal(board)).tolist():
        assert puzzle.permits(image, int(renamed[move]))
        child = puzzle.apply(image, int(renamed[move]))
        assert np.array_equal(child, puzzle.symmetries(puzzle.apply(board, move)[None])[1][0][0])


@pytest.mark.parametrize("width", [1, 3, 7, 15])
def test_boards_with_unequal_halves_have_no_mirror(plainly, width: int) -> None:
    puzzle = Dust(width, 3, 3)
    assert len(puzzle.symmetries(plainly.board(puzzle, 0)[None])) == 1


def test_the_mirror_of_one_column_more_on_the_right_would_be_wrong() -> None:
    """Three columns, the line right of the first: a gap in the second is closed from the right, never from the left."""
    puzzle = Dust(3, 1, 3)
    left, right = np.array([1, 2, 3], np.uint8), np.array([3, 2, 1], np.uint8)
    assert puzzle.apply(left, 1).tolist() == [1, 3, 0]
    assert puzzle.apply(right, 1).tolist() == [3, 1, 0]
