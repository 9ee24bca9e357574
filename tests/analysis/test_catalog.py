"""What is told of puzzles, hints and counts as plain data."""

import json

import pytest
from tests.objectives import Runs

from puzzlelab import analyse, count, hint, load, solver
from puzzlelab.analysis import catalog
from puzzlelab.core.errors import BadInput
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import make_solver
from puzzlelab.core.solver import require
from puzzlelab.jobs import serialise

NEAR = "1 2 3 4 5 6 0 7 8"
PUZZLES = ["tiles-3x3:blank-first", "tiles-5x5", "dust-8x6x5", "sudoku-9x9"]


def plain(told):
    """The same after a way through JSON, which must not change it."""
    again = json.loads(json.dumps(told))
    assert again == told
    return again


def test_everything_names_families_and_the_options_of_solvers():
    told = plain(catalog.everything())
    assert {"tiles", "dust", "sudoku"} <= {each["family"] for each in told["puzzles"]}
    for each in told["puzzles"]:
        assert [load(name).name for name in each["names"]] == each["names"]
    by_name = {each["name"]: each for each in told["solvers"]}
    assert {"name": "weight", "default": 1.0} in by_name["astar"]["options"]
    assert by_name["portfolio"]["options"][0]["default"] == ["beam:width=100", "astar:weight=2"]
    assert all(each["about"].endswith(".") for each in told["solvers"])


@pytest.mark.parametrize("name", PUZZLES)
def test_the_solvers_of_a_puzzle_are_those_that_would_accept_it(name):
    puzzle, accepted = load(name), []
    for each in catalog.everything()["solvers"]:
        try:
            require(make_solver(each["name"], {}), puzzle)
        except BadInput:
            continue
        accepted.append(each["name"])
    assert catalog.about(puzzle)["solvers"] == accepted


@pytest.mark.parametrize("name", PUZZLES)
def test_what_a_puzzle_offers_is_plain_and_true(name):
    puzzle = load(name)
    told = plain(catalog.about(puzzle))
    assert (told["puzzle"], told["moves"]) == (name, puzzle.move_count)
    assert told["family"] == name.partition("-")[0]
    assert told["usual_solver"]["name"] in told["solvers"]
    for kind in ("estimates", "scales"):
        assert sum(each["usual"] for each in told[kind]) == (1 if told[kind] else 0)
    for each in told["examples"]:
        assert puzzle.write(puzzle.read(each["board"]).state) == each["board"]


@pytest.mark.parametrize(("name", "others"), [("tiles-2x7", ["greedy", "uct"]), ("tiles-3x3", []), ("sudoku-4x4", [])])
def test_without_a_network_some_solvers_work_by_an_estimate_that_is_named(name, others):
    told = catalog.about(load(name))
    assert told["solvers_by_estimate"] == others
    for each in others:
        require(make_solver(each, {"estimate": "manhattan"}), load(name))


def test_of_a_score_the_solvers_that_work_by_an_estimate_are_listed():
    told = catalog.about(Runs())
    assert told["solvers"] == ["astar", "beam", "portfolio", "random"]
    assert told["solvers_by_estimate"] == ["greedy", "uct"]


def test_a_sudoku_shows_its_board_and_has_one_solution():
    told = catalog.about(load("sudoku-9x9"))
    assert (told["shows_board"], told["one_way"], told["counts"]) == (True, True, True)
    assert told["estimates"] == []
    assert {each["name"]: each["usual"] for each in told["networks"]}["sudoku-9x9"]


def test_tiles_show_moves_and_have_bounds():
    told = catalog.about(load("tiles-4x4"))
    assert (told["shows_board"], told["one_way"], told["counts"]) == (False, False, False)
    known = {each["name"]: each for each in told["estimates"]}
    assert known["pdb"]["usual"]
    assert known["manhattan"]["admissible"]


def test_a_guess_is_no_bound():
    known = {each["name"]: each["admissible"] for each in catalog.about(load("dust-8x6x5"))["estimates"]}
    assert known["colours"]
    assert not known["clusters"]


def test_a_hint_with_its_question():
    puzzle = load("tiles-3x3")
    asked = solver("bfs", puzzle)
    told = plain(serialise.hint_row(puzzle.read(NEAR), [], asked, Limit(), hint(puzzle.read(NEAR), asked)))
    assert (told["board"], told["solver"], told["best"], told["stop"]) == (NEAR, "bfs", ["L"], "done")
    assert [(each["move"], each["regret"]["length"]) for each in told["moves"]] == [("L", 0), ("D", 2)]


def test_a_game_with_its_question():
    puzzle = load("tiles-3x3")
    asked, board = solver("bfs", puzzle), puzzle.read(NEAR)
    told = plain(serialise.game_row(board, asked, Limit(), analyse(board, [2, 3, 2, 2], asked)))
    assert told["regret"] == {"length": 2, "lower_bound": 2, "proven": True}
    assert [each["move"] for each in told["steps"]] == ["L", "R", "L", "L"]


def test_a_count_says_whether_it_is_all():
    puzzle = load("sudoku-4x4")
    board = "." * 16
    told = plain(serialise.count_facts(count(puzzle.read(board), most=2)))
    assert told == {"solutions": 2, "complete": False, "stop": "solutions"}
