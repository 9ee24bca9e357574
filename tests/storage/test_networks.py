"""The seam to networks: which names mean one, how it is found, and what a row says of it."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from puzzlelab import storage
from puzzlelab.core.errors import BadFile, BadInput, BadOption, UnknownName, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.puzzle import Puzzle
from puzzlelab.core.registry import make_solver
from puzzlelab.core.solver import is_network, require
from puzzlelab.core.views import Estimate, Estimates, Prior
from puzzlelab.engine.search_rules import chosen_estimate, chosen_prior
from puzzlelab.solvers.beam import Beam
from puzzlelab.storage import networks
from puzzlelab.storage.row import unanswered

ONE, OTHER = "0123456789abcdef", "fedcba9876543210"


class Shelf:
    """In the place of `nets.model_zoo`: networks of the names `one`, `other`, and without a name."""

    def __init__(self) -> None:
        self.asked: list[tuple[Puzzle, str]] = []

    def find(self, puzzle: Puzzle, name: str) -> Any:
        self.asked.append((puzzle, name))
        if name not in ("", "one", "other", "runs/a:b"):
            raise UnknownName("network", name, ["one", "other"])
        return SimpleNamespace(
            name=OTHER if name == "other" else ONE,
            heads=("policy", "cost_to_go"),
            estimate=lambda averaged: Estimate(f"{name}, {averaged}", admissible=False, scores=len),
            prior=lambda averaged: Prior(f"{name}, {averaged}", np.zeros),
        )


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    made = Shelf()
    monkeypatch.setattr(storage, "load_networks", lambda: made)
    networks._load.cache_clear()
    yield made
    networks._load.cache_clear()


def test_names_that_mean_a_network() -> None:
    assert all(map(is_network, ["net", "net:one", "net:averaged", "net:runs/a:b:averaged"]))
    assert not any(map(is_network, ["network", "nets", "pdb", "", "Net", None, 3, Prior("net", np.zeros)]))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("net", ", False"),
        ("net:averaged", ", True"),
        ("net:one", "one, False"),
        ("net:one:averaged", "one, True"),
        ("net:runs/a:b:averaged", "runs/a:b, True"),
    ],
)
def test_a_name_tells_of_a_network_and_whether_mirror_images_are_asked_too(
    shelf: Shelf, eight: Puzzle, name: str, found: str
) -> None:
    assert networks.estimate(eight, name).name == chosen_estimate(eight, name).name == found
    assert networks.prior(eight, name).name == chosen_prior(eight, name).name == found
    assert len(shelf.asked) == 1


def test_a_network_is_loaded_once_for_each_puzzle(shelf: Shelf, eight: Puzzle, corridor: Any) -> None:
    for puzzle in (eight, corridor(), eight, corridor(), corridor(8)):
        assert networks.find(puzzle).name == ONE
    assert shelf.asked == [(eight, ""), (corridor(), ""), (corridor(8), "")]


def test_a_network_that_is_not_there_is_told(shelf: Shelf, eight: Puzzle) -> None:
    with pytest.raises(UnknownName, match="there is no network 'onne'; did you mean 'one'"):
        chosen_estimate(eight, "net:onne")
    assert networks.missing(eight) is None


def test_why_there_is_none_is_told_in_words(monkeypatch: pytest.MonkeyPatch, shelf: Shelf, eight: Puzzle) -> None:
    def damaged(puzzle: Puzzle, name: str) -> Any:
        raise BadFile("its checksum does not agree")

    monkeypatch.setattr(shelf, "find", damaged)
    assert networks.missing(eight) == "its checksum does not agree"


def test_without_what_networks_need_it_is_named(monkeypatch: pytest.MonkeyPatch, eight: Puzzle) -> None:
    def absent() -> Any:
        raise ModuleNotFoundError("No module named 'onnxruntime'", name="onnxruntime")

    networks._load.cache_clear()
    monkeypatch.setattr(storage, "load_networks", absent)
    with pytest.raises(BadInput, match="networks need onnxruntime, which is not installed: pip install onnxruntime"):
        networks.find(eight)


def test_only_networks_are_priors_by_name(eight: Puzzle) -> None:
    with pytest.raises(BadOption, match="'manhattan' is no prior; write net, or net:NAME"):
        chosen_prior(eight, "manhattan")
    given = Prior("mine", np.zeros)
    assert chosen_prior(eight, given) is given


# --- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "used", "pinned"),
    [
        ({"width": 3}, None, None),
        ({"estimate": "manhattan"}, None, None),
        ({"estimate": "net", "width": 3}, ONE, {"estimate": f"net:{ONE}", "width": 3}),
        ({"estimate": "net:other:averaged"}, OTHER, {"estimate": f"net:{OTHER}:averaged"}),
        ({"estimate": "net", "prior": "net:one"}, ONE, {"estimate": f"net:{ONE}", "prior": f"net:{ONE}"}),
        (
            {"estimate": "net:other", "most": 1, "prior": "net:averaged"},
            f"{OTHER}+{ONE}",
            {"estimate": f"net:{OTHER}", "most": 1, "prior": f"net:{ONE}:averaged"},
        ),
    ],
)
def test_the_networks_of_a_solver_by_their_hashes(
    shelf: Shelf, eight: Puzzle, options: dict[str, Any], used: str | None, pinned: dict[str, Any] | None
) -> None:
    assert networks.used(eight, options) == used
    if used is not None:
        assert networks.pinned(options, used) == pinned


@pytest.mark.parametrize(
    ("name", "options", "net"),
    [
        ("greedy", {}, ONE),
        ("uct", {}, ONE),
        ("uct", {"estimate": "net:other"}, OTHER),
        ("uct", {"estimate": "manhattan"}, None),
        ("beam", {"width": 3}, None),
    ],
)
def test_a_row_says_which_network_was_asked(
    shelf: Shelf, eight: Puzzle, name: str, options: dict[str, Any], net: str | None
) -> None:
    assert unanswered(eight, "1 2 3 4 5 6 7 0 8", make_solver(name, options), Limit()).net == net


def test_a_network_takes_the_place_of_the_estimates_that_a_puzzle_does_not_offer(corridor: Any) -> None:
    assert corridor().view(Estimates) is None
    for solver in (Beam(estimate="net"), Beam(prior="net:one"), Beam(estimate=Estimate("mine", False, scores=len))):
        require(solver, corridor())
    for solver in (Beam(), Beam(estimate="manhattan")):
        with pytest.raises(Unsupported, match="offers no view 'Estimates'"):
            require(solver, corridor())
