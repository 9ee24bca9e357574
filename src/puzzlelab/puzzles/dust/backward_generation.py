"""Builds dust boards backwards: from the empty board, clusters are inserted so that clicks on them undo this.

Before a click, the cells of each row stood in some columns of their half (any that were high enough), and the cluster
stood between them. So the heights of a half's columns may be exchanged at will, which leaves one place for each cell;
then a run of new cells goes into each of some neighbouring columns, in a colour that touches none of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from puzzlelab.puzzles.dust.rules import Board, Dust

FULL_TRIES, PART_TRIES = 40, 40
"""Attempts: first with full boards, then with fewer and fewer cells."""
TRIES = 60
"""Places tried for one cluster."""
SHARES = (2, 2, 4, 8)
"""A cluster has at most this multiple of the mean size."""
NEW = 255
"""The provisional colour of new cells."""


def build_backwards(puzzle: Dust, random: np.random.Generator, clusters: int) -> Board | None:
    """Return a board that `clusters` clicks clear, full if possible; None if no attempt succeeds.

    `clusters` is at least 1 and at most N.
    """
    for attempt in range(1, FULL_TRIES + PART_TRIES + 1):
        spare = max(0, attempt - FULL_TRIES) / PART_TRIES
        cells = puzzle.cells - round(spare * (puzzle.cells - clusters))
        if (board := _build(puzzle, random, clusters, cells)) is not None:
            return board
    return None


def _build(puzzle: Dust, random: np.random.Generator, clusters: int, cells: int) -> Board | None:
    """Return a board of this many clusters and cells; None if a cluster has no place."""
    board: Board = np.zeros(puzzle.cells, np.uint8)
    # The larger the first clusters, the smaller the last ones, for which there are the fewest places.
    share = random.choice(SHARES)
    for clusters_after in range(clusters - 1, -1, -1):
        cells_left = cells - int(np.count_nonzero(board))
        max_size = cells_left - clusters_after
        min_size = max_size if clusters_after == 0 else 1
        size = int(
            random.integers(min_size, 1 + max(min_size, min(max_size, share * cells_left // (clusters_after + 1))))
        )
        tries = (with_cluster(puzzle, random, board, size, min_size, max_size) for _ in range(TRIES))
        larger = next((board for board in tries if board is not None), None)
        if larger is None:
            return None
        board = larger
    return board


def with_cluster(
    puzzle: Dust, random: np.random.Generator, board: Board, size: int, min_size: int, max_size: int
) -> Board | None:
    """Try once to put a cluster of about `size`, and of `min_size` to `max_size` cells, into a board that rests.

    None, or a board that rests and in which a click on that cluster gives `board` again.
    """
    line, height = puzzle.width // 2, puzzle.height
    before = [int(column) for column in np.count_nonzero(board.reshape(-1, height), axis=1)]
    heights = _permuted_heights(random, before[:line]) + _permuted_heights(random, before[line:])
    added = _added(random, heights, line, height, size)
    starts = _starts(random, heights, added) if min_size <= sum(added) <= max_size else None
    if starts is None:
        return None
    larger = _put_in(_moved_apart(board.reshape(-1, height), before, heights), heights, starts, added)
    beside = _adjacent_colours(larger)
    free = [colour for colour in range(1, puzzle.colours + 1) if colour not in beside]
    if not free:
        return None
    first = int(np.flatnonzero(larger == NEW)[0])
    larger[larger == NEW] = random.choice(free)
    state: Board = larger.reshape(-1)
    return state if np.array_equal(puzzle.apply(state, first), board) else None


def _permuted_heights(random: np.random.Generator, heights: list[int]) -> list[int]:
    """Return the heights of one half, as they are or in another order."""
    way = random.integers(4)
    if way == 1:
        return heights[::-1]
    if way == 2:
        return [heights[place] for place in random.permutation(len(heights))]
    if way == 3 and heights:
        one = heights[taken := int(random.integers(len(heights)))]
        others = heights[:taken] + heights[taken + 1 :]
        others.insert(int(random.integers(len(heights))), one)
        return others
    return heights


def _added(random: np.random.Generator, heights: list[int], line: int, height: int, size: int) -> list[int]:
    """Return how many cells each column gains: `size` in all, in neighbouring columns, then rising towards the line.

    More, where order asks for it, and less, or in columns that are no neighbours, where there is no room.
    """
    left, right = heights[:line], heights[line:][::-1]
    target = _rising(left) + _rising(right)[::-1]
    while True:
        changed = [x for x in range(len(heights)) if target[x] > heights[x]]
        gaps = bool(changed) and len(changed) <= changed[-1] - changed[0]
        if sum(target) - sum(heights) >= size and not gaps:
            break
        inner = [height if x in (line - 1, line) else target[x + 1 if x < line else x - 1] for x in range(len(heights))]
        least, most = (changed[0] - 1, changed[-1] + 1) if changed else (0, len(heights))
        free = [x for x in range(len(heights)) if target[x] < inner[x] and least <= x <= most]
        if not free:
            break
        target[free[int(random.integers(len(free)))]] += 1
    return [after - before for before, after in zip(heights, target, strict=True)]


def _rising(heights: list[int]) -> list[int]:
    """Return the least heights that are no less than these and never fall."""
    return [max(heights[: x + 1]) for x in range(len(heights))]


def _starts(random: np.random.Generator, heights: list[int], added: list[int]) -> list[int] | None:
    """Return the row in which each column's run of new cells begins, chosen so that they touch; None where they cannot.

    A run may have cells of its column below and above it.
    """
    starts, last = [0] * len(heights), -1
    for x, (height, length) in enumerate(zip(heights, added, strict=True)):
        if length == 0:
            continue
        least, most = 0, height
        if last >= 0:
            least, most = max(0, starts[last] - length + 1), min(height, starts[last] + added[last] - 1)
        if least > most or (last >= 0 and last < x - 1):
            return None
        starts[x], last = int(random.integers(least, most + 1)), x
    return starts if last >= 0 else None


def _moved_apart(columns: Board, before: list[int], after: list[int]) -> Board:
    """Return `uint8[W, H]`: the cells of each row in other columns of their half: as many, in the same order."""
    rows = np.arange(columns.shape[1])[:, None]
    moved = np.zeros_like(columns)
    moved.T[rows < np.array(after)] = columns.T[rows < np.array(before)]
    return moved


def _put_in(columns: Board, heights: list[int], starts: list[int], added: list[int]) -> Board:
    """Return the columns with a run of new cells in each."""
    result = np.zeros_like(columns)
    for x, (height, start, length) in enumerate(zip(heights, starts, added, strict=True)):
        result[x, :start] = columns[x, :start]
        result[x, start : start + length] = NEW
        result[x, start + length : height + length] = columns[x, start:height]
    return result


def _adjacent_colours(columns: Board) -> set[int]:
    """Return the colours that touch new cells."""
    new = columns == NEW
    near = np.zeros_like(new)
    near[1:] |= new[:-1]
    near[:-1] |= new[1:]
    near[:, 1:] |= new[:, :-1]
    near[:, :-1] |= new[:, 1:]
    return set(columns[near].tolist())
