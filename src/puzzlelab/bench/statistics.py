"""Shares and means with their 95 % intervals.

`scipy.stats` computes the same intervals, which the tests compare; its import takes as long as a small benchmark's
tables altogether, so that it is not used here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

Z = 1.959963984540054
"""The normal distribution has 95 % within this many standard deviations."""


class Proportion(NamedTuple):
    """The share of `number` in `total`."""

    number: int
    total: int

    @property
    def value(self) -> float:
        """Between 0 and 1; nan if `total` is 0."""
        return self.number / self.total if self.total else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of E. B. Wilson, Journal of the American Statistical Association 22 (1927)."""
        if not self.total:
            return 0.0, 1.0
        middle = (self.value + Z * Z / (2 * self.total)) / (1 + Z * Z / self.total)
        spread = math.sqrt(self.value * (1 - self.value) / self.total + (Z / (2 * self.total)) ** 2)
        half_width = Z * spread / (1 + Z * Z / self.total)
        return max(0.0, middle - half_width), min(1.0, middle + half_width)


class Mean(NamedTuple):
    """A mean and the half width of its 95 % interval (Student's t); nan for fewer than two values."""

    value: float
    half_width: float

    @property
    def interval(self) -> tuple[float, float]:
        """The interval of a mean of numbers from 0 on, cut off there; the value itself where there is none."""
        half_width = 0.0 if math.isnan(self.half_width) else self.half_width
        return max(self.value - half_width, min(0.0, self.value)), self.value + half_width


def proportion(holds: Iterable[bool]) -> Proportion:
    """Return the share of the true ones."""
    truths = list(holds)
    return Proportion(sum(truths), len(truths))


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of some values, with its interval."""
    count = len(values)
    if count < 2:
        return Mean(float(values[0]) if values else math.nan, math.nan)
    from scipy.special import stdtrit

    deviation = float(np.std(values, ddof=1))
    return Mean(float(np.mean(values)), float(stdtrit(count - 1, 0.975)) * deviation / math.sqrt(count))
