"""What `solve` says of an answer, in the words of what the puzzle counts."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.objectives import Runs, Tolls

from puzzlelab import Result, load, solver
from puzzlelab.cli.answers import SolveReport
from puzzlelab.core.views import Samples
from puzzlelab.text.moves import move_notation


def report_of(puzzle: Any) -> SolveReport:
    """A report of the answer to one board."""
    job: Any = SimpleNamespace(puzzle=puzzle, solver=solver("astar"))
    return SolveReport(job, move_notation(puzzle), many=False)


@pytest.mark.parametrize(
    ("puzzle", "sums", "sentence"),
    [
        (load("tiles-3x3"), {}, "no shorter one"),
        (Tolls(((1,),)), {"cost": 5}, "no cheaper one"),
        (Runs(), {"score": 8, "upper_bound": 9}, "no better one"),
    ],
)
def test_patience_ends_with_nothing_better(puzzle: Any, sums: dict[str, int], sentence: str) -> None:
    report = report_of(puzzle)
    said = report._proof(Result((1, 2), stop="patience", **sums))
    assert f"{sentence} came soon after it; --time 60 searches longer" in said


def test_a_solution_after_which_memory_ran_out_says_so() -> None:
    report = report_of(load("tiles-3x3"))
    assert report._proof(Result((1, 2), stop="memory", lower_bound=1)) == (
        "not proven optimal (at least 1 move is needed; the memory is used up)"
    )


def test_a_bound_that_says_nothing_is_left_out() -> None:
    report = report_of(load("tiles-3x3"))
    assert report._proof(Result((1, 2))) == "not proven optimal"


class Unmeasured(Tolls):
    """A puzzle that makes boards, of which it cannot tell the level."""

    def difficulty(self, states: Any) -> dict[str, Any]:
        return {}

    def view(self, kind: type) -> Any:
        return self if kind is Samples else super().view(kind)


def test_steps_leave_out_a_difficulty_that_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    puzzle = Unmeasured(((1, 1),))
    report_of(puzzle)._steps(Result((0,), instance=puzzle.read("0")))
    said = capsys.readouterr().out
    assert said
    assert "difficulty" not in said
