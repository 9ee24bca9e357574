"""What `solve` says of an answer, in the words of what the puzzle counts."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.objectives import Runs, Tolls

from puzzlelab import Result, load
from puzzlelab.cli.report import SolveReport


@pytest.mark.parametrize(
    ("puzzle", "sums", "sentence"),
    [
        (load("tiles-3x3"), {}, "no shorter one"),
        (Tolls(((1,),)), {"cost": 5}, "no cheaper one"),
        (Runs(), {"score": 8, "upper_bound": 9}, "no better one"),
    ],
)
def test_patience_ends_with_nothing_better(puzzle: Any, sums: dict[str, int], sentence: str) -> None:
    report = SolveReport(console=SimpleNamespace(), job=SimpleNamespace(puzzle=puzzle), many=False)
    said = report._proof(Result((1, 2), stop="patience", **sums))
    assert f"the last seconds brought {sentence}: --time allows more" in said
