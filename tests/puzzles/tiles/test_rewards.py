"""The rewards of the tiles: small boards by hand."""

import numpy as np
import pytest

from puzzlelab import load
from puzzlelab.core.views import Rewards
from puzzlelab.engine.batch_rules import apply_moves
from puzzlelab.experience.rewards import make


def arrived(puzzle, name, *boards):
    """What it is worth to come to these boards."""
    after = np.array([puzzle.read(board).state for board in boards])
    return puzzle.view(Rewards).reward(name, after, after).tolist()


def test_the_level_counts_steps_and_pairs_in_conflict(eight) -> None:
    assert arrived(eight, "level", "1 2 3 4 5 6 7 8 0", "1 2 3 4 5 6 7 0 8", "1 2 3 4 0 6 7 5 8") == [0, -1, -2]
    swapped, reversed_row, in_a_column = "2 1 3 4 5 6 7 8 0", "3 2 1 4 5 6 7 8 0", "4 2 3 1 5 6 7 8 0"
    assert arrived(eight, "level", swapped, reversed_row, in_a_column) == [-2 - 2, -4 - 6, -2 - 2]


def test_the_manhattan_distance_does_not_count_conflicts(eight) -> None:
    boards = "1 2 3 4 5 6 7 8 0", "1 2 3 4 0 6 7 5 8", "2 1 3 4 5 6 7 8 0", "3 2 1 4 5 6 7 8 0"
    assert arrived(eight, "manhattan", *boards) == [0, -2, -2, -4]


def test_the_cells_in_place_count_that_of_the_blank(eight) -> None:
    assert arrived(eight, "in-place", "1 2 3 4 5 6 7 8 0", "1 2 3 4 5 6 7 0 8", "1 2 3 4 0 6 7 5 8") == [0, -2, -3]
    assert arrived(eight, "in-place", "2 3 4 5 6 7 8 0 1") == [-9]


@pytest.mark.parametrize(
    ("name", "worths"),
    [("level", [-1 - 1, -2, 0, -2]), ("manhattan", [-1 - 1, -2, 0, -2]), ("in-place", [-2 - 1, -3, 0, -3])],
    ids=lambda value: str(value),
)
def test_each_move_is_worth_the_board_that_it_leads_to(eight, name: str, worths: list[float]) -> None:
    """U cannot be made: the board stays, and it costs one more."""
    states = np.repeat(eight.read("1 2 3 4 5 6 7 0 8").state[None], 4, axis=0)
    assert make(eight, name)(states, apply_moves(eight, states, np.arange(4))).tolist() == worths


@pytest.mark.parametrize("name", ["level", "manhattan", "in-place"])
@pytest.mark.parametrize("size", ["tiles-3x3:blank-first", "tiles-3x3:goal=1,2,3,8,0,4,7,6,5", "tiles-2x5"])
def test_only_the_goal_that_was_asked_for_is_worth_most(size: str, name: str) -> None:
    puzzle = load(size)
    random = np.random.default_rng(3)
    others = np.array([random.permutation(puzzle.cells) for _ in range(50)], np.uint8)
    assert puzzle.view(Rewards).reward(name, puzzle.goals(), puzzle.goals()).tolist() == [0]
    assert (puzzle.view(Rewards).reward(name, others, others) < 0).all()
