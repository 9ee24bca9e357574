# mypy: allow-untyped-defs
"""The compiled estimates of SameGame; `estimates` explains them, and has them in plain Python."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels as names
from puzzlelab.engine.compiler import lowest, ones
from puzzlelab.engine.kernels import implements, inlined
from samegame.estimates import FEATURES, UNITS
from samegame.kernels import ABOVE, BELOW, NONE, count_colour, equal_pairs, group_at, in_groups, mask, of_colour
from samegame.rules import ALL_CLEARED


class ColoursTables(NamedTuple):
    """The upper bound `colours`."""

    rules: Any


class GuessTables(NamedTuple):
    """The guess."""

    rules: Any
    weights: NDArray[np.int64]
    """[2 * FEATURES]: `estimates.WEIGHTS`."""


@inlined
def sum_of_colours(tables, state):
    """The points of each colour as a single group, and how many colours have a single cell."""
    points, singles = np.int64(0), np.int64(0)
    for colour in range(1, tables.colours + 1):
        count = count_colour(tables, state, colour)
        if count > 1:
            points += (count - 2) ** 2
        singles += count == 1
    return points, singles


@implements(names.evaluate, ColoursTables)
def colours(estimate, state, memo):
    upper, right = equal_pairs(estimate.rules, state)
    if upper | right == mask(estimate.rules, NONE):
        return np.int64(0)
    points, singles = sum_of_colours(estimate.rules, state)
    return points - singles if singles > 0 else points + ALL_CLEARED


@inlined
def near_pairs(tables, cells):
    """How many pairs of these cells lie diagonally side by side, or in a column with one cell between them."""
    two, high = np.uint64(2), tables.height
    over = cells & (cells >> two) & (mask(tables, ABOVE + 1) >> two)
    rising = cells & (cells >> (high + np.uint64(1))) & mask(tables, BELOW)
    falling = cells & (cells >> (high - np.uint64(1))) & mask(tables, ABOVE)
    return np.int64(ones(over)) + np.int64(ones(rising)) + np.int64(ones(falling))


@implements(names.evaluate, GuessTables)
def guess(estimate, state, memo):
    tables, weights, none = estimate.rules, estimate.weights, mask(estimate.rules, NONE)
    upper, right = equal_pairs(tables, state)
    grouped = in_groups(tables, upper, right)
    if grouped == none:
        return np.int64(0)
    main, most = np.int64(0), np.int64(0)
    for colour in range(1, tables.colours + 1):
        count = count_colour(tables, state, colour)
        if count > most:
            main, most = np.int64(colour), count
    total = np.int64(0)
    for colour in range(1, tables.colours + 1):
        cells = of_colour(tables, state, colour)
        count = np.int64(ones(cells))
        first = np.int64(FEATURES if colour == main else 0)
        remaining = cells & grouped
        singles = count - np.int64(ones(remaining))
        if count > 1:
            total += weights[first] * (count - 2) ** 2
        total += weights[first + 1] * singles + weights[first + 4] * near_pairs(tables, cells)
        while remaining != none:
            group = group_at(tables, upper, right, lowest(remaining))
            remaining = remaining & ~group
            total += weights[first + 2] * (np.int64(ones(group)) - 2) ** 2 + weights[first + 3]
    return total // UNITS
