"""True candidates, needless clues and unavoidable sets, compared with all solutions of small boards."""

from itertools import combinations

import numpy as np
import pytest

import puzzlelab
from puzzlelab.analysis.needless_clues import needless_in_words
from puzzlelab.analysis.true_candidates import candidates_in_words, true_candidates
from puzzlelab.analysis.unavoidable_sets import unavoidable_in_words
from puzzlelab.core import registry
from puzzlelab.core.boards import Boards
from puzzlelab.core.puzzle import board_after

NO_LIMIT = puzzlelab.Limit()


def random_boards(name, count, share, seed=1):
    """Boards of a size: images of one solved board, of whose cells a share is kept."""
    puzzle, random = puzzlelab.load(name), np.random.default_rng(seed)
    solved = puzzlelab.solve(puzzle.read("." * puzzle.cells)).final.state
    boards = []
    for _ in range(count):
        cells, digits = puzzle.random_symmetry(random)
        image = digits[solved[cells].astype(int) - 1] + 1
        boards.append(np.where(random.random(puzzle.cells) < share, image, 0).astype(np.uint8))
    return puzzle, np.stack(boards)


def solved_boards(puzzle, state):
    """All solutions of a board, as solved boards."""
    listing = puzzlelab.solutions(puzzlelab.Instance(puzzle, state))
    return np.array([board_after(puzzle, state, moves) for moves in listing]).reshape(-1, len(state))


@pytest.mark.parametrize(("name", "count", "share"), [("sudoku-4x4", 30, 0.3), ("sudoku-6x6", 10, 0.35)])
def test_small_boards(name, count, share):
    puzzle, states = random_boards(name, count, share)
    several = 0
    for state in states:
        board, solved = puzzlelab.Instance(puzzle, state), solved_boards(puzzle, state)
        true = puzzlelab.true_candidates(board)
        expected = (solved[:, :, None] == np.arange(1, puzzle.size + 1)).any(axis=0)
        assert np.array_equal(true.possible, expected)
        assert (true.solutions, true.stop, true.undecided.any()) == (min(2, len(solved)), "done", False)
        apart = puzzlelab.unavoidable_set(board)
        if len(solved) == 1:
            assert apart is None
            continue
        several += 1
        assert apart.is_smallest
        assert len(apart.cells) == min((one != other).sum() for one, other in combinations(solved, 2))
        assert {tuple(np.flatnonzero(apart.first != apart.second))} == {apart.cells}
        assert puzzle.solved(apart.first)
        assert puzzle.solved(apart.second)
    assert several > 2


def test_boards_of_9x9_together_and_alone():
    puzzle, states = random_boards("sudoku-9x9", 12, 0.4)
    states[0, :2] = 1
    solver = registry.solver(None, puzzle)
    for state, true in zip(states, true_candidates(Boards(puzzle, states), solver, NO_LIMIT), strict=True):
        solved = solved_boards(puzzle, state)
        expected = (solved[:, :, None] == np.arange(1, 10)).any(axis=0)
        assert np.array_equal(true.possible, expected)
        assert true.solutions == min(2, len(solved))


def test_candidates_that_were_removed_are_not_true():
    puzzle = puzzlelab.load("sudoku-9x9:candidates")
    state = puzzle.with_all_candidates(np.zeros(81, np.uint8))
    state[0] = 0b11
    assert puzzlelab.true_candidates(puzzlelab.Instance(puzzle, state)).possible[:2].sum(axis=1).tolist() == [2, 9]


def test_a_limit_names_what_is_not_known():
    board = puzzlelab.load("sudoku-6x6").read("." * 36)
    true = puzzlelab.true_candidates(board, limit=puzzlelab.Limit(nodes=400))
    assert (true.solutions, true.stop) == (2, "nodes")
    assert true.undecided.any()
    assert not (true.undecided & true.possible).any()
    assert "the limit of nodes ended the search: not known to be true or false: r1c" in candidates_in_words(
        board.puzzle, true
    )


def test_needless_clues_of_boards():
    puzzle = puzzlelab.load("sudoku-9x9")
    [minimal] = puzzlelab.generate(puzzle, seed=3)
    none = puzzlelab.needless_clues(minimal)
    assert (none.minimal, none.clues) == (True, ())
    assert needless_in_words(puzzle, none) == "minimal: no clue can be left out"
    added = puzzlelab.solve(minimal).moves[0]
    more = puzzlelab.Instance(puzzle, puzzle.apply(minimal.state, added))
    clues = puzzlelab.needless_clues(more).clues
    for cell in np.flatnonzero(more.state):
        without = more.state.copy()
        without[cell] = 0
        move = int(cell) * 9 + int(more.state[cell]) - 1
        assert (puzzlelab.count(puzzlelab.Instance(puzzle, without), most=2).solutions == 1) == (move in clues)
    assert added in clues


def test_needless_clues_need_one_solution():
    with pytest.raises(puzzlelab.BadBoard, match="known to have one solution"):
        puzzlelab.needless_clues(puzzlelab.load("sudoku-4x4").read("." * 16))
    puzzle = puzzlelab.load("sudoku-9x9:candidates")
    board = puzzle.read("easy")
    state, solved = board.state.copy(), puzzle.digits(puzzlelab.solve(board).final.state)
    blank = np.flatnonzero(puzzle.digits(state) < 0)[1]
    state[blank] = 1 << solved[blank]
    with pytest.raises(puzzlelab.Unsupported, match="candidates were removed"):
        puzzlelab.needless_clues(puzzlelab.Instance(puzzle, state))


def test_an_unavoidable_set_says_what_proves_it():
    puzzle = puzzlelab.load("sudoku-9x9")
    one, other = (puzzlelab.unavoidable_set(puzzle.read(text)) for text in ("." * 81, "many"))
    assert (one.is_smallest, one.stop) == (True, "solutions")
    assert unavoidable_in_words(puzzle, one).endswith("(no two solutions can differ in fewer)")
    assert (other.is_smallest, len(other.cells)) == (True, 4)
    capped = puzzlelab.unavoidable_set(puzzlelab.load("sudoku-4x4").read("." * 16), most=2)
    assert capped.compared == 2


def test_puzzles_without_candidates_are_refused():
    board = puzzlelab.load("tiles-2x2").read("1 2 0 3")
    for ask in (puzzlelab.true_candidates, puzzlelab.unavoidable_set):
        with pytest.raises(puzzlelab.Unsupported, match="tiles-2x2 has no cells with candidates"):
            ask(board)
