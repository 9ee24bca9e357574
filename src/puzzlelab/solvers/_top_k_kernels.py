# mypy: allow-untyped-defs
"""Selects the `width` least values: fast by 16 bits of each value, or exactly.

Hand-made estimates are whole numbers, which 16 bits distinguish; those of networks may differ by very little.

Shapes: C = candidates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled, inlined

BINS = 1 << 16
"""The size of the histogram that both functions need."""
LEAST = np.float32(-32.0)
"""The least score that is told from lower ones. Only learned estimates are below 0, near the goal."""


class Selection(NamedTuple):
    """Values of which the least are selected, and scratch arrays."""

    values: NDArray[np.float32]
    """[C]."""
    ranks: NDArray[np.int32]
    """[C]: their bits, which sort as they do."""
    histogram: NDArray[np.int64]
    """[BINS]."""


def new_selection(count: int) -> Selection:
    """Make room for this number of values."""
    values = np.zeros(count, np.float32)
    return Selection(values=values, ranks=values.view(np.int32), histogram=np.empty(BINS, np.int64))


@inlined
def bits_of(value):
    """Return 16 bits that sort as a score does: from `LEAST` to 224 to 1/16, and to one part in 2048 above."""
    # A small floating-point number of its own: 11 bits and an exponent, in the order of the values.
    scaled = max(value - LEAST, np.float32(0.0)) * np.float32(16.0)
    exponent = 0
    while scaled >= np.float32(4096.0):
        scaled *= np.float32(0.5)
        exponent += 1
    return min(65535, exponent * 2048 + np.int64(scaled) if exponent > 0 else np.int64(scaled))


@inlined
def crossing_bin(histogram, bins, total, width):
    """Return (bin, total before it): the first of the bins up to which the histogram counts more than `width`."""
    for i in range(bins):
        if total + histogram[i] > width:
            return np.int64(i), total
        total += histogram[i]
    return np.int64(bins), total


@compiled
def threshold_16bit(value, count, width, histogram):
    """Return (threshold, ties): the `width` least are those below the threshold and `ties` of those equal to it."""
    # A counting sort that stops at the bin in which the width is reached.
    largest = np.int64(0)
    for i in range(count):
        largest = max(largest, bits_of(value[i]))
    for i in range(largest + 1):  # a small part of the histogram for common estimates
        histogram[i] = 0
    for i in range(count):
        histogram[np.uint64(bits_of(value[i]))] += 1
    threshold, total = crossing_bin(histogram, largest + 1, np.int64(0), width)
    return threshold, width - total


@compiled
def threshold_exact(ranks, first, count, width, histogram):
    """Return (threshold, ties) for the numbers `ranks: int32[C]` from place `first` on, more than `width`, exactly.

    The bits of a float32 that is not negative, read as a whole number, sort as it does.
    """
    for i in range(histogram.size):
        histogram[i] = 0
    for i in range(first, first + count):
        histogram[ranks[i] >> 16] += 1
    # A radix sort of two passes, upper bits first, of which the second looks at one bin alone.
    high, total = crossing_bin(histogram, histogram.size, np.int64(0), width)
    for i in range(histogram.size):
        histogram[i] = 0
    for i in range(first, first + count):
        if ranks[i] >> 16 == high:
            histogram[ranks[i] & 0xFFFF] += 1
    low, total = crossing_bin(histogram, histogram.size, total, width)
    return (high << 16) | low, width - total
