"""The clusters of many boards at once are those of the plain rules."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.core.views import Legality
from puzzlelab.puzzles.dust.rules import Dust

PUZZLES = st.builds(Dust, st.integers(1, 16), st.integers(1, 16), st.integers(2, 9))


@given(puzzle=PUZZLES, seed=st.integers(0, 2**32), played=st.integers(0, 5))
def test_every_cell_stands_for_the_first_of_its_cluster(plainly, puzzle: Dust, seed: int, played: int) -> None:
    boards = np.stack([plainly.board(puzzle, seed + i, i * played) for i in range(3)])
    named = puzzle.view(Legality).canonical_moves(boards)
    assert named.dtype == np.int64
    assert np.array_equal(named, np.stack([puzzle.clusters(board) for board in boards]))


def test_a_spiral_is_one_cluster() -> None:
    rows = ["111111", "100001", "101101", "101001", "101111", "100000"]
    puzzle = Dust(6, 6, 2)
    board = np.array([[2 - int(cell) for cell in row] for row in rows], np.uint8)
    named = puzzle.view(Legality).canonical_moves(board.reshape(1, -1)).reshape(6, 6)
    assert np.array_equal(named, np.where(board == 1, 0, named[1, 1]))
    assert named[1, 1] == 7
