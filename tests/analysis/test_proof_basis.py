"""A proof names the estimate on which it rests; one that exceeds what is left refutes the proof."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.objectives import Runs

from puzzlelab.analysis.proof_basis import basis_of
from puzzlelab.core.limit import Limit
from puzzlelab.core.registry import load, make_solver
from puzzlelab.core.views import Estimate, Estimates
from puzzlelab.engine.solving import solve
from puzzlelab.jobs import row_checks
from puzzlelab.jobs.row_tally import RowTally
from puzzlelab.puzzles.tiles.rules import Tiles
from puzzlelab.storage.row_columns import row_of

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
