"""What a network's marks of candidates are used for: to take candidates away, and to find the surest cell.

Shapes: C = boards, N = cells, D = digits. `left: bool[C, N, D]` are the candidates that are left, `logits: float[C, N,
D]` how surely each is the digit of its cell. All functions give new arrays.
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


def asking(prior: Prior, puzzle: Candidates) -> Callable[[CandidateMask], Logits]:
    """What is asked about candidates; a prior that knows states alone is asked about the digits that are known."""

    def logits(left: CandidateMask) -> Logits:
        if prior.candidate_logits is not None:
            found = np.asarray(prior.candidate_logits(left))
        else:
            found = np.asarray(prior.scores(states_of(puzzle, left)))
        if found.size != left.size or np.isnan(found).any():
            raise PuzzlelabError(f"the prior '{prior.name}' must give a number for each candidate of each board")
        return found.reshape(left.shape)

    return logits


def all_candidates(digits: NDArray[np.signedinteger], count: int) -> CandidateMask:
    """What is left where no rule was applied: all of `count` candidates of a cell that is blank, one of any other.

    `digits: int[C, N]` are from 0, -1 for blank.
    """
    found: CandidateMask = (digits[..., None] < 0) | (digits[..., None] == np.arange(count))
    return found


def states_of(puzzle: Candidates, left: CandidateMask) -> State:
    """The plain states `[C, S]` with the digits of the cells that have one candidate."""
    return puzzle.written(np.where(known(left), left.argmax(axis=2), -1))


def known(left: CandidateMask) -> NDArray[np.bool_]:
    """`bool[C, N]`: the cells that have one candidate."""
    found: NDArray[np.bool_] = left.sum(axis=2, dtype=np.int16) == 1
    return found


def any_of(left: CandidateMask) -> NDArray[np.bool_]:
    """`bool[C]`: the boards with any of these candidates."""
    found: NDArray[np.bool_] = np.any(left, axis=(1, 2))
    return found


def empty(left: CandidateMask) -> NDArray[np.bool_]:
    """`bool[C]`: the boards with a cell that has no candidate."""
    found: NDArray[np.bool_] = ~np.all(left.any(axis=2), axis=1)
    return found


def is_improbable(left: CandidateMask, logits: Logits, threshold: NDArray[np.float64]) -> CandidateMask:
    """The candidates, in cells that have several, which are less probable than `threshold: float[C]`."""
    with np.errstate(divide="ignore"):
        least = np.log(threshold) - np.log1p(-threshold)
    found: CandidateMask = left & (logits < least[:, None, None]) & ~known(left)[:, :, None]
    return found


def shares(left: CandidateMask, logits: Logits) -> NDArray[np.float64]:
    """`float64[C, N, D]`: how probable each candidate is among those of its cell; 0 for any other."""
    among = np.where(left, logits.astype(np.float64), -np.inf)
    with np.errstate(invalid="ignore"):
        likely = np.exp(among - among.max(axis=2, keepdims=True, initial=-np.inf))
    likely = np.where(left, likely, 0.0)
    found: NDArray[np.float64] = likely / np.maximum(likely.sum(axis=2, keepdims=True), np.finfo(float).tiny)
    return found


def most_certain_cell(share: NDArray[np.float64], open_: NDArray[np.bool_]) -> NDArray[np.int64]:
    """`int64[C]`: the first of the open cells `bool[C, N]` with the most probable candidate; each board has one."""
    best: NDArray[np.int64] = np.where(open_, share.max(axis=2), -1.0).argmax(axis=1)
    return best


def written(left: CandidateMask, cells: NDArray[np.int64], digits: NDArray[np.int64]) -> CandidateMask:
    """With no other candidate than this digit left in this cell of each board."""
    found, boards = left.copy(), np.arange(len(left))
    found[boards, cells] = False
    found[boards, cells, digits] = True
    return found
