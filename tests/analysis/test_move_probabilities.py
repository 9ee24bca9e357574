"""Shares of moves: what a network's scores come to at each board; in its place stand plain functions."""

from types import SimpleNamespace

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.analysis.move_probabilities import network_shown, shares
from puzzlelab.core.views import Estimate, Prior
from puzzlelab.storage import networks

TWO = "1 2 3 4 5 6 0 7 8"


@pytest.fixture
def network(monkeypatch):
    """Puts a network with these heads in the place of every one: all moves are as likely, and three moves remain."""

    def put(*heads):
        found = SimpleNamespace(
            name="0123456789abcdef",
            heads=heads,
            prior=lambda averaged: Prior("toy", lambda states: np.zeros((len(states), 4))),
            estimate=lambda averaged: Estimate("toy", False, scores=lambda states: np.full(len(states), 3.0)),
        )
        monkeypatch.setattr(networks, "find", lambda puzzle, name=None: found)
        return found

    return put


def test_the_shares_of_legal_moves_add_up_and_others_have_none(network):
    puzzle = load("tiles-3x3")
    boards = np.array([puzzle.read(board).state for board in (TWO, "1 2 3 4 5 6 7 0 8")])
    told = shares(puzzle, "net", network("policy"), boards)
    assert np.nansum(told, axis=1) == pytest.approx([1, 1])
    assert np.isfinite(told).tolist() == [puzzle.legal(board).tolist() for board in boards]


def test_what_solves_the_board_has_the_greatest_share_by_what_remains(network):
    puzzle = load("tiles-3x3")
    told = shares(puzzle, "net", network("cost_to_go"), puzzle.read("1 2 3 4 5 6 7 0 8").state[None])
    assert puzzle.write_move(int(np.nanargmax(told[0]))) == "L"


def test_the_digits_of_each_cell_share_one(monkeypatch):
    puzzle = load("sudoku-4x4")
    likely = Prior("toy", lambda states: np.log(np.tile(np.arange(1.0, 65.0), (len(states), 1))))
    toy = SimpleNamespace(name="0" * 16, heads=("policy",), prior=lambda averaged: likely)
    monkeypatch.setattr(networks, "find", lambda puzzle, name=None: toy)
    told = shares(puzzle, "net", toy, puzzle.read("12" + "." * 14).state[None]).reshape(16, 4)
    assert np.isnan(told[0]).all()
    assert told[2, 2:] == pytest.approx([11 / 23, 12 / 23])
    assert np.nansum(told[2:], axis=1) == pytest.approx(np.ones(14))


@pytest.mark.parametrize("height", [-3000.0, 3000.0])
def test_scores_of_any_height_become_shares(network, height):
    puzzle = load("tiles-3x3")
    high = network("policy")
    high.prior = lambda averaged: Prior("toy", lambda states: np.full((len(states), 4), height))
    told = shares(puzzle, "net", high, puzzle.read(TWO).state[None])
    assert told[0][puzzle.legal(puzzle.read(TWO).state)] == pytest.approx([0.5, 0.5])


def test_a_board_without_moves_has_no_shares(network):
    puzzle = load("dust-2x2x2")
    told = shares(puzzle, "net", network("policy"), puzzle.read("0000").state[None])
    assert np.isnan(told).all()


def test_the_network_is_the_one_that_the_solver_asks(network):
    made = network("policy")
    puzzle = load("tiles-3x3")
    assert network_shown(puzzle, {"prior": "net:mine"}) == ("net:mine", made)
    assert network_shown(puzzle, {"width": 3}) == ("net", made)
