"""Boards of dust for networks, and the mirror of the centre line."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab.core.views import Planes, is_legal
from puzzlelab.puzzles.dust.planes import NEXT_SCALE, SIZE_SCALE, pairs
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
        puzzle.view(Planes).symbols.planes(other[None])[0], puzzle.view(Planes).symbols.planes(board[None])[0][order]
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


# --- what a click does to clusters ---

ANY = st.builds(Dust, st.integers(1, 8), st.integers(1, 6), st.integers(2, 5))


def parts(puzzle: Dust, board: np.ndarray) -> list[np.ndarray]:
    """For each colour: cells, pairs, and the four numbers of clusters."""
    features = puzzle.view(Planes).symbols.features(board[None])
    assert (features.dtype, features.shape) == (np.float32, (1, *puzzle.view(Planes).symbols.feature_shape))
    near = len(pairs(puzzle.width, puzzle.height)[0])
    cells = puzzle.cells
    return np.split(features[0], cells + near + np.array([-near, 0, *(cells * i for i in (1, 2, 3))]), axis=1)


def count(puzzle: Dust, board: np.ndarray) -> int:
    return int(puzzle.legal(board).sum())


def joined(puzzle: Dust, board: np.ndarray, move: int) -> int:
    """How many clusters fewer there are than without the cluster of this move."""
    return count(puzzle, board) - 1 - count(puzzle, puzzle.apply(board, move))


@settings(max_examples=30)
@given(puzzle=ANY, seed=st.integers(0, 2**32), played=st.integers(0, 6))
def test_clusters_have_their_size_and_what_clicks_join(plainly, puzzle: Dust, seed: int, played: int) -> None:
    board = plainly.board(puzzle, seed, played)
    cells, _, is_first, sizes, joins, joins_next = parts(puzzle, board)
    assert np.array_equal(cells > 0, board == np.arange(1, puzzle.colours + 1)[:, None])
    assert np.array_equal(is_first.sum(axis=0) > 0, puzzle.legal(board))
    clusters = puzzle.clusters(board)
    for move in np.flatnonzero(puzzle.legal(board)).tolist():
        colour, child = board[move] - 1, puzzle.apply(board, move)
        after = [joined(puzzle, child, then) for then in np.flatnonzero(puzzle.legal(child)).tolist()]
        assert is_first[colour, move] == 1
        assert sizes[colour, move] == (clusters == move).sum() * SIZE_SCALE
        assert joins[colour, move] == joined(puzzle, board, move)
        assert joins_next[colour, move] == max(after, default=0) * NEXT_SCALE


@given(puzzle=ANY, seed=st.integers(0, 2**32))
def test_pairs_are_of_one_colour_in_the_same_or_in_neighbouring_columns(plainly, puzzle: Dust, seed: int) -> None:
    board = plainly.board(puzzle, seed, 1)
    first, second = pairs(puzzle.width, puzzle.height)
    expected = [
        (a, b)
        for a in range(puzzle.cells)
        for b in range(a + 1, puzzle.cells)
        if b // puzzle.height - a // puzzle.height <= 1
    ]
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected
    found = parts(puzzle, board)[1]
    for colour in range(puzzle.colours):
        assert np.array_equal(found[colour] > 0, (board[first] == colour + 1) & (board[second] == colour + 1))


@given(puzzle=ANY, seed=st.integers(0, 2**32))
def test_exchanged_colours_exchange_their_features(plainly, puzzle: Dust, seed: int) -> None:
    board = plainly.board(puzzle, seed, 2)
    order = np.random.default_rng(seed).permutation(puzzle.colours)
    (other,), _ = puzzle.view(Planes).symbols.permuted(board[None], order)
    features = puzzle.view(Planes).symbols.features
    assert np.array_equal(features(other[None])[0], features(board[None])[0][order])


@pytest.mark.parametrize("number", [0, 1, 5])
def test_boards_have_the_same_features_alone_and_together(plainly, number: int) -> None:
    puzzle = Dust(5, 4, 3)
    boards = np.stack([plainly.board(puzzle, seed, seed % 4) for seed in range(5)])[:number]
    features = puzzle.view(Planes).symbols.features
    assert len(features(boards)) == number
    for row in range(number):
        assert np.array_equal(features(boards[row : row + 1])[0], features(boards)[row])


def test_large_clusters_and_cleared_boards() -> None:
    puzzle = Dust(16, 16, 2)
    features = puzzle.view(Planes).symbols.features(np.stack([np.full(256, 2, np.uint8), np.zeros(256, np.uint8)]))
    assert features[0, 1].max() == 256 * SIZE_SCALE
    assert not features[0, 0].any()
    assert not features[1].any()
