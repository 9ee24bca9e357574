"""Shares and means with their 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Z = 1.959963984540054
"""The normal distribution has 95 % within this many standard deviations."""


@dataclass(frozen=True)
class Proportion:
    """The share of `count` in `total`."""

    count: int
    total: int

    @property
    def value(self) -> float:
        """Between 0 and 1; nan if `total` is 0."""
        return self.count / self.total if self.total else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of E. B. Wilson, Journal of the American Statistical Association 22 (1927)."""
        if not self.total:
            return 0.0, 1.0
        middle = (self.value + Z * Z / (2 * self.total)) / (1 + Z * Z / self.total)
        spread = math.sqrt(self.value * (1 - self.value) / self.total + (Z / (2 * self.total)) ** 2)
        half_width = Z * spread / (1 + Z * Z / self.total)
        return max(0.0, middle - half_width), min(1.0, middle + half_width)


@dataclass(frozen=True)
class Mean:
    """A mean and the half width of its 95 % interval (Student's t); nan for fewer than two values."""

    value: float
    half_width: float


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of some values, with its interval."""
    count = len(values)
    if count < 2:
        return Mean(float(values[0]) if values else math.nan, math.nan)
    from scipy.special import stdtrit

    deviation = float(np.std(values, ddof=1))
    return Mean(float(np.mean(values)), float(stdtrit(count - 1, 0.975)) * deviation / math.sqrt(count))


@dataclass(frozen=True)
class Ratio:
    """A geometric mean of quotients with its 95 % interval; nan where there are none, or too few for an interval."""

    value: float
    low: float
    high: float
    count: int
    """Pairs of which it is the mean."""


def ratio(pairs: Sequence[tuple[float, float]], least: float = 1e-6) -> Ratio:
    """Return how many times as large the first numbers of some pairs are as the second.

    Numbers below `least` count as it.
    """
    logarithms = [math.log(max(one, least) / max(other, least)) for one, other in pairs]
    middle = mean(logarithms)
    low, high = middle.value - middle.half_width, middle.value + middle.half_width
    return Ratio(math.exp(middle.value), math.exp(low), math.exp(high), len(pairs))
