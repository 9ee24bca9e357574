"""Exact covers that are solved as they are: by every solver that takes covers, and by those that take any puzzle."""

import pytest

from puzzlelab import BadBoard, ExactCover, Limit, check_puzzle, count, load, solutions, solve, solve_many
from puzzlelab.core.cover_puzzle import board_of

DOCUMENT = {"A": [1, 3, 5], "B": [2, 4], "C": [2, 3, 4, 5, 6], "D": [2, 4, 6]}
KNUTH = {"A": [1, 4, 7], "B": [1, 4], "C": [4, 5, 7], "D": [3, 5, 6], "E": [2, 3, 6, 7], "F": [2, 7]}
SOLVERS = ["dancing-links", "sat", "integer"]


@pytest.fixture
def solver(request):
    """Each of the solvers whose library is installed."""
    if request.param == "sat":
        pytest.importorskip("pysat")
    return request.param


EACH = pytest.mark.parametrize("solver", SOLVERS, indirect=True)


@EACH
@pytest.mark.parametrize(("options", "names"), [(DOCUMENT, ["A", "D"]), (KNUTH, ["B", "D", "F"])])
def test_a_table_of_options_is_solved_by_name(solver, options, names):
    result = solve(ExactCover.of(options), solver)
    assert (result.move_names, result.proof, result.verified_by) == (names, "unique", "plain")
    assert [list(options)[move] for move in result.moves] == names
    assert result.final.puzzle.write(result.final.state) == " ".join(names)


@EACH
def test_options_with_the_same_items_make_several_solutions(solver):
    cover = ExactCover.of([[1, 2], [2, 1], [3], [1], [2, 3]])
    assert set(solutions(cover, solver)) == {(0, 2), (1, 2), (3, 4)}
    assert count(cover, solver).solutions == 3
    assert solve(cover, solver).proof == "several"


@EACH
def test_a_secondary_item_is_covered_at_most_once(solver):
    options = {"A": ["x", 1], "B": ["x", 2], "C": [2], "D": ["x"], "E": [1]}
    assert set(solutions(ExactCover.of(options), solver)) == {(0, 2), (1, 4), (2, 3, 4)}
    assert set(solutions(ExactCover.of(options, secondary=["x"]), solver)) == {(0, 2), (1, 4), (2, 4)}


@EACH
def test_no_solution_is_proven_by_search_or_by_an_item_that_no_option_covers(solver):
    crossed = solve(ExactCover.of(["ab", "bc", "ca"]), solver)
    assert (crossed.moves, crossed.proof) == (None, "unsolvable")
    missing = ExactCover.of(DOCUMENT, primary=range(1, 8))
    result = solve(missing, solver)
    assert (result.proof, result.reason, result.verified_by) == ("unsolvable", "no option covers the item 7", "plain")
    assert count(missing, solver).solutions == 0


def test_the_rules_are_those_of_a_puzzle():
    board = board_of(ExactCover.of(KNUTH))
    puzzle = board.puzzle
    check_puzzle(puzzle, [board, puzzle.read("B"), puzzle.read("E")])
    assert (repr(board), repr(puzzle.read("F B"))) == ("<exact-cover: ->", "<exact-cover: B F>")
    assert solve(puzzle.read("F"), "bfs").move_names == ["B", "D"]
    assert solve(puzzle.read("A")).reason == "no option that is left covers the item 2"
    with pytest.raises(BadBoard, match="'G' is no option"):
        puzzle.read("B G")
    with pytest.raises(BadBoard, match="the option A holds an item that an option before it covers"):
        puzzle.read("B A")


def test_the_cover_of_a_puzzle_and_covers_without_items_are_solved_too():
    assert count(load("sudoku-4x4").cover()).solutions == 288
    assert solve(ExactCover.of({40: "a", 7: "b"})).move_names == ["40", "7"]
    nothing = solve(ExactCover.of([]))
    assert (nothing.moves, nothing.proof) == ((), "unique")


def test_many_covers_are_solved_in_their_order():
    covers = [ExactCover.of(options) for options in (DOCUMENT, KNUTH, DOCUMENT)]
    assert [" ".join(result.move_names) for result in solve_many(covers)] == ["A D", "B D F", "A D"]


@EACH
def test_a_cover_of_thousands_of_options_is_solved(solver):
    # of the items in a row, only even neighbours can be taken together: 2, 2, 2 ... is the one way
    pairs = {f"p{first}": [first, first + 1] for first in range(9_999)}
    result = solve(ExactCover.of(pairs), solver, Limit(seconds=600))
    assert (result.length, result.proof, result.move_names[:2]) == (5_000, "unique", ["p0", "p2"])
