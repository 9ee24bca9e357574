"""Additive pattern databases: the tiles in disjoint groups, each solved alone for every place that its tiles can have.

A group of k tiles has C(N, k) sets of cells and k! orders in each; its entry is the least number of moves *of its own
tiles*, so that groups add up. The mirror image of a square board is looked up too, and the larger sum counts.
Source: Korf and Felner, "Disjoint pattern database heuristics", Artificial Intelligence 134 (2002).

Shapes: N cells, G groups, k tiles of one group.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption, UnknownName
from puzzlelab.core.views import Estimate
from puzzlelab.engine import kernels as names
from puzzlelab.engine import report
from puzzlelab.engine.kernels import compiled, implements, inlined, population
from puzzlelab.engine.table_cache import stored
from puzzlelab.puzzles.tiles.estimate_kernels import moving
from puzzlelab.puzzles.tiles.kernels import TilesTables, rules

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles

Groups = tuple[tuple[int, ...], ...]

MOST_TILES = 8
"""Tiles in one group."""
MOST_ENTRIES = 2**31
"""Entries of one database."""
UNREACHED = 255

NAMED: dict[tuple[int, int], dict[str, Groups]] = {
    (3, 3): {"44": ((0, 1, 2, 3), (4, 5, 6, 7))},
    (4, 4): {
        "663": ((9, 10, 11, 12, 13, 14), (1, 2, 3, 5, 6, 7), (0, 4, 8)),
        "78": ((2, 3, 6, 7, 10, 11, 14), (0, 1, 4, 5, 8, 9, 12, 13)),
    },
    (5, 5): {
        "6666": (
            (12, 17, 18, 19, 22, 23),
            (10, 11, 15, 16, 20, 21),
            (3, 4, 8, 9, 13, 14),
            (0, 1, 2, 5, 6, 7),
        )
    },
}
"""Goal cells of each group, for a goal with the blank last; the first of each size is the usual one."""


class PatternTables(NamedTuple):
    """A database, and what finds a state's place in it. `memo[2 g]` is the set of cells (a bit mask) of group g, and
    `memo[2 g + 1]` its order, and its entry from bit 32; mirror groups follow, then the two sums.
    """

    geometry: TilesTables
    values: NDArray[np.uint8]
    """The entries of all groups, one after the other: by order, then by set of cells. Most moves change no order, so
    that a depth-first search finds most entries near each other."""
    group: NDArray[np.uint8]
    """[N]: the group of each piece; G for the blank."""
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


@inlined
def below(mask, cell):
    """How many members of the set lie before this cell."""
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


# --- building ----------------------------------------------------------------------------------------------------


def rank_chunks(cells: int) -> NDArray[np.uint32]:
    """The table of `set_rank` for boards of this many cells."""
    chunks = -(-cells // 8)
    table = np.zeros((chunks, MOST_TILES + 1, 256), np.uint32)
    for chunk, members, byte in itertools.product(range(chunks), range(MOST_TILES + 1), range(256)):
        bits = [8 * chunk + bit for bit in range(8) if byte >> bit & 1]
        if members + len(bits) <= MOST_TILES:
            table[chunk, members, byte] = sum(math.comb(cell, members + i + 1) for i, cell in enumerate(bits))
    return table


@cache
def order_turns(size: int) -> NDArray[np.uint16]:
    """`uint16[k, k, k!]`: the order that an order becomes when its member at place i moves to place j."""
    orders = np.array(list(itertools.permutations(range(size))), np.int64).reshape(-1, size)
    turns = np.zeros((size, size, len(orders)), np.uint16)
    for i, j in itertools.product(range(size), repeat=2):
        turned = np.insert(np.delete(orders, i, axis=1), j, orders[:, i], axis=1)
        rank = np.zeros(len(orders), np.int64)
        for place in range(size):
            later_smaller = (turned[:, place + 1 :] < turned[:, place, None]).sum(axis=1)
            rank = rank * (size - place) + later_smaller
        turns[i, j] = rank
    return turns


def _masks(cells: int, size: int) -> NDArray[np.uint64]:
    """Every set of `size` cells as a bit mask, in the order of `set_rank`."""
    masks = np.array([sum(1 << cell for cell in chosen) for chosen in itertools.combinations(range(cells), size)])
    return np.sort(masks.astype(np.uint64))


@compiled
def _regions(masks, source, offsets, labels, queue):
    """Number the regions of free cells of each set; a region is where the blank can go without moving the group.

    Writes into `labels: int8[sets, N]` the region of each free cell, and into `offsets: int64[sets + 1]` the number of
    regions of all sets before. `queue: int64[N]` is room to work in.
    """
    cells = labels.shape[1]
    for i in range(masks.size):
        count = 0
        for cell in range(cells):
            labels[i, cell] = -1
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
def _links(masks, source, ranks, offsets, labels, first, target, turn):
    """The moves out of every region: into which region (`target: int32[L]`), and by which turn of the order.

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
                    cell = np.int64(source[free, move])
                    if cell >= cells or not (masks[i] >> np.uint64(cell)) & np.uint64(1):
                        continue
                    if not counting:
                        after = masks[i] ^ (np.uint64(1) << np.uint64(cell)) ^ (np.uint64(1) << np.uint64(free))
                        to = set_rank(ranks, after)
                        target[total] = offsets[to] + labels[to, cell]
                        turn[total] = below(masks[i], cell) * np.uint64(16) + below(after, free)
                    total += 1
    first[offsets[masks.size]] = total
    return total


@compiled
def _level(depth, entries, levels, active, first, target, turn, turns, new_entries, start, stop):
    """Push the entries at `depth` of the regions `start` to `stop` one move on; return how many were reached.

    `entries: uint8[regions, P]` are the distances, P = k! padded to a multiple of 8; `levels` is the same memory as
    `uint64`; `active: uint8[2, regions]` says which regions have entries at even and odd depths.
    """
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
        for w in range(levels.shape[1]):
            word = levels[region, w] ^ pattern
            zeros = (word - ones) & ~word & highs
            if zeros != np.uint64(0):
                for i in range(8 * w, 8 * w + 8):
                    if entries[region, i] == depth:
                        new_entries[count] = i
                        count += 1
        for link in range(first[region], first[region + 1]):
            to = target[link]
            i, j = turn[link] >> 4, turn[link] & 15
            fresh = 0
            if i == j:
                for n in range(count):
                    order = new_entries[n]
                    if entries[to, order] > depth + 1:
                        entries[to, order] = depth + 1
                        fresh += 1
            else:
                for n in range(count):
                    order = turns[i, j, new_entries[n]]
                    if entries[to, order] > depth + 1:
                        entries[to, order] = depth + 1
                        fresh += 1
            if fresh > 0:
                active[then, to] = 1
                reached += fresh
    return reached


@compiled
def _least(entries, offsets, values):
    """The least entry over a set's regions: where the blank is does not matter to the estimate.

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


def build_group(geometry: TilesTables, group: tuple[int, ...], title: str) -> NDArray[np.uint8]:
    """`uint8[k!, C(N, k)]`: the entries of one group of goal cells, by breadth-first search backwards from the goal.

    The moves are worked out once for each set of cells; the k! orders then follow by a table each. Time and memory are
    O(C(N, k) k!).
    """
    cells, size = len(geometry.source), len(group)
    masks, ranks = _masks(cells, size), rank_chunks(cells)
    labels = np.zeros((masks.size, cells), np.int8)
    offsets = np.zeros(masks.size + 1, np.int64)
    _regions(masks, geometry.source, offsets, labels, np.zeros(cells, np.int64))
    regions = int(offsets[-1])
    first = np.zeros(regions + 1, np.int64)
    nothing = np.zeros(0, np.int32)
    total = _links(masks, geometry.source, ranks, offsets, labels, first, nothing, nothing.astype(np.uint8))
    target, turn = np.zeros(total, np.int32), np.zeros(total, np.uint8)
    _links(masks, geometry.source, ranks, offsets, labels, first, target, turn)
    orders = math.factorial(size)
    entries = np.full((regions, -(-orders // 8) * 8), UNREACHED, np.uint8)
    home = int(np.searchsorted(masks, np.uint64(sum(1 << cell for cell in group))))
    _spread(entries, int(offsets[home] + labels[home, geometry.home]), first, target, turn, order_turns(size), title)
    values = np.empty((orders, masks.size), np.uint8)
    _least(entries, offsets, values)
    return values


def _spread(
    entries: NDArray[np.uint8],
    home: int,
    first: NDArray[np.int64],
    target: NDArray[np.int32],
    turn: NDArray[np.uint8],
    turns: NDArray[np.uint16],
    title: str,
) -> None:
    """Fill `entries` level by level, in pieces short enough for progress and Ctrl-C."""
    regions = len(entries)
    active = np.zeros((2, regions), np.uint8)
    entries[home, 0], active[0, home] = 0, 1
    levels, found = entries.view(np.uint64), np.zeros(entries.shape[1], np.int32)
    wanted = regions * turns.shape[2]
    depth, done, reached = 0, 1, 1
    while reached:
        reached = 0
        for start in range(0, regions, 4096):
            stop = min(start + 4096, regions)
            reached += _level(depth, entries, levels, active, first, target, turn, turns, found, start, stop)
        done, depth = done + reached, depth + 1
        report.progress(title, min(done, wanted) if reached else wanted, wanted)


# --- a state's place ----------------------------------------------------------------------------------------------


@inlined
def place_of(estimate, group, mask, order):
    """Where the entry of a group with this set of cells and this order is."""
    half = estimate.half
    row = np.uint64(group) << half
    lower = mask & ((np.uint64(1) << half) - np.uint64(1))
    place = np.uint64(estimate.low[row | lower]) + np.uint64(estimate.high[row | (mask >> half)])
    return place + order * estimate.strides[group]


@implements(names.incremental, PatternTables)
def _incremental(estimate):
    return True


@implements(names.evaluate, PatternTables)
def evaluate(estimate, state, memo):
    groups = np.uint64(estimate.sizes.size)
    views = np.uint64(2 if estimate.mirror.size > 0 else 1)
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
        left = np.uint64(estimate.sizes[group]) - population(mask)
        order = (packed & np.uint64(0xFFFFFFFF)) * left + slot - below(used, slot)
        memo[at] = np.int64(mask | (np.uint64(1) << np.uint64(cell)))
        memo[at + np.uint64(1)] = np.int64(order | ((used | (np.uint64(1) << slot)) << np.uint64(32)))


@inlined
def follow(estimate, view, piece, source, blank, memo, delta):
    """The sum after `piece` moves from `source` to `blank`; writes place, mask, order and sum into `delta[4 view:]`."""
    groups = np.uint64(estimate.sizes.size)
    group = np.uint64(estimate.group[piece])
    at = np.uint64(2) * (view * groups + group)
    mask = np.uint64(memo[at])
    packed = memo[at + np.uint64(1)]
    order = np.uint64(packed) & np.uint64(0xFFFFFFFF)
    after = mask ^ (np.uint64(1) << np.uint64(source)) ^ (np.uint64(1) << np.uint64(blank))
    i, j = below(mask, source), below(after, blank)
    if i != j:
        start = estimate.turn_starts[np.uint64(64) * group + np.uint64(8) * i + j]
        order = np.uint64(estimate.turns[np.uint64(start) + order])
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


@implements(names.swap_delta, PatternTables)
def swap_delta(estimate, memo, delta):
    sums = np.uint64(4 * estimate.sizes.size)
    for view in range(2 if estimate.mirror.size > 0 else 1):
        base = np.uint64(4 * view)
        at = np.uint64(delta[base])
        total = sums + np.uint64(view)
        memo[at], delta[base + np.uint64(1)] = delta[base + np.uint64(1)], memo[at]
        memo[at + np.uint64(1)], delta[base + np.uint64(2)] = delta[base + np.uint64(2)], memo[at + np.uint64(1)]
        memo[total], delta[base + np.uint64(3)] = delta[base + np.uint64(3)], memo[total]


# --- by name ------------------------------------------------------------------------------------------------------


def named_groups(puzzle: Tiles, name: str) -> Groups:
    """The goal cells of each group that a name means: `pdb`, `pdb-663`, `pdb:1,2,3/4,5,6/7,8` (tiles)."""
    known = NAMED.get((puzzle.rows, puzzle.columns), {})
    if name.startswith("pdb:"):
        return _given_groups(puzzle, name.removeprefix("pdb:"))
    if name == "pdb":
        return _turned(puzzle, next(iter(known.values()))) if known and _corner(puzzle) else _any_groups(puzzle)
    wanted = name.removeprefix("pdb-").replace("-", "")
    if wanted not in known or not _corner(puzzle):
        raise UnknownName(f"pattern database of {puzzle.name}", name, [f"pdb-{each}" for each in known] or ["pdb"])
    return _turned(puzzle, known[wanted])


def _corner(puzzle: Tiles) -> bool:
    return puzzle.goal.index(0) in (0, puzzle.cells - 1)


def _turned(puzzle: Tiles, groups: Groups) -> Groups:
    """The groups for a goal with the blank first: the board turned by half."""
    if puzzle.goal.index(0) == puzzle.cells - 1:
        return groups
    return tuple(tuple(sorted(puzzle.cells - 1 - cell for cell in group)) for group in groups)


def _any_groups(puzzle: Tiles) -> Groups:
    """Cells in order, as many to a group as a table of some ten million entries allows."""
    size = max(k for k in range(2, MOST_TILES) if math.perm(puzzle.cells, k) <= 20_000_000)
    cells = [cell for cell in range(puzzle.cells) if puzzle.goal[cell] != 0]
    return tuple(tuple(cells[start : start + size]) for start in range(0, len(cells), size))


def _given_groups(puzzle: Tiles, text: str) -> Groups:
    if not re.fullmatch(r"\d{1,2}(,\d{1,2})*(/\d{1,2}(,\d{1,2})*)*", text):
        raise BadOption(f"'{text[:60]}' is no partition; write groups of tiles as pdb:1,2,3/4,5,6/7,8")
    groups = [[int(tile) for tile in group.split(",")] for group in text.split("/")]
    tiles = sorted(tile for group in groups for tile in group)
    if tiles != list(range(1, puzzle.cells)):
        raise BadOption(f"the groups of '{text[:60]}' must hold each of the tiles 1 to {puzzle.cells - 1} once")
    if max(map(len, groups)) > MOST_TILES:
        raise BadOption(f"a group of a pattern database has at most {MOST_TILES} tiles")
    return tuple(tuple(sorted(puzzle.goal.index(tile) for tile in group)) for group in groups)


def database(puzzle: Tiles, groups: Groups) -> NDArray[np.uint8]:
    """The entries of all groups, from the user's cache folder or built now."""
    geometry = rules(puzzle).tables
    entries = sum(math.comb(puzzle.cells, len(group)) * math.factorial(len(group)) for group in groups)
    if entries > MOST_ENTRIES:
        raise BadOption(f"this partition needs {entries:,} entries; at most {MOST_ENTRIES:,} are supported")
    key = f"{puzzle.rows}x{puzzle.columns} {int(geometry.home)} {groups} by order"
    sizes = "".join(str(len(group)) for group in groups)
    name = f"pdb-{puzzle.rows}x{puzzle.columns}-{sizes}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"

    def make() -> NDArray[np.uint8]:
        parts = []
        for number, group in enumerate(groups, start=1):
            title = f"building the pattern database {sizes}, group {number} of {len(groups)}"
            parts.append(build_group(geometry, group, title).reshape(-1))
        return np.concatenate(parts)

    return stored(name, make)


@cache
def patterns(puzzle: Tiles, groups: Groups) -> PatternTables:
    """The tables of the estimate; dear the first time, when the database is built."""
    from puzzlelab.puzzles.tiles.planes import mirror

    cells = puzzle.cells
    group, slot = np.full(cells, len(groups), np.uint8), np.zeros(cells, np.uint8)
    for number, members in enumerate(groups):
        group[list(members)] = number
        slot[list(members)] = np.arange(len(members))
    half = (cells + 1) // 2
    low, high = set_places(cells, half, groups)
    turns, turn_starts = all_turns(groups)
    mirrored = mirror(puzzle)
    return PatternTables(
        rules(puzzle).tables,
        database(puzzle, groups),
        group,
        slot,
        np.uint64(half),
        low,
        high,
        np.array([math.comb(cells, len(members)) for members in groups], np.uint64),
        turns,
        turn_starts,
        np.array([len(members) for members in groups], np.int64),
        np.zeros(0, np.uint8) if mirrored is None else mirrored[0].astype(np.uint8),
    )


def set_places(cells: int, half: int, groups: Groups) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """`low` and `high` of `PatternTables`: the rank of a set, split between the halves of its bit mask."""
    masks = np.arange(1 << half)
    low, high, start = [], [], 0
    for group in groups:
        size = len(group)
        members = np.zeros(masks.size, np.int64)
        low.append(_half_rank(masks, 0, half, members, size))
        upper = size - np.array([int(mask).bit_count() for mask in masks])
        high.append(start + _half_rank(masks, half, cells, upper, size))
        start += math.perm(cells, size)
    return np.concatenate(low).astype(np.uint32), np.concatenate(high).astype(np.uint32)


def _half_rank(
    masks: NDArray[np.int64], first: int, last: int, members: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    """What the cells `first` to `last` add to the rank of a set, with `members` of the set before them."""
    rank, members = np.zeros(masks.size, np.int64), members.copy()
    for cell in range(first, last):
        inside = (masks >> (cell - first)) & 1
        members += inside
        choices = np.array([math.comb(cell, count) if 0 < count <= size else 0 for count in range(size + last + 1)])
        rank += inside * choices[np.clip(members, 0, None)]
    return rank


def all_turns(groups: Groups) -> tuple[NDArray[np.uint16], NDArray[np.uint32]]:
    """`turns` and `turn_starts` of `PatternTables`; groups of one size share theirs."""
    sizes = [len(group) for group in groups]
    tables, begins, total = [], {}, 0
    for size in sorted(set(sizes)):
        tables.append(order_turns(size).reshape(-1))
        begins[size], total = total, total + tables[-1].size
    starts = np.zeros((len(groups), 8, 8), np.uint32)
    for number, size in enumerate(sizes):
        places = np.arange(size * size, dtype=np.uint32).reshape(size, size)
        starts[number, :size, :size] = begins[size] + places * math.factorial(size)
    return np.concatenate(tables), starts.reshape(-1)


def estimate(puzzle: Tiles, name: str) -> Estimate:
    """The estimate by its name; the database is looked for, or built, when the search begins."""
    groups = named_groups(puzzle, name)
    known = NAMED.get((puzzle.rows, puzzle.columns), {})
    if name == "pdb" and known and _corner(puzzle):
        name = f"pdb-{next(iter(known))}"
    memo = max(8, 4 * len(groups) + 2)
    return Estimate(name, admissible=True, kernel=lambda: patterns(puzzle, groups), memo=memo)
