"""Uses a network's logits of candidates to eliminate candidates, and to find the most certain cell.

Shapes: C = boards, N = cells, D = digits. `mask: bool[C, N, D]` are the remaining candidates, `logits: float[C, N, D]`
the logits of each to be the digit of its cell. All functions return new arrays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.puzzle import State
from puzzlelab.core.views import Candidates, Prior

CandidateMask = NDArray[np.bool_]
Logits = NDArray[np.float32]
GREATEST = 1e300
"""The greatest logit that counts: the difference of two is a number."""


def logits_of(prior: Prior, puzzle: Candidates) -> Callable[[CandidateMask], Logits]:
    """Return the function from candidates to logits; a prior without `candidate_logits` is evaluated on the states."""

    def logits(mask: CandidateMask) -> Logits:
        if prior.candidate_logits is not None:
            values = np.asarray(prior.candidate_logits(mask))
        else:
            values = np.asarray(prior.scores(states_of(puzzle, mask)))
        if values.size != mask.size or np.isnan(values).any():
            raise PuzzlelabError(f"the prior '{prior.name}' must give a number for each candidate of each board")
        return values.reshape(mask.shape)

    return logits


def all_candidates(digits: NDArray[np.signedinteger], count: int) -> CandidateMask:
    """Return the candidates before any elimination: all `count` digits for a blank cell, its digit for a filled one.

    `digits: int[C, N]` are from 0, -1 for blank.
    """
    mask: CandidateMask = (digits[..., None] < 0) | (digits[..., None] == np.arange(count))
    return mask


def states_of(puzzle: Candidates, mask: CandidateMask) -> State:
    """Return the plain states `[C, S]` with the digits of the cells that have a single candidate."""
    return puzzle.written(np.where(known(mask), mask.argmax(axis=2), -1))


def known(mask: CandidateMask) -> NDArray[np.bool_]:
    """Return `bool[C, N]`: the cells with a single candidate."""
    single: NDArray[np.bool_] = mask.sum(axis=2, dtype=np.int16) == 1
    return single


def any_of(mask: CandidateMask) -> NDArray[np.bool_]:
    """Return `bool[C]`: the boards with at least one of these candidates."""
    result: NDArray[np.bool_] = np.any(mask, axis=(1, 2))
    return result


def empty(mask: CandidateMask) -> NDArray[np.bool_]:
    """Return `bool[C]`: the boards with a cell that has no candidate."""
    result: NDArray[np.bool_] = ~np.all(mask.any(axis=2), axis=1)
    return result


def is_improbable(mask: CandidateMask, logits: Logits, threshold: NDArray[np.float64]) -> CandidateMask:
    """Return the candidates of cells with several that are less probable than `threshold: float[C]`."""
    with np.errstate(divide="ignore"):
        least_logit = np.log(threshold) - np.log1p(-threshold)
    result: CandidateMask = mask & (logits < least_logit[:, None, None]) & ~known(mask)[:, :, None]
    return result


def shares(mask: CandidateMask, logits: Logits) -> NDArray[np.float64]:
    """Return `float64[C, N, D]`: the softmax of the logits over the candidates of each cell; 0 for eliminated ones.

    Candidates are equally probable where the logits of all are minus infinity.
    """
    masked = np.where(mask, logits.astype(np.float64).clip(-GREATEST, GREATEST), -np.inf)
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(masked - masked.max(axis=2, keepdims=True, initial=-np.inf))
    exponentials = np.where(mask, exponentials, 0.0)
    result: NDArray[np.float64] = exponentials / np.maximum(
        exponentials.sum(axis=2, keepdims=True), np.finfo(float).tiny
    )
    return result


def narrowest(mask: CandidateMask) -> NDArray[np.bool_]:
    """Return `bool[C, N]`: of the cells with several candidates, those with the fewest on their board."""
    counts = mask.sum(axis=2, dtype=np.int16)
    several = np.where(counts > 1, counts, mask.shape[2] + 1)
    result: NDArray[np.bool_] = (counts > 1) & (several == several.min(axis=1, keepdims=True))
    return result


def most_certain_cell(share: NDArray[np.float64], open_: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return `int64[C]`: the first of the open cells `bool[C, N]` with the most probable candidate.

    Each board has an open cell.
    """
    best: NDArray[np.int64] = np.where(open_, share.max(axis=2), -1.0).argmax(axis=1)
    return best


def with_only_places(mask: CandidateMask, units: NDArray[np.signedinteger]) -> CandidateMask:
    """Return the mask in which each digit that has a single place in a unit of `int[U, D]` is the only candidate there.

    A cell that is the only place of two digits loses all candidates, since they contradict each other.
    """
    in_units = mask[:, units]  # [C, U, D cells, D digits]
    is_only = in_units & (in_units.sum(axis=2, dtype=np.int16, keepdims=True) == 1)
    boards, unit, place, digit = np.nonzero(is_only)
    cells, result = units[unit, place], mask.copy()
    np.logical_and.at(result, (boards, cells), digit[:, None] == np.arange(mask.shape[2]))
    return result


def written(mask: CandidateMask, cells: NDArray[np.int64], digits: NDArray[np.int64]) -> CandidateMask:
    """Return the mask after writing a digit in a cell of each board: the only candidate left there."""
    result, boards = mask.copy(), np.arange(len(mask))
    result[boards, cells] = False
    result[boards, cells, digits] = True
    return result
