"""What estimates and networks say of batches of states, asked by `puzzlelab.estimate` and `puzzlelab.network`."""

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import puzzlelab
from puzzlelab import BadBoard, Estimate, Instance, Limit, Progress, Result, load
from puzzlelab.analysis.state_evaluation import network_shown, shares
from puzzlelab.core.solver import SolverSettings
from puzzlelab.core.views import Estimates, Prior, Reversible, Samples
from puzzlelab.storage import networks

TILES = puzzlelab.load("tiles-3x3")
DUST = puzzlelab.load("dust-8x6x5")
SUDOKU = puzzlelab.load("sudoku-9x9")
FARTHEST = TILES.read("8 6 7 2 5 4 3 0 1")
NEAR = TILES.read("1 2 3 4 5 6 7 0 8")
GOAL = TILES.read("1 2 3 4 5 6 7 8 0")


@pytest.fixture
def boards():
    """Boards that are 0 to 9 moves from the goal."""
    scale = TILES.view(Samples).scales["distance"]
    return [Instance(TILES, scale.sample(np.random.default_rng(distance), distance, 1)[0]) for distance in range(10)]


@pytest.mark.parametrize(
    ("name", "farthest"),
    [("misplaced", 7), ("manhattan", 21), ("conflicts", 23), (None, 23), ("walking", 25), ("exact", 31)],
)
def test_an_estimate_by_name(name, farthest):
    assert puzzlelab.estimate(TILES, name, [FARTHEST, NEAR, GOAL]).tolist() == [farthest, 1, 0]


def test_the_true_distance_of_a_batch(boards):
    states = np.stack([board.state for board in boards])
    for batch in (states, states.astype(np.int64), states.astype(float), boards, iter(boards), tuple(boards)):
        values = puzzlelab.estimate("tiles-3x3", "exact", batch)
        assert values.dtype == np.float64
        assert values.tolist() == list(range(10))


def test_a_board_without_a_solution_is_infinitely_far():
    puzzle = puzzlelab.load("tiles-3x3")
    states = [puzzle.read(text) for text in ("2 1 3 4 5 6 7 8 0", "1 2 3 4 5 6 7 0 8")]
    assert puzzlelab.estimate(puzzle, "exact", states).tolist() == [np.inf, 1]
    assert puzzlelab.estimate(puzzle, "manhattan", states).tolist() == [2, 1]


def test_one_state_and_one_board_are_batches_of_one():
    for one in (FARTHEST, FARTHEST.state, FARTHEST.state[None], [FARTHEST]):
        assert puzzlelab.estimate(TILES, "manhattan", one).tolist() == [21]
        assert puzzlelab.network(TILES).prior(one).shape == (1, 4)


def test_no_states_have_no_values():
    assert puzzlelab.estimate(TILES, "manhattan", []).shape == (0,)
    assert puzzlelab.estimate(TILES, "net", np.empty((0, 9), np.uint8)).shape == (0,)
    assert puzzlelab.network(TILES).prior([]).shape == (0, 4)


@pytest.mark.parametrize("value", [0.5, 300, -1, np.nan])
def test_numbers_that_no_state_has_are_refused(value):
    with pytest.raises(BadBoard, match="this array has other values"):
        puzzlelab.estimate(TILES, "manhattan", np.array([FARTHEST.state, np.full(9, value)]))


def test_an_estimate_of_ones_own_on_plain_rules(corridor):
    place = Estimate("place", True, scores=lambda states: states[:, 0] / 2)
    puzzle = corridor()
    assert puzzlelab.estimate(puzzle, place, [puzzle.read("4"), puzzle.read("7")]).tolist() == [2, 3.5]
    assert puzzlelab.estimate(puzzle, place, np.array([[1], [2]])).tolist() == [0.5, 1]


def test_new_boards_are_evaluated_as_they_are_made():
    values = puzzlelab.estimate(DUST, "clusters", puzzlelab.generate(DUST, 3, seed=1))
    assert values.tolist() == [DUST.legal(board.state).sum() for board in puzzlelab.generate(DUST, 3, seed=1)]


def test_a_network_by_name():
    best = puzzlelab.network("tiles-3x3")
    assert (best.name, best.heads, best.option) == (networks.find(TILES).name, ("policy", "cost_to_go"), "net")
    assert repr(best) == f"<network {best.name} for tiles-3x3: policy, cost_to_go>"
    for name in ("best", "net", "tiles-3x3", "net:tiles-3x3", best.name[:8]):
        assert puzzlelab.network(TILES, name).name == best.name
    assert puzzlelab.network(TILES, "tiles-3x3").option == "net:tiles-3x3"
    assert puzzlelab.network(TILES, "tiles-3x3-dqn").name != best.name


@pytest.mark.parametrize("name", ["best", "net:averaged", "tiles-3x3-dqn"])
def test_a_network_says_what_searches_hear_of_it(name):
    network = puzzlelab.network(TILES, name)
    states = np.stack([NEAR.state, GOAL.state])
    estimates, prior = network.estimate([NEAR, GOAL]), network.prior([NEAR, GOAL])
    assert estimates.tolist() == networks.estimate(TILES, network.option).scores(states).tolist()
    assert puzzlelab.estimate(TILES, network.option, states).tolist() == estimates.tolist()
    legal = np.stack([TILES.legal(state) for state in states])
    logarithms = networks.prior(TILES, network.option).scores(states)
    assert np.array_equal(prior[legal], np.exp(logarithms[legal]))
    assert not prior[~legal].any()
    assert np.allclose(prior.sum(axis=1), 1)


@pytest.mark.parametrize("name", ["tiles-3x3", "tiles-3x3-dqn"])
def test_a_network_is_handed_to_a_solver_by_its_option(name):
    network = puzzlelab.network(TILES, name)
    assert puzzlelab.solve(NEAR, "greedy", prior=network.option).length == 1


@pytest.mark.parametrize("board", [DUST.read("document"), SUDOKU.read("easy")], ids=["dust", "sudoku"])
def test_the_prior_is_of_the_legal_moves_alone(board):
    network = puzzlelab.network(board.puzzle)
    prior = network.prior(board)
    assert prior.shape == (1, board.puzzle.move_count)
    assert prior.sum() == pytest.approx(1)
    assert not prior[0][~board.puzzle.legal(board.state)].any()


def test_a_network_of_an_isomorphic_puzzle_is_used():
    puzzle = puzzlelab.load("tiles-3x3:blank-first")
    network, board = puzzlelab.network(puzzle), puzzle.read("1 0 2 3 4 5 6 7 8")
    assert network.estimate(board).tolist() == networks.estimate(puzzle, "net").scores(board.state[None]).tolist()


class Climbing(SolverSettings):
    """A solver of a plug-in: goes to the child with the least estimate, unless none has a lower one."""

    name: ClassVar[str] = "climbing"
    needs: ClassVar[tuple[type, ...]] = (Estimates,)
    estimate: str | Estimate | None = None

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Progress | Result]:
        """The moves up to the goal, or to a state without a better child."""
        puzzle, state, path, began = instance.puzzle, instance.state, [], time.perf_counter()
        value = puzzlelab.estimate(puzzle, self.estimate, state)[0]
        while not puzzle.solved(state):
            moves = np.flatnonzero(puzzle.legal(state)).tolist()
            children = np.stack([puzzle.apply(state, move) for move in moves])
            values = puzzlelab.estimate(puzzle, self.estimate, children)
            values[[puzzle.solved(child) for child in children]] = -1
            best = int(values.argmin())
            if values[best] >= value:
                yield Result(None, stop="dead end", seconds=time.perf_counter() - began)
                return
            state, value = children[best], values[best]
            path.append(moves[best])
        yield Result(tuple(path), seconds=time.perf_counter() - began)


def test_a_solver_of_a_plug_in_asks_its_estimate(boards):
    for distance, board in enumerate(boards):
        assert puzzlelab.solve(board, Climbing(estimate="exact")).length == distance
    for estimate in ("manhattan", "net", "net:tiles-3x3-dqn"):
        assert puzzlelab.solve(NEAR, Climbing(estimate=estimate)).length == 1


def test_a_solver_of_a_plug_in_asks_the_default_estimate_and_one_of_its_own(corridor):
    assert puzzlelab.solve(NEAR, Climbing()).length == 1
    puzzle = corridor()
    assert puzzle.view(Reversible) is not None
    place = Estimate("place", True, scores=lambda states: states[:, 0])
    assert puzzlelab.solve(puzzle.read("6"), Climbing(estimate=place)).length == 6


# --- probabilities of moves ---

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
