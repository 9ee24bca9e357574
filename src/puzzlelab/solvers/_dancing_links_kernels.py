# mypy: allow-untyped-defs
"""The kernels of dancing links: the record of a search, and its step; the method and shapes as in `dancing_links`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import DONE, IMPROVED, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import Control, control_type

CONTROL = control_type("found most level phase")
START, FORWARD, TRY, BACK, FINISHED = range(5)
ONE, COVERED = 1 << 31, 1 << 62


class DancingLinksRecord(NamedTuple):
    """The state of one search. Items are the nodes 1 to I."""

    control: Control
    starts: NDArray[np.int64]
    entries: NDArray[np.int32]
    chosen: NDArray[np.int64]
    """[K]: the options chosen by the start."""
    primary: int
    size: NDArray[np.int64]
    """[I + 1]: the number of the item, plus ONE for each remaining option, plus COVERED if it is covered."""
    up: NDArray[np.int32]
    """[N]: links of the ring of the remaining options of an item."""
    down: NDArray[np.int32]
    top: NDArray[np.int32]
    """[N]: the item of a node; 0 in a gap, where `up` is the first node of the option before the gap, and `down` the
    last node of the option after it."""
    option: NDArray[np.int32]
    """[N]: the option of a node."""
    path: NDArray[np.int32]
    """[L]: the node taken at each level."""


@inlined
def mark_chosen(record):
    """Mark the items covered by the start; False if two of its options share one."""
    # Items that the start covers get no nodes, which saves covering them in the search.
    for k in range(record.chosen.size):
        option = record.chosen[k]
        for e in range(record.starts[option], record.starts[option + 1]):
            item = record.entries[e] + 1
            if record.size[item] >= COVERED:
                return False
            record.size[item] = COVERED
    return True


@inlined
def link_items(record):
    """Give every open item an empty ring of options."""
    # Node 0 is the root of Knuth's list of items; its size is that of a covered item, so that X3 ends with it.
    record.size[0] = COVERED
    for item in range(1, record.size.size):
        if record.size[item] == 0:
            record.size[item] = item
            record.up[item], record.down[item] = item, item


@inlined
def link(record):
    """Link the open items and their options; False if options of the start clash, so that there is no solution."""
    if not mark_chosen(record):
        return False
    link_items(record)
    link_options(record)
    return True


@inlined
def useful(record, begin, end):
    """Tell whether an option has an open primary item, and no covered item."""
    helps = False
    for e in range(begin, end):
        item = record.entries[e] + 1
        if record.size[item] >= COVERED:
            return False
        # Without a primary item to cover, an option is never needed, and would count a solution twice.
        helps |= item <= record.primary
    return helps


@inlined
def link_options(record):
    """Append the nodes of every option that can still be chosen to the rings of their items."""
    up, down, top = record.up, record.down, record.top
    gap = record.size.size
    top[gap] = 0
    for option in range(record.starts.size - 1):
        begin, end = record.starts[option], record.starts[option + 1]
        if not useful(record, begin, end):
            continue
        for e in range(begin, end):
            node, item = gap + 1 + e - begin, record.entries[e] + 1
            # The node becomes the last one in the ring of its item.
            above = up[item]
            top[node], record.option[node] = item, option
            up[node], down[node] = above, item
            down[above], up[item] = node, node
            record.size[item] += ONE
        # The gap before an option leads to its last node, the gap after it to its first: walks go round the option.
        first, last = gap + 1, gap + end - begin
        down[gap] = last
        gap = last + 1
        top[gap], up[gap] = 0, first


@inlined
def hide(record, node):
    """Remove the other nodes of this node's option from their rings."""
    up, down = record.up, record.down
    other = node + 1
    while other != node:
        item = record.top[other]
        if item == 0:
            other = up[other]
            continue
        # The node keeps its own links, by which `unhide` finds its place again.
        above, below = up[other], down[other]
        down[above], up[below] = below, above
        record.size[item] -= ONE
        other += 1


@inlined
def unhide(record, node):
    """Undo `hide`."""
    up, down = record.up, record.down
    other = node - 1
    while other != node:
        item = record.top[other]
        if item == 0:
            other = down[other]
            continue
        down[up[other]], up[down[other]] = other, other
        record.size[item] += ONE
        other -= 1


@inlined
def cover(record, item):
    """Cover an item: remove its options from all other rings."""
    # Knuth's cover: each option of the item leaves the rings of its other items. The item's own ring stays whole, so
    # that `branch` can walk along it.
    node = record.down[item]
    while node != item:
        hide(record, node)
        node = record.down[node]
    record.size[item] += COVERED


@inlined
def uncover(record, item):
    """Undo `cover`."""
    record.size[item] -= COVERED
    # Knuth's uncover: everything in reverse order, so that each node meets the links that it left.
    node = record.up[item]
    while node != item:
        unhide(record, node)
        node = record.up[node]


@inlined
def smallest(record):
    """Return the first of the open primary items with the fewest options; 0 when all are covered."""
    # A size is the number of options above the number of the item; that of a covered item is greater than any other. So
    # one minimum, without a branch, finds both the fewest options and the item.
    best = record.size[0]
    for item in range(1, record.primary + 1):
        best = min(best, record.size[item])
    return best & (ONE - 1)


@inlined
def take(record, node):
    """Cover the other items of this node's option."""
    # X5 of the algorithm, forwards round the option; `untake` is X6, backwards.
    other = node + 1
    while other != node:
        item = record.top[other]
        if item == 0:
            other = record.up[other]
            continue
        cover(record, item)
        other += 1


@inlined
def untake(record, node):
    """Undo `take`."""
    other = node - 1
    while other != node:
        item = record.top[other]
        if item == 0:
            other = record.down[other]
            continue
        uncover(record, item)
        other -= 1


@inlined
def descend(record, item):
    """Cover the item to branch on; its options come next."""
    control = record.control
    cover(record, item)
    record.path[control.level] = record.down[item]
    control.expanded += 1
    control.phase = TRY


@inlined
def branch(record):
    """Choose the next option of the item at this level, or uncover the item if all were tried."""
    control = record.control
    # The item's own node closes its ring: all of its options were tried.
    node = record.path[control.level]
    if node < record.size.size:
        uncover(record, node)
        control.phase = BACK
        return
    take(record, node)
    control.generated += 1
    control.level += 1
    control.phase = FORWARD


@inlined
def retreat(record):
    """Undo the option of the level above and continue with its next one; False at the top."""
    control = record.control
    if control.level == 0:
        return False
    control.level -= 1
    # The option at this level is undone before the next one is tried, in the order in which Algorithm X walks.
    node = record.path[control.level]
    untake(record, node)
    record.path[control.level] = record.down[node]
    control.phase = TRY
    return True


@compiled
def step(record, budget):
    """Run one slice: branch on at most `budget` items."""
    control = record.control
    if budget == 0:
        return RUNNING
    while control.phase != FINISHED:
        # X1: the links; those of the options that the start leaves.
        if control.phase == START:
            control.phase = FORWARD if link(record) else FINISHED
        elif control.phase == FORWARD:
            # X2, X3, X4: choose an item by the heuristic MRV, and cover it.
            item = smallest(record)
            if item > 0:
                if budget == 0:
                    return RUNNING
                budget -= 1
                descend(record, item)
                continue
            # No item is left to cover: the options on the path are a solution.
            control.found += 1
            control.phase = FINISHED if control.found == control.most else BACK
            if control.most == 0:
                return IMPROVED
        elif control.phase == TRY:  # X5: cover the items of the next option; X7: uncover the item after the last one
            branch(record)
        elif not retreat(record):  # X6, X8: uncover the items of the option above
            control.phase = FINISHED
    return DONE
