from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.scripted import Script

from puzzlelab.core import registry
from puzzlelab.core.errors import NoRoom, PuzzlelabError, UnknownName, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Presentation, Puzzle, names_of
from puzzlelab.core.registry import FIRST_NODES, PATIENCE, usual_solver
from puzzlelab.core.result import Progress, Result, with_stop
from puzzlelab.core.solver import Attempt, require
from puzzlelab.core.views import Cover, Estimate, Estimates, KernelRules, Reversible
from puzzlelab.engine.search_rules import chosen_estimate
from puzzlelab.engine.solving import solve


def told(puzzle: Puzzle, *says: object, place: str = "2", **how: Any) -> Result:
    return solve(Script(says=says), puzzle.read(place), Limit(), **how)


@pytest.mark.parametrize(
    ("error", "reason"), [(MemoryError(), ""), (NoRoom("a table needs 9 MB"), "a table needs 9 MB")]
)
def test_where_memory_runs_out_there_is_still_a_result(corridor, error: Exception, reason: str) -> None:
    empty = told(corridor(), Progress(5, 9, 0, 1, 0.1), error)
    assert (empty.moves, empty.stop, empty.reason, empty.expanded, empty.lower_bound) == (None, "memory", reason, 5, 1)
    found = told(corridor(), Result((1, 0, 0, 0)), Progress(5, 9, 0, 1, 0.1), error)
    assert (found.moves, found.stop, found.reason, found.expanded) == ((1, 0, 0, 0), "memory", "", 5)


def test_an_objection_is_a_proof_without_a_search(corridor) -> None:
    result = told(corridor(wall=1, objects=True), AssertionError("it searched"))
    assert (result.proof, result.reason, result.stop) == ("unsolvable", "a wall is in the way", "done")
    assert (result.moves, result.expanded) == (None, 0)


def test_a_wrong_answer_is_never_given(corridor) -> None:
    with pytest.raises(PuzzlelabError, match="^script gave a wrong answer for <corridor-9: 2>: after all 1 moves"):
        told(corridor(), Result((0,)))


def test_ctrl_c_keeps_the_best_answer_and_what_is_known(corridor) -> None:
    proven = Result((0, 0), "optimal", lower_bound=2)
    assert told(corridor(), proven, KeyboardInterrupt()) == proven
    assert told(corridor(), KeyboardInterrupt()) == Result(None, stop="interrupted")
    best = Result((1, 0, 0, 0), expanded=1)
    result = told(corridor(), best, Progress(50, 90, 7, 1, 0.5), KeyboardInterrupt())
    assert result == Result((1, 0, 0, 0), "none", "", "interrupted", 1, 50, 90, 7, 0.5)


def test_who_watches_sees_every_attempt_and_may_end_the_search(corridor) -> None:
    seen: list[Attempt] = []

    def watch(attempt: Attempt) -> bool:
        seen.append(attempt)
        return len(seen) == 2

    says = Progress(1, 2, 0, 1, 0.0), Result((1, 0, 0, 0)), Result((0, 0))
    result = told(corridor(), *says, watch=watch)
    assert seen == list(says[:2])
    assert (result.moves, result.stop) == ((1, 0, 0, 0), "interrupted")


@pytest.mark.parametrize("how", [{}, {"watch": lambda attempt: True}])
def test_a_search_is_closed_however_it_ends(corridor, how: dict[str, Any]) -> None:
    told(corridor(), Result((0, 0)), Progress(1, 2, 0, 1, 0.0), **how)
    assert Script.closed == [True]


def test_an_error_of_the_solver_is_not_hidden(corridor) -> None:
    with pytest.raises(ZeroDivisionError):
        told(corridor(), ZeroDivisionError())


def test_a_solver_that_needs_more_than_the_puzzle_offers_says_so(corridor, eight: Puzzle) -> None:
    class Needy(Script):
        name: ClassVar[str] = "needy"
        needs: ClassVar[tuple[type, ...]] = (Reversible, Estimates)

    require(Needy(), eight)
    with pytest.raises(Unsupported, match="^needy cannot solve corridor-9, which offers no view 'Estimates'$"):
        require(Needy(), corridor())


def test_the_chosen_estimate_is_the_given_or_named_or_usual_one(corridor, eight: Puzzle) -> None:
    given = Estimate("network", admissible=False, scores=len)
    assert chosen_estimate(corridor(), given) is given
    assert chosen_estimate(eight, "manhattan").name == "manhattan"
    assert chosen_estimate(eight, None).name == eight.view(Estimates).estimate().name
    with pytest.raises(UnknownName, match="there is no estimate of corridor-9 'pdb'"):
        chosen_estimate(corridor(), "pdb")


def test_the_estimate_that_was_left_to_the_puzzle_is_named(corridor, eight: Puzzle) -> None:
    assert Script().options_for(eight)["estimate"] == eight.view(Estimates).estimate().name
    assert Script(estimate="walking").options_for(eight)["estimate"] == "walking"
    assert Script().options_for(corridor())["estimate"] is None


def test_moves_are_named_as_the_puzzle_writes_them(corridor, eight: Puzzle) -> None:
    assert names_of(eight, (0, 1, 2, 3)) == ["U", "D", "L", "R"]
    assert names_of(corridor(), ()) == []


def test_a_proven_result_is_done_whatever_ended_the_search() -> None:
    assert with_stop(Result((0,)), "time").stop == "time"
    assert with_stop(Result((0,), "optimal"), "time").stop == "done"
    assert with_stop(Result(None, "unsolvable"), "interrupted").stop == "done"


# --- the default solver -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Offering:
    """A puzzle of which only the views count."""

    views: tuple[type, ...] = ()
    admissible: bool = True
    presentation: Presentation | None = None

    def view(self, kind: type) -> Any:
        if kind is Presentation:
            return self.presentation
        return self if kind in self.views else None

    def estimate(self, name: str | None = None) -> Estimate:
        return Estimate("toy", self.admissible, scores=lambda states: np.zeros(len(states)))


IN_TURNS = {"first_nodes": FIRST_NODES, "patience": PATIENCE}


@pytest.mark.parametrize(
    ("puzzle", "name", "options"),
    [
        (Offering(), "bfs", {}),
        (Offering((Reversible,)), "bfs", {"bidirectional": True}),
        (Offering((Estimates,)), "portfolio", {"of": ("astar", "beam"), **IN_TURNS}),
        (Offering((Estimates, KernelRules)), "portfolio", {"of": ("ida", "beam"), **IN_TURNS}),
        (Offering((Estimates,), admissible=False), "portfolio", {"of": ("beam",), **IN_TURNS}),
        (
            Offering((Estimates, Reversible)),
            "portfolio",
            {"of": ("bfs:bidirectional=true", "astar", "beam"), **IN_TURNS},
        ),
        (Offering((Cover,)), "dancing-links", {}),
        (Offering((Cover,), presentation=Presentation(usual_solver=("sat", {}))), "sat", {}),
        (Offering((Estimates,), presentation=Presentation(move_note="x")), "portfolio", {"of": ("astar", "beam")}),
    ],
)
def test_the_default_solver_suits_what_the_puzzle_offers(puzzle: Any, name: str, options: dict[str, Any]) -> None:
    default_name, default_options = usual_solver(puzzle)
    assert default_name == name
    assert {**default_options, **options} == default_options
    registry.make_solver(default_name, default_options)
