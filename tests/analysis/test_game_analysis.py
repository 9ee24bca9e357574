"""The boards of a game with how many moves remain: bounds that hold, and that fall by one move at a time."""

from itertools import pairwise

import pytest
from tests.objectives import Runs, Tolls

from puzzlelab import BadBoard, load, solve
from puzzlelab.analysis.game_analysis import frames
from puzzlelab.core.views import Estimates

FARTHEST = "8 6 7 2 5 4 3 0 1"


def game(name, board, **options):
    puzzle = load(name)
    instance = puzzle.read(board)
    return instance, solve(instance, **options).moves


def test_every_board_with_the_move_that_led_there():
    instance, moves = game("tiles-3x3", "1 2 3 4 5 6 0 7 8", solver="bfs")
    assert frames(instance, moves) == [
        {"board": "1 2 3 4 5 6 0 7 8", "move": None, "bound": 2, "solved": False},
        {"board": "1 2 3 4 5 6 7 0 8", "move": "L", "bound": 1, "solved": False},
        {"board": "1 2 3 4 5 6 7 8 0", "move": "L", "bound": 0, "solved": True},
    ]


@pytest.mark.parametrize(
    ("name", "board"), [("tiles-3x3", FARTHEST), ("dust-4x3x3", "331233122213"), ("sudoku-4x4", "1..........2...3")]
)
@pytest.mark.parametrize("known", [0, 1000])
def test_bounds_hold_and_never_fall_by_more_than_one(name, board, known):
    instance, moves = game(name, board)
    found = frames(instance, moves, min(known, len(moves)))
    assert len(found) == len(moves) + 1
    for number, frame in enumerate(found):
        assert 0 <= frame["bound"] <= len(moves) - number
    for before, after in pairwise(found):
        assert after["bound"] >= before["bound"] - 1
    assert (found[-1]["bound"], found[-1]["solved"]) == (0, True)
    if known:
        assert [frame["bound"] for frame in found] == list(range(len(moves), -1, -1))


def test_every_move_of_a_sudoku_fills_a_cell():
    puzzle = load("sudoku-4x4")
    board = puzzle.read("1...............")
    assert [frame["bound"] for frame in frames(board, [puzzle.read_move("r1c2=2")])] == [15, 14]


def test_a_puzzle_without_estimates_needs_a_move_until_it_is_solved(corridor):
    puzzle = corridor()
    instance = puzzle.read("3")
    assert frames(instance, [])[0]["bound"] == 1
    assert frames(instance, [], lower_bound=3)[0]["bound"] == 3


@pytest.mark.parametrize(("puzzle", "board", "move"), [(Runs(), "aabba", 0), (Tolls(((1, 5), (0, 2))), "0", 2)])
def test_moves_with_points_or_costs_have_no_bound_in_moves(puzzle, board, move):
    """Their estimates are of points or costs."""
    found = frames(puzzle.read(board), [move])
    assert [sorted(frame) for frame in found] == 2 * [["board", "move", "solved"]]


def test_no_database_is_built_for_a_bound(own_cache):
    puzzle = load("tiles-4x4")
    assert puzzle.view(Estimates).estimate().name.startswith("pdb")
    assert frames(puzzle.read("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"), [])[0]["bound"] > 20
    assert not list(own_cache.rglob("*pdb*"))


def test_a_move_that_cannot_be_made_is_named():
    puzzle = load("tiles-3x3")
    with pytest.raises(BadBoard, match="move 2 of 2: U cannot be made"):
        frames(puzzle.read("1 2 3 4 5 6 0 7 8"), [puzzle.read_move("L"), puzzle.read_move("U")])
