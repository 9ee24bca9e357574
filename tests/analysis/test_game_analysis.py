"""The boards of a game with how many moves remain: bounds that hold, and that fall by one move at a time."""

from itertools import pairwise

import pytest
from tests.objectives import Runs, Tolls

import puzzlelab
from puzzlelab import BadBoard, Limit, load, solve
from puzzlelab.analysis import game_analysis
from puzzlelab.analysis.game_analysis import Game, analyse, analyse_many, frames
from puzzlelab.core import registry
from puzzlelab.core.views import Estimates
from puzzlelab.text.moves import read_game

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


# --- analyses ---


def test_many_games_are_analysed_as_each_by_itself():
    puzzle, solver = load("tiles-3x3"), registry.solver("ida")
    texts = [(FARTHEST, "R D L U R"), ("1 2 3 4 5 6 0 7 8", "L R L L"), ("1 2 3 4 5 6 7 8 0", ""), (FARTHEST, "U")]
    games = [
        Game.of(puzzle.read(board), read_game(puzzle.read(board), moves)) for board, moves in texts if moves != "U"
    ]
    assert [facts(each) for each in analyse_many(solver, games, Limit())] == [
        facts(analyse(solver, game, Limit())) for game in games
    ]


def facts(analysis):
    rest = len(analysis.continuation)
    return [str(step.regret) for step in analysis.steps], str(analysis.total), analysis.first_mistake, rest


def test_a_game_that_the_quick_searches_leave_open_is_searched_longer(monkeypatch):
    monkeypatch.setattr(game_analysis, "QUICK_NODES", 5)
    board = load("tiles-3x3").read(FARTHEST)
    game = Game.of(board, solve(board, "astar", weight=4).moves)
    first, second = analyse_many(registry.solver("ida"), [game, game], Limit())
    assert (first.proven, first.total.most) == (True, len(game.moves) - 31)
    assert (facts(first), first.stop) == (facts(second), "done")


def test_the_continuation_is_a_best_solution_from_the_first_mistake_on():
    board = load("tiles-3x3").read(FARTHEST)
    analysis = puzzlelab.analyse(board, "R D L U D U")
    place = analysis.first_mistake
    before = Game.of(board, [step.move for step in analysis.steps[:place]]).positions[-1]
    assert board.puzzle.solved(Game.of(before, analysis.continuation).positions[-1].state)
    assert len(analysis.continuation) == 31 - place


def test_a_limit_leaves_the_analysis_open():
    analysis = puzzlelab.analyse(
        load("tiles-4x4").read("0 12 9 13 15 11 10 14 3 7 2 5 4 8 6 1"), "U L", limit=Limit(nodes=50)
    )
    assert (analysis.proven, analysis.stop, analysis.first_mistake, analysis.continuation) == (False, "nodes", None, ())


def test_no_move_on_a_board_without_a_solution_is_a_mistake():
    analysis = puzzlelab.analyse(load("tiles-3x3").read("2 1 3 4 5 6 7 8 0"), "D R")
    assert (analysis.proven, analysis.total.unsolvable, analysis.first_mistake) == (True, True, None)
