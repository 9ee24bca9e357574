import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.registry import load
from puzzlelab.core.views import KernelRules
from puzzlelab.puzzles.tiles import exact_distances_kernels
from puzzlelab.puzzles.tiles.exact_distances_kernels import UNREACHED, rank_of, states_at, unrank
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.solvers.bfs import count_by_depth


def state_of(puzzle: Tiles, number: int) -> NDArray[np.uint8]:
    """The plain state with this rank."""
    rules = puzzle.view(KernelRules)
    working = np.zeros(puzzle.cells + 1, np.uint8)
    unrank(number, working, np.zeros(puzzle.cells, np.int64), rules.tables.home)
    return rules.decode(working[None])[0]


@pytest.mark.parametrize(
    "name", ["tiles-2x2", "tiles-3x2:blank-first", "tiles-2x4:goal=1,2,0,3,4,5,6,7", "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"]
)
def test_the_table_counts_what_a_search_counts(name: str) -> None:
    puzzle = load(name)
    table = exact_distances_kernels.distances(puzzle).distance
    assert table.shape == (math.factorial(puzzle.cells),)
    counts = np.bincount(table[table != UNREACHED])
    assert counts.tolist() == count_by_depth(Instance(puzzle, puzzle.goals()[0]))
    assert (table == UNREACHED).sum() == table.size // 2


def test_the_farthest_boards_of_the_8_puzzle() -> None:
    puzzle = load("tiles-3x3")
    farthest = {puzzle.write(state_of(puzzle, number)) for number in states_at(puzzle, 31)}
    assert farthest == {"6 4 7 8 5 0 3 2 1", "8 6 7 2 5 4 3 0 1"}
    assert states_at(puzzle, 32).size == 0
    assert states_at(puzzle, 0).size == 1


@pytest.mark.parametrize("name", ["tiles-2x2", "tiles-2x3:goal=3,0,1,2,5,4"])
def test_ranks_are_all_places_once(name: str) -> None:
    puzzle = load(name)
    size = math.factorial(puzzle.cells)
    boards = [state_of(puzzle, number) for number in range(size)]
    assert len({board.tobytes() for board in boards}) == size
    assert all(sorted(board.tolist()) == list(range(puzzle.cells)) for board in boards)
    assert [rank_of(puzzle.view(KernelRules).encode(board[None])[0]) for board in boards] == list(range(size))


@given(st.integers(2, 4), st.integers(2, 5), st.integers(0, 2**64 - 1))
def test_unrank_undoes_rank(rows: int, columns: int, seed: int) -> None:
    puzzle = Tiles(rows, columns)
    random = np.random.default_rng(seed)
    state = puzzle.view(KernelRules).encode(random.permutation(puzzle.cells).astype(np.uint8)[None])[0]
    again = np.zeros_like(state)
    unrank(rank_of(state), again, np.zeros(puzzle.cells, np.int64), puzzle.view(KernelRules).tables.home)
    assert np.array_equal(state, again)


def test_ranks_are_in_the_order_of_the_permutations() -> None:
    states = np.array([[0, 1, 2, 3, 3], [0, 1, 3, 2, 2], [1, 0, 2, 3, 3], [3, 2, 1, 0, 0]], np.uint8)
    assert [rank_of(state) for state in states] == [0, 1, 6, 23]
