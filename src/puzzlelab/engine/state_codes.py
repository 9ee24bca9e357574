"""Codes of states: numbers of 64 bits by which states are sorted and looked up.

Shapes: B = states, S = length of a state.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import State

PRIME = 0x100000001B3
"""The multiplier of the hash FNV-1a (Fowler, Noll and Vo)."""


def multipliers(length: int) -> NDArray[np.int64]:
    """Return `int64[S]`: the powers of the prime, modulo 2**64."""
    powers = np.array([pow(PRIME, place, 2**64) for place in range(length)], np.uint64)
    return powers.view(np.int64)


def state_codes(states: State) -> NDArray[np.int64]:
    """Return `int64[B]`: a polynomial of each of the `states[B, S]`, modulo 2**64. Two states might have one code."""
    codes: NDArray[np.int64] = (states.astype(np.int64) * multipliers(states.shape[1])).sum(axis=1)
    return codes
