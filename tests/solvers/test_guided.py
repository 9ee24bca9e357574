"""Backtracking by a network: it proposes, the search proves."""

import numpy as np
import pytest

from puzzlelab import check_solver, load, solve
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import board_after
from puzzlelab.core.result import Result
from puzzlelab.core.views import Prior
from puzzlelab.engine.enumeration import count
from puzzlelab.solvers.backtracking import Backtracking

NINE, FOUR = load("sudoku-9x9"), load("sudoku-4x4")
HARD = [
    "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
    "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
]


def prior_of(marks):
    """A prior that answers about candidates alone."""
    return Prior("made", lambda states: pytest.fail("asked about states"), marks)


def knowing(board, sign=1):
    """A prior that knows the solution, or (`sign=-1`) says the opposite."""
    solved = board_after(NINE, board.state, solve(board, "bands").moves)
    truth = (solved[:, None] == np.arange(1, 10)) * float(sign)
    return Prior(
        "knowing", lambda states: pytest.fail("asked about states"), lambda left: np.repeat(truth[None], len(left), 0)
    )


def to_first(solver, board):
    """Guesses until the first solution."""
    return next(a.expanded for a in solver.attempts(board, Limit()) if isinstance(a, Result) and a.moves is not None)


@pytest.mark.parametrize("text", HARD)
def test_who_knows_the_solution_never_guesses_wrong(text) -> None:
    board = NINE.read(text)
    right, wrong = Backtracking(prior=knowing(board)), Backtracking(prior=knowing(board, sign=-1))
    plain = Backtracking()
    assert to_first(right, board) < to_first(plain, board) < to_first(wrong, board)
    levels = np.count_nonzero(board.state == 0)
    assert to_first(right, board) <= levels
    for solver in (right, wrong):
        result = solve(board, solver)
        assert (result.proof, sorted(result.moves)) == ("unique", sorted(solve(board, "bands").moves))
        assert result.evaluations > 0
    assert solve(board, plain).evaluations == 0


def test_the_likeliest_digit_of_the_surest_cell_is_guessed() -> None:
    asked, scores = [], np.random.default_rng(4).normal(size=(16, 4))
    prior = prior_of(lambda left: asked.append(left[0]) or scores[None])
    solve(FOUR.read("1........2......"), Backtracking(prior=prior))
    left, after = asked[:2]
    counts = left.sum(axis=1)
    shortest = np.flatnonzero(counts == counts[counts > 1].min())
    ranked = np.sort(np.where(left, scores, -np.inf), axis=1)
    cell = max(shortest, key=lambda each: ranked[each, -1] - ranked[each, -2])
    assert cell != shortest[0]
    assert np.flatnonzero(after[cell]).tolist() == [np.argmax(np.where(left[cell], scores[cell], -np.inf))]


def test_all_solutions_are_counted_whatever_the_network_says() -> None:
    board = FOUR.read("1........2......")
    noise = prior_of(lambda left: np.random.default_rng(left.sum()).normal(size=left.shape))
    assert count(Backtracking(prior=noise), board, Limit()).solutions == count(Backtracking(), board, Limit()).solutions


def test_its_story_tells_fewer_guesses() -> None:
    board = NINE.read(HARD[0])
    told = "\n".join(Backtracking(prior=knowing(board)).explain(board))
    assert "It is the only solution" in told


def test_a_guided_search_keeps_what_every_solver_promises() -> None:
    for text in HARD:
        board = NINE.read(text)
        check_solver(Backtracking(prior=knowing(board)), [(board, int(np.count_nonzero(board.state == 0)))])
