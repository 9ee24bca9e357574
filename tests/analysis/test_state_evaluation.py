"""What estimates and networks say of batches of states, asked by `puzzlelab.estimate` and `puzzlelab.network`."""

import time
from collections.abc import Iterator
from typing import ClassVar

import numpy as np
import pytest

import puzzlelab
from puzzlelab import BadBoard, Estimate, Instance, Limit, Progress, Result
from puzzlelab.core.solver import SolverSettings
from puzzlelab.core.views import Estimates, Reversible, Samples
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
