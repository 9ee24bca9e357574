"""The metric in which several tiles of a line slide in one move."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.test_kernels import offered

from puzzlelab.conformance import check_puzzle
from puzzlelab.conformance.kernels import follow
from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import BadBoard, BadInput, BadOption
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import load
from puzzlelab.core.verify import replay
from puzzlelab.core.views import Estimates, KernelRules, Planes, Samples, isomorphism_of
from puzzlelab.engine.batch_rules import estimated
from puzzlelab.engine.solving import solve
from puzzlelab.puzzles.tiles import pattern_database, sampling
from puzzlelab.puzzles.tiles.exact_distances_kernels import UNREACHED, distances, unrank_all
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.solvers.astar import Astar
from puzzlelab.solvers.bfs import Bfs, count_by_depth
from puzzlelab.solvers.ida import Ida

MIDDLE = "tiles-3x3:goal=1,2,3,8,0,4,7,6,5:moves=multi"
NAMES = (
    *("tiles-2x2:moves=multi", "tiles-3x3:moves=multi", "tiles-2x7:moves=multi", "tiles-12x12:moves=multi"),
    *("tiles-4x4:blank-first:moves=multi", "tiles-5x3:moves=multi", MIDDLE),
)
BOUNDS = (
    *(("tiles-4x2:moves=multi", name) for name in ("shared", "walking", "pdb:1,2,3,4/5,6", "pdb:3,5")),
    *(("tiles-3x3:moves=multi", name) for name in ("shared", "walking", "pdb:1,2,3,6/4,7,8", "pdb:5")),
    *((MIDDLE, name) for name in ("shared", "walking", "pdb:2,4")),
)


def every_board(puzzle: Tiles) -> tuple[np.ndarray, np.ndarray]:
    """All solvable boards `[B, N]`, and their true distances `[B]`."""
    table, rules = distances(puzzle).distance, puzzle.view(KernelRules)
    ranks = np.flatnonzero(table != UNREACHED)
    states = np.zeros((ranks.size, puzzle.cells + 1), np.uint8)
    unrank_all(ranks, states, np.zeros(puzzle.cells, np.int64), rules.tables.home)
    return rules.decode(states), table[ranks].astype(np.int64)


def uniform(puzzle: Tiles, count: int) -> np.ndarray:
    return sampling.uniform(puzzle, np.random.default_rng(4), None, count)


# --- names and moves ---


@given(rows=st.integers(2, 12), columns=st.integers(2, 12), seed=st.integers(0, 2**32))
def test_any_size_and_goal_has_a_name_that_is_loaded(rows: int, columns: int, seed: int) -> None:
    goal = np.random.default_rng(seed).permutation(rows * columns)
    for puzzle in (Tiles(rows, columns, moves="multi"), Tiles(rows, columns, tuple(goal.tolist()), "multi")):
        assert load(puzzle.name) == puzzle
        assert puzzle.name.endswith(":moves=multi")


def test_the_words_of_a_name_have_one_order() -> None:
    assert load("tiles-3x3:moves=multi:blank-first").name == "tiles-3x3:blank-first:moves=multi"
    assert load("tiles-3x3:moves=single") == load("tiles-3x3") != load("tiles-3x3:moves=multi")
    with pytest.raises(BadOption, match="the moves of tiles are single or multi, not 'three'"):
        load("tiles-3x3:moves=three")


def test_a_move_slides_the_tiles_between_the_blank_and_its_new_cell() -> None:
    puzzle = load("tiles-3x4:moves=multi")
    board = puzzle.read("1 2 3 4 5 6 7 0 8 9 10 11").state
    after = {
        puzzle.write_move(move): puzzle.write(puzzle.apply(board, move)) for move in np.flatnonzero(puzzle.legal(board))
    }
    assert after == {
        "U": "1 2 3 4 5 6 7 11 8 9 10 0",
        "D": "1 2 3 0 5 6 7 4 8 9 10 11",
        "R": "1 2 3 4 5 6 0 7 8 9 10 11",
        "R2": "1 2 3 4 5 0 6 7 8 9 10 11",
        "R3": "1 2 3 4 0 5 6 7 8 9 10 11",
    }
    with pytest.raises(ValueError, match="no tile can slide U2 on 1 2 3 4 5 6 7 0"):
        puzzle.apply(board, puzzle.read_move("U2"))


@pytest.mark.parametrize("text", ["R4", "U3", "R1", "r2", "R22", "2R", ""])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        load("tiles-3x4:moves=multi").read_move(text)
    with pytest.raises(BadBoard, match="'R2' is no move; moves are U, D, L and R, the way the tile slides$"):
        load("tiles-3x4").read_move("R2")


@pytest.mark.parametrize("name", NAMES)
def test_kernels_equal_the_rules(name: str) -> None:
    puzzle = load(name)
    check_puzzle(puzzle, [Instance(puzzle, board) for board in uniform(puzzle, 3)], steps=3)


@pytest.mark.parametrize("name", NAMES)
def test_a_depth_first_search_tries_no_two_moves_in_one_line(name: str) -> None:
    puzzle = load(name)
    rules, is_row = puzzle.view(KernelRules), [slide.rows == 0 for slide in puzzle.slides]
    row, found = np.zeros((2, puzzle.move_count), np.int32)
    for board, last in itertools.product(uniform(puzzle, 3), range(-1, puzzle.move_count)):
        count = offered(rules.tables, rules.encode(board[None])[0], last, row, found)
        legal = np.flatnonzero(puzzle.legal(board)).tolist()
        assert found[:count].tolist() == [move for move in legal if last < 0 or is_row[move] != is_row[last]]


# --- distances ---


@pytest.mark.parametrize(
    ("name", "states", "radius"), [("tiles-3x2", 360, 20), ("tiles-4x2", 20_160, 25), ("tiles-3x3", 181_440, 24)]
)
def test_small_boards_have_the_published_radii(name: str, states: int, radius: int) -> None:
    puzzle = load(f"{name}:moves=multi")
    counts = count_by_depth(Instance(puzzle, puzzle.goals()[0]))
    assert (sum(counts), len(counts) - 1) == (states, radius)
    assert np.bincount(every_board(puzzle)[1]).tolist() == counts


@pytest.mark.slow
def test_the_published_radius_of_5x2() -> None:
    assert sampling.farthest(load("tiles-5x2:moves=multi")) == 36


@pytest.mark.parametrize(("name", "estimate"), BOUNDS)
def test_no_bound_is_above_the_true_distance_of_any_board(name: str, estimate: str) -> None:
    puzzle = load(name)
    boards, truth = every_board(puzzle)
    chosen = puzzle.view(Estimates).estimate(estimate)
    values = estimated(puzzle, chosen, boards)
    assert chosen.admissible
    assert (values <= truth).all()
    assert values.mean() > 0.2 * truth.mean()


@pytest.mark.parametrize("name", ["tiles-3x3:moves=multi", "tiles-2x4:blank-first:moves=multi"])
def test_a_pattern_database_of_all_tiles_is_the_true_distance(name: str) -> None:
    puzzle = load(name)
    boards, truth = every_board(puzzle)
    tiles = ",".join(map(str, range(1, puzzle.cells)))
    assert np.array_equal(estimated(puzzle, puzzle.view(Estimates).estimate(f"pdb:{tiles}"), boards), truth)


@pytest.mark.parametrize(
    ("name", "estimate"),
    [
        *(("tiles-4x4:moves=multi", name) for name in ("walking", "pdb:1,2/6,11,15")),
        *(("tiles-2x4:moves=multi", name) for name in ("walking", "pdb")),
        ("tiles-5x5:moves=multi", "pdb:1,2/20,24"),
    ],
)
def test_an_estimate_that_follows_moves_is_the_one_from_scratch(name: str, estimate: str) -> None:
    puzzle = load(name)
    rules, chosen = puzzle.view(KernelRules), puzzle.view(Estimates).estimate(estimate)
    tables, choices, moves = chosen.kernel(), np.random.default_rng(2).integers(99, size=40), np.zeros(20, np.int32)
    for state in rules.encode(uniform(puzzle, 5)):
        memos, fault = [np.zeros(chosen.memo, np.int64) for _ in range(3)], np.zeros(4)
        assert follow(rules.tables, tables, state, np.zeros_like(state), moves, choices, *memos, fault), fault


def test_the_usual_groups_are_in_order_and_are_no_bound_by_their_sum() -> None:
    """Entries belong to the members in the order of their goal cells. A move may slide tiles of several groups."""
    for groups in pattern_database.MULTI_NAMED.values():
        assert all(list(group) == sorted(group) for each in groups.values() for group in each)
    puzzle = load("tiles-3x3:moves=multi")
    boards, truth = every_board(puzzle)
    one, other = (
        estimated(puzzle, puzzle.view(Estimates).estimate(f"pdb:{tiles}"), boards) for tiles in ("1,2", "3,4")
    )
    assert (one + other > truth).any()


# --- searches, samples and networks ---


@pytest.mark.parametrize("name", ["tiles-3x3:moves=multi", MIDDLE])
def test_solvers_find_the_true_distance(name: str) -> None:
    puzzle = load(name)
    boards, truth = every_board(puzzle)
    chosen = np.random.default_rng(3).integers(len(boards), size=10)
    solvers = Ida(), Ida(estimate="shared"), Astar(), Bfs(bidirectional=True)
    for place, solver in itertools.product(chosen.tolist(), solvers):
        result = solve(solver, Instance(puzzle, boards[place]), Limit())
        assert (result.length, result.proof) == (truth[place], "optimal")
        assert replay(result.instance, result.moves).holds


def test_boards_are_made_by_moves_of_the_metric() -> None:
    puzzle = load("tiles-3x3:moves=multi")
    scales, random = puzzle.view(Samples).scales, np.random.default_rng(1)
    assert set(scales) == {"level", "uniform", "walk", "distance"}
    assert scales["distance"].levels == (0, 24)
    exact = puzzle.view(Estimates).estimate("exact")
    assert set(estimated(puzzle, exact, scales["distance"].sample(random, 24, 3))) == {24}
    assert set(estimated(puzzle, exact, scales["walk"].sample(random, 1, 20))) == {1}


def test_symmetries_and_other_corners_keep_the_metric() -> None:
    puzzle = load("tiles-3x3:moves=multi")
    board = uniform(puzzle, 1)
    _, (images, moves) = puzzle.view(Planes).symmetries(board)
    for move in np.flatnonzero(puzzle.legal(board[0])).tolist():
        _, (image, _) = puzzle.view(Planes).symmetries(puzzle.apply(board[0], move)[None])
        assert np.array_equal(image[0], puzzle.apply(images[0], int(moves[move])))
    assert isomorphism_of(puzzle) is None
    assert isomorphism_of(load("tiles-3x3:blank-first:moves=multi")).puzzle == puzzle
    assert load("tiles-3x3:blank-first:moves=multi") != load("tiles-3x3:blank-first")


def test_networks_of_single_moves_are_refused() -> None:
    board = load("tiles-3x3:moves=multi").read("1 2 3 4 5 6 0 7 8")
    words = "the network tiles-3x3-dqn is for tiles-3x3, not for tiles-3x3:moves=multi"
    with pytest.raises(BadInput, match=words):
        solve(Ida(estimate="net:tiles-3x3-dqn"), board, Limit())
