"""Boards of dust for networks, and the mirror of the centre line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.core.views import Planes, is_legal
from puzzlelab.puzzles.dust.rules import Dust

EVEN = st.builds(Dust, st.sampled_from([2, 4, 6, 8]), st.integers(1, 6), st.integers(2, 9))
ODD = st.builds(Dust, st.sampled_from([1, 3, 5, 7]), st.integers(1, 6), st.integers(2, 9))


@given(puzzle=st.one_of(EVEN, ODD), seed=st.integers(0, 2**32))
def test_each_cell_says_which_colour_it_holds_or_that_it_is_empty(plainly, puzzle: Dust, seed: int) -> None:
    boards = np.stack([plainly.board(puzzle, seed, played) for played in range(4)])
    planes = puzzle.view(Planes).planes(boards)
    assert (planes.shape, planes.dtype) == ((4, puzzle.view(Planes).input_size), np.float32)
    cells = planes.reshape(4, puzzle.cells, puzzle.colours + 1)
    assert (cells.sum(axis=2) == 1).all()
    assert np.array_equal(cells.argmax(axis=2), boards)


@given(puzzle=EVEN, seed=st.integers(0, 2**32), played=st.integers(0, 8))
def test_a_click_in_the_mirror_is_the_mirror_of_the_click(plainly, puzzle: Dust, seed: int, played: int) -> None:
    board = plainly.board(puzzle, seed, played)
    (same, moves), (images, renamed) = puzzle.view(Planes).symmetries(board[None])
    assert np.array_equal(same[0], board)
    assert moves.tolist() == list(range(puzzle.cells))
    image = images[0]
    assert np.array_equal(image.reshape(puzzle.width, -1)[::-1], board.reshape(puzzle.width, -1))
    for move in np.flatnonzero(puzzle.legal(board)).tolist():
        assert is_legal(puzzle, image, int(renamed[move]))
        child = puzzle.apply(image, int(renamed[move]))
        assert np.array_equal(child, puzzle.view(Planes).symmetries(puzzle.apply(board, move)[None])[1][0][0])


@pytest.mark.parametrize("width", [1, 3, 7, 15])
def test_boards_with_unequal_halves_have_no_mirror(plainly, width: int) -> None:
    puzzle = Dust(width, 3, 3)
    assert len(puzzle.view(Planes).symmetries(plainly.board(puzzle, 0)[None])) == 1


def test_the_mirror_of_one_column_more_on_the_right_would_be_wrong() -> None:
    """Three columns, the line right of the first: a gap in the second is closed from the right, never from the left."""
    puzzle = Dust(3, 1, 3)
    left, right = np.array([1, 2, 3], np.uint8), np.array([3, 2, 1], np.uint8)
    assert puzzle.apply(left, 1).tolist() == [1, 3, 0]
    assert puzzle.apply(right, 1).tolist() == [3, 1, 0]


@given(puzzle=st.one_of(EVEN, ODD), seed=st.integers(0, 2**32))
def test_a_sheet_shows_the_cells_and_the_pairs_of_its_colour(plainly, puzzle: Dust, seed: int) -> None:
    boards = np.stack([plainly.board(puzzle, seed, played) for played in range(3)])
    sheets = puzzle.view(Planes).symbols.planes(boards)
    assert sheets.shape == (3, *puzzle.view(Planes).symbols.shape)
    for colour in range(1, puzzle.colours + 1):
        mine = (boards == colour).reshape(3, puzzle.width, puzzle.height)
        pairs = [mine[:, :, :-1] & mine[:, :, 1:], mine[:, :-1] & mine[:, 1:]]
        expected = np.concatenate([mine.reshape(3, -1), *(pair.reshape(3, -1) for pair in pairs)], axis=1)
        assert np.array_equal(sheets[:, colour - 1], expected)


@given(puzzle=st.one_of(EVEN, ODD), seed=st.integers(0, 2**32), played=st.integers(0, 8))
def test_exchanged_colours_exchange_their_sheets_and_keep_what_clicks_do(
    plainly, puzzle: Dust, seed: int, played: int
) -> None:
    board = plainly.board(puzzle, seed, played)
    order = np.random.default_rng(seed).permutation(puzzle.colours)
    (other,), called = puzzle.view(Planes).symbols.permuted(board[None], order)
    assert np.array_equal(
        puzzle.view(Planes).symbols.planes(other[None])[0],
        puzzle.view(Planes).symbols.planes(board[None])[0][order],
    )
    for move in np.flatnonzero(puzzle.legal(board)).tolist():
        child = puzzle.apply(other, int(called[move]))
        assert np.array_equal(child, puzzle.view(Planes).symbols.permuted(puzzle.apply(board, move)[None], order)[0][0])


@given(puzzle=EVEN, seed=st.integers(0, 2**32))
def test_a_cell_is_answered_for_on_the_sheet_of_its_colour(plainly, puzzle: Dust, seed: int) -> None:
    board = plainly.board(puzzle, seed, 2)
    colours, cells = np.divmod(
        puzzle.view(Planes).symbols.output_index(board[None])[0], puzzle.view(Planes).symbols.outputs
    )
    assert np.array_equal(cells, np.arange(puzzle.cells))
    assert np.array_equal((colours + 1)[board > 0], board[board > 0])
