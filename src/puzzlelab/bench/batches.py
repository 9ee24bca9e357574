"""The boards of a suite that a solver gets together.

The seconds of its rows are an equal share of the time of a batch. So a time by level is measured only if every batch
has boards of one level, and a time by the number of clues only if every batch has boards of one such number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from puzzlelab.bench.suites import Suite


class Batching(StrEnum):
    """The property that the boards of a batch have in common."""

    ALL = "all"
    LEVEL = "level"
    CLUES = "clues"
    BOARD = "board"


def batches(suite: Suite, indices: Sequence[int], batching: Batching, size: int, parts: int = 1) -> Iterator[list[int]]:
    """Yield the indices of boards in batches of at most `size`; the boards of a batch have one level, or clues too.

    The boards that have it in common are in at least `parts` batches of equal size, if there are enough. Raises
    `BadInput` if the number of clues is not known.
    """
    groups: dict[object, list[int]] = defaultdict(list)
    for index in indices:
        groups[_common(suite, index, batching)].append(index)
    for group in groups.values():
        step = min(size, -(-len(group) // parts) or 1)
        yield from (group[start : start + step] for start in range(0, len(group), step))


def _common(suite: Suite, index: int, batching: Batching) -> object:
    """Return what the boards of a batch have in common, as the key of a group."""
    entry = suite.entries[index]
    match batching:
        case Batching.ALL:
            return None
        case Batching.BOARD:
            return index
        case Batching.LEVEL:
            return entry.level
        case Batching.CLUES:
            from puzzlelab.bench.suites import clue_count
            from puzzlelab.core.errors import BadInput

            clues = clue_count(suite.puzzle, entry.board)
            if clues is None:
                raise BadInput(f"{suite.puzzle.name} does not say how many clues a board has: batches are by level")
            return entry.level, clues
