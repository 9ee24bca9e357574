"""Claims are proven by another method, and refuted by any."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.objectives import Runs, Tolls

import puzzlelab
from puzzlelab import Limit, Presentation, Result, load
from puzzlelab.analysis.proofs import Claim, Method, ProofCheck, basis_of, claim_of, follows_from_rules, provers
from puzzlelab.core.puzzle import presentation_of
from puzzlelab.core.registry import make_solver
from puzzlelab.core.views import Estimate, Estimates
from puzzlelab.engine.solving import solve
from puzzlelab.jobs import row_checks
from puzzlelab.jobs.row_tally import RowTally
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.storage.row_columns import row_of

TWO, FAR, ODD = "1 2 3 4 5 6 0 7 8", "8 6 7 2 5 4 3 0 1", "1 2 3 4 5 6 8 7 0"
PUZZLES = ["tiles-3x3", "tiles-4x4", "tiles-5x5", "dust-6x5x4", "dust-8x6x5", "dust-12x10x5", "sudoku-9x9"]


@pytest.mark.parametrize(
    ("result", "claim"),
    [
        (Result(None), None),
        (Result((1, 2)), None),
        (Result((1, 2), lower_bound=1), Claim("lower bound", 1)),
        (Result((1, 2), "optimal", lower_bound=2), Claim("optimal", 2)),
        (Result((1, 2), "unique", lower_bound=2), Claim("unique")),
        (Result(None, "unsolvable", lower_bound=3), Claim("unsolvable")),
    ],
)
def test_the_claim_of_a_result(result, claim):
    assert claim_of(result) == claim


@pytest.mark.parametrize("name", PUZZLES)
def test_whichever_method_claims_there_is_another(name):
    puzzle = load(name)
    claim = Claim("unique") if presentation_of(puzzle).unique_expected else Claim("optimal", 9)
    for solver, options in presentation_of(puzzle).provers:
        *others, last = provers(puzzle, claim, Method.of(puzzle, solver, options))
        assert others
        assert all(prover.independent for prover in others)
        assert not last.independent
        assert last.solver.name == solver


def test_the_same_solver_with_another_estimate_is_another_method():
    puzzle = load("tiles-4x4")
    assert Method.of(puzzle, "ida", {}) == Method.of(puzzle, "ida", {"estimate": "pdb", "jobs": 2})
    assert Method.of(puzzle, "ida", {}) != Method.of(puzzle, "ida", {"estimate": "walking"})
    assert Method.of(puzzle, "theirs", {"depth": 3}) == Method("theirs")


def test_what_follows_from_the_rules_needs_no_search():
    eight, small = load("tiles-3x3"), load("sudoku-4x4")
    odd = puzzlelab.prove(eight.read(ODD), Result(None, "unsolvable"), "ida")
    done = puzzlelab.prove(eight.read("1 2 3 4 5 6 7 8 0"), Result((), "optimal"), "ida")
    board = small.read("small")
    longest = replace(puzzlelab.solve(board), proof="optimal")
    assert [odd.proved_by, done.proved_by, puzzlelab.prove(board, longest).proved_by] == ["rules"] * 3


def test_a_result_that_claims_nothing():
    assert puzzlelab.prove(load("tiles-3x3").read(TWO), Result((2, 2))) is None


def test_wrong_moves_are_an_error():
    with pytest.raises(puzzlelab.PuzzlelabError, match="the result does not hold: move 1 of 1"):
        puzzlelab.prove(load("tiles-3x3").read(TWO), Result((0, 1, 0)[:1] * 1, "optimal", lower_bound=1))


@pytest.mark.parametrize("claimed_by", ["ida", "bfs", "astar", None])
def test_a_right_claim_is_proven_by_another_method(claimed_by):
    board = load("tiles-3x3").read(FAR)
    check = puzzlelab.prove(board, puzzlelab.solve(board), claimed_by)
    assert (check.outcome, check.witness) == ("proven", None)
    assert check.proved_by.partition(":")[0] == ("astar" if claimed_by == "bfs" else "bfs")
    assert check.expanded > 0


def test_a_right_lower_bound_is_proven_without_a_solution():
    board = load("tiles-3x3").read(FAR)
    check = puzzlelab.prove(board, Result(None, stop="time", lower_bound=31), "ida")
    assert (check.outcome, check.claim) == ("proven", Claim("lower bound", 31))
    check = puzzlelab.prove(board, Result(None, stop="time", lower_bound=32), "ida")
    assert (check.outcome, len(check.witness)) == ("refuted", 31)


def test_the_only_solution_and_one_of_several():
    puzzle = load("sudoku-9x9")
    board = puzzle.read(next(iter(presentation_of(puzzle).examples)))
    result = puzzlelab.solve(board)
    assert puzzlelab.prove(board, result, "bands").proved_by == "dancing-links"
    many = puzzle.read("many")
    forged = replace(puzzlelab.solve(many), proof="unique")
    check = puzzlelab.prove(many, forged, "bands")
    assert check.outcome == "refuted"
    assert puzzlelab.verify(many, Result(check.witness)).holds


def test_the_method_that_claimed_can_only_refute(monkeypatch):
    puzzle = load("tiles-3x3")
    shown = replace(presentation_of(puzzle), provers=(("bfs", {}),))
    monkeypatch.setattr("puzzlelab.analysis.proofs.presentation_of", lambda puzzle: shown)
    board = puzzle.read(TWO)
    check = puzzlelab.prove(board, Result((2, 2), "optimal", lower_bound=2), "bfs")
    assert (check.outcome, check.reason) == (
        "undecided",
        "claims 2 moves optimal; there is no other method to prove it",
    )
    assert puzzlelab.prove(board, Result((1, 0, 2, 2), "optimal", lower_bound=4), "bfs").outcome == "refuted"


def test_a_limit_leaves_the_claim_undecided():
    board = load("tiles-3x3").read(FAR)
    check = puzzlelab.prove(board, puzzlelab.solve(board), "ida", Limit(nodes=4))
    assert (check.outcome, check.proved_by) == ("undecided", "")
    assert "not decided within the limit by bfs:bidirectional=True, astar:estimate=manhattan" in check.reason


def test_a_search_that_is_cut_off_after_one_solution_does_not_prove_that_there_is_no_other(monkeypatch):
    board = load("sudoku-4x4").read("small")
    result = puzzlelab.solve(board)

    def cut_off(*_):
        yield replace(result, proof="none")
        yield Result(None, stop="nodes")

    monkeypatch.setattr("puzzlelab.analysis.proofs._attempts", cut_off)
    assert result.proof == "unique"
    assert puzzlelab.prove(board, result, "bands").outcome == "undecided"


def test_the_last_method_gets_all_that_remains_of_the_limit(monkeypatch):
    given = []

    def tried(prover, instance, result, claim, limit, over):
        given.append(limit.nodes)
        return ProofCheck(claim, "undecided", expanded=limit.nodes)

    monkeypatch.setattr("puzzlelab.analysis.proofs._try", tried)
    board = load("tiles-3x3").read(FAR)
    puzzlelab.prove(board, puzzlelab.solve(board), "ida", Limit(nodes=80))
    assert sum(given) == 80
    assert given[0] == 40


# --- costs and scores -------------------------------------------------------------------------------------------------

TOLLS = Tolls(((1, 9, 1), (1, 9, 1), (1, 1, 1)))
"""The way of 2 moves costs 11, and the detour of 4 moves costs 4; the first cell is number 0."""


def proven_by_astar(monkeypatch):
    """A* is the only method of every puzzle."""
    shown = Presentation(provers=(("astar", {}),))
    monkeypatch.setattr("puzzlelab.analysis.proofs.presentation_of", lambda puzzle: shown)


def test_the_claim_of_a_cost_and_of_a_score():
    cost, score = Result((1,), "optimal", lower_bound=4, cost=4), Result(None, upper_bound=8)
    assert claim_of(cost, "cost") == Claim("optimal", 4, "cost")
    assert claim_of(score, "score") == Claim("upper bound", -8, "score")
    assert str(claim_of(cost, "cost")) == "claims cost 4 optimal"
    assert str(claim_of(score, "score")) == "claims that no solution has a score above 8"
    assert str(Claim("lower bound", 3, "cost")) == "claims that no solution has a cost below 3"


@pytest.mark.parametrize("board", [TOLLS.read("0"), Runs().read("abccbaabccba")])
def test_the_best_cost_or_score_is_proven_by_another_method(monkeypatch, board):
    proven_by_astar(monkeypatch)
    result = solve(make_solver("beam", {"width": 10_000}), board, Limit())
    assert result.proof == "optimal"
    assert puzzlelab.prove(board, result, make_solver("beam", {})).outcome == "proven"


def test_a_cost_and_a_score_that_are_not_the_best_are_refuted(monkeypatch):
    proven_by_astar(monkeypatch)
    right, row = 0, Runs().read("aaaabbbbaaaa")
    dear = Result((right, right, 2, 2), "optimal", lower_bound=12, cost=12)
    check = puzzlelab.prove(TOLLS.read("0"), dear)
    assert (check.outcome, len(check.witness)) == ("refuted", 4)
    assert check.reason == "claims cost 12 optimal; astar finds a solution of cost 4"
    few = Result((0, 0, 0), "optimal", score=48, upper_bound=48)
    assert puzzlelab.prove(row, few).reason == "claims score 48 optimal; astar finds a solution of score 80"
    below = Result(None, stop="time", upper_bound=79)
    assert puzzlelab.prove(row, below).outcome == "refuted"


def test_one_move_is_optimal_by_the_rules_only_where_moves_are_counted():
    grid = Tolls(((0, 5), (1, 1)))
    board = grid.read("1")
    result = Result((2,), "optimal", lower_bound=1, cost=1)
    assert not follows_from_rules(board, result, claim_of(result, "cost"))
    free = Tolls(((0, 0),))
    assert follows_from_rules(free.read("0"), Result((0,), cost=0), Claim("optimal", 0, "cost"))


# --- the estimate on which a proof rests ---

BOARD = "8 1 3 4 0 2 7 6 5"


@dataclass(frozen=True)
class Boastful(Tiles):
    """Tiles with an estimate of three times the true one, and marked admissible."""

    def estimate(self, name: str | None = None) -> Estimate:
        return Estimate("three", admissible=True, scores=lambda states: 3 * self.distances(states))

    def distances(self, states: Any) -> Any:
        goal = np.array(self.goal)
        return ((states != goal) & (states != 0)).sum(axis=1)

    def view(self, kind: type) -> Any:
        return self if kind is Estimates else super().view(kind)


def basis(puzzle: Any, board: str, solver: str, **options: Any) -> Any:
    made = make_solver(solver, options)
    found = solve(made, puzzle.read(board), Limit())
    return basis_of(found, row_of(found, made, Limit()).options)


def test_a_proof_by_an_estimate_names_it() -> None:
    found = basis(load("tiles-3x3"), BOARD, "astar", estimate="manhattan")
    assert (found.estimate, found.check, found.reason) == ("manhattan", "passed", "")
    assert basis(load("tiles-3x3"), BOARD, "ida").estimate == load("tiles-3x3").view(Estimates).estimate().name
    assert basis(load("tiles-3x3"), BOARD, "bfs") is None
    assert basis(load("tiles-3x3"), BOARD, "beam", width=2, estimate="manhattan") is None
    assert basis(Runs(), "aabbaa", "astar").check == "passed"


def test_an_estimate_above_what_is_left_refutes_the_proof() -> None:
    found = basis(Boastful(3, 3), "1 2 3 4 5 6 0 7 8", "astar")
    assert found.check == "refuted"
    assert found.reason == (
        "its proof rests on the estimate 'three', which gives 6 at 1 2 3 4 5 6 0 7 8, where 2 moves are left"
    )


def test_verify_counts_what_proofs_rest_on(tmp_path: Path) -> None:
    puzzle, solver = load("tiles-3x3"), make_solver("astar", {"estimate": "manhattan"})
    row = row_of(solve(solver, puzzle.read(BOARD), Limit()), solver, Limit())
    unknown = row.model_copy(update={"options": {**row.options, "estimate": "crystal-ball"}})
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(each.to_json() + "\n" for each in (row, unknown)), encoding="utf-8")
    tally, facts = RowTally(), []
    for check in row_checks.checks([file]):
        tally.add(check)
        facts.append(check.facts(""))
    assert [(each["proof_estimate"], each["estimate_check"]) for each in facts] == [
        ("manhattan", "passed"),
        ("crystal-ball", "never"),
    ]
    first, second = tally.bases_in_words()
    assert first.startswith("proofs that rest on the estimate manhattan of tiles-3x3: 1 (checked along each solution")
    assert "crystal-ball of tiles-3x3: 1 (never checked" in second
