"""What the rules say about boards of dust, as inputs of networks, against the plain rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab.core.views import Planes
from puzzlelab.puzzles.dust.planes import NEXT_SCALE, SIZE_SCALE, pairs
from puzzlelab.puzzles.dust.rules import Dust

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
