"""Rows of one board are compared by what the puzzle counts: moves, costs or points."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.objectives import Runs, Tolls

from puzzlelab.jobs import row_checks
from puzzlelab.jobs.row_tally import RowTally

TOLLS = Tolls(((1, 9, 1), (1, 9, 1), (1, 1, 1)))
DEAR = {"moves": list("RDDR"), "length": 4, "cost": 20, "lower_bound": 20, "proof": "optimal"}
CHEAP = {"moves": list("DDRR"), "length": 4, "cost": 4, "lower_bound": 0, "proof": "none"}
FEW = {"moves": ["0", "0", "0"], "length": 3, "score": 48, "upper_bound": 48, "proof": "optimal"}
MANY = {"moves": ["4", "0"], "length": 2, "score": 80, "upper_bound": None, "proof": "none"}
BOUND = {"moves": None, "length": None, "upper_bound": 79, "proof": "none", "stop": "time"}


@pytest.mark.parametrize(
    ("puzzle", "board", "rows", "reason"),
    [
        (TOLLS, "0", [DEAR, CHEAP], "claims cost 20 optimal; {} has a solution of cost 4"),
        (TOLLS, "0", [CHEAP, DEAR], "claims cost 20 optimal; {} has a solution of cost 4"),
        (Runs(), "aaaabbbbaaaa", [FEW, MANY], "claims score 48 optimal; {} has a solution of score 80"),
        (
            Runs(),
            "aaaabbbbaaaa",
            [BOUND, MANY],
            "claims that no solution has a score above 79; {} has a solution of score 80",
        ),
    ],
)
def test_a_better_row_refutes_a_claim(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, puzzle: Any, board: str, rows: list[dict[str, Any]], reason: str
) -> None:
    monkeypatch.setattr(row_checks, "load", lambda name: puzzle)
    common = {"puzzle": puzzle.name, "board": board, "solver": "own", "options": {}, "stop": "done", "seconds": 0.0}
    path, tally = tmp_path / "rows.jsonl", RowTally()
    path.write_text("".join(json.dumps({**common, **row}) + "\n" for row in rows))
    refutations = [each for check in row_checks.checks([path]) for each in tally.add(check)]
    better = 1 + (rows[1] in (CHEAP, MANY))
    expected = reason.format(f"{path}, line {better} (row {better})")
    assert [reason for _, reason in refutations] == [expected]
    assert [place.number for place, _ in refutations] == [3 - better]
    assert tally.holding == 1
