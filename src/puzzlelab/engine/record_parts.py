"""Parts of the records of several searches; kernels import them without the code that makes them (`engine.records`).

Shapes: N = states that a search has seen, W = words of a packed state, S, M, K as in `engine.kernels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from puzzlelab.core.puzzle import State

NOWHERE = -1
"""The parent of a state without one, and the move to it."""
UNBOUNDED = 1 << 40
"""A limit that is never reached."""


class Control(np.void):  # type: ignore[misc]
    """The counts and flags of a search, whole numbers by name; for kernels it is a record of NumPy."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except ValueError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def control_type(own: str) -> np.dtype[Any]:
    """Return the type of the `Control` of a kind of search, which has these names of its own, one after the other.

    Each control has the states expanded and generated, the proven lower bound, the length of the best solution (-1
    without one), and how many states wait for scores.
    """
    names = ["expanded", "generated", "bound", "length", "requested", *own.split()]
    return np.dtype((Control, np.dtype([(name, np.int64) for name in names], align=True)))


def new_control(kind: np.dtype[Any], **values: int) -> Control:
    """Return the counts and flags of a search without a solution, which are 0 but for these values."""
    control: Control = np.zeros(1, kind)[0]
    reset(control, **values)
    return control


def reset(control: Control, **values: int) -> None:
    """Set the counts and flags to those of a search without a solution, which are 0 but for these values."""
    numbers: Any = control.base
    numbers.view(np.int64).fill(0)
    control["length"] = -1
    for name, value in values.items():
        control[name] = value


class EstimateRecord(NamedTuple):
    """An estimate in the form for kernels, with its scratch arrays: see `engine.evaluation_kernels`."""

    tables: Any
    memo: NDArray[np.int64]
    """[K]: what an incremental estimate knows of the state whose children it evaluates."""
    delta: NDArray[np.int64]
    """[K]: how that changes by a move."""


class Expansion(NamedTuple):
    """Scratch arrays for the expansion of one state."""

    state: State
    """[S]: the state; the start of the search at first."""
    child: State
    """[S]: one of its successors."""
    key: NDArray[np.uint64]
    """[W]: the packed successor."""
    moves: NDArray[np.int32]
    """[M]: the legal moves."""


class NodeTable(NamedTuple):
    """Every state that a search has seen, once, with the path to it."""

    keys: NDArray[np.uint64]
    """[N, W]: packed states."""
    parent: NDArray[np.int32]
    """[N]: the row of the state before it, or NOWHERE."""
    move: NDArray[np.signedinteger]
    """[N]: the move from that state."""
    table: NDArray[np.int32]
    """[2^k]: the hash table of the rows."""
