"""Dancing links: Knuth's example, random covers against brute force, known counts, hard and large Sudoku, limits."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from puzzlelab import Instance, Limit, check_solver, load, solve
from puzzlelab.core.cover import ExactCover
from puzzlelab.core.views import Cover
from puzzlelab.engine.enumeration import Listing, count
from puzzlelab.engine.kernels import IMPROVED, RUNNING
from puzzlelab.solvers.dancing_links import DancingLinks, machine
from puzzlelab.solvers.integer import Integer
from puzzlelab.solvers.sat import Sat

NINE = load("sudoku-9x9")
SOLVED = {
    "6...4...3.1.....7...5...8.....5.2...3...9...2...1.......8...9...7.....5.2...3...4": (
        "687941523412358679935627841794562318351894762826173495548216937173489256269735184"
    ),
    "........1.......2...3.45........16.3.7.......28...........76......82......5.....9": (
        "948762351517398426623145798459281673376954812281637945892576134134829567765413289"
    ),
    "1....6....5......6..9.7..1...4.1..7.3..8......8...53.......4.2.....2.9.7..27..1..": (
        "123456789457189236869372514294613875315897462786245391571934628638521947942768153"
    ),
}
"""A board of "top1465", one of Royle's with 17 clues, one of the forum's hardest of 2011; with their solutions."""
COUNTS = {
    "1...5.2.9..7.......6.......2...........5.1..2....2.39.3.4.9...15...1...3...8...4.": 0,
    "8.........95.......67..........2.485...4.3192......736...651947...732518...894263": 125,
    "8.........59.......76.........978245...653198...412736...591......836.1....724.8.": 601,
}
"""Boards of the tests of tdoku, with their numbers of solutions."""
BOARDS = {
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


@dataclass(frozen=True)
class Picking:
    """A cover as a puzzle: pick options until it is solved. A state is `uint8[O]`, 1 for an option that is picked."""

    name = "picking"
    options: ExactCover

    def view(self, kind):
        return self if kind is Cover else None

    def write(self, state):
        return "".join(map(str, state.tolist()))

    def cover(self):
        return self.options

    def chosen(self, state):
        return np.flatnonzero(state)

    def board(self, *picked):
        return Instance(self, np.isin(np.arange(self.options.options), picked).astype(np.uint8))


def read(text):
    """The cover of 'ab bc|a b|c': its options, its primary items and its secondary items."""
    options, primary, secondary = text.split("|")
    return Picking(ExactCover.of(options.split(), primary.split(), secondary.split()))


def found(solver, board):
    """All solutions, each as the options that come to those of the board."""
    return [result.moves for result in solver.solutions(board, Limit()) if getattr(result, "moves", None) is not None]


def brute_force(cover, picked):
    """The same by trying every set of options that have a primary item."""
    items = [set(cover.option(option).tolist()) for option in range(cover.options)]
    useful = [o for o in range(cover.options) if o not in picked and min(items[o]) < cover.primary]
    sets = [c for size in range(len(useful) + 1) for c in combinations(useful, size)]
    return {chosen for chosen in sets if _exact(cover, [items[o] for o in (*chosen, *picked)])}


def _exact(cover, options):
    covered = [item for option in options for item in option]
    return len(set(covered)) == len(covered) and set(range(cover.primary)) <= set(covered)


@st.composite
def boards(draw):
    """Covers of up to 7 items and 9 options, with up to two options picked, which may clash."""
    items = draw(st.integers(1, 7))
    primary = draw(st.integers(1, items))
    option = st.sets(st.integers(0, items - 1), min_size=1, max_size=4)
    options = draw(st.lists(option, min_size=1, max_size=9))
    picked = draw(st.sets(st.integers(0, len(options) - 1), max_size=2))
    return Picking(ExactCover.of(options, range(primary), range(primary, items))).board(*picked)


def test_the_example_of_knuth():
    # The Art of Computer Programming, 7.2.2.1, (5) and (6): a d f, b g and c e
    assert found(DancingLinks(), read("ce adg bcf adf bg deg|a b c d e f g|").board()) == [(0, 3, 4)]


def test_a_secondary_item_is_covered_at_most_once():
    assert found(DancingLinks(), read("ax bx a b|a b|x").board()) == [(0, 3), (1, 2), (2, 3)]


def test_an_option_without_a_primary_item_is_never_needed():
    assert found(DancingLinks(), read("a x|a|x").board()) == [(0,)]
    assert found(DancingLinks(), read("a ax x|a|x").board(2)) == [(0,)]


@given(boards())
def test_all_solutions_are_found_once(board):
    expected = brute_force(board.puzzle.cover(), board.puzzle.chosen(board.state).tolist())
    for solver in (DancingLinks(), Sat(), Sat(engine="minisat22")):
        solutions = found(solver, board)
        assert len(solutions) == len(expected)
        assert set(solutions) == expected


@given(boards())
def test_the_proof_is_right(board):
    expected = brute_force(board.puzzle.cover(), board.puzzle.chosen(board.state).tolist())
    proof = {0: "unsolvable", 1: "unique"}.get(len(expected), "none")
    for solver in (DancingLinks(), Sat(), Integer()):
        *_, last = solver.attempts(board, Limit())
        assert (last.proof, last.stop) == (proof, "done")
        assert last.moves in expected or not expected


# --- Sudoku ---


@pytest.mark.parametrize(("board", "solution"), SOLVED.items())
def test_hard_boards_have_the_known_solution_only(board, solution):
    result = solve(NINE.read(board), DancingLinks())
    state = NINE.read(board).state
    for move in result.moves:
        state = NINE.apply(state, move)
    assert (NINE.write(state), result.proof) == (solution, "unique")
    assert list(result.moves) == sorted(result.moves)


@pytest.mark.parametrize(("board", "solutions"), COUNTS.items())
def test_solutions_are_counted_and_listed(board, solutions):
    start = NINE.read(board)
    counted = count(DancingLinks(), start, Limit())
    assert (counted.solutions, counted.stop) == (solutions, "done")
    listing = Listing(DancingLinks(), start, Limit())
    assert len(set(listing)) == solutions
    assert listing.stop == "done"


def test_a_board_without_a_solution_is_proven_so():
    board = next(board for board, solutions in COUNTS.items() if solutions == 0)
    result = solve(NINE.read(board), DancingLinks())
    assert (result.moves, result.proof, result.stop) == (None, "unsolvable", "done")


def test_all_grids_of_four_by_four():
    # 288: OEIS A107739
    assert count(DancingLinks(), load("sudoku-4x4").read("." * 16), Limit()).solutions == 288


def test_it_counts_no_more_than_it_is_asked_for():
    counted = count(DancingLinks(), NINE.read("." * 81), Limit(), most=1000)
    assert (counted.solutions, counted.stop) == (1000, "solutions")


def test_a_board_that_is_solved_has_nothing_left_to_do():
    solution = NINE.read(next(iter(SOLVED.values())))
    result = solve(solution, DancingLinks())
    assert (result.moves, result.proof) == ((), "unique")


@pytest.mark.parametrize(("name", "board"), BOARDS.items())
def test_larger_boards_have_one_solution(name, board):
    result = solve(load(name).read(board), DancingLinks())
    assert (result.proof, result.length) == ("unique", board.count("."))


# --- limits ---


def test_a_limit_of_nodes_is_kept_exactly():
    result = solve(NINE.read("." * 81), DancingLinks(), Limit(nodes=40))
    assert (result.moves, result.stop, result.expanded) == (None, "nodes", 40)
    counted = count(DancingLinks(), NINE.read("." * 81), Limit(nodes=5000))
    assert (counted.stop, counted.expanded) == ("nodes", 5000)
    assert counted.solutions > 0


def test_a_limit_of_time_ends_a_count_that_would_take_years():
    counted = count(DancingLinks(), NINE.read("." * 81), Limit(seconds=0.05))
    assert (counted.stop, counted.complete) == ("time", False)
    assert counted.solutions > 0


def test_the_answer_does_not_depend_on_how_the_work_is_sliced():
    board = NINE.read(next(iter(SOLVED)))
    whole = machine(NINE.cover(), NINE.chosen(board.state))
    assert whole.step(10**9) == IMPROVED
    sliced = machine(NINE.cover(), NINE.chosen(board.state))
    while sliced.step(1) == RUNNING:
        pass
    assert sliced.solution(sliced.record) == whole.solution(whole.record)
    assert sliced.control.expanded == whole.control.expanded > 64


def test_it_keeps_the_promises_of_a_solver():
    boards = [(NINE.read(board), board.count(".")) for board in SOLVED]
    nothing = next(board for board, solutions in COUNTS.items() if solutions == 0)
    check_solver(DancingLinks(), [*boards, (NINE.read(nothing), None), (load("sudoku-4x4").read("." * 16), 16)])
