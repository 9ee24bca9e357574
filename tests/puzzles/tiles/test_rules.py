import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab.conformance import check_puzzle
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadInput, BadOption
from puzzlelab.core.registry import load
from puzzlelab.core.verify import replay
from puzzlelab.core.views import KernelRules
from puzzlelab.puzzles.tiles import exact_distances_kernels
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.solvers.bfs import count_by_depth

BY_DEPTH = [
    *(1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993, 17110),
    *(23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2),
]
"""States of the 8-puzzle by distance from a goal with the blank in a corner: OEIS A089473."""
NAMES = (
    *("tiles-2x2", "tiles-2x3", "tiles-3x3", "tiles-2x7", "tiles-5x3", "tiles-4x4", "tiles-5x5", "tiles-12x12"),
    *("tiles-3x3:blank-first", "tiles-4x4:blank-first", "tiles-2x7:blank-first", "tiles-8x2"),
    *("tiles-3x3:goal=1,2,3,8,0,4,7,6,5", "tiles-3x3:goal=8,7,6,5,4,3,2,1,0", "tiles-2x3:goal=3,0,1,2,5,4"),
)


def permutation(puzzle: Tiles, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(puzzle.cells).astype(np.uint8)


# --- names ---


@given(rows=st.integers(2, 12), columns=st.integers(2, 12), seed=st.integers(0, 2**32), blank=st.booleans())
def test_any_size_and_goal_has_a_name_that_is_loaded(rows: int, columns: int, seed: int, blank: bool) -> None:
    for goal in ((), tuple(permutation(Tiles(rows, columns), seed).tolist())):
        puzzle = Tiles(rows, columns, goal)
        assert load(puzzle.name) == puzzle
        assert hash(load(puzzle.name)) == hash(puzzle)


def test_a_goal_that_has_a_short_name_is_the_same_puzzle() -> None:
    assert load("tiles-3x3:goal=1,2,3,4,5,6,7,8,0") == load("tiles-3x3") == Tiles(3, 3)
    assert load("tiles-3x3:goal=0,1,2,3,4,5,6,7,8").name == "tiles-3x3:blank-first"
    assert load("tiles-3x3:goal=123804765").name == "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"


def test_puzzles_of_other_sizes_and_goals_are_others() -> None:
    assert len({load(name) for name in NAMES}) == len(NAMES)
    assert load("tiles-2x3") != load("tiles-3x2")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tiles", "'tiles' is no board size; write tiles-ROWSxCOLUMNS, such as tiles-4x4"),
        ("tiles-4x4x4", "'tiles-4x4x4' is no board size"),
        ("tiles-1x4", "a tiles board has 2 to 12 rows and columns, not 1"),
        ("tiles-99999x4", "'tiles-99999x4' is no board size"),
        ("tiles-4x4:first", "tiles-4x4 has no variant 'first'; write :blank-first, :snail or :goal=1,2,..."),
        ("tiles-2x2:goal=1,2,3", "3 numbers given; the goal has 4, 0 for the blank"),
        ("tiles-2x2:goal=1,2,2,3", "a goal of 2x2 tiles has one blank (0), not 0"),
        ("tiles-2x2:goal=", "the board is empty; the goal has 4 numbers"),
        ("tiles-2x2:goal=" + "1," * 10**6, "2,000,000 characters are no board; the goal has 4 numbers"),
    ],
    ids=lambda text: text[:24],
)
def test_a_name_that_is_none_is_told_why(name: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        load(name)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("goal", [(1, 2, 3), (1, 2, 3, 4), (0, 1, 2, -3)])
def test_a_goal_has_a_number_of_a_tile_in_each_place(goal: tuple[int, ...]) -> None:
    with pytest.raises(BadOption, match="a goal of 2x2 tiles has 4 places, each with a number from 0 to 3"):
        Tiles(2, 2, goal)


# --- moves ---


def test_a_move_is_the_way_the_tile_slides() -> None:
    puzzle = load("tiles-3x3")
    middle = puzzle.read("1 2 3 4 0 5 6 7 8").state
    after = {letter: puzzle.write(puzzle.apply(middle, puzzle.read_move(letter))) for letter in "UDLR"}
    assert after == {
        "U": "1 2 3 4 7 5 6 0 8",
        "D": "1 0 3 4 2 5 6 7 8",
        "L": "1 2 3 4 5 0 6 7 8",
        "R": "1 2 3 0 4 5 6 7 8",
    }


@pytest.mark.parametrize(
    ("board", "letters"),
    [
        ("0 1 2 3 4 5", "UL"),
        ("1 0 2 3 4 5", "ULR"),
        ("1 2 0 3 4 5", "UR"),
        ("1 2 3 0 4 5", "DL"),
        ("1 2 3 4 5 0", "DR"),
    ],
)
def test_no_tile_slides_in_from_beyond_the_edge(board: str, letters: str) -> None:
    puzzle = load("tiles-2x3")
    state = puzzle.read(board).state
    assert [puzzle.write_move(move) for move in np.flatnonzero(puzzle.legal(state))] == list(letters)
    for letter in set("UDLR") - set(letters):
        with pytest.raises(ValueError, match=f"no tile can slide {letter} on {board}"):
            puzzle.apply(state, puzzle.read_move(letter))


def test_only_the_goal_is_solved() -> None:
    for name in ("tiles-2x2", "tiles-2x2:blank-first", "tiles-2x2:goal=3,0,1,2"):
        puzzle = load(name)
        boards = [np.array(board, np.uint8) for board in itertools.permutations(range(4))]
        assert [tuple(board.tolist()) for board in boards if puzzle.solved(board)] == [puzzle.goal]
        assert puzzle.goals().tolist() == [list(puzzle.goal)]


def test_published_solutions_are_replayed(deepcubea) -> None:
    for known in deepcubea:
        puzzle = known.board.puzzle
        moves = [puzzle.read_move(letter) for letter in known.solution]
        assert len(moves) == known.length
        assert replay(known.board, moves).holds


# --- kernels are the rules ---


@pytest.mark.parametrize("name", NAMES)
def test_kernels_equal_the_rules(name: str) -> None:
    puzzle = load(name)
    check_puzzle(puzzle, [Instance(puzzle, permutation(puzzle, seed)) for seed in range(5)], steps=3)


# --- which boards can be solved ---


@pytest.mark.parametrize("name", ["tiles-2x3", "tiles-3x2", "tiles-2x3:blank-first", "tiles-2x3:goal=3,0,1,2,5,4"])
def test_exactly_the_boards_without_objection_can_be_reached(name: str) -> None:
    puzzle = load(name)
    table = exact_distances_kernels.distances(puzzle).distance
    boards = np.array(list(itertools.permutations(range(6))), np.uint8)
    ranks = [exact_distances_kernels.rank_of(state) for state in puzzle.view(KernelRules).encode(boards)]
    assert sorted(ranks) == list(range(720))
    reached = table[ranks] != exact_distances_kernels.UNREACHED
    assert reached.sum() == 360
    assert [puzzle.objection(board) is None for board in boards] == reached.tolist()


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 2**32))
def test_exchanging_two_tiles_turns_an_objection_into_none_and_back(name: str, seed: int) -> None:
    puzzle = load(name)
    board = permutation(puzzle, seed)
    first, second = np.flatnonzero(board != 0)[:2]
    other = board.copy()
    other[[first, second]] = other[[second, first]]
    assert (puzzle.objection(board) is None) != (puzzle.objection(other) is None)


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 2**32))
def test_a_move_never_changes_whether_there_is_an_objection(name: str, seed: int) -> None:
    puzzle = load(name)
    board = permutation(puzzle, seed)
    for move in np.flatnonzero(puzzle.legal(board)).tolist():
        assert (puzzle.objection(puzzle.apply(board, move)) is None) == (puzzle.objection(board) is None)


@pytest.mark.parametrize(
    ("name", "board"),
    [
        ("tiles-4x4", "1 2 3 4 5 6 7 8 9 10 11 12 13 15 14 0"),
        ("tiles-3x3", "2 1 3 4 5 6 7 0 8"),  # an odd number of steps of the blank
        ("tiles-2x3:blank-first", "0 2 1 3 4 5"),
    ],
)
def test_the_objection_says_the_parity_in_words(name: str, board: str) -> None:
    puzzle = load(name)
    assert puzzle.objection(puzzle.read(board).state) == (
        "odd permutation: no sequence of moves reaches the goal "
        "(with the blank moved to its place, the tiles are an odd number of swaps from theirs)"
    )


def test_published_boards_can_be_solved(korf, deepcubea) -> None:
    assert [known.board.puzzle.objection(known.board.state) for known in (*korf, *deepcubea)] == [None] * 30


# --- counts of states by distance ---


@pytest.mark.parametrize("name", ["tiles-3x3", "tiles-3x3:blank-first"])
def test_the_states_of_the_8_puzzle_by_depth(name: str) -> None:
    puzzle = load(name)
    assert count_by_depth(Instance(puzzle, puzzle.goals()[0])) == BY_DEPTH
    assert sum(BY_DEPTH) == math.factorial(9) // 2 == 181_440


@pytest.mark.parametrize(
    ("name", "states", "farthest"),
    [
        ("tiles-2x2", 12, 6),
        ("tiles-2x3", 360, 21),
        ("tiles-3x2", 360, 21),
        ("tiles-2x4", 20_160, 36),
        ("tiles-4x2", 20_160, 36),
    ],
)
def test_the_states_of_small_boards(name: str, states: int, farthest: int) -> None:
    puzzle = load(name)
    counts = count_by_depth(Instance(puzzle, puzzle.goals()[0]))
    assert (sum(counts), len(counts) - 1) == (states, farthest)


@pytest.mark.slow
def test_the_states_of_2x5() -> None:
    puzzle = load("tiles-2x5")
    counts = count_by_depth(Instance(puzzle, puzzle.goals()[0]))
    assert (sum(counts), len(counts) - 1) == (1_814_400, 55)
