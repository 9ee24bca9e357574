"""What a network's marks of candidates are used for: to take candidates away, and to find the surest cell.

Shapes: C = boards, N = cells, D = digits. `left: bool[C, N, D]` are the candidates that are left, `logits: float[C, N,
D]` how surely each is the digit of its cell. All functions give new arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Left = NDArray[np.bool_]
Logits = NDArray[np.float32]


def known(left: Left) -> NDArray[np.bool_]:
    """`bool[C, N]`: the cells that have one candidate."""
    found: NDArray[np.bool_] = left.sum(axis=2, dtype=np.int16) == 1
    return found


def below(left: Left, logits: Logits, threshold: NDArray[np.float64]) -> Left:
    """The candidates, in cells that have several, which are less probable than `threshold: float[C]`."""
    with np.errstate(divide="ignore"):
        least = np.log(threshold) - np.log1p(-threshold)
    found: Left = left & (logits < least[:, None, None]) & ~known(left)[:, :, None]
    return found


def shares(left: Left, logits: Logits) -> NDArray[np.float64]:
    """`float64[C, N, D]`: how probable each candidate is among those of its cell; 0 for any other."""
    among = np.where(left, logits.astype(np.float64), -np.inf)
    with np.errstate(invalid="ignore"):
        likely = np.exp(among - among.max(axis=2, keepdims=True, initial=-np.inf))
    likely = np.where(left, likely, 0.0)
    found: NDArray[np.float64] = likely / np.maximum(likely.sum(axis=2, keepdims=True), np.finfo(float).tiny)
    return found


def surest(share: NDArray[np.float64], open_: NDArray[np.bool_]) -> NDArray[np.int64]:
    """`int64[C]`: the first of the open cells `bool[C, N]` with the most probable candidate; each board has one."""
    best: NDArray[np.int64] = np.where(open_, share.max(axis=2), -1.0).argmax(axis=1)
    return best


def written(left: Left, cells: NDArray[np.int64], digits: NDArray[np.int64]) -> Left:
    """With no other candidate than this digit left in this cell of each board."""
    found, boards = left.copy(), np.arange(len(left))
    found[boards, cells] = False
    found[boards, cells, digits] = True
    return found
