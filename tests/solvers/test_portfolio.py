"""Several solvers in turn: the shortest answer counts, the first proof ends it, one limit is for all."""

import pytest

from puzzlelab.core import registry
from puzzlelab.core.errors import UnknownName, Unsupported
from puzzlelab.core.limit import Limit
from puzzlelab.core.solver import solve
from puzzlelab.solvers.portfolio import Portfolio

FAR = "8 6 7 2 5 4 3 0 1"
"""31 moves from the goal."""


def answer(*of, limit=None):
    return solve(Portfolio(of=of), registry.load("tiles-3x3").read(FAR), limit or Limit())


def test_the_shortest_answer_counts_whoever_gives_it() -> None:
    narrow, wide = answer("beam:width=4"), answer("beam:width=60")
    assert narrow.length > wide.length
    for order in (("beam:width=4", "beam:width=60"), ("beam:width=60", "beam:width=4")):
        both = answer(*order)
        assert both.length == wide.length
        assert both.expanded == narrow.expanded + wide.expanded


def test_the_first_proof_ends_it() -> None:
    alone, both = answer("ida"), answer("ida", "bfs")
    assert (both.length, both.proof, both.expanded) == (31, "optimal", alone.expanded)


def test_one_limit_is_for_all() -> None:
    found = answer("bfs", "ida", limit=Limit(nodes=50))
    assert (found.moves, found.stop) == (None, "nodes")
    assert found.expanded <= 60


def test_a_solver_that_never_ends_leaves_the_others_their_share() -> None:
    alone, both = answer("beam:width=60"), answer("bfs", "beam:width=60", limit=Limit(nodes=4_000))
    assert both.length == alone.length
    assert 2_000 <= both.expanded - alone.expanded <= 2_010
    assert (both.proof, both.stop) == ("none", "nodes")


def test_what_a_solver_does_not_need_is_for_the_next() -> None:
    alone, both = answer("ida", limit=Limit(nodes=10**6)), answer("beam:width=4", "ida", limit=Limit(nodes=10**6))
    assert both.proof == "optimal"
    assert alone.expanded < both.expanded <= alone.expanded + answer("beam:width=4").expanded


def test_a_solver_that_does_not_suit_is_named() -> None:
    with pytest.raises(Unsupported, match="bands cannot solve tiles-3x3"):
        answer("beam:width=5", "bands")
    with pytest.raises(UnknownName, match="there is no solver 'beem'; did you mean 'beam'"):
        answer("beem")
