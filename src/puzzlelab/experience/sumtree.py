"""A sum tree: a flat array whose second half holds weights, and whose node i is the sum of the nodes 2i and 2i + 1.

Setting or drawing a weight takes O(log L). A node is always computed as the sum of its children, never corrected by a
difference, so that equal weights give equal trees.

Shapes: L = leaves, a power of two; B = size of a batch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def new_tree(capacity: int) -> NDArray[np.float64]:
    """Return `float64[2 L]`: a tree of at least `capacity` weights, all 0.

    Node 1 is the sum of all, node 0 is not used.
    """
    return np.zeros(2 << (capacity - 1).bit_length(), np.float64)


def leaves(tree: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `float64[L]`: the weights, as a view; call `sum_up` after a change."""
    return tree[tree.size // 2 :]
