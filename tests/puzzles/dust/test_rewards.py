"""The rewards of dust: small boards by hand, and whole games."""

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.core.views import Rewards
from puzzlelab.engine.batch_rules import apply_moves
from puzzlelab.experience.rewards import make


def worth(puzzle, name, board, *moves):
    """What each of these clicks is worth on a board."""
    states = np.repeat(puzzle.with_gravity().read(board).state[None], len(moves), axis=0)
    clicks = np.array([puzzle.read_move(move) for move in moves])
    return make(puzzle, name)(states, apply_moves(puzzle, states, clicks)).tolist()


def test_a_click_is_worth_the_cells_that_it_clears() -> None:
    """Below a 2, three cells of colour 1; any of them takes all three away."""
    puzzle = load("dust-2x2x2")
    clicks = ("0,0", "0,1", "1,0", "1,1")
    assert worth(puzzle, "cleared", "1112", *clicks) == [3, 3, 3, 1]
    assert worth(puzzle, "cleared-squared", "1112", *clicks) == [9, 9, 9, 1]


def test_a_click_on_nothing_costs_one() -> None:
    puzzle = load("dust-2x2x2")
    assert worth(puzzle, "cleared", "1122", "0,1") == [2]
    assert worth(puzzle, "cleared", "1022", "0,1", "0,0") == [-1, 1]
    assert worth(puzzle, "cleared-squared", "1022", "0,1", "1,1") == [-1, 4]


@pytest.mark.parametrize("seed", range(5))
def test_every_solution_clears_the_same_sum_but_not_of_squares(plainly, seed: int) -> None:
    puzzle, random = load("dust-5x4x3"), np.random.default_rng(seed)
    states, moves = [plainly.board(puzzle, seed)], []
    while states[-1].any():
        moves.append(int(random.choice(np.flatnonzero(states[-1]))))
        states.append(puzzle.apply(states[-1], moves[-1]))
    sizes = -np.diff([np.count_nonzero(state) for state in states])
    before, clicks = np.array(states[:-1]), np.array(moves)
    cleared, squared = (
        make(puzzle, name)(before, apply_moves(puzzle, before, clicks)) for name in puzzle.view(Rewards).rewards
    )
    assert cleared.tolist() == sizes.tolist()
    assert cleared.sum() == puzzle.cells
    assert squared.tolist() == (sizes**2).tolist()
