"""The groups of many boards at once: all cells of a group are one move."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from samegame.groups_kernels import label
from samegame.planes import neighbours

if TYPE_CHECKING:
    from samegame.rules import Board


def labels(states: Board, width: int, height: int) -> NDArray[np.int64]:
    """`int64[B, N]`: the first cell of the group of each cell; -1 for single and empty ones."""
    of_cells = np.empty(states.shape, np.int64)
    label(np.ascontiguousarray(states), *neighbours(width, height), of_cells)
    return of_cells
