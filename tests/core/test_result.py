"""What a result knows of itself: its board, its moves as text, and the boards on the way."""

import json

import pytest
from tests.objectives import Runs

import puzzlelab
from puzzlelab.core.errors import BadOption
from puzzlelab.core.result import Result

BOARD = "1 2 3 4 5 6 0 7 8"


def test_a_result_writes_its_moves_and_shows_the_boards_on_the_way() -> None:
    board = puzzlelab.load("tiles-3x3").read(BOARD)
    result = puzzlelab.solve(board, "bfs")
    assert result.board == board
    assert result.move_names == ["L", "L"]
    assert [board.puzzle.write(each.state) for each in result.boards()] == [
        BOARD,
        "1 2 3 4 5 6 7 0 8",
        "1 2 3 4 5 6 7 8 0",
    ]


def test_the_final_board_is_the_solved_one_and_is_there_only_where_there_is_a_solution() -> None:
    board = puzzlelab.load("sudoku-4x4").read("1234 3... 2... 4...")
    final = puzzlelab.solve(board, "dancing-links").final
    assert puzzlelab.load("sudoku-4x4").solved(final.state)
    assert puzzlelab.solve(final, "dancing-links").final == final
    with pytest.raises(BadOption, match="there is no solution, and no final board: odd permutation"):
        puzzlelab.solve(puzzlelab.load("tiles-3x3").read("2 1 3 4 5 6 7 8 0")).final  # noqa: B018


def test_a_result_is_plain_data() -> None:
    result = puzzlelab.solve(puzzlelab.load("tiles-3x3").read(BOARD), "bfs")
    facts = json.loads(json.dumps(result.to_dict()))
    assert (facts["puzzle"], facts["board"], facts["moves"]) == ("tiles-3x3", BOARD, ["L", "L"])
    assert (facts["length"], facts["proof"], facts["score"]) == (2, "optimal", None)


def test_results_from_every_function_know_their_board() -> None:
    boards = list(puzzlelab.generate("tiles-3x3", count=3, seed=1))
    assert [result.board for result in puzzlelab.solve_many(boards, "bfs", jobs=1)] == boards


def test_two_results_are_equal_whatever_their_board() -> None:
    result = puzzlelab.solve(puzzlelab.load("tiles-3x3").read(BOARD), "bfs")
    assert result == Result(**{name: value for name, value in vars(result).items() if name != "instance"})


def test_a_result_of_a_bare_solver_says_why_it_knows_no_board() -> None:
    with pytest.raises(BadOption, match="does not know its board"):
        Result((0,)).move_names  # noqa: B018
    assert "Result(moves=(0,)" in Result((0,))._repr_html_()


def test_notebooks_show_a_board() -> None:
    board = puzzlelab.load("tiles-3x3").read(BOARD)
    assert board._repr_svg_() == board.svg()
    assert "<svg" in (board.svg() or "")
    assert Runs().read("aabb").svg() is None


def test_notebooks_show_the_board_and_the_moves() -> None:
    page = puzzlelab.solve(puzzlelab.load("tiles-3x3").read(BOARD), "bfs")._repr_html_()
    assert "<svg" in page
    assert "moves 2, proof optimal" in page
    assert "<p>L L</p>" in page
    scored = puzzlelab.solve(Runs().read("aabb"), "astar")._repr_html_()
    assert "<pre>aabb</pre>" in scored
    assert "score 8" in scored
