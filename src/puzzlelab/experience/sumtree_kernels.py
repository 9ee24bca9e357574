# mypy: allow-untyped-defs
"""The kernels of sum trees: setting weights, and drawing leaves by them; the layout and shapes as in `replay`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled


@compiled
def sum_up(tree: NDArray[np.float64]) -> None:
    """Compute all inner nodes of the tree `float64[2 L]` from its leaves."""
    for node in range(tree.size // 2 - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@compiled
def set_weights(tree: NDArray[np.float64], indices: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
    """Set the weights of the leaves `indices: int64[B]`; of an index that occurs twice the last weight counts."""
    for i in range(indices.size):
        node = tree.size // 2 + indices[i]
        tree[node] = weights[i]
        node >>= 1
        while node > 0:
            tree[node] = tree[2 * node] + tree[2 * node + 1]
            node >>= 1


@compiled
def draw(tree: NDArray[np.float64], points: NDArray[np.float64], indices: NDArray[np.int64]) -> None:
    """Write into `indices: int64[B]` one leaf from each B-th part of the sum, at `points: float64[B]` within it.

    The points lie in [0, 1). A leaf of weight 0 is not drawn while another one exists, not even by a rounding error.
    """
    for i in range(points.size):
        rest = tree[1] * ((i + points[i]) / points.size)
        node = 1
        while node < tree.size // 2:
            node *= 2
            if rest >= tree[node] and tree[node + 1] > 0.0:
                rest -= tree[node]
                node += 1
        indices[i] = node - tree.size // 2
