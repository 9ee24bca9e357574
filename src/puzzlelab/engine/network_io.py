"""Inputs and outputs of networks as arrays: cells as one-hot planes, states as codes, and scores of moves as
logarithms of the probabilities of legal moves.

Shapes: B = states, S = length of a state, N = cells, M = number of moves.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Puzzle, State
from puzzlelab.core.views import equivalence

PRIME = 0x100000001B3
"""The multiplier of the hash FNV-1a (Fowler, Noll and Vo)."""
MIN_PROBABILITY = 1e-9
"""The least probability of a legal move."""


def one_hot(states: State, first: int, last: int) -> NDArray[np.float32]:
    """Return `float32[..., N * (last - first + 1)]` from `states: uint8[..., N]`, whose numbers are at most `last`.

    Cell by cell, a 1 at the place of its number; the first place is that of `first`, and smaller numbers have none.
    """
    # Rows of a table are copied, which is four times faster than comparing each cell with each number.
    cells: NDArray[np.float32] = np.take(_table(first, last), states, axis=0)
    return cells.reshape(*states.shape[:-1], states.shape[-1] * cells.shape[-1])


@cache
def _table(first: int, last: int) -> NDArray[np.float32]:
    """Return `float32[last + 1, last - first + 1]`: the row of each number."""
    return np.ascontiguousarray(np.eye(last + 1, dtype=np.float32)[:, first:])


def multipliers(length: int) -> NDArray[np.int64]:
    """Return `int64[S]`: the powers of the prime, modulo 2**64."""
    powers = np.array([pow(PRIME, place, 2**64) for place in range(length)], np.uint64)
    return powers.view(np.int64)


def state_codes(states: State) -> NDArray[np.int64]:
    """Return `int64[B]`: a polynomial of each of the `states[B, S]`, modulo 2**64. Two states might have one code."""
    codes: NDArray[np.int64] = (states.astype(np.int64) * multipliers(states.shape[1])).sum(axis=1)
    return codes


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
    from puzzlelab.engine.log_probabilities_kernels import normalise

    logarithms = _of_legal_moves(puzzle, states, scores, sums)
    normalise(logarithms, float(np.log(MIN_PROBABILITY)))
    return logarithms


def _of_legal_moves(puzzle: Puzzle, states: State, scores: NDArray[np.float64], sums: bool) -> NDArray[np.float64]:
    """Return `float64[B, M]`: the merged scores of legal moves; -inf elsewhere."""
    from puzzlelab.engine.batch_rules import canonical_moves
    from puzzlelab.engine.log_probabilities_kernels import merge

    merged, total = np.empty(scores.shape), np.empty(scores.shape[1])
    merge(canonical_moves(puzzle, states), np.ascontiguousarray(scores), sums, total, merged)
    return merged
