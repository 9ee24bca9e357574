"""Integer programming: known solutions and counts, its process, limits, and what it says when that process fails."""

import io

import numpy as np
import pytest
from tests.solvers.known import FOUR, IMPOSSIBLE, INKALA, NINE, SOLUTION

from puzzlelab import Limit, Progress, PuzzlelabError, load, solve
from puzzlelab.engine.enumeration import count
from puzzlelab.solvers import _milp_worker, integer
from puzzlelab.solvers.integer import Integer


@pytest.fixture
def workers(monkeypatch):
    """The list of idle workers, empty before and after."""
    idle = []
    monkeypatch.setattr(integer, "_IDLE", idle)
    yield idle
    for worker in idle:
        worker.close()


@pytest.fixture
def processes(workers, monkeypatch):
    """The processes of all workers that the test makes."""
    made = []
    begin = integer.MilpWorker.__init__
    monkeypatch.setattr(integer.MilpWorker, "__init__", lambda self: (begin(self), made.append(self.process))[0])
    return made


def test_a_board_without_a_solution_is_proven_so():
    result = solve(NINE.read(IMPOSSIBLE), Integer())
    assert (result.moves, result.proof) == (None, "unsolvable")
    assert "whole numbers" in result.reason


def test_a_worker_serves_many_boards(workers):
    solve(FOUR.read("1" + "." * 15), Integer())
    first = workers[0]
    assert count(Integer(), FOUR.read("1234" + "." * 12), Limit(), most=2).stop == "solutions"
    assert workers == [first]


def test_a_search_that_is_given_up_ends_its_process(workers, processes):
    attempts = Integer().attempts(load("sudoku-25x25").read("." * 625), Limit())
    assert isinstance(next(attempts), Progress)
    assert processes[0].poll() is None
    attempts.close()
    assert processes[0].poll() is not None
    assert workers == []


def test_a_limit_of_time_is_kept_although_highs_would_go_on(workers):
    counted = count(Integer(), load("sudoku-25x25").read("." * 625), Limit(seconds=0.2))
    assert (counted.stop, counted.complete) == ("time", False)
    assert solve(NINE.read(SOLUTION), Integer()).proof == "unique"


def test_a_limit_of_nodes_is_passed_on():
    result = solve(NINE.read(INKALA), Integer(), Limit(nodes=1))
    assert result.expanded <= 1
    assert result.stop == "nodes" or result.proof == "unique"


def test_a_process_that_has_died_is_replaced(workers):
    assert solve(NINE.read(SOLUTION), Integer()).proof == "unique"
    workers[0].process.kill()
    workers[0].process.wait()
    assert solve(NINE.read(SOLUTION), Integer()).proof == "unique"
    assert len(workers) == 1


def test_a_process_that_dies_at_work_is_told(workers, processes):
    attempts = Integer().solutions(load("sudoku-25x25").read("." * 625), Limit())
    next(attempts)
    processes[0].kill()
    with pytest.raises(PuzzlelabError, match="ended without an answer"):
        list(attempts)
    assert workers == []


def test_a_message_that_breaks_off_is_the_end():
    stream = io.BytesIO()
    _milp_worker.write(stream, {"ones": np.array([3, 5])})
    for length in range(len(stream.getvalue())):
        assert _milp_worker.read(io.BytesIO(stream.getvalue()[:length])) is None


def test_what_highs_cannot_answer_is_told():
    unknown = {"end": _milp_worker.FAILED, "ones": [], "nodes": 0, "words": "Unknown"}
    search = integer.MilpSearch(integer.IntegerProgram(NINE.read(INKALA)), worker=None, clock=integer.Clock(Limit()))
    with pytest.raises(PuzzlelabError, match="HiGHS ended without an answer: Unknown"):
        search._read(unknown)


@pytest.mark.parametrize(
    ("limit", "stop"), [(Limit(nodes=5), "nodes"), (Limit(nodes=2), "nodes"), (Limit(seconds=60), "time")]
)
def test_a_limit_that_highs_has_reached_proves_nothing(limit, stop):
    answer = {"end": _milp_worker.LIMIT, "ones": [], "nodes": 2, "words": "Node limit reached"}
    search = integer.MilpSearch(integer.IntegerProgram(NINE.read(INKALA)), worker=None, clock=integer.Clock(limit))
    assert search._read(answer) is None
    assert (search.stop, search.expanded) == (stop, 2)
