"""Buffers of samples in memory: rings, in which the newest samples overwrite the oldest, and the replay buffer of a
reinforcement learner, which draws its last transitions uniformly or by priority.

A ring is independent of the meaning of its columns: each is an array whose first axis is the sample, and the first
samples define the columns. Sample number n since the beginning has the index n % capacity.

Priorities are the leaves of a sum tree: a flat array whose second half holds weights, and whose node i is the sum of
the nodes 2i and 2i + 1, so that a weight is set or drawn in O(log L). A node is always computed as the sum of its
children, never corrected by a difference, so that equal weights give equal trees.

Shapes: B = samples of a batch, N = samples in the ring, L = leaves of a tree, a power of two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from puzzlelab.core.errors import BadInput
from puzzlelab.core.settings import Settings
from puzzlelab.experience import sumtree_kernels

Columns = Mapping[str, NDArray[Any]]
"""Named columns, `[B, ...]` each."""

COLUMN = "column."
"""The prefix of a column's name in a saved state."""
MIN_PRIORITY = 1e-3
"""Added to every error, so that every transition can be drawn again."""


class DrawnBatch(NamedTuple):
    """Samples drawn from a ring, as copies."""

    indices: NDArray[np.int64]
    """[B]: their indices in the ring."""
    columns: Columns
    weights: NDArray[np.float32] | None = None
    """[B]: importance weights; None where all samples are drawn with one probability."""


class Ring:
    """The last `capacity` samples, drawn with replacement: uniformly, or in proportion to priority ^ `alpha`.

    With priorities, a new sample gets the greatest priority so far, so that it is soon drawn. Source: Schaul, Quan,
    Antonoglou, Silver, "Prioritized experience replay" (2016).
    """

    def __init__(self, capacity: int, alpha: float = 0.0) -> None:
        """Make an empty ring; with `alpha` 0 all samples are alike, and have no priorities."""
        if capacity < 1:
            raise BadInput(f"a ring holds at least 1 sample, not {capacity}")
        if not 0 <= alpha < np.inf:
            raise BadInput(f"the exponent of the priorities is 0 or more, not {alpha}")
        self.capacity, self.alpha = capacity, alpha
        self.total = 0
        """The number of all samples appended so far."""
        self.max_priority = 1.0
        """The greatest priority so far."""
        self._columns: dict[str, NDArray[Any]] = {}
        self._tree = new_tree(capacity) if alpha else None

    def __len__(self) -> int:
        return min(self.total, self.capacity)

    @property
    def columns(self) -> Columns:
        """The columns, `[N, ...]` each, in the order of the indices: views, which the next `append` changes."""
        return {name: column[: len(self)] for name, column in self._columns.items()}

    def append(self, columns: Columns) -> NDArray[np.int64]:
        """Add samples in their order; the indices `int64[B]` of those that the ring still holds afterwards.

        Raises `BadInput` where the columns have different lengths, or differ from those of the ring.
        """
        count = _rows(columns)
        self._check(columns)
        numbers = np.arange(self.total + max(0, count - self.capacity), self.total + count)
        indices: NDArray[np.int64] = numbers % self.capacity
        for name, column in self._columns.items():
            column[indices] = columns[name][count - len(indices) :]
        self.total += count
        if self._tree is not None:
            sumtree_kernels.set_weights(self._tree, indices, np.full(indices.size, self.max_priority**self.alpha))
        return indices

    def sample(self, random: np.random.Generator, count: int, beta: float = 0.0) -> DrawnBatch:
        """Draw `count` samples; with priorities stratified: one sample from each B-th part of the sum.

        The importance weight of a sample of probability p is (N p)^-beta, divided by the greatest weight of the batch.
        At `beta` 1 the weighted samples have the same mean as uniform ones.

        Raises:
            BadInput: for an empty ring, one whose priorities are all 0, or a `beta` that is not finite and >= 0.
        """
        if not len(self):
            raise BadInput("there is nothing to draw from a ring without samples")
        if self._tree is None:
            uniform = random.integers(0, len(self), count)
            return DrawnBatch(uniform, self.at(uniform))
        if not 0 <= beta < np.inf:
            raise BadInput(f"the exponent of the weights is 0 or more, not {beta}")
        if not self._tree[1] > 0:
            raise BadInput(f"none of the {len(self):,} samples can be drawn: every priority is 0")
        indices = np.empty(count, np.int64)
        sumtree_kernels.draw(self._tree, random.random(count), indices)
        drawn = leaves(self._tree)[indices]
        weights = (drawn / drawn.min(initial=np.inf)) ** -beta  # N and the sum cancel out
        return DrawnBatch(indices, self.at(indices), weights.astype(np.float32))

    def at(self, indices: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Return the samples with these indices, as copies."""
        return {name: column[indices] for name, column in self._columns.items()}

    def update(self, indices: NDArray[np.int64], priorities: ArrayLike) -> None:
        """Set the priorities of the samples `indices: int64[B]`, such as their errors; nothing without priorities.

        Raises `BadInput` for a priority that is not finite and >= 0, and for an index without a sample.
        """
        if self._tree is None:
            return
        values = np.asarray(priorities, np.float64)
        indices = np.asarray(indices, np.int64)
        if values.shape != indices.shape or values.ndim != 1:
            raise BadInput(f"{indices.size:,} indices need as many priorities, not {values.size:,}")
        with np.errstate(over="ignore", invalid="ignore"):
            weights = values**self.alpha
        bad = np.flatnonzero(~((values >= 0) & np.isfinite(values) & np.isfinite(weights)))
        if bad.size:
            raise BadInput(f"a priority is finite and at least 0, not {values[bad[0]]} (number {bad[0]} of the batch)")
        if indices.size and not 0 <= indices.min() <= indices.max() < len(self):
            raise BadInput(f"the ring has {len(self):,} samples, with the indices from 0 on: an index is none of them")
        self.max_priority = max(self.max_priority, float(values.max(initial=0.0)))
        sumtree_kernels.set_weights(self._tree, indices, weights)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that `restore` needs, as plain arrays.

        The columns are views, to be saved before the next `append`.
        """
        state = {name: np.array(getattr(self, name)) for name in ("total", "max_priority")}
        state |= {COLUMN + name: column for name, column in self.columns.items()}
        return state if self._tree is None else state | {"weights": leaves(self._tree)[: len(self)]}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Restore what `state` of a ring with the same settings returned."""
        columns = {name.removeprefix(COLUMN): state[name] for name in state if name.startswith(COLUMN)}
        self._check(columns)
        self.total, self.max_priority = int(state["total"]), float(state["max_priority"])
        for name, column in columns.items():
            self._columns[name][: len(self)] = column
        if self._tree is not None:
            self._tree[:] = 0
            leaves(self._tree)[: len(self)] = state["weights"]
            sumtree_kernels.sum_up(self._tree)

    def _check(self, columns: Columns) -> None:
        """Check that these columns are those of the ring; the first ones define them."""
        if not self._columns:
            self._columns = {
                name: np.empty((self.capacity, *column.shape[1:]), column.dtype) for name, column in columns.items()
            }
        for name in {**self._columns, **columns}:
            if name not in columns:
                raise BadInput(f"the ring has a column '{name}', and these samples have none")
            if name not in self._columns:
                raise BadInput(f"the ring has no column '{name}'")
            column, expected = columns[name], self._columns[name]
            if (column.dtype, column.shape[1:]) != (expected.dtype, expected.shape[1:]):
                raise BadInput(f"the column '{name}' of the ring is {_kind(expected)}, not {_kind(column)}")


class ReplaySettings(Settings):
    """The size of the replay buffer, and how batches are drawn from it."""

    size: int = Field(default=100_000, ge=0)
    """Transitions in the buffer; with 0 each transition is learned from once, as soon as it exists."""
    alpha: float = Field(default=0.0, ge=0)
    """The exponent of the priorities, which are the errors; 0 draws uniformly."""
    beta: float = Field(default=0.4, ge=0, le=1)
    """The initial exponent of the importance weights, which correct for the priorities."""
    beta_steps: int = Field(default=10_000, ge=1)
    """Steps in which `beta` rises to 1, the full correction."""


class ReplayBuffer:
    """The last transitions."""

    def __init__(self, settings: ReplaySettings) -> None:
        self.settings = settings
        self.ring = Ring(max(1, settings.size), settings.alpha)
        self.newest: Columns = {}

    def __len__(self) -> int:
        return len(self.ring)

    @property
    def has_priorities(self) -> bool:
        """Whether transitions are drawn by priority."""
        return bool(self.settings.size and self.settings.alpha)

    def can_sample(self, count: int) -> bool:
        """Tell whether the buffer is full enough to draw a batch of this size."""
        size = self.settings.size
        return len(self.ring) >= min(count, size) if size else bool(self.newest)

    def append(self, columns: Columns) -> None:
        """Add transitions."""
        if self.settings.size:
            self.ring.append(columns)
        self.newest = columns

    def sample(self, count: int, step: int, random: np.random.Generator) -> DrawnBatch:
        """Return a batch of `count` transitions for this step; with size 0, the transitions that were appended last."""
        settings = self.settings
        if not settings.size:
            return DrawnBatch(np.arange(0), self.newest)
        beta = settings.beta + min(1.0, step / settings.beta_steps) * (1.0 - settings.beta)
        return self.ring.sample(random, count, beta)

    def update_priorities(self, batch: DrawnBatch, errors: NDArray[np.float64]) -> None:
        """Set the priorities of a batch from the absolute errors `float64[B]` of its transitions."""
        self.ring.update(batch.indices, errors + MIN_PRIORITY)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that `restore` needs, as plain arrays."""
        return self.ring.state() if self.settings.size else dict(self.newest)

    def restore(self, state: Columns) -> None:
        """Restore what `state` returned."""
        if self.settings.size:
            self.ring.restore(state)
        else:
            self.newest = {name: column.copy() for name, column in state.items()}


def new_tree(capacity: int) -> NDArray[np.float64]:
    """Return `float64[2 L]`: a tree of at least `capacity` weights, all 0.

    Node 1 is the sum of all, node 0 is not used.
    """
    return np.zeros(2 << (capacity - 1).bit_length(), np.float64)


def leaves(tree: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `float64[L]`: the weights, as a view; call `sum_up` after a change."""
    return tree[tree.size // 2 :]


def _rows(columns: Columns) -> int:
    """Return the number of samples in these columns; raises `BadInput` where their lengths differ."""
    if not columns:
        raise BadInput("samples need at least one column")
    for name, column in columns.items():
        if not column.ndim:
            raise BadInput(f"the column '{name}' is a single number, not one for each sample")
    counts = {name: len(column) for name, column in columns.items()}
    (first, count), *others = counts.items()
    for name, other in others:
        if other != count:
            raise BadInput(f"the column '{first}' has {count:,} samples, and '{name}' has {other:,}")
    return count


def _kind(column: NDArray[Any]) -> str:
    """Write the type and shape of one sample, such as `uint8[48]`."""
    return f"{column.dtype}[{', '.join(map(str, column.shape[1:]))}]"
