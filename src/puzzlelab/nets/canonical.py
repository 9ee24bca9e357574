"""Replaces each board by a canonical image among its symmetries, so that a network need not learn symmetries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import Planes


def canonical(puzzle: Puzzle, states: State) -> tuple[State, NDArray[np.int64]]:
    """Return (`images[B, S]`, `move_permutation: int64[B, M]`): the canonical image of each state, and its moves there.

    The canonical image is the lexicographically first one. Move m of a state is move `move_permutation[b, m]` of it.
    """
    images = states
    move_permutation = np.tile(np.arange(puzzle.move_count), (len(states), 1))
    planes = puzzle.view(Planes)
    if planes is None or not len(states):
        return images, move_permutation
    rows = np.arange(len(states))
    for image, permutation in planes.symmetries(states)[1:]:
        difference = (image != images).argmax(axis=1)
        less = (image[rows, difference] < images[rows, difference])[:, None]
        images, move_permutation = np.where(less, image, images), np.where(less, permutation, move_permutation)
    return images, move_permutation
