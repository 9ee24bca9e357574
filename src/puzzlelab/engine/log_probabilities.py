"""Turns scores of moves into logarithms of the probabilities of legal moves.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.engine.batch_rules import canonical_moves
from puzzlelab.engine.log_probabilities_kernels import normalise

MIN_PROBABILITY = 1e-9
"""The least probability of a legal move."""


def log_probabilities(puzzle: Puzzle, states: State, scores: NDArray[np.float64], sums: bool) -> NDArray[np.float64]:
    """`float64[B, M]`: the logarithms of the softmax of `scores: float64[B, M]` over the legal moves; -inf elsewhere.

    Moves with the same effect are one move: its probability is their sum, or (`sums=False`) the greatest. A move whose
    score is not finite has the probability 0.
    """
    logarithms = np.empty(scores.shape)
    logits, total = np.ascontiguousarray(scores, np.float64), np.empty(scores.shape[1])
    normalise(canonical_moves(puzzle, states), logits, sums, MIN_PROBABILITY, total, logarithms)
    return logarithms
