"""Dancing links: exact cover by Algorithm X, which branches on the item with the fewest remaining options.

Covering an item removes its options from the lists of all other items. Uncovering restores them in reverse order, using
the links that removed nodes still hold. It finds every solution once, in a fixed order.
Source: Knuth, "The Art of Computer Programming", volume 4B, section 7.2.2.1, Algorithm X with the heuristic MRV.

Shapes: O, I, E as in `core.cover`; K = options chosen by the start; L = levels, at most the primary items;
N = 2 + I + E + O nodes: one for each item and entry, and gaps between the options.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.cover import ExactCover
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Count
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Cover
from puzzlelab.engine.driver import EXHAUSTED, Machine
from puzzlelab.engine.enumeration import Enumerator, counted, listed
from puzzlelab.engine.record_parts import new_control
from puzzlelab.solvers._dancing_links_kernels import CONTROL, DancingLinksRecord, step


def machine(cover: ExactCover, chosen: NDArray[np.int64]) -> Machine:
    """Return the search for all solutions that contain the chosen options."""
    nodes = cover.items + len(cover.entries) + cover.options + 2
    links = np.empty((4, nodes), np.int32)
    record = DancingLinksRecord(
        control=new_control(CONTROL),
        starts=cover.starts,
        entries=cover.entries,
        chosen=chosen,
        primary=cover.primary,
        size=np.zeros(cover.items + 1, np.int64),
        up=links[0],
        down=links[1],
        top=links[2],
        option=links[3],
        path=np.empty(cover.primary + 1, np.int32),
    )
    return Machine(record, step, partial(solution, cover), same_size, lambda record: EXHAUSTED)


def solution(cover: ExactCover, record: DancingLinksRecord) -> list[int]:
    """Return the moves of the chosen options, in increasing order."""
    nodes = record.path[: record.control.level]
    return sorted(cover.moves[record.option[nodes]].tolist())


def same_size(record: DancingLinksRecord, room: int) -> None:
    """Return the record unchanged: the arrays hold the whole cover from the start."""


class DancingLinks(Enumerator):
    """Knuth's Algorithm X with dancing links; it finds, counts and lists all solutions."""

    name: ClassVar[str] = "dancing-links"
    needs: ClassVar[tuple[type, ...]] = (Cover,)

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Return every solution, in the order of the search."""
        return listed(_machine(instance), limit)

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Count the solutions without listing them."""
        return counted(_machine(instance), limit, most)


def _machine(instance: Instance) -> Machine:
    puzzle = instance.puzzle
    view = puzzle.view(Cover)
    assert view is not None
    return machine(view.cover(), np.ascontiguousarray(view.chosen(instance.state), np.int64))


SOLVER = DancingLinks
