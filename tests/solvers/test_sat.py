"""SAT: known solutions and counts, kept engines, limits, and that Ctrl-C cannot break an engine."""

import sys
import threading

import pytest
from tests.solvers.known import IMPOSSIBLE, INKALA, NINE, SEVERAL, SOLUTION

from puzzlelab import Limit, Result, Unsupported, load, solve
from puzzlelab.engine.enumeration import Listing
from puzzlelab.solvers import sat
from puzzlelab.solvers.sat import Engine, Sat

LARGE = (
    "...NMEJG..K.9.O.1L..7F.6..D.PON.M.AH.J.C.7B.F.I..3.EJG.B6F..8L.73..D.KN.A.M.1..4.3L8......C..JHP.D.."
    "....L..OK.B6.1F..A.2GJ..H.4C....AJ.L..579.1I.....OK.H....NG5.IE.1.....9...LE.8..7I1.H4BF.6.O..D2..MN"
    "PB9F76...L..O..A.2...H.....12..OKEPAHD...G...8.6B..9.M.5K2.N....I8.7..C..34....8.G7.6.MA..........J."
    "4C.E..L.OJ.7...2N5MA...1K...5.......OCH9..F4.BL.....G.JH.9BI3..4.K..EO..M..I.F...AJ.2.96.HN...7.8.DP"
    "NP....E.68..K.J.....L7GHI.A69DM7....38.N..H..4O.E.1..8..4..G..7CP.A.26.....LM7..O..I.1.5..J3E...6..A"
    "DH.O.A...K.C..E7.8B....LF..EJ.LB6F3.12.4D....5.NA.G2...J9.N.P...DL.4..63.7BB74.1G...O6.3FL52....E9.C"
    "6FL...8I.1..BN...JG9O2H.D"
)


@pytest.fixture(autouse=True)
def library(request):
    """All but one of these tests need it."""
    if request.node.name != "test_a_missing_package_is_told":
        pytest.importorskip("pysat")


@pytest.fixture
def fresh(monkeypatch):
    """Nothing is kept from other tests."""
    monkeypatch.setattr(sat, "_KEPT_ENGINES", type(sat._KEPT_ENGINES)())


def answer(board):
    """The grid that is found, and the proof."""
    result = solve(NINE.read(board), Sat())
    state = NINE.read(board).state
    for move in result.moves or ():
        state = NINE.apply(state, move)
    return NINE.write(state), result.proof


def test_one_engine_is_right_about_board_after_board(fresh):
    for _ in range(2):
        assert answer(INKALA) == (SOLUTION, "unique")
        assert answer(IMPOSSIBLE) == (IMPOSSIBLE, "unsolvable")
        assert answer(SOLUTION) == (SOLUTION, "unique")
        assert answer(SEVERAL)[1] == "several"


def test_one_solution_of_several_does_not_depend_on_what_was_solved_before(fresh):
    first = solve(NINE.read(SEVERAL), Sat()).moves
    for board in (INKALA, IMPOSSIBLE, SOLUTION[:40] + "." * 41):
        solve(NINE.read(board), Sat())
    assert solve(NINE.read(SEVERAL), Sat()).moves == first


def test_an_engine_is_kept_and_replaced_when_it_has_served_enough(fresh, monkeypatch):
    monkeypatch.setattr(sat, "MAX_BOARDS", 2)
    made = []
    begin = Engine.__init__
    monkeypatch.setattr(Engine, "__init__", lambda self, *rest: (made.append(self), begin(self, *rest))[1])
    for served, engines in enumerate([1, 1, 2, 2, 3], start=1):
        assert answer(INKALA) == (SOLUTION, "unique")
        assert len(made) == engines, served


def test_two_boards_at_once_do_not_disturb_each_other(fresh):
    attempts = [Sat().attempts(NINE.read(board), Limit()) for board in (INKALA, SOLUTION, IMPOSSIBLE, INKALA)]
    last = {}
    while attempts:
        for attempt in list(attempts):
            try:
                last[attempt] = next(attempt)
            except StopIteration:
                attempts.remove(attempt)
    assert [result.proof for result in last.values()] == ["unique", "unique", "unsolvable", "unique"]


def test_a_search_that_is_given_up_leaves_the_engine_right(fresh):
    attempts = Sat().attempts(NINE.read(SOLUTION[:70] + "." * 11), Limit())
    while not getattr(next(attempts), "moves", None):
        pass
    attempts.close()
    assert answer(INKALA) == (SOLUTION, "unique")


def test_a_large_board():
    # 25 x 25 with half of its cells filled
    puzzle = load("sudoku-25x25")
    result = solve(puzzle.read(LARGE), Sat())
    assert (result.proof, result.length) == ("unique", LARGE.count("."))


@pytest.mark.parametrize("most_pairs", [0, sat.MOST_PAIRS])
def test_both_encodings_have_the_same_solutions(fresh, monkeypatch, most_pairs):
    monkeypatch.setattr(sat, "MOST_PAIRS", most_pairs)
    assert answer(INKALA) == (SOLUTION, "unique")
    assert answer(IMPOSSIBLE) == (IMPOSSIBLE, "unsolvable")
    assert answer(INKALA) == (SOLUTION, "unique")
    blank = load("sudoku-4x4").read("0" * 16)
    assert len(set(Listing(Sat(), blank, Limit()))) == 288


def test_a_limit_of_time_is_kept():
    listing = Listing(Sat(), load("sudoku-9x9").read("." * 81), Limit(seconds=0.2))
    assert len(set(listing)) == listing.count
    assert listing.stop == "time"


def test_a_limit_of_nodes_is_kept_exactly(fresh):
    whole = solve(NINE.read(INKALA), Sat()).expanded
    for nodes in (1, 3, 10):
        sat._KEPT_ENGINES.clear()
        result = solve(NINE.read(INKALA), Sat(), Limit(nodes=nodes))
        assert (result.proof, result.stop, result.expanded) == ("none", "nodes", nodes) or nodes >= whole


def test_a_limit_never_loses_a_solution_that_was_found(fresh):
    kept = 0
    for nodes in range(1, 40):
        results = [a for a in Sat().attempts(NINE.read(SEVERAL), Limit(nodes=nodes)) if isinstance(a, Result)]
        assert (results[-1].moves is None) == (results[0].moves is None)
        kept += results[-1].moves is not None and results[-1].stop == "nodes"
    assert kept > 0


def test_engines_work_in_another_thread_than_the_one_that_ctrl_c_interrupts(monkeypatch):
    seen = set()
    ask = Engine.ask
    monkeypatch.setattr(Engine, "ask", lambda *rest: (seen.add(threading.current_thread()), ask(*rest))[1])
    assert threading.current_thread() is threading.main_thread()
    assert answer(INKALA) == (SOLUTION, "unique")
    assert seen
    assert threading.main_thread() not in seen


def test_ctrl_c_leaves_the_engine_right(fresh, monkeypatch):
    def interrupted(*rest):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Engine, "ask", interrupted)
        assert solve(NINE.read(INKALA), Sat()).stop == "interrupted"
    assert answer(INKALA) == (SOLUTION, "unique")


def test_a_missing_package_is_told(fresh, monkeypatch):
    monkeypatch.setitem(sys.modules, "pysat.solvers", None)
    with pytest.raises(Unsupported, match="pip install 'puzzlelab\\[sat\\]'"):
        solve(NINE.read(INKALA), Sat())


def test_an_engine_that_this_build_lacks_is_told(fresh, monkeypatch):
    from pysat import solvers

    def missing(name, bootstrap_with):
        raise solvers.NoSuchSolverError(name)

    monkeypatch.setattr(solvers, "Solver", missing)
    with pytest.raises(Unsupported, match="no engine 'cadical153'"):
        solve(NINE.read(INKALA), Sat())


def test_dancing_links_decide_what_they_can_in_their_first_steps():
    sudoku = load("sudoku-4x4")
    first, tiny = Sat(first_nodes=10_000), Sat(first_nodes=1)
    for text, solutions in (("." * 16, 288), ("1.....4..23.....", 0), (".1....4....23...", 1)):
        board = sudoku.read(text)
        for solver in (first, tiny):
            *_, counted = solver.count(board, Limit(), 1000)
            assert counted.solutions == solutions
            *_, last = solver.attempts(board, Limit())
            assert (last.proof == "unique", last.proof == "unsolvable") == (solutions == 1, solutions == 0)
    *_, stopped = first.attempts(load("sudoku-16x16").read("large"), Limit(nodes=5))
    assert stopped.stop == "nodes"
