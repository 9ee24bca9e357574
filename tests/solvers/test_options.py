"""Options that are none, and guides that are missing: a sentence names them, and the solver."""

import numpy as np
import pytest
from tests.solvers.known import board

from puzzlelab import BadOption, Unsupported, load, solve, solver
from puzzlelab.core.views import Prior
from puzzlelab.storage import networks

NONE = [
    ("astar", {"weight": -1}, "'-1'"),
    ("astar", {"weight": float("nan")}, "'nan'"),
    ("astar", {"weight": float("inf")}, "'inf'"),
    ("astar", {"weight": "heavy"}, "'heavy'"),
    ("astar", {"order": "deep"}, "'deep'.*'astar', 'greedy' or 'breadth'"),
    ("beam", {"width": 0}, "'0'"),
    ("beam", {"width": 1.5}, "'1.5'"),
    ("beam", {"width": 1 << 40}, ""),
    ("depth-first", {"depth": 0}, "'0'"),
    ("depth-first", {"depth": "deep"}, "'deep'"),
    ("discrepancy", {"most": -1}, "'-1'"),
    ("discrepancy", {"most": "all"}, "'all'"),
    ("discrepancy", {"max_moves": 0}, "'0'"),
    ("greedy", {"max_moves": 0}, "'0'"),
    ("greedy", {"max_moves": 1 << 40}, ""),
    ("uct", {"playouts": 0}, "'0'"),
    ("uct", {"step_discount": 0}, "'0'"),
    ("uct", {"step_discount": float("nan")}, "'nan'"),
    ("uct", {"c_puct": -1}, "'-1'"),
    ("uct", {"dirichlet_fraction": 1.1}, "'1.1'"),
    ("uct", {"dirichlet_alpha": 0}, "'0'"),
    ("uct", {"temperature": -0.5}, "'-0.5'"),
    ("uct", {"parallel_leaves": 0}, "'0'"),
    ("uct", {"seed": -1}, "'-1'"),
    ("uct", {"policy": "best"}, "'best'.*'visits' or 'values'"),
    ("uct", {"policy": "values", "prior": "net"}, "'values'.*this policy computes its own prior; give no other"),
    ("annealing", {"seed": -1}, "'-1'"),
    ("permutation", {"jobs": 0}, "'0'"),
]


@pytest.mark.parametrize(("name", "options", "words"), NONE, ids=str)
def test_an_option_that_is_none_is_named(name, options, words):
    with pytest.raises(BadOption, match=f"{name}: the option '{next(iter(options))}' cannot be.*{words}"):
        solver(name, **options)


def test_an_unknown_option_is_named():
    with pytest.raises(BadOption, match="uct has no option 'playout'; did you mean 'playouts'?"):
        solver("uct", playout=3)


@pytest.mark.parametrize("name", ["greedy", "uct"])
def test_an_estimate_is_no_prior(name):
    with pytest.raises(BadOption, match="'manhattan' is no prior; write net, or net:NAME"):
        solve(board(4), name, prior="manhattan", **({"estimate": "manhattan"} if name == "uct" else {}))


@pytest.mark.parametrize("name", ["discrepancy", "greedy", "uct"])
def test_without_a_network_it_says_so(monkeypatch, corridor, name):
    def none(puzzle, name=None):
        raise BadOption("no network for this puzzle comes with the package")

    monkeypatch.setattr(networks, "find", none)
    words = "cannot solve corridor-9: no network for this puzzle comes with"
    with pytest.raises(Unsupported, match=f"^{name} {words}"):
        solve(corridor().read("4"), name)
    if name == "uct":
        prior = Prior("first", lambda states: np.zeros((len(states), 2)))
        with pytest.raises(Unsupported, match="^uct cannot solve corridor-9: it has no estimate of the rem"):
            solve(corridor().read("4"), "uct", prior=prior)
    if name != "discrepancy":
        assert solve(board(4), name, estimate="manhattan").length == 4


def test_without_a_network_an_estimate_is_named():
    words = "no network for tiles-2x2 comes with the package.*: name a file, or one of its estimates, as in --estimate "
    with pytest.raises(Unsupported, match=words):
        solve(load("tiles-2x2").read("1 2 0 3"), "greedy")
    assert solve(load("tiles-2x2").read("1 2 0 3"), "greedy", estimate="manhattan").length == 1
