"""Boards whose goal has the blank in a corner, as boards of the usual goal: 1, 2, 3 ... with the blank last.

Rows and columns are reversed until the corner is the last one, and the tiles get the numbers that they then have in the
goal. For the goal 0, 1, 2, ... of N cells this rotates the board by 180 degrees and renames tile n to N - n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from puzzlelab.core.views import Isomorphism

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Board, Tiles


def isomorphism(puzzle: Tiles) -> Isomorphism | None:
    """Return the map to the puzzle of this size with the usual goal.

    None for that puzzle, and for a blank in no corner.
    """
    from puzzlelab.puzzles.tiles.rules import MOVES, Tiles

    usual, goal = Tiles(puzzle.rows, puzzle.columns), np.array(puzzle.goal)
    row, column = divmod(puzzle.goal.index(0), puzzle.columns)
    if puzzle == usual or row not in (0, puzzle.rows - 1) or column not in (0, puzzle.columns - 1):
        return None
    axes = tuple(axis for axis, place in enumerate((row, column)) if place == 0)
    cells = np.flip(np.arange(puzzle.cells).reshape(puzzle.rows, puzzle.columns), axes).reshape(-1)
    tiles = np.empty(puzzle.cells, np.uint8)
    tiles[goal[cells]] = usual.goal
    reversed_moves = "".join(("UD", "LR")[axis] for axis in axes)
    moves = [number ^ 1 if move in reversed_moves else number for number, move in enumerate(MOVES)]

    def states_of(states: Board) -> Board:
        image: Board = tiles[states[..., cells]]
        return image

    return Isomorphism(usual, states_of, np.array(moves))
