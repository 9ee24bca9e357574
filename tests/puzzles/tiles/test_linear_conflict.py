from itertools import combinations, pairwise

import numpy as np
import pytest

from puzzlelab.core.registry import load
from puzzlelab.core.views import Estimates, KernelRules
from puzzlelab.puzzles.tiles import sampling
from puzzlelab.puzzles.tiles.linear_conflict_kernels import line_cost
from puzzlelab.puzzles.tiles.rules import Tiles


def least_to_remove(places: list[int]) -> int:
    """The fewest of these that must go so that the rest is in order, by trying all."""
    for gone in range(len(places) + 1):
        for kept in combinations(places, len(places) - gone):
            if all(a < b for a, b in pairwise(kept)):
                return gone
    raise AssertionError


def lines_of(puzzle: Tiles, board: np.ndarray) -> list[list[int]]:
    """For each row and column: the tiles that belong there, in the order they lie, each as its goal place along it."""
    found = []
    for axis, count, across in ((0, puzzle.rows, puzzle.columns), (1, puzzle.columns, puzzle.rows)):
        for line in range(count):
            places = []
            for step in range(across):
                row, column = (line, step) if axis == 0 else (step, line)
                tile = int(board[row * puzzle.columns + column])
                there = divmod(puzzle.goal.index(tile), puzzle.columns)
                if tile and there[axis] == line:
                    places.append(there[1 - axis])
            found.append(places)
    return found


def plain_conflicts(puzzle: Tiles, board: np.ndarray) -> int:
    total = 2 * sum(map(least_to_remove, lines_of(puzzle, board)))
    for cell, tile in enumerate(board.tolist()):
        here, there = divmod(cell, puzzle.columns), divmod(puzzle.goal.index(tile), puzzle.columns)
        total += (abs(here[0] - there[0]) + abs(here[1] - there[1])) * (tile != 0)
    return total


@pytest.mark.parametrize(
    "name",
    [
        *("tiles-2x2", "tiles-3x3", "tiles-3x3:blank-first", "tiles-3x3:goal=1,2,3,8,0,4,7,6,5", "tiles-4x4"),
        *("tiles-2x7", "tiles-5x3", "tiles-12x12", "tiles-2x8", "tiles-8x3:blank-first"),
    ],
)
def test_it_is_manhattan_distance_and_twice_the_least_to_remove(harness, name: str) -> None:
    puzzle, random = load(name), np.random.default_rng(3)
    boards = [random.permutation(puzzle.cells) for _ in range(60)]
    goal = np.array(puzzle.goal)
    for _ in range(60):  # boards with many tiles in their lines: only some rows are out of order
        board = goal.copy().reshape(puzzle.rows, puzzle.columns)
        for row in range(puzzle.rows):
            board[row] = random.permutation(board[row])
        boards.append(board.reshape(-1))
    for _ in range(60):
        board = goal.copy().reshape(puzzle.rows, puzzle.columns)
        for column in range(puzzle.columns):
            board[:, column] = random.permutation(board[:, column])
        boards.append(board.reshape(-1))
    states = np.array(boards, np.uint8)
    values = harness.estimated(puzzle, puzzle.view(Estimates).estimate("conflicts"), harness.working(puzzle, states))
    assert values.tolist() == [plain_conflicts(puzzle, board) for board in states]


def test_where_pairs_would_overestimate_it_does_not(every, harness) -> None:
    values = harness.estimated(every.puzzle, every.puzzle.view(Estimates).estimate("conflicts"), every.states)
    pairs = sampling.levels_of_boards(every.puzzle, every.puzzle.view(KernelRules).decode(every.states))
    over = pairs > every.distance
    assert over.any() == (every.puzzle.goal.index(0) != 4)  # with the blank's home in the middle, pairs never exceed it
    assert (values[over] <= every.distance[over]).all()
    assert (values <= pairs).all()


@pytest.mark.parametrize(
    ("row", "gone"),
    [([0, 0, 0], 0), ([1, 2, 3], 0), ([2, 1, 3], 1), ([3, 2, 1], 2), ([3, 1, 2], 1), ([0, 3, 1], 1), ([3, 0, 0], 0)],
)
def test_a_line_costs_two_for_each_tile_that_must_leave(row: list[int], gone: int) -> None:
    assert line_cost(sum(digit * 4**place for place, digit in enumerate(row)), 4) == 2 * gone
