"""Many boards of one puzzle as one array.

Shapes: B = boards, S = length of a state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.puzzle import Instance, Puzzle, State


class BoardBatch(Sequence[Instance]):
    """Boards of one puzzle: a sequence of instances, which are made when they are asked for.

    Args:
        puzzle: their puzzle.
        states: plain states `[B, S]` that the puzzle made; they are not checked.
    """

    def __init__(self, puzzle: Puzzle, states: State) -> None:
        self.puzzle, self.states = puzzle, states

    @classmethod
    def of(cls, instances: Sequence[Instance]) -> BoardBatch:
        """The same boards as one array; they are of one puzzle, and at least one."""
        if isinstance(instances, BoardBatch):
            return instances
        return cls(instances[0].puzzle, np.array([instance.state for instance in instances]))

    def __len__(self) -> int:
        return len(self.states)

    @overload
    def __getitem__(self, index: int) -> Instance: ...
    @overload
    def __getitem__(self, index: slice) -> BoardBatch: ...
    def __getitem__(self, index: int | slice) -> Instance | BoardBatch:
        if isinstance(index, slice):
            return BoardBatch(self.puzzle, self.states[index])
        return Instance(self.puzzle, self.states[index])

    def __iter__(self) -> Iterator[Instance]:
        return (Instance(self.puzzle, state) for state in self.states)


def runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """The places (begin, end) of the longest parts of `mask: bool[B]` in which all values are equal, in their order."""
    ends = [*(np.flatnonzero(mask[1:] != mask[:-1]) + 1).tolist(), len(mask)]
    yield from zip([0, *ends], ends, strict=False)
