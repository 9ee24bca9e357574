# mypy: allow-untyped-defs
"""The kernels of pattern databases: the search that fills one group, and the place of a state in the database.

Source and shapes as in `pattern_database`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import compiled, implements, inlined, population
from puzzlelab.puzzles.tiles.estimate_kernels import moving
from puzzlelab.puzzles.tiles.kernels import MultiTables, TilesTables

UNREACHED = 255


class PatternTables(NamedTuple):
    """A database, and what finds a state's place in it. `memo[2 g]` is the set of cells (a bit mask) of group g, and
    `memo[2 g + 1]` its order, and its entry from bit 32; mirror groups follow, then the two sums.
    """

    geometry: TilesTables | MultiTables
    values: NDArray[np.uint8]
    """The entries of all groups, one after the other: by order, then by set of cells. Most moves change no order, so
    that a depth-first search finds most entries near each other."""
    group: NDArray[np.uint8]
    """[N]: the group of each piece; G for the blank, and for tiles in none."""
    slot: NDArray[np.uint8]
    """[N]: the piece's number within its group."""
    half: np.uint64
    """Cells in the lower half of a set."""
    low: NDArray[np.uint32]
    """[G << half]: what the lower half of a set of cells adds to its place among all sets, for each group."""
    high: NDArray[np.uint32]
    """[G << half]: what the upper half adds; where the group's entries begin is in it."""
    strides: NDArray[np.uint64]
    """[G]: sets of cells, and so entries of one order."""
    turns: NDArray[np.uint16]
    """The order after the member at place i of the sorted cells moves to place j, for all groups."""
    turn_starts: NDArray[np.uint32]
    """[G * 64]: where the turns of group g from place i to place j begin, at 64 g + 8 i + j."""
    sizes: NDArray[np.int64]
    """[G]: k."""
    mirror: NDArray[np.uint8]
    """[N]: each cell (and so each piece) in the mirror; empty where there is no mirror."""


class OpenPatternTables(PatternTables):
    """A database for goals with equal tiles or with places that do not matter. Equal tiles may have each other's slots,
    and tiles without a place of their own are in no group.
    """


class MultiPatternTables(PatternTables):
    """A database for several tiles in one move, where every move counts for every group: an entry belongs to a cell of
    the blank too, and the greatest entry is the bound. `memo` ends with the last order, and orders have nothing above
    them.
    """


@inlined
def below(mask, cell):
    """Return how many members of the set lie before this cell."""
    return population(mask & ((np.uint64(1) << np.uint64(cell)) - np.uint64(1)))


@inlined
def set_rank(ranks, mask):
    """Place of a set of cells among all sets of its size (combinatorial number system, eight cells at a time)."""
    members = np.uint64(0)
    rank = np.int64(0)
    for chunk in range(ranks.shape[0]):
        byte = mask & np.uint64(255)
        rank += np.int64(ranks[chunk, members, byte])
        members += population(byte)
        mask >>= np.uint64(8)
    return rank


@compiled
def number_regions(masks, source, offsets, labels, queue):
    """Number the regions of free cells of each set; a region is where the blank can go without moving the group.

    Writes into `labels: int8[sets, N]` the region of each free cell, and into `offsets: int64[sets + 1]` the number of
    regions of all sets before. `queue: int64[N]` is room to work in.
    """
    cells = labels.shape[1]
    for i in range(masks.size):
        count = 0
        for cell in range(cells):
            labels[i, cell] = -1
        # Flood each region of free cells from its first cell.
        for start in range(cells):
            if labels[i, start] >= 0 or (masks[i] >> np.uint64(start)) & np.uint64(1):
                continue
            labels[i, start] = count
            queue[0] = start
            head, tail = 0, 1
            while head < tail:
                for move in range(4):
                    near = np.int64(source[queue[head], move])
                    if near < cells and labels[i, near] < 0 and not (masks[i] >> np.uint64(near)) & np.uint64(1):
                        labels[i, near] = count
                        queue[tail] = near
                        tail += 1
                head += 1
            count += 1
        offsets[i + 1] = offsets[i] + count


@compiled
def link_regions(masks, source, ranks, offsets, labels, first, target, turn):
    """Return the moves out of every region: into which region (`target: int32[L]`), and by which turn of the order.

    `first: int64[regions + 1]` says where each region's moves begin. With an empty `target` they are only counted.
    """
    cells = labels.shape[1]
    counting = target.size == 0
    total = 0
    for i in range(masks.size):
        for region in range(offsets[i + 1] - offsets[i]):
            first[offsets[i] + region] = total
            for free in range(cells):
                if labels[i, free] != region:
                    continue
                for move in range(4):
                    # A tile of the group slides from `cell` into the blank at `free`: it changes its place in the set.
                    cell = np.int64(source[free, move])
                    if cell >= cells or not (masks[i] >> np.uint64(cell)) & np.uint64(1):
                        continue
                    if not counting:
                        after = masks[i] ^ (np.uint64(1) << np.uint64(cell)) ^ (np.uint64(1) << np.uint64(free))
                        to = set_rank(ranks, after)
                        target[total] = offsets[to] + labels[to, cell]
                        before, afterwards = below(masks[i], cell), below(after, free)
                        turn[total] = 0 if before == afterwards else before * population(masks[i]) + afterwards
                    total += 1
    first[offsets[masks.size]] = total
    return total


class GroupSearch(NamedTuple):
    """The breadth-first search that fills one group. R = regions of all sets; L = moves out of them, the links;
    P = k! padded to a multiple of 8.
    """

    entries: NDArray[np.uint8]
    """[R, P]: the distance of each order."""
    levels: NDArray[np.uint64]
    """[R, P / 8]: the same memory, in words."""
    active: NDArray[np.uint8]
    """[2, R]: which regions have entries at even and odd depths."""
    first: NDArray[np.int64]
    """[R + 1]: where the links of each region begin."""
    target: NDArray[np.int32]
    """[L]: the region after each link."""
    turn: NDArray[np.uint16]
    """[L]: the turn of each link; 0 leaves the order as it is."""
    turns: NDArray[np.uint16]
    """[T, k!]: the order after a turn, for each order."""
    new_entries: NDArray[np.int32]
    """[P]: the orders of one region that are at the current depth."""


@compiled
def expand_level(search, depth, start, stop):
    """Push the entries at `depth` of the regions `start` to `stop` one move on; return how many were reached."""
    entries, levels, active, new_entries = search.entries, search.levels, search.active, search.new_entries
    first, target, turn, turns = search.first, search.target, search.turn, search.turns
    reached = 0
    ones = np.uint64(0x0101010101010101)
    highs = np.uint64(0x8080808080808080)
    pattern = ones * np.uint64(depth)
    now, then = np.uint64(depth & 1), np.uint64((depth + 1) & 1)
    for region in range(start, stop):
        if active[now, region] == 0:
            continue
        active[now, region] = 0
        count = 0
        # List the orders at this depth, eight entries at a time: a byte that equals `depth` becomes zero, and the
        # usual bit trick for a zero byte tells words that have one.
        for w in range(levels.shape[1]):
            word = levels[region, w] ^ pattern
            zeros = (word - ones) & ~word & highs
            if zeros != np.uint64(0):
                for i in range(8 * w, 8 * w + 8):
                    if entries[region, i] == depth:
                        new_entries[count] = i
                        count += 1
        # Each link is a move that counts.
        for link in range(first[region], first[region + 1]):
            to = target[link]
            row = turn[link]
            fresh = 0
            if row == 0:
                for n in range(count):
                    order = new_entries[n]
                    if entries[to, order] > depth + 1:
                        entries[to, order] = depth + 1
                        fresh += 1
            else:
                for n in range(count):
                    order = turns[row, new_entries[n]]
                    if entries[to, order] > depth + 1:
                        entries[to, order] = depth + 1
                        fresh += 1
            if fresh > 0:
                active[then, to] = 1
                reached += fresh
    return reached


@compiled
def least_entries(entries, offsets, values):
    """Write the least entry over a set's regions: where the blank is does not matter to the estimate.

    Turned over, from sets by orders to orders by sets, in blocks that fit into the nearest cache.
    """
    orders, sets = values.shape
    for start in range(0, sets, 64):
        for order in range(orders):
            for i in range(start, min(start + 64, sets)):
                best = entries[offsets[i], order]
                for region in range(offsets[i] + 1, offsets[i + 1]):
                    best = min(best, entries[region, order])
                values[order, i] = best


# --- a state's place ----------------------------------------------------------------------------------------------


@inlined
def place_of(estimate, group, mask, order):
    """Return where the entry of a group with this set of cells and this order is."""
    half = estimate.half
    row = np.uint64(group) << half
    lower = mask & ((np.uint64(1) << half) - np.uint64(1))
    place = np.uint64(estimate.low[row | lower]) + np.uint64(estimate.high[row | (mask >> half)])
    return place + order * estimate.strides[group]


@implements(names.evaluate, PatternTables, OpenPatternTables)
def evaluate(estimate, state, memo):
    groups = np.uint64(estimate.sizes.size)
    views = np.uint64(2 if estimate.mirror.size > 0 else 1)
    # View 0 is the board, view 1 its mirror image; the sum over the disjoint groups is a lower bound in both.
    for view in range(views):
        first = np.uint64(2) * np.uint64(view) * groups
        collect(estimate, state, view, memo, first)
        total = np.int64(0)
        for group in range(groups):
            at = first + np.uint64(2) * np.uint64(group)
            order = memo[at + np.uint64(1)] & np.int64(0xFFFFFFFF)
            place = place_of(estimate, np.uint64(group), np.uint64(memo[at]), np.uint64(order))
            value = np.int64(estimate.values[place])
            memo[at + np.uint64(1)] = order | (value << 32)
            total += value
        memo[np.uint64(4) * groups + np.uint64(view)] = total
    return max(memo[np.uint64(4) * groups], memo[np.uint64(4) * groups + views - np.uint64(1)])


@inlined
def collect(estimate, state, view, memo, first):
    """Write the set of cells and the order of every group into `memo[first:]`, in one pass over the board.

    Above the order stand meanwhile the slots that were met, from bit 32.
    """
    for i in range(np.uint64(2 * estimate.sizes.size)):
        memo[first + np.uint64(i)] = 0
    for cell in range(np.uint64(state.size - 1)):
        piece = state[cell] if view == 0 else estimate.mirror[state[estimate.mirror[cell]]]
        group = np.uint64(estimate.group[piece])
        if group == np.uint64(estimate.sizes.size):
            continue
        at = first + np.uint64(2) * group
        mask, packed = np.uint64(memo[at]), np.uint64(memo[at + np.uint64(1)])
        used, slot = packed >> np.uint64(32), np.uint64(estimate.slot[piece])
        while (used >> slot) & np.uint64(1):  # an equal tile came before
            slot += np.uint64(1)
        left = np.uint64(estimate.sizes[group]) - population(mask)
        order = (packed & np.uint64(0xFFFFFFFF)) * left + slot - below(used, slot)
        memo[at] = np.int64(mask | (np.uint64(1) << np.uint64(cell)))
        memo[at + np.uint64(1)] = np.int64(order | ((used | (np.uint64(1) << slot)) << np.uint64(32)))


@inlined
def turned(estimate, group, order, i, j):
    """Return the order of a group after its member at place i moves to place j."""
    if i == j:
        return order
    start = estimate.turn_starts[np.uint64(64) * group + np.uint64(8) * i + j]
    return np.uint64(estimate.turns[np.uint64(start) + order])


@inlined
def follow(estimate, view, piece, source, blank, memo, delta):
    """Return the sum after `piece` moves from `source` to `blank`; place, mask, order, sum go to `delta[4 view:]`."""
    groups = np.uint64(estimate.sizes.size)
    group = np.uint64(estimate.group[piece])
    at = np.uint64(2) * (view * groups + group)
    mask = np.uint64(memo[at])
    packed = memo[at + np.uint64(1)]
    order = np.uint64(packed) & np.uint64(0xFFFFFFFF)
    after = mask ^ (np.uint64(1) << np.uint64(source)) ^ (np.uint64(1) << np.uint64(blank))
    order = turned(estimate, group, order, below(mask, source), below(after, blank))
    value = np.int64(estimate.values[place_of(estimate, group, after, order)])
    total = memo[np.uint64(4) * groups + view] + value - (packed >> 32)
    base = np.uint64(4) * view
    delta[base] = np.int64(at)
    delta[base + np.uint64(1)] = np.int64(after)
    delta[base + np.uint64(2)] = np.int64(order) | (value << 32)
    delta[base + np.uint64(3)] = total
    return total


@implements(names.evaluate_move, PatternTables)
def evaluate_move(estimate, state, move, value, memo, delta, most):
    piece, source, blank = moving(estimate.geometry, state, move)
    total = follow(estimate, np.uint64(0), piece, source, blank, memo, delta)
    if total > most or estimate.mirror.size == 0:
        return total
    mirror = estimate.mirror
    return max(total, follow(estimate, np.uint64(1), mirror[piece], mirror[source], mirror[blank], memo, delta))


@implements(names.evaluate_move, OpenPatternTables)
def evaluate_move_open(estimate, state, move, value, memo, delta, most):
    piece, source, blank = moving(estimate.geometry, state, move)
    if estimate.group[piece] < estimate.sizes.size:
        return follow(estimate, np.uint64(0), piece, source, blank, memo, delta)
    total = memo[4 * estimate.sizes.size]
    delta[0], delta[1], delta[2], delta[3] = 0, memo[0], memo[1], total  # nothing changes
    return total


@implements(names.swap_delta, PatternTables, OpenPatternTables)
def swap_delta(estimate, memo, delta):
    sums = np.uint64(4 * estimate.sizes.size)
    for view in range(2 if estimate.mirror.size > 0 else 1):
        base = np.uint64(4 * view)
        at = np.uint64(delta[base])
        total = sums + np.uint64(view)
        memo[at], delta[base + np.uint64(1)] = delta[base + np.uint64(1)], memo[at]
        memo[at + np.uint64(1)], delta[base + np.uint64(2)] = delta[base + np.uint64(2)], memo[at + np.uint64(1)]
        memo[total], delta[base + np.uint64(3)] = delta[base + np.uint64(3)], memo[total]


# --- several tiles in one move ----------------------------------------------------------------------------------------


@inlined
def greatest(estimate, state, memo, blank):
    """Return the greatest of the entries that belong to the sets and orders in a memo and to this cell of the blank."""
    groups = estimate.sizes.size
    best = np.int64(0)
    for view in range(2 if estimate.mirror.size > 0 else 1):
        cell = np.uint64(blank if view == 0 else estimate.mirror[blank])
        for group in range(groups):
            at = np.uint64(2 * (view * groups + group))
            mask = np.uint64(memo[at])
            place = place_of(estimate, np.uint64(group), mask, np.uint64(memo[at + np.uint64(1)]))
            best = max(best, np.int64(estimate.values[place + cell - below(mask, cell)]))
    return best


@implements(names.evaluate, MultiPatternTables)
def evaluate_multi(estimate, state, memo):
    groups = np.uint64(2 * estimate.sizes.size)
    for view in range(np.uint64(2 if estimate.mirror.size > 0 else 1)):
        collect(estimate, state, view, memo, np.uint64(view) * groups)
    for i in range(memo.size):
        memo[i] &= np.int64(0xFFFFFFFF)
    return greatest(estimate, state, memo, state[state.size - 1])


@implements(names.evaluate_move, MultiPatternTables)
def evaluate_move_multi(estimate, state, move, value, memo, delta, most):
    names.copy(memo, delta)
    stride, blank = estimate.geometry.strides[move], np.int64(state[state.size - 1])
    views, groups = 2 if estimate.mirror.size > 0 else 1, estimate.sizes.size
    for _ in range(estimate.geometry.tiles[move]):
        piece, source = np.uint64(state[blank + stride]), np.uint64(blank + stride)
        target = np.uint64(blank)
        for view in range(views):
            if view == 1:
                mirror = estimate.mirror
                piece, source, target = np.uint64(mirror[piece]), np.uint64(mirror[source]), np.uint64(mirror[target])
            group = np.uint64(estimate.group[piece])
            if group < groups:
                at = np.uint64(2) * (np.uint64(view * groups) + group)
                before = np.uint64(delta[at])
                after = before ^ (np.uint64(1) << source) ^ (np.uint64(1) << target)
                order = np.uint64(delta[at + np.uint64(1)])
                order = turned(estimate, group, order, below(before, source), below(after, target))
                delta[at], delta[at + np.uint64(1)] = np.int64(after), np.int64(order)
        blank += stride
    return greatest(estimate, state, delta, blank)


@implements(names.swap_delta, MultiPatternTables)
def swap_delta_multi(estimate, memo, delta):
    for i in range(np.uint64(memo.size)):
        memo[i], delta[i] = delta[i], memo[i]
