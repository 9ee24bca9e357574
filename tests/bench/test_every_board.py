"""Every board of a small puzzle, and solvers put to all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from puzzlelab.bench import plots, runs, suites, summaries
from puzzlelab.bench.suites import Suite
from puzzlelab.core import registry
from puzzlelab.core.answers import Answers
from puzzlelab.core.boards import Boards, Instance
from puzzlelab.core.errors import BadInput, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Result
from puzzlelab.core.solver import Attempt, SolverSettings
from puzzlelab.core.views import levels_of

Corridor = Callable[..., Any]


class Walker(SolverSettings):
    """Walks home along a corridor, all boards at once."""

    name: ClassVar[str] = "walker"
    shares_work: ClassVar[bool] = True
    asked: ClassVar[list[int]] = []

    wrong: int = -1
    """The place from which its answer is one move short."""
    lost: int = -1
    """The place from which it finds no way."""
    claims: int = 0
    """A lower bound that it states."""
    stops: int = -1
    """The place at which it is interrupted."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        yield self._answer(int(instance.state[0]))

    def solve_batch(self, boards: Boards, limit: Limit, over: Callable[[], bool]) -> Iterator[Answers]:
        self.asked.append(len(boards))
        yield Answers.of(boards, [self._answer(int(state[0])) for state in boards.states])

    def _answer(self, place: int) -> Result:
        if place in (self.lost, self.stops):
            return Result(None, stop="dead end" if place == self.lost else "interrupted", evaluations=2)
        return Result((0,) * (place - (place == self.wrong)), lower_bound=self.claims, evaluations=4, seconds=0.5)


@pytest.fixture(autouse=True)
def _nothing_asked() -> None:
    Walker.asked.clear()


@pytest.fixture
def places(corridor: Corridor) -> Suite:
    return suites.every_board(corridor())


def test_every_eight_puzzle_is_there_with_its_true_distance() -> None:
    puzzle = registry.load("tiles-3x3")
    suite = suites.every_board(puzzle)
    assert len(suite.entries) == len({entry.board for entry in suite.entries}) == 181_440
    distances = np.bincount([entry.known or 0 for entry in suite.entries])
    assert distances[[0, 1, 2, 3, 20, 24, 30, 31]].tolist() == [1, 2, 4, 8, 16993, 24047, 221, 2]
    for entry in suite.entries[::9973]:
        assert levels_of(puzzle, suite.instance(entry).state[None])[0]["distance"] == entry.known  # type: ignore[attr-defined]


def test_what_has_no_end_or_no_way_back_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unsupported, match=r"states of dust-4x3x3 cannot be found from its goals: its moves cannot be"):
        suites.every_board(registry.load("dust-4x3x3"))
    monkeypatch.setattr("puzzlelab.experience.state_space.MAX_STATES", 300)
    with pytest.raises(BadInput, match="tiles-2x3 has too many states to take all of them: at most 300"):
        suites.every_board(registry.load("tiles-2x3"))


def test_the_suite_knows_the_optimum_of_every_board(places: Suite) -> None:
    assert places.name == "corridor-9, all boards"
    assert [(entry.board, entry.level, entry.known) for entry in places.entries] == [
        (str(place), place, place) for place in range(10)
    ]
    assert all(entry.known_is_optimal for entry in places.entries)


def test_all_boards_are_asked_at_once_and_summed_up(places: Suite) -> None:
    run = runs.run(places, [Walker(), Walker(lost=7)], Limit(), batching="all", batch_size=4)
    assert Walker.asked[4:] == [4, 4, 2] * 2  # after the first searches of both
    assert [answer.length for answer in run.by_solver["walker:wrong=-1:lost=7:claims=0:stops=-1"]] == [
        *range(7),
        None,
        8,
        9,
    ]
    whole, part = summaries.summaries(run)
    assert (whole.solved.number, part.solved.number, part.optimal.number) == (10, 9, 9)
    assert (whole.length.value, whole.excess.value, part.evaluations) == (4.5, 0.0, 3.8)
    assert (whole.seconds.value, run.interrupted) == (0.5, False)
    assert plots.chart(run, "levels").rows[7][1:3] == ("7", "1/1")
    Walker.asked.clear()
    runs.run(places, [Walker()], Limit())
    assert Walker.asked[2:] == [1] * 10  # a batch for each distance


def test_an_answer_that_does_not_hold_is_an_error_of_its_board(places: Suite) -> None:
    for solver, sentence in (
        (Walker(wrong=6), "walker gave a wrong answer for <corridor-9: 6>: after all 5 moves"),
        (Walker(claims=3), "walker gave a wrong answer for <corridor-9: 0>: 0 moves are fewer than"),
    ):
        run = runs.run(places, [solver], Limit(), batching="all")
        errors = [answer.row.error for answer in run.answers if answer.row.error]
        assert errors[0].startswith(sentence)
        assert len(errors) == len(run.answers) - summaries.summaries(run)[0].solved.number


def test_ctrl_c_keeps_what_is_there(places: Suite) -> None:
    run = runs.run(places, [Walker(), Walker(stops=3)], Limit())
    assert run.interrupted
    assert [len(answers) for answers in run.by_solver.values()] == [10, 3]
