"""Walking distance: how far the rows are from being sorted, as a puzzle of their own, and likewise the columns.

Forget the columns: what is left is how many tiles of each goal row lie in each row, and where the blank is. The least
moves that sort this are found for all such tables once. Vertical and horizontal moves add up.
Source: K. Takahashi (2002).
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.views import Estimate
from puzzlelab.engine.table_cache import stored
from puzzlelab.puzzles.tiles.estimate_kernels import flat
from puzzlelab.puzzles.tiles.kernels import rules
from puzzlelab.puzzles.tiles.walking_distance_kernels import WalkingTables

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles

Counts = tuple[tuple[int, ...], ...]


def code(counts: Counts, blank: int) -> int:
    """Return a number for how many tiles of each goal line lie in each line, and the blank's line."""
    digits = [count for line in counts for count in line]
    return blank + sum(count << (2 + 3 * place) for place, count in enumerate(digits))


def _moved(counts: Counts, blank: int, side: int, goal: int) -> tuple[Counts, int] | None:
    """Return the counts after a tile with this goal line moves into the blank's line from its neighbour."""
    source = blank + (1 if side == 0 else -1)
    if not 0 <= source < len(counts) or counts[source][goal] == 0:
        return None
    lines = [list(line) for line in counts]
    lines[source][goal] -= 1
    lines[blank][goal] += 1
    return tuple(tuple(line) for line in lines), source


def walk(lines: int, across: int, home: int) -> NDArray[np.int64]:
    """Return `int64[Q, 10]`: code, distance and the eight links of every state of one axis, by breadth-first search."""
    goal = tuple(tuple((across - (j == home)) * (i == j) for j in range(lines)) for i in range(lines))
    order = [(goal, home)]
    index, distance = {(goal, home): 0}, [0]
    links: list[list[int]] = []
    for place, (counts, blank) in enumerate(order):
        links.append([0] * 8)
        for link in range(2 * lines):
            side, line = divmod(link, lines)
            child = _moved(counts, blank, side, line)
            if child is None:
                continue
            if child not in index:
                index[child] = len(order)
                order.append(child)
                distance.append(distance[place] + 1)
            links[place][4 * side + line] = index[child]
    codes = [code(*state) for state in order]
    return np.column_stack([codes, distance, links]).astype(np.int64)


@cache
def walking(puzzle: Tiles) -> WalkingTables:
    """Return the tables of the estimate, from the user's cache folder or built now."""
    geometry = rules(puzzle).tables
    home = divmod(int(geometry.home), puzzle.columns)
    sizes = ((puzzle.rows, puzzle.columns, home[0]), (puzzle.columns, puzzle.rows, home[1]))
    walks = [stored("walking-{}x{}-{}".format(*size), partial(walk, *size), np.int64, (None, 10)) for size in sizes]
    most = max(len(found) for found in walks)
    table = np.stack([np.pad(found, ((0, most - len(found)), (0, 0)), mode="edge") for found in walks])
    places = np.argsort(table[:, :, 0], axis=1, kind="stable")
    begins = np.array([[0], [most]])
    return WalkingTables(
        geometry,
        (table[:, :, 2:] + begins[:, :, None]).astype(np.uint16).reshape(-1),
        table[:, :, 1].astype(np.uint8).reshape(-1),
        flat(np.stack(np.divmod(np.arange(puzzle.cells), puzzle.columns)).astype(np.uint8)),
        np.ascontiguousarray(np.take_along_axis(table[:, :, 0], places, axis=1)),
        (places + begins).astype(np.uint16),
        np.array([puzzle.rows, puzzle.columns], np.int64),
    )


def estimate(puzzle: Tiles, name: str) -> Estimate:
    """Return the estimate by its name."""
    return Estimate(name, admissible=True, kernel=lambda: walking(puzzle), memo=2)
