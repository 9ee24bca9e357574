"""Many states at once, outside a search: their legal moves, and which moves come to the same.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import kernels
from puzzlelab.core.kernels import compiled
from puzzlelab.core.puzzle import Compiled, Puzzle, State


def legal_moves(puzzle: Puzzle, states: State) -> NDArray[np.bool_]:
    """`bool[B, M]`: the moves that `legal` names in each of the plain `states[B, S]`."""
    if not isinstance(puzzle, Compiled):
        return np.array([puzzle.legal(state) for state in states], bool).reshape(len(states), puzzle.move_count)
    rules = puzzle.kernel()
    found = np.zeros((len(states), puzzle.move_count), bool)
    working = rules.encode(states).astype(rules.dtype)
    mark_legal(rules.tables, working, np.empty(puzzle.move_count, np.int32), found)
    return found


@compiled
def mark_legal(tables: Any, states: State, moves: NDArray[np.int32], found: NDArray[np.bool_]) -> None:
    """Mark the legal moves of working states `T[B, S]` in `found: bool[B, M]`; `moves: int32[M]` is room."""
    for place in range(len(states)):
        for i in range(kernels.legal(tables, states[place], moves)):  # type: ignore[no-untyped-call]
            found[place, moves[i]] = True


def alike(puzzle: Puzzle, states: State) -> NDArray[np.int64]:
    """`int64[B, M]`: the legal move that each move comes to, -1 for one that cannot be made.

    As the puzzle's own `alike` says, where several moves do the same; else every legal move is like itself alone.
    """
    own = getattr(puzzle, "alike", None)
    if own is not None:
        found: NDArray[np.int64] = own(states)
        return found
    return np.where(legal_moves(puzzle, states), np.arange(puzzle.move_count), -1)
