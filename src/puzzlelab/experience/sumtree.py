"""A sum tree: a flat array whose second half holds weights, and whose node i is the sum of the nodes 2i and 2i + 1.

To change a weight or to find the one at a point of the running total takes as many steps as the tree is high. A node is
always added up from its children, never corrected by a difference, so that equal weights give equal trees.

Shapes: L = leaves, a power of two; B = places of a batch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import compiled


def planted(capacity: int) -> NDArray[np.float64]:
    """`float64[2 L]`: a tree of at least so many weights, all 0; node 1 is the sum of all, node 0 is not used."""
    return np.zeros(2 << (capacity - 1).bit_length(), np.float64)


def leaves(tree: NDArray[np.float64]) -> NDArray[np.float64]:
    """`float64[L]`: the weights themselves; `grow` adds them up after a change."""
    return tree[tree.size // 2 :]


@compiled
def grow(tree: NDArray[np.float64]) -> None:
    """Add up the whole tree `float64[2 L]` from its leaves."""
    for node in range(tree.size // 2 - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@compiled
def put(tree: NDArray[np.float64], places: NDArray[np.int64], weights: NDArray[np.float64]) -> None:
    """Set the weights at `places: int64[B]`, one after the other: of a place named twice the last one counts."""
    for i in range(places.size):
        node = tree.size // 2 + places[i]
        tree[node] = weights[i]
        node >>= 1
        while node > 0:
            tree[node] = tree[2 * node] + tree[2 * node + 1]
            node >>= 1


@compiled
def draw(tree: NDArray[np.float64], points: NDArray[np.float64], places: NDArray[np.int64]) -> None:
    """Write into `places: int64[B]` a place from each B-th part of the sum, at `points: float64[B]` within it.

    The points lie in [0, 1). No place of weight 0 is drawn while there is another one, not even by a rounding error.
    """
    for i in range(points.size):
        left = tree[1] * ((i + points[i]) / points.size)
        node = 1
        while node < tree.size // 2:
            node *= 2
            if left >= tree[node] and tree[node + 1] > 0.0:
                left -= tree[node]
                node += 1
        places[i] = node - tree.size // 2
