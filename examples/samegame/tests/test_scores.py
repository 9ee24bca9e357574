"""The best score: by exhaustive search, by A* with the upper bound, and by others that may miss it."""

# ruff: noqa: D103
import numpy as np
import pytest
from samegame import SameGame
from samegame.estimates import bound

from puzzlelab import Instance, solve
from puzzlelab.core.registry import parse_solver
from puzzlelab.core.verify import verify
from puzzlelab.core.views import Samples


def boards(puzzle, count):
    random, scale = np.random.default_rng(3), puzzle.view(Samples).scales["uniform"]
    return [Instance(puzzle, scale.sample(random, None, 1)[0]) for _ in range(count)]


@pytest.mark.parametrize("size", [(4, 4, 3), (5, 4, 3), (4, 4, 2), (3, 5, 4)])
@pytest.mark.parametrize("rules", ["compiled", "batch", "plain"])
def test_astar_proves_the_best_score(size, rules, best_score):
    puzzle = SameGame(*size, rules=rules)
    for board in boards(puzzle, 6):
        result = solve(board, parse_solver("astar:estimate=colours"))
        assert (result.proof, result.score) == ("optimal", best_score(puzzle, board.state))
        assert result.upper_bound == result.score
        assert verify(board, result).holds


def test_a_beam_that_drops_nothing_proves_the_best_score(best_score):
    puzzle = SameGame(4, 4, 3)
    for board in boards(puzzle, 6):
        result = solve(board, parse_solver("beam:width=100000"))
        assert (result.proof, result.score) == ("optimal", best_score(puzzle, board.state))


def test_the_bound_is_never_below_the_best_score(best_score):
    puzzle = SameGame(4, 4, 3, rules="plain")
    for board in boards(puzzle, 4):
        state, known = board.state, []
        while not puzzle.solved(state):
            known.append((bound(puzzle, state), best_score(puzzle, state)))
            state = puzzle.apply(state, int(puzzle.legal(state).argmax()))
        assert all(upper >= best for upper, best in known)


@pytest.mark.parametrize(
    "solver", ["beam:width=20", "greedy:estimate=guess", "random", "uct:estimate=guess:policy=values:playouts=20"]
)
def test_solvers_name_the_score_of_their_moves_which_are_those_by_plain_rules(solver):
    plain = SameGame(8, 8, 4, rules="plain")
    for board in boards(SameGame(8, 8, 4), 2):
        result = solve(board, parse_solver(solver))
        assert result.score is not None
        assert verify(board, result).holds
        assert solve(Instance(plain, board.state), parse_solver(solver)).moves == result.moves or "beam" in solver
