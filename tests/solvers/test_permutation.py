"""Permutation search: hard boards, known counts, the lists themselves, what is too large, several threads."""

import threading
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.solvers.known import NINE, SEVERAL, SIX

from puzzlelab import Instance, Limit, Progress, load, solve
from puzzlelab.engine import shared_pieces
from puzzlelab.engine.driver import Clock
from puzzlelab.engine.enumeration import Listing, count
from puzzlelab.solvers import _permutation_threads
from puzzlelab.solvers.backtracking import Backtracking
from puzzlelab.solvers.permutation import Permutation, PermutationRows, prepare

FIRST_ROW = SIX.read("123456" + "." * 30)


def answers(solver, start, limit=None):
    """The solutions in the order in which they come, and the last result."""
    found = [attempt for attempt in solver.solutions(start, limit or Limit()) if not isinstance(attempt, Progress)]
    return [result.moves for result in found[:-1]], replace(found[-1], seconds=0.0)


@pytest.fixture
def at_once(monkeypatch):
    """The search is split after the first slice of work."""
    monkeypatch.setattr(_permutation_threads, "HEAD_START", 0.0)


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
