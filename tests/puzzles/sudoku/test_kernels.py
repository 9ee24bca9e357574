"""The names by which a search reaches the rules, called as plain Python and compiled."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab.core.registry import load
from puzzlelab.core.views import KernelRules
from puzzlelab.engine import kernels
from puzzlelab.puzzles.sudoku.rules import Sudoku

SIDES = st.integers(2, 5)
PUZZLES = st.builds(Sudoku, SIDES, SIDES)
SHARES = st.sampled_from([0.0, 0.03, 0.2, 0.6, 1.0])


def board(puzzle, seed, share):
    """Digits anywhere, in conflict or not."""
    random = np.random.default_rng(seed)
    digits = random.integers(1, puzzle.size + 1, puzzle.cells)
    return np.where(random.random(puzzle.cells) < share, digits, 0).astype(np.uint8)


def surveyed(puzzle, state, survey):
    """(the legal moves, the boards after the first few of them, whether it is solved, packed, unpacked again)."""
    rules = puzzle.view(KernelRules)
    working = rules.encode(state[None])[0]
    moves = np.full(puzzle.move_count, -1, np.int32)
    children = np.zeros((puzzle.move_count, rules.size), rules.dtype)
    words = np.full(rules.words, 2**64 - 1, np.uint64)
    again = np.full(rules.size, 255, rules.dtype)
    count, solved = survey(rules.tables, working, moves, children, words, again)
    return moves[:count], children[:count], bool(solved), words, again


@settings(max_examples=80)
@given(puzzle=PUZZLES, seed=st.integers(0, 2**32), share=SHARES)
def test_compiled_rules_are_the_plain_rules(puzzle, seed, share) -> None:
    state = board(puzzle, seed, share)
    moves, children, solved, _, again = surveyed(puzzle, state, kernels.survey)
    assert moves.tolist() == np.flatnonzero(puzzle.legal(state)).tolist()
    assert solved == puzzle.solved(state)
    assert again.tolist() == state.tolist()
    for i in range(0, len(moves), max(1, len(moves) // 50)):
        assert np.array_equal(children[i], puzzle.apply(state, int(moves[i])))


@settings(max_examples=15)
@given(puzzle=st.sampled_from([load("sudoku-4x4"), load("sudoku-6x6")]), seed=st.integers(0, 2**32), share=SHARES)
def test_the_same_source_runs_uncompiled(puzzle, seed, share) -> None:
    state = board(puzzle, seed, share)
    one, two = (surveyed(puzzle, state, each) for each in (kernels.survey, kernels.survey.py_func))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("size", [4, 6, 8, 9, 10, 12, 15, 16, 20, 25])
def test_a_full_grid_is_solved_and_another_is_not(size: int) -> None:
    puzzle = load(f"sudoku-{size}x{size}")
    rows, columns = np.divmod(np.arange(puzzle.cells), size)
    shifts = rows % puzzle.box_rows * puzzle.box_columns + rows // puzzle.box_rows
    grid = ((columns + shifts) % size + 1).astype(np.uint8)
    assert surveyed(puzzle, grid, kernels.survey)[2]
    for cell in range(0, puzzle.cells, 7):
        other = grid.copy()
        other[cell] = other[cell] % size + 1
        assert not surveyed(puzzle, other, kernels.survey)[2]
        other[cell] = 0
        assert not surveyed(puzzle, other, kernels.survey)[2]


@settings(max_examples=60)
@given(puzzle=PUZZLES, seed=st.integers(0, 2**32), share=SHARES, cell=st.floats(0, 1, exclude_max=True))
def test_pack_is_one_to_one(puzzle, seed, share, cell) -> None:
    state = board(puzzle, seed, share)
    other = state.copy()
    place = int(cell * puzzle.cells)
    other[place] = (other[place] + 1) % (puzzle.size + 1)
    packed = [surveyed(puzzle, each, kernels.survey)[3].tolist() for each in (state, other)]
    assert packed[0] != packed[1]
    assert len(packed[0]) == puzzle.view(KernelRules).words == -(-puzzle.cells // 12)


@kernels.compiled
def replayed(tables, state, moves):
    """Whether the moves solve a board, which is changed."""
    return kernels.replays(tables, state, moves, 0, moves.size, state, moves)


def test_a_move_of_no_cell_is_refused_and_writes_nothing() -> None:
    puzzle = load("sudoku-4x4")
    memory = np.zeros(20, np.uint8)
    memory[:16] = puzzle.read("1234341221434321").state
    before, tables = memory.copy(), puzzle.view(KernelRules).tables
    assert replayed(tables, memory[:16], np.empty(0, np.int32))
    for move in (-1, puzzle.move_count, 10**6):
        assert not replayed(tables, memory[:16], np.array([move], np.int32))
        assert np.array_equal(memory, before)
