"""The comparison of UCT with mctx in `benchmarks/`: what of it needs no mctx."""

import sys

import numpy as np
import pytest

import uct_mctx as bench
from puzzlelab import load
from puzzlelab.core.views import Planes

pytestmark = pytest.mark.slow  # whole programs, which no user of the package runs


def boards(puzzle, count):
    games = bench.Games(puzzle, 1, 1)
    return np.stack([games.board() for _ in range(count)])


def test_it_says_what_it_needs(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mctx", None)
    monkeypatch.setattr(sys, "argv", ["uct_mctx.py"])
    assert bench.main() == 2
    assert capsys.readouterr().err == "this benchmark needs mctx: pip install mctx\n"


@pytest.mark.parametrize("name", ["tiles-3x3", "tiles-4x4"])
def test_moves_are_those_of_the_rules(name):
    puzzle = load(name)
    states = boards(puzzle, 40)
    for move in range(puzzle.move_count):
        found = bench.slid(np, states, np.full(len(states), move), bench.sources(puzzle))
        for state, after in zip(states, found, strict=True):
            expected = puzzle.apply(state, move) if puzzle.legal(state)[move] else state
            assert after.tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["tiles-3x3", "tiles-4x4"])
def test_the_network_is_the_same(name):
    puzzle = load(name)
    states = boards(puzzle, 40)
    assert np.array_equal(bench.planes(np, states), puzzle.view(Planes).planes(states))
    found = bench.answers(bench.weights_of(name), puzzle.view(Planes).planes(states))
    assert bench.apart(bench.said(puzzle, states), list(found)) < bench.CLOSE


def test_a_turn_is_a_move_in_each_game():
    games = bench.Games(load("tiles-3x3"), 2, 3)
    before = games.states
    assert 0 < games.turn() <= 2 * 4
    assert (games.states != before).any(axis=1).all()
    assert bench.rates(games.turn, 0.01).clock > 0
