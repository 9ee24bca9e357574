"""Solvers that find all solutions of Sudokus: known solutions, proofs and counts, lists, limits, promises."""

import pytest
from tests.solvers.known import DEAR, FOUR, IMPOSSIBLE, INKALA, NINE, SEVERAL, SIX, SOLUTION, SOLVED, Latin

from puzzlelab import Limit, check_solver, load, solve
from puzzlelab.core.puzzle import board_after
from puzzlelab.core.result import NO_SOLUTION
from puzzlelab.core.views import Cover
from puzzlelab.engine.enumeration import Listing, count
from puzzlelab.solvers.backtracking import Backtracking
from puzzlelab.solvers.dancing_links import DancingLinks
from puzzlelab.solvers.integer import Integer
from puzzlelab.solvers.permutation import Permutation
from puzzlelab.solvers.sat import Sat

MOST = {Backtracking(): 10**6, DancingLinks(): 10**6, Permutation(): 10**6, Sat(): 1000, Integer(): 20}
"""The solvers, and the most solutions that each of them counts here."""
KERNELS = [solver for solver, most in MOST.items() if most == 10**6]
COUNTS = {
    "4x4": (FOUR.read("." * 16), 288),  # OEIS A107739
    "6x6": (SIX.read("123456" + "." * 30), 28_200_960 // 720),  # of 28,200,960 grids
    "Latin 4": (Latin(2, 2).read("." * 16), 576),
    "Latin 6": (Latin(2, 3).read("123456" + "2" + "." * 29), 9408 * 120 // 5),  # of 9,408 reduced squares
    "row": (FOUR.read("1234" + "." * 12), 12),
    "some": (FOUR.read("13..2.......4..."), 6),
    "tdoku 125": (NINE.read(SEVERAL), 125),
    "tdoku 601": (NINE.read("8.........59.......76.........978245...653198...412736...591......836.1....724.8."), 601),
    "none": (FOUR.read("1.....4..23....."), 0),
    "none, dearly": (NINE.read(DEAR), 0),
    "full": (NINE.read(SOLUTION), 1),
}
LARGE = {
    "sudoku-6x6": "6...2.42.....4...35.3..2...6.......1",
    "sudoku-12x12": (
        ".6.C...A72..B......56.......46...13A.....1.3..5...1....2.6.478.5....1B.."
        "1..75A.C...2...9..71.........3B6....6A..3..B.8.....26....3........5...C."
    ),
    "sudoku-16x16": (
        "..AE8....73....13G7.......A..4...F.B.3G..5..C.E9.6....C9B......7..G.21...A.E..64........2.1.D..3"
        ".E..6584G.....2....FG..36....9...4....98..B.5......81D....E..G.C...7.E5.F...A.1.59C........3...8"
        "...9.84.3.D7...E17..32...E...B...A....1D...59..2..5...A..C.F.6.D"
    ),
}


@pytest.fixture(autouse=True)
def library(request):
    """One of the solvers needs it."""
    if "sat" in request.node.name:
        pytest.importorskip("pysat")


def named(value):
    return getattr(value, "name", None)


@pytest.mark.parametrize(
    ("solver", "text"),
    [(each, text) for each in MOST for text in SOLVED if each != Integer() or text == INKALA],
    ids=named,
)
def test_hard_boards_have_the_known_solution_alone(solver, text):
    start = NINE.read(text)
    result = solve(start, solver)
    assert NINE.write(board_after(NINE, start.state, result.moves)) == SOLVED[text]
    assert (result.proof, result.stop, result.lower_bound) == ("unique", "done", len(result.moves))
    assert list(result.moves) == sorted(result.moves)


@pytest.mark.parametrize(
    ("solver", "key"),
    [
        (solver, key)
        for solver, most in MOST.items()
        for key, (start, number) in COUNTS.items()
        if number <= most and (Cover not in solver.needs or not isinstance(start.puzzle, Latin))
    ],
    ids=named,
)
def test_solutions_are_counted_and_listed(solver, key):
    start, number = COUNTS[key]
    counted = count(solver, start, Limit())
    assert (counted.solutions, counted.stop) == (number, "done")
    if number < 1000:
        listing = Listing(solver, start, Limit())
        first, again = list(listing), list(listing)
        assert (len(first), len(set(first)), listing.stop, again) == (number, number, "done", first)


@pytest.mark.parametrize("solver", MOST, ids=named)
def test_no_solution_and_several_are_told(solver):
    for text in (IMPOSSIBLE, DEAR):
        result = solve(NINE.read(text), solver)
        assert (result.moves, result.proof, result.stop) == (None, "unsolvable", "done")
        assert result.reason == NO_SOLUTION or solver == Integer()
    result = solve(FOUR.read("1" + "." * 15), solver)
    assert (result.length, result.proof, result.reason) == (15, "several", "")
    result = solve(NINE.read(SOLUTION), solver)
    assert (result.moves, result.proof) == ((), "unique")


@pytest.mark.parametrize("solver", MOST, ids=named)
def test_a_count_ends_where_it_is_asked_to(solver):
    found = count(solver, FOUR.read("." * 16), Limit(), most=10)
    assert (found.solutions, found.stop) == (10, "solutions")


@pytest.mark.parametrize("solver", KERNELS, ids=named)
def test_limits_are_kept_and_prove_nothing(solver):
    result = solve(NINE.read(INKALA), solver, Limit(nodes=5))
    assert (result.moves, result.proof, result.stop, result.expanded) == (None, "none", "nodes", 5)
    row = NINE.read("123456789" + "." * 72)
    counted = count(solver, row, Limit(nodes=5000))
    assert (counted.stop, counted.complete, counted.expanded) == ("nodes", False, 5000)
    timed = count(solver, row, Limit(seconds=0.2))
    assert (timed.stop, timed.complete) == ("time", False)


@pytest.mark.parametrize("solver", [Backtracking(), DancingLinks()], ids=named)
@pytest.mark.parametrize("name", LARGE)
def test_larger_boards_have_one_solution(solver, name):
    result = solve(load(name).read(LARGE[name]), solver)
    assert (result.proof, result.length) == ("unique", LARGE[name].count("."))


@pytest.mark.parametrize("solver", MOST, ids=named)
def test_they_keep_the_promises_of_every_solver(solver):
    boards = [(FOUR.read(".....1.....2.4.3"), 12), (FOUR.read(".21.....4.....3."), None), (FOUR.read("." * 16), 16)]
    boards += [(SIX.read("..4.......3....3...6..4..5....6...12"), 27), (NINE.read(INKALA), 60)]
    check_solver(solver, [*boards, (NINE.read(DEAR), None), (NINE.read(SOLUTION), 0)])
