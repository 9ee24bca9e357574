"""Rings of samples in memory: when one is full, the oldest sample makes room for the newest.

A ring knows nothing of what its columns mean: each is an array whose first axis is the sample, and the first samples
say which columns there are. Sample number n since the beginning stands in place n % capacity.

Shapes: B = samples of a batch, N = samples in the ring.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from puzzlelab.core.errors import BadInput
from puzzlelab.experience import sumtree

Columns = Mapping[str, NDArray[Any]]
"""Named columns, `[B, ...]` each."""

COLUMN = "column."
"""What stands before the name of a column in a state."""


class Ring:
    """The last `capacity` samples, drawn uniformly and with replacement."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise BadInput(f"a ring holds at least 1 sample, not {capacity}")
        self.capacity = capacity
        self.total = 0
        """Samples that were ever appended."""
        self._columns: dict[str, NDArray[Any]] = {}

    def __len__(self) -> int:
        return min(self.total, self.capacity)

    @property
    def columns(self) -> Columns:
        """What the ring holds, `[N, ...]` each, by place: views, which the next `append` changes."""
        return {name: column[: len(self)] for name, column in self._columns.items()}

    def append(self, columns: Columns) -> NDArray[np.int64]:
        """Add samples in their order; the places `int64[B]` where those of them stand that the ring still holds.

        Raises `BadInput` where the columns do not fit each other, or those that the ring has.
        """
        count = _rows(columns)
        self._agree(columns)
        numbers = np.arange(self.total + max(0, count - self.capacity), self.total + count)
        places: NDArray[np.int64] = numbers % self.capacity
        for name, column in self._columns.items():
            column[places] = columns[name][count - len(places) :]
        self.total += count
        return places

    def sample(self, random: np.random.Generator, count: int) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
        """(places `int64[B]`, their columns as copies) of so many samples; raises `BadInput` for an empty ring."""
        _must_hold(self)
        places = random.integers(0, len(self), count)
        return places, self.at(places)

    def at(self, places: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """The samples in these places, as copies."""
        return {name: column[places] for name, column in self._columns.items()}

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs, as plain arrays; the columns are views, to be saved before the next `append`."""
        counts = {"capacity": np.array(self.capacity), "total": np.array(self.total)}
        return counts | {COLUMN + name: column for name, column in self.columns.items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Become the ring that gave this state; raises `BadInput` for the state of another kind of ring."""
        capacity, total = _count(state, "capacity"), _count(state, "total")
        if capacity != self.capacity:
            raise BadInput(f"this is the state of a ring for {capacity:,} samples, not for {self.capacity:,}")
        columns = {name.removeprefix(COLUMN): state[name] for name in state if name.startswith(COLUMN)}
        rows = _rows(columns) if columns or total else 0
        if rows != min(total, capacity):
            raise BadInput(f"a state of {total:,} samples must hold {min(total, capacity):,} of them, not {rows:,}")
        self._agree(columns)
        for name, column in columns.items():
            self._columns[name][:rows] = column
        self.total = total

    def _agree(self, columns: Columns) -> None:
        """See that these columns are those of the ring; the first ones say what they are."""
        if not self._columns:
            self._columns = {
                name: np.empty((self.capacity, *column.shape[1:]), column.dtype) for name, column in columns.items()
            }
        for name in {**self._columns, **columns}:
            if name not in columns:
                raise BadInput(f"the ring has a column '{name}', and these samples have none")
            if name not in self._columns:
                raise BadInput(f"the ring has no column '{name}'")
            held, given = _kind(self._columns[name]), _kind(columns[name])
            if held != given:
                raise BadInput(f"the column '{name}' of the ring is {held}, not {given}")


class PrioritisedRing:
    """The last `capacity` samples, drawn in proportion to priority ^ alpha.

    A new sample has the greatest priority so far, so that each is soon seen. Source: Schaul, Quan, Antonoglou, Silver,
    "Prioritized experience replay" (2016).
    """

    def __init__(self, capacity: int, alpha: float = 0.6) -> None:
        if not 0 <= alpha < np.inf:
            raise BadInput(f"the exponent of the priorities is 0 or more, not {alpha}")
        self.ring, self.alpha = Ring(capacity), alpha
        self.greatest = 1.0
        """The greatest priority so far."""
        self._tree = sumtree.planted(capacity)

    def __len__(self) -> int:
        return len(self.ring)

    @property
    def total(self) -> int:
        """Samples that were ever appended."""
        return self.ring.total

    def append(self, columns: Columns) -> NDArray[np.int64]:
        """Add samples as `Ring.append` does."""
        places = self.ring.append(columns)
        sumtree.put(self._tree, places, np.full(places.size, self.greatest**self.alpha))
        return places

    def sample(
        self, random: np.random.Generator, count: int, beta: float
    ) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]], NDArray[np.float32]]:
        """(places `int64[B]`, their columns, weights `float32[B]`): one sample from each B-th part of the sum.

        A weight is (N p)^-beta, where p is how probable the sample was, divided by the greatest weight of the batch: at
        `beta` 1 the weighted samples are on average what uniform ones are.

        Raises:
            BadInput: for an empty ring, one whose priorities are all 0, or a `beta` that is not finite and >= 0.
        """
        _must_hold(self.ring)
        if not 0 <= beta < np.inf:
            raise BadInput(f"the exponent of the weights is 0 or more, not {beta}")
        if not self._tree[1] > 0:
            raise BadInput(f"none of the {len(self):,} samples can be drawn: every priority is 0")
        places = np.empty(count, np.int64)
        sumtree.draw(self._tree, random.random(count), places)
        drawn = sumtree.leaves(self._tree)[places]
        weights = (drawn / drawn.min(initial=np.inf)) ** -beta  # N and the sum cancel out
        return places, self.ring.at(places), weights.astype(np.float32)

    def update(self, places: NDArray[np.int64], priorities: ArrayLike) -> None:
        """Give the samples in `places: int64[B]` these priorities, such as their errors.

        Raises `BadInput` for a priority that is not finite and >= 0, and for a place without a sample.
        """
        given = np.asarray(priorities, np.float64)
        where = np.asarray(places, np.int64)
        if given.shape != where.shape or given.ndim != 1:
            raise BadInput(f"{where.size:,} places need as many priorities, not {given.size:,}")
        with np.errstate(over="ignore", invalid="ignore"):
            weights = given**self.alpha
        bad = np.flatnonzero(~((given >= 0) & np.isfinite(given) & np.isfinite(weights)))
        if bad.size:
            raise BadInput(f"a priority is finite and at least 0, not {given[bad[0]]} (number {bad[0]} of the batch)")
        if where.size and not 0 <= where.min() <= where.max() < len(self):
            raise BadInput(f"the ring has {len(self):,} samples, in the places from 0 on: a place is none of them")
        self.greatest = max(self.greatest, float(given.max(initial=0.0)))
        sumtree.put(self._tree, where, weights)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that `restore` needs, as plain arrays, as `Ring.state` gives them."""
        own = {
            "alpha": np.array(self.alpha),
            "greatest": np.array(self.greatest),
            "weights": sumtree.leaves(self._tree)[: len(self)],
        }
        return self.ring.state() | own

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Become the ring that gave this state; raises `BadInput` for the state of another kind of ring."""
        for name in ("alpha", "greatest", "weights"):
            if name not in state:
                raise BadInput(f"the state of a ring with priorities holds '{name}', and this one does not")
        if float(state["alpha"]) != self.alpha:
            raise BadInput(f"this is the state of a ring with the exponent {float(state['alpha'])}, not {self.alpha}")
        weights = state["weights"]
        if weights.shape != (min(_count(state, "total"), _count(state, "capacity")),):
            raise BadInput(f"the state of a ring holds one priority a sample, not {weights.shape}")
        self.ring.restore(state)
        self.greatest = float(state["greatest"])
        self._tree[:] = 0
        sumtree.leaves(self._tree)[: weights.size] = weights
        sumtree.grow(self._tree)


def _rows(columns: Columns) -> int:
    """How many samples these columns hold; raises `BadInput` where they do not agree."""
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
    """Type and shape of one sample, such as `uint8[48]`."""
    return f"{column.dtype}[{', '.join(map(str, column.shape[1:]))}]"


def _count(state: Mapping[str, NDArray[Any]], name: str) -> int:
    """A count in a state; raises `BadInput` where it is missing, or none."""
    if name not in state or state[name].size != 1 or not 0 <= int(state[name]) == state[name]:
        raise BadInput(f"the state of a ring holds its '{name}', and this one does not")
    return int(state[name])


def _must_hold(ring: Ring) -> None:
    if not len(ring):
        raise BadInput("there is nothing to draw from a ring without samples")
