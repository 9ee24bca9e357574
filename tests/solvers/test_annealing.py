"""Annealing: boards of every kind, what a seed means, what it says when it fails, and that it proves nothing."""

import numpy as np
import pytest
from tests.solvers.known import DEAR, FOUR, NINE, SOLUTION, Latin, timeless

from puzzlelab import Instance, Limit, Progress, Unsupported, check_solver, load, solve
from puzzlelab.engine import driver
from puzzlelab.engine.enumeration import count
from puzzlelab.solvers._annealing_kernels import step
from puzzlelab.solvers.annealing import Annealing, record_of

ENOUGH = Limit(nodes=10**9)
"""Swaps that are many times enough."""


def with_clues(number, seed):
    """The solved board with so many of its digits left."""
    state = NINE.read(SOLUTION).state.copy()
    state[np.random.default_rng(seed).permutation(81)[number:]] = 0
    return Instance(NINE, state)


@pytest.mark.parametrize("number", [37, 42, 47, 80, 81])
def test_solves_boards_of_a_middling_level(number):
    for seed in range(5):
        start = with_clues(number, seed)
        result = solve(start, Annealing(), ENOUGH)
        assert result.length == 81 - number
        assert list(result.moves) == sorted(result.moves)


@pytest.mark.parametrize("name", ["wikipedia", "inkala"])
def test_solves_the_boards_of_the_document(name):
    result = solve(NINE.read(name), Annealing(), ENOUGH)
    assert result.moves is not None


@pytest.mark.parametrize(
    "start",
    [
        FOUR.read("." * 16),
        load("sudoku-6x6:boxes=3x2").read("." * 36),
        load("sudoku-16x16").read("." * 256),
        Latin(2, 2).read("1" + "." * 15),
        Latin(2, 3).read("123456" + "." * 30),
    ],
    ids=["4x4", "6x6", "16x16", "Latin 4", "Latin 6"],
)
def test_solves_other_sizes_and_units(start):
    assert solve(start, Annealing(), ENOUGH).moves is not None


def test_keeps_the_promises_of_every_solver():
    boards = [(FOUR.read(".....1.....2.4.3"), 12), (FOUR.read("." * 16), 16), (NINE.read(SOLUTION), 0)]
    check_solver(Annealing(), [*boards, (with_clues(30, 0), 51)])
    check_solver(Annealing(), [(FOUR.read(".21.....4.....3."), None), (NINE.read(DEAR), None)], Limit(nodes=20_000))


def test_a_solution_is_no_proof():
    result = solve(with_clues(40, 0), Annealing())
    assert (result.proof, result.stop, result.lower_bound) == ("none", "done", 41)


def test_one_seed_gives_one_result_and_others_other_ways():
    start = NINE.read("." * 81)
    results = timeless([solve(start, Annealing(seed=seed)) for seed in (0, 0, 1, 2**64 - 1)])
    assert results[0] == results[1]
    assert len({result.moves for result in results}) == 3


def test_what_it_says_when_it_fails():
    start = NINE.read(DEAR)
    result = solve(start, Annealing(), Limit(nodes=300_000))
    assert (result.moves, result.proof, result.stop, result.expanded) == (None, "none", "nodes", 300_000)
    words = result.reason.split()
    assert 1 <= int(words[0]) <= 10
    assert words[1].startswith("conflict")
    assert "300,000 proposed swaps" in result.reason
    timed = solve(start, Annealing(), Limit(seconds=0.2))
    assert (timed.moves, timed.proof, timed.stop) == (None, "none", "time")


def test_boxes_that_leave_no_choice_are_a_dead_end():
    state = NINE.read(SOLUTION).state.copy()
    state[0], state[1] = 0, 8
    result = next(iter(Annealing().attempts(Instance(NINE, state), Limit())))
    assert (result.moves, result.proof, result.stop) == (None, "none", "dead end")


def test_progress_is_reported_and_counts_swaps(monkeypatch):
    monkeypatch.setattr(driver, "SLICE_SECONDS", 1e-5)
    attempts = list(Annealing().attempts(NINE.read(DEAR), Limit(nodes=20_000)))
    seen = [attempt for attempt in attempts if isinstance(attempt, Progress)]
    assert len(seen) >= 3
    assert [attempt.expanded for attempt in seen] == sorted(attempt.expanded for attempt in seen)
    assert all(0 < attempt.generated <= attempt.expanded for attempt in seen)
    assert seen[-1].generated < seen[-1].expanded


def test_the_conflicts_are_counted_rightly_all_the_way():
    """The cost that is kept from swap to swap is the number of digits that rows and columns lack."""
    start = NINE.read("inkala")
    known = NINE.digits(start.state)
    record = record_of(start, known, 7)
    for _ in range(200):
        step(record, 37)
        lacking = sum(9 - len(set(record.digits[unit].tolist())) for unit in NINE.units.all[:18])
        assert record.control.cost == lacking
        assert record.control.least_cost <= lacking
        assert (record.digits[known >= 0] == known[known >= 0]).all()
        assert (np.sort(record.digits[NINE.units.kinds["box"]], axis=1) == np.arange(9)).all()


def test_it_cannot_count():
    with pytest.raises(Unsupported, match="cannot list or count"):
        count(Annealing(), FOUR.read("." * 16), Limit())
