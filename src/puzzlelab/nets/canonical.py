"""One image for all boards that are the same but for a symmetry, so that a network need not learn it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Planes


def canonical(puzzle: Puzzle, states: State) -> tuple[State, NDArray[np.int64]]:
    """(`states[B, S]`, `moves: int64[B, M]`): of the images of each state the first in the order of its numbers, and
    what each move of the state is called there.
    """
    chosen = states
    called = np.tile(np.arange(puzzle.move_count), (len(states), 1))
    planes = puzzle.view(Planes)
    if planes is None or not len(states):
        return chosen, called
    rows = np.arange(len(states))
    for image, names in planes.symmetries(states)[1:]:
        place = (image != chosen).argmax(axis=1)
        less = (image[rows, place] < chosen[rows, place])[:, None]
        chosen, called = np.where(less, image, chosen), np.where(less, names, called)
    return chosen, called
