from collections import deque

import numpy as np
import pytest

from puzzlelab.core.registry import load
from puzzlelab.core.views import Estimates
from puzzlelab.puzzles.tiles import walking_distance_kernels
from puzzlelab.puzzles.tiles.rules import Tiles

MIDDLE = "tiles-3x3:goal=1,2,3,8,0,4,7,6,5"
SIZES = ("tiles-2x2", "tiles-2x3", "tiles-3x3", MIDDLE, "tiles-2x4", "tiles-4x3:blank-first")


def forget(puzzle: Tiles, board: np.ndarray, axis: int) -> tuple[tuple[tuple[int, ...], ...], int]:
    """What is left when one coordinate is forgotten: the goal lines of the tiles in each line, and the blank's line."""
    count = (puzzle.rows, puzzle.columns)[axis]
    lines: list[list[int]] = [[] for _ in range(count)]
    blank = 0
    for cell, tile in enumerate(board.tolist()):
        line = divmod(cell, puzzle.columns)[axis]
        if tile == 0:
            blank = line
        else:
            lines[line].append(divmod(puzzle.goal.index(tile), puzzle.columns)[axis])
    return tuple(tuple(sorted(line)) for line in lines), blank


def plain_distances(puzzle: Tiles, axis: int) -> dict[tuple[tuple[tuple[int, ...], ...], int], int]:
    """Breadth-first search over what is left."""
    start = forget(puzzle, np.array(puzzle.goal), axis)
    found, queue = {start: 0}, deque([start])
    while queue:
        state = queue.popleft()
        lines, blank = state
        for near in (blank - 1, blank + 1):
            if not 0 <= near < len(lines):
                continue
            for tile in set(lines[near]):
                moved = [list(line) for line in lines]
                moved[near].remove(tile)
                moved[blank].append(tile)
                child = (tuple(tuple(sorted(line)) for line in moved), near)
                if child not in found:
                    found[child] = found[state] + 1
                    queue.append(child)
    return found


@pytest.mark.parametrize("name", SIZES)
def test_it_is_the_sum_of_two_small_puzzles(harness, name: str) -> None:
    puzzle, random = load(name), np.random.default_rng(2)
    boards = np.array([random.permutation(puzzle.cells) for _ in range(300)], np.uint8)
    tables = [plain_distances(puzzle, axis) for axis in range(2)]
    expected = [sum(tables[axis][forget(puzzle, board, axis)] for axis in range(2)) for board in boards]
    values = harness.estimated(puzzle, puzzle.view(Estimates).estimate("walking"), harness.working(puzzle, boards))
    assert values.tolist() == expected


def test_the_15_puzzle_has_the_published_number_of_tables() -> None:
    table = walking_distance_kernels.walk(4, 4, 3)
    assert len(table) == 24_964
    assert table[:, 1].max() == 35
