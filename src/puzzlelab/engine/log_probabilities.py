"""Turns scores of moves into logarithms of the probabilities of legal moves.

Shapes: B = states, S = length of a state, M = number of moves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import equivalence
from puzzlelab.engine.batch_rules import canonical_moves
from puzzlelab.engine.log_probabilities_kernels import merge, normalise

MIN_PROBABILITY = 1e-9
"""The least probability of a legal move."""


def merged_logits(puzzle: Puzzle, states: State, scores: NDArray[np.float64], sums: bool) -> NDArray[np.float64]:
    """Return `float64[B, M]`: the scores `float64[B, M]`, merged for moves with the same effect: see
    `log_probabilities`.

    The softmax of the result over the legal moves is the same as that of the scores. Puzzles without equivalent moves
    have nothing to merge, and their illegal moves keep their scores.
    """
    return scores if equivalence(puzzle) is None else _of_legal_moves(puzzle, states, scores, sums)


def log_probabilities(puzzle: Puzzle, states: State, scores: NDArray[np.float64], sums: bool) -> NDArray[np.float64]:
    """Return `float64[B, M]`: the logarithms of the softmax of `scores: float64[B, M]` over the legal moves; -inf
    elsewhere.

    Moves with the same effect are one move: its probability is their sum, or (`sums=False`) the greatest. A move whose
    score is not finite has the probability 0.
    """
    logarithms = _of_legal_moves(puzzle, states, scores, sums)
    normalise(logarithms, float(np.log(MIN_PROBABILITY)))
    return logarithms


def _of_legal_moves(puzzle: Puzzle, states: State, scores: NDArray[np.float64], sums: bool) -> NDArray[np.float64]:
    """Return `float64[B, M]`: the merged scores of legal moves; -inf elsewhere."""
    merged, total = np.empty(scores.shape), np.empty(scores.shape[1])
    merge(canonical_moves(puzzle, states), np.ascontiguousarray(scores), sums, total, merged)
    return merged
