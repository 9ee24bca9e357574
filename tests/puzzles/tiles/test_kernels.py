"""The names by which a search reaches the rules, called as plain Python and compiled."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.test_kernels import offered

from puzzlelab.core.registry import load
from puzzlelab.core.views import KernelRules
from puzzlelab.engine import kernels
from puzzlelab.engine.kernels import compiled
from puzzlelab.puzzles.tiles.kernels import packed_words
from puzzlelab.puzzles.tiles.rules import Tiles, with_reversed_axes

MIDDLE = "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"
NAMES = ("tiles-2x2", "tiles-3x3", MIDDLE, "tiles-4x4:blank-first", "tiles-2x7", "tiles-12x12")
PUZZLES = st.builds(Tiles, st.integers(2, 12), st.integers(2, 12))


def start(puzzle: Tiles, seed: int) -> np.ndarray:
    """A plain state with the blank anywhere."""
    return np.random.default_rng(seed).permutation(puzzle.cells).astype(np.uint8)


@compiled
def down_and_up(tables, stack, moves, depth):
    """Make these moves one after the other, then undo them; the state at the bottom is written into the last row."""
    for i in range(depth):
        kernels.do_move(tables, stack, np.uint64(i), moves[i])
    kernels.copy(stack[kernels.stack_row(tables, np.uint64(depth))], stack[depth + 1])
    for i in range(depth - 1, -1, -1):
        kernels.undo_move(tables, stack, np.uint64(i), moves[i])


@given(puzzle=PUZZLES, seed=st.integers(0, 2**32))
def test_encode_names_goal_cells_and_the_blanks_cell(puzzle: Tiles, seed: int) -> None:
    puzzle = Tiles(puzzle.rows, puzzle.columns, tuple(start(puzzle, seed + 1).tolist()))
    board = start(puzzle, seed)
    rules = puzzle.view(KernelRules)
    working = rules.encode(board[None])[0]
    cells = with_reversed_axes(puzzle, np.arange(puzzle.cells, dtype=np.uint8)).tolist()
    assert [puzzle.goal[cells[cell]] for cell in working[:-1]] == [int(board[cell]) for cell in cells]
    assert board[cells[working[-1]]] == 0
    assert np.array_equal(rules.decode(working[None])[0], board)
    assert rules.encode(puzzle.goals())[0, :-1].tolist() == list(range(puzzle.cells))


@pytest.mark.parametrize(("cells", "words"), [(4, 1), (9, 1), (16, 1), (17, 2), (25, 3), (32, 3), (64, 7), (144, 18)])
def test_a_packed_state_takes_few_words(cells: int, words: int) -> None:
    assert packed_words(cells) == words


@pytest.mark.parametrize("search", [offered, offered.py_func], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 2**32), last=st.integers(-1, 3))
def test_a_depth_first_search_tries_every_move_but_the_way_back(name: str, search, seed: int, last: int) -> None:
    puzzle = load(name)
    board = start(puzzle, seed)
    rules = puzzle.view(KernelRules)
    row, found = np.zeros(4, np.int32), np.zeros(4, np.int32)
    count = search(rules.tables, rules.encode(board[None])[0], last, row, found)
    legal = np.flatnonzero(puzzle.legal(board)).tolist()
    assert found[:count].tolist() == [move for move in legal if last < 0 or move != puzzle.inverse(last)]


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 2**32), depth=st.integers(0, 30))
def test_going_down_makes_the_moves_and_coming_up_undoes_them(name: str, seed: int, depth: int) -> None:
    puzzle = load(name)
    board, random, moves = start(puzzle, seed), np.random.default_rng(seed), []
    state = board
    for _ in range(depth):
        moves.append(int(random.choice(np.flatnonzero(puzzle.legal(state)))))
        state = puzzle.apply(state, moves[-1])
    rules = puzzle.view(KernelRules)
    stack = np.stack([rules.encode(board[None])[0]] * (depth + 2))
    down_and_up(rules.tables, stack, np.array([*moves, 0], np.int32), depth)
    assert np.array_equal(rules.decode(stack[depth + 1][None])[0], state)
    assert np.array_equal(rules.decode(stack[0][None])[0], board)
