"""What every solver does when it must stop: it says why, keeps what it has, and never calls a hard board unsolvable."""

from dataclasses import replace

import pytest

from puzzlelab import Estimate, Limit, Progress, Result, Solver, load, solve
from puzzlelab.engine import driver
from puzzlelab.runtime.memory import resident
from puzzlelab.solvers.astar import Astar
from puzzlelab.solvers.beam import Beam
from puzzlelab.solvers.bfs import Bfs
from puzzlelab.solvers.depth_first import DepthFirst
from puzzlelab.solvers.ida import Ida

HARD = load("tiles-4x4").read("12 10 6 0 9 8 13 15 11 7 3 2 5 4 14 1")
HARD_LENGTH = 65
"""One of the hardest of Korf's (1985) hundred boards, number 88, and the length of a shortest solution."""
EASY = load("tiles-3x3").read("8 6 7 2 5 4 3 0 1")
OUTSIDE = Estimate("outside", admissible=True, scores=lambda states: (states[:, :2] != [1, 2]).sum(axis=1))
SOLVERS = [
    Bfs(),
    Bfs(bidirectional=True),
    Astar(estimate="manhattan"),
    Astar(estimate="manhattan", order="breadth"),
    Ida(estimate="manhattan"),
    Ida(estimate="manhattan", jobs=2),
    Beam(estimate="manhattan", width=100_000),
    DepthFirst(estimate="manhattan", depth=78),
]
GROWING = [Bfs(), Bfs(bidirectional=True), Astar(estimate="manhattan"), Beam(estimate="manhattan", width=1_000_000)]


def named(solver: Solver) -> str:
    return f"{solver.name}:" + ",".join(f"{k}={v}" for k, v in solver.options().items() if v not in (None, False, 1))


def check_unfinished(result, stop):
    assert (result.moves, result.proof, result.stop) == (None, "none", stop)
    assert result.lower_bound <= HARD_LENGTH


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_out_of_nodes(solver):
    result = solve(HARD, solver, Limit(nodes=20_000))
    check_unfinished(result, "nodes")
    assert 18_000 < result.expanded <= 20_000
    assert result.generated >= result.expanded


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_out_of_time(solver):
    check_unfinished(solve(HARD, solver, Limit(seconds=0.05)), "time")


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_out_of_memory_at_once(solver):
    check_unfinished(solve(HARD, solver, Limit(memory=1)), "memory")


@pytest.mark.parametrize("solver", GROWING, ids=named)
def test_out_of_memory_on_the_way(solver):
    solve(HARD, solver, Limit(nodes=1))
    result = solve(HARD, solver, Limit(memory=resident() + 80 * 2**20))
    check_unfinished(result, "memory")
    assert result.expanded > 0


def test_a_beam_whose_tables_need_more_than_the_limit_says_so():
    result = solve(EASY, Beam(estimate="manhattan", width=2**20), Limit(memory=resident() + 2**24))
    check_unfinished(result, "memory")
    assert result.reason.startswith("a beam of 1,048,576 states of tiles-3x3 needs 32 MB of memory, and ")


def test_searches_of_little_memory_stay_below_the_limit():
    result = solve(EASY, Ida(estimate="manhattan"), Limit(memory=resident() + 64 * 2**20))
    assert (result.length, result.proof) == (31, "optimal")


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_interrupted(solver):
    def watch(attempt):
        if isinstance(attempt, Progress) and attempt.expanded > 0:
            raise KeyboardInterrupt
        return False

    result = solve(HARD, solver, Limit(), watch)
    check_unfinished(result, "interrupted")
    assert result.expanded > 0


@pytest.mark.parametrize("solver", SOLVERS, ids=named)
def test_ended_by_the_one_who_watches(solver):
    seen = []

    def watch(attempt):
        seen.append(attempt)
        return len(seen) == 2

    check_unfinished(solve(HARD, solver, Limit(), watch), "interrupted")
    assert len(seen) == 2


@pytest.mark.parametrize("solver", [Beam(estimate="manhattan"), DepthFirst(estimate="manhattan", depth=50)], ids=named)
@pytest.mark.parametrize("raises", [True, False], ids=["Ctrl-C", "watch"])
def test_the_best_answer_so_far_is_kept(solver, raises, monkeypatch):
    monkeypatch.setattr(driver, "SLICE_SECONDS", 1e-5)  # it looks up often enough on the fastest machine
    found = []

    def watch(attempt):
        if isinstance(attempt, Result) and attempt.moves is not None:
            found.append(attempt)
        if found and isinstance(attempt, Progress):
            if raises:
                raise KeyboardInterrupt
            return True
        return False

    result = solve(EASY, solver, watch=watch)
    assert len(found) == 1
    assert result.moves == found[0].moves
    assert result.length > 31
    assert (result.proof, result.stop) == ("none", "interrupted")


@pytest.mark.parametrize(
    "solver",
    [
        Bfs(bidirectional=True),
        Astar(estimate="manhattan"),
        Ida(estimate="manhattan"),
        Beam(estimate="manhattan"),
        DepthFirst(estimate="manhattan", depth=20),
        Astar(estimate=OUTSIDE),
        Astar(estimate=OUTSIDE, batch=1024),
        Ida(estimate=OUTSIDE),
        Beam(estimate=OUTSIDE, width=100),
        DepthFirst(estimate=OUTSIDE, depth=12),
    ],
    ids=named,
)
def test_how_much_is_done_between_two_looks_at_the_clock_changes_nothing(solver, monkeypatch):
    board = EASY.puzzle.read("1 6 2 5 3 0 4 7 8")
    whole = solve(board, solver)
    monkeypatch.setattr(driver, "SLICE_SECONDS", 1e-9)
    monkeypatch.setattr(driver, "FIRST_BUDGET", 1)
    sliced = solve(board, solver)
    assert replace(sliced, seconds=0.0) == replace(whole, seconds=0.0)


def test_a_proof_stands_whatever_ended_the_search():
    def watch(attempt):
        if isinstance(attempt, Result):
            raise KeyboardInterrupt
        return False

    result = solve(EASY, Ida(), watch=watch)
    assert (result.length, result.proof, result.stop) == (31, "optimal", "done")
