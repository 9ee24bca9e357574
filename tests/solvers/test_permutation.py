"""Permutation search: hard boards, known counts, the lists themselves, what is too large, several threads."""

import threading
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from puzzlelab import BadOption, Instance, Limit, Progress, check_solver, load, solve
from puzzlelab.core.result import NO_SOLUTION
from puzzlelab.core.views import Units
from puzzlelab.engine import shared_pieces
from puzzlelab.engine.driver import Clock
from puzzlelab.engine.enumeration import Listing, count
from puzzlelab.puzzles.sudoku.rules import Sudoku
from puzzlelab.solvers import _permutation_threads
from puzzlelab.solvers.backtracking import Backtracking
from puzzlelab.solvers.permutation import Permutation, PermutationRows, prepare

NINE, FOUR, SIX = load("sudoku-9x9"), load("sudoku-4x4"), load("sudoku-6x6")
SOLUTIONS = {
    "wikipedia": "987654321246173985351928746128537694634892157795461832519286473472319568863745219",
    "inkala": "812753649943682175675491283154237896369845721287169534521974368438526917796318452",
}
DEAR = "......4..812.......6.8...71...98....324..5....9.....6..53....2.......5.....7.639."
"""No solution, which no single rule sees."""
SEVERAL = "8.........95.......67..........2.485...4.3192......736...651947...732518...894263"
"""125 solutions, says the source: tests of tdoku."""
FIRST_ROW = SIX.read("123456" + "." * 30)


@dataclass(frozen=True)
class Latin(Sudoku):
    """Latin squares: Sudoku without boxes."""

    @cached_property
    def units(self):
        rows, columns, _ = load(self.name).units.kinds.values()
        return Units({"row": rows, "column": columns})


def board_after(start, moves):
    """The board with these moves made, by the plain rules."""
    state = start.state
    for move in moves:
        state = start.puzzle.apply(state, move)
    return start.puzzle.write(state)


def answers(solver, start, limit=None):
    """The solutions in the order in which they come, and the last result."""
    found = [attempt for attempt in solver.solutions(start, limit or Limit()) if not isinstance(attempt, Progress)]
    return [result.moves for result in found[:-1]], replace(found[-1], seconds=0.0)


@pytest.fixture
def at_once(monkeypatch):
    """The search is split after the first slice of work."""
    monkeypatch.setattr(_permutation_threads, "HEAD_START", 0.0)


@pytest.mark.parametrize("name", ["wikipedia", "inkala"])
def test_solves_hard_boards_and_proves_them_unique(name):
    start = NINE.read(name)
    result = solve(start, Permutation())
    assert board_after(start, result.moves) == SOLUTIONS[name]
    assert (result.proof, result.stop, result.lower_bound) == ("unique", "done", len(result.moves))
    assert list(result.moves) == sorted(result.moves)


def test_keeps_the_promises_of_every_solver():
    boards = [("sudoku-4x4", ".....1.....2.4.3", 12), ("sudoku-4x4", ".21.....4.....3.", None)]
    boards += [("sudoku-4x4", "." * 16, 16), ("sudoku-6x6", "..4.......3....3...6..4..5....6...12", 27)]
    boards += [("sudoku-9x9", "inkala", 60), ("sudoku-9x9", DEAR, None), ("sudoku-9x9", SOLUTIONS["inkala"], 0)]
    check_solver(Permutation(), [(load(name).read(text), blanks) for name, text, blanks in boards])


def test_a_dear_proof_that_there_is_no_solution():
    result = solve(NINE.read(DEAR), Permutation())
    assert (result.moves, result.proof, result.reason) == (None, "unsolvable", NO_SOLUTION)


@pytest.mark.parametrize(
    ("start", "number"),
    [
        (FOUR.read("." * 16), 288),
        (FIRST_ROW, 28_200_960 // 720),
        (Latin(2, 2).read("." * 16), 576),
        (Latin(2, 3).read("123456" + "2" + "." * 29), 9408 * 120 // 5),
        (NINE.read(SEVERAL), 125),
        (FOUR.read("1.....4..23....."), 0),
        (NINE.read(DEAR), 0),
        (NINE.read(SOLUTIONS["inkala"]), 1),
    ],
    ids=["4x4", "6x6", "Latin 4", "Latin 6", "several", "none", "none, dearly", "full"],
)
def test_counts_are_the_known_ones(start, number):
    """28,200,960 grids of 6x6 Sudoku; 576 Latin squares of order 4, 9,408 reduced ones of order 6."""
    found = count(Permutation(), start, Limit())
    assert (found.solutions, found.stop) == (number, "done")


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 35), st.integers(0, 5)), min_size=8, max_size=20))
def test_finds_what_backtracking_finds(clues):
    state = np.zeros(36, np.uint8)
    for cell, digit in clues:
        if SIX.candidates(state)[cell, digit]:
            state[cell] = digit + 1
    start = Instance(SIX, state)
    both = [Listing(solver, start, Limit(), 100) for solver in (Permutation(), Backtracking())]
    found = [set(listing) for listing in both]
    assert both[0].stop == both[1].stop
    assert found[0] == found[1] or both[0].stop == "solutions"
    assert len(found[0]) == len(found[1])


def test_the_lists_are_the_permutations_that_fit():
    start = SIX.read("..4.......3....3...6..4..5....6...12")
    rows = PermutationRows.of(start)
    counts, stop = rows.count(10**6, Clock(Limit()))
    lists = rows.list(counts)
    assert stop is None
    for row, masks in enumerate(rows.masks.tolist()):
        expected = {
            p for p in permutations(range(6)) if all(mask >> digit & 1 for mask, digit in zip(masks, p, strict=True))
        }
        listed = lists.digits[lists.firsts[row] : lists.firsts[row + 1]].tolist()
        assert len(listed) == counts[row]
        assert {tuple(digits) for digits in listed} == expected


def test_limits_end_it_without_a_proof():
    result = solve(NINE.read("inkala"), Permutation(), Limit(nodes=5))
    assert (result.moves, result.proof, result.stop, result.expanded) == (None, "none", "nodes", 5)
    found = count(Permutation(), NINE.read("123456789" + "." * 72), Limit(nodes=2000))
    assert found.stop == "nodes"
    timed = count(Permutation(), NINE.read("123456789" + "." * 72), Limit(seconds=0.5))
    assert timed.stop == "time"


def test_an_empty_board_of_nine():
    start = NINE.read("." * 81)
    assert prepare(start, Clock(Limit()), 1).firsts[-1] == 9 * 362_880
    assert count(Permutation(), start, Limit(), 3).stop == "solutions"


@pytest.mark.parametrize(("text", "limit"), [("." * 256, Limit()), ("." * 256, Limit(memory=2**40))])
def test_rows_with_too_many_permutations_are_not_listed(text, limit):
    result = solve(load("sudoku-16x16").read(text), Permutation(), limit)
    assert (result.moves, result.proof, result.stop) == (None, "none", "memory")
    assert "permutations" in result.reason
    assert count(Permutation(), load("sudoku-16x16").read(text), limit).stop == "memory"


def test_a_small_limit_on_memory_is_kept():
    result = solve(NINE.read("." * 81), Permutation(), Limit(memory=2**20))
    assert (result.stop, result.moves) == ("memory", None)


# --- several threads ------------------------------------------------------------------------------------------------


def test_jobs_must_be_some():
    with pytest.raises(BadOption, match="jobs"):
        Permutation(jobs=0)


def test_a_short_search_has_the_same_answers_on_several_threads():
    assert answers(Permutation(jobs=4), NINE.read(SEVERAL)) == answers(Permutation(jobs=1), NINE.read(SEVERAL))


def test_two_threads_give_the_same_answers_in_the_same_order(at_once):
    start = SIX.read("1234564" + "." * 29)
    (one, end), (two, other_end) = (answers(Permutation(jobs=jobs), start) for jobs in (1, 2))
    assert len(one) == 39_168 // 3
    assert two == one
    assert other_end == end


def test_solutions_of_later_pieces_wait_for_the_current_one(at_once, monkeypatch):
    monkeypatch.setattr(shared_pieces, "PENDING", 10)
    start = SIX.read("1234564" + "." * 29)
    assert answers(Permutation(jobs=3), start) == answers(Permutation(jobs=1), start)


@pytest.mark.parametrize("jobs", [2, 3])
def test_several_threads_count_the_same(at_once, jobs):
    one, two = (count(Permutation(jobs=number), FIRST_ROW, Limit()) for number in (1, jobs))
    assert (one.solutions, one.stop) == (39_168, "done")
    assert replace(two, seconds=0) == replace(one, seconds=0)


@pytest.mark.parametrize(("limit", "stop"), [(Limit(seconds=0.5), "time"), (Limit(nodes=200_000), "nodes")])
def test_a_limit_ends_the_threads(at_once, limit, stop):
    found = count(Permutation(jobs=2), NINE.read("123456789" + "." * 72), limit)
    assert found.stop == stop
    assert limit.nodes is None or found.expanded <= limit.nodes
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("pieces")]


def test_to_close_it_ends_the_threads(at_once):
    steps = Permutation(jobs=2).count(NINE.read("123456789" + "." * 72), Limit(), 2**62)
    while not [thread for thread in threading.enumerate() if thread.name.startswith("pieces")]:
        next(steps)
    steps.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("pieces")]
