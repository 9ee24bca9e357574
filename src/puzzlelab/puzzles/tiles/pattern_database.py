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
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadOption, UnknownName
from puzzlelab.core.views import Estimate, Stronger
from puzzlelab.engine import report
from puzzlelab.engine.table_cache import is_stored, stored
from puzzlelab.puzzles.tiles.kernels import MultiTables, TilesTables, places, rules
from puzzlelab.puzzles.tiles.notation import OPEN
from puzzlelab.puzzles.tiles.pattern_database_kernels import (
    UNREACHED,
    GroupSearch,
    MultiPatternTables,
    OpenPatternTables,
    PatternTables,
    expand_level,
    least_entries,
    link_regions,
    number_regions,
)
from puzzlelab.puzzles.tiles.rules import reversed_goal
from puzzlelab.runtime.memory import require_memory

if TYPE_CHECKING:
    from puzzlelab.puzzles.tiles.rules import Tiles

Groups = tuple[tuple[int, ...], ...]

MOST_TILES = 8
"""Tiles in one group."""
MOST_ENTRIES = 2**31
"""Entries of one database."""
ENTRIES_PER_SECOND, GAIN = 16, "10 to 50 times"
"""For an estimate of costs: millions of entries that are built in a second, and what the larger database of the
15-puzzle saves on hard boards."""

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
"""Goal cells of each group, for a goal with the blank in a corner; the first of each size is the usual one."""
MULTI_NAMED: dict[tuple[int, int], dict[str, Groups]] = {
    (4, 4): {
        "66": ((0, 1, 2, 3, 4, 8), (7, 10, 11, 12, 13, 14)),
        "555": ((0, 1, 2, 3, 7), (4, 8, 9, 12, 13), (5, 6, 10, 11, 14)),
    }
}
"""The same where several tiles slide in one move: groups need not hold all tiles."""


# --- building ----------------------------------------------------------------------------------------------------


def rank_chunks(cells: int) -> NDArray[np.uint32]:
    """Return the table of `set_rank` for boards of this many cells."""
    chunks = -(-cells // 8)
    table = np.zeros((chunks, MOST_TILES + 1, 256), np.uint32)
    for chunk, members, byte in itertools.product(range(chunks), range(MOST_TILES + 1), range(256)):
        bits = [8 * chunk + bit for bit in range(8) if byte >> bit & 1]
        if members + len(bits) <= MOST_TILES:
            table[chunk, members, byte] = sum(math.comb(cell, members + i + 1) for i, cell in enumerate(bits))
    return table


@cache
def order_turns(size: int) -> NDArray[np.uint16]:
    """Return `uint16[k, k, k!]`: the order that an order becomes when its member at place i moves to place j."""
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
    """Return every set of `size` cells as a bit mask, in the order of `set_rank`."""
    masks = np.array([sum(1 << cell for cell in chosen) for chosen in itertools.combinations(range(cells), size)])
    return np.sort(masks.astype(np.uint64))


def _regions(geometry: TilesTables, size: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int8]]:
    """Return the sets of `size` cells, and the offsets and labels of their regions of free cells; see
    `number_regions`.
    """
    cells = len(geometry.source)
    masks = _masks(cells, size)
    labels = np.zeros((masks.size, cells), np.int8)
    offsets = np.zeros(masks.size + 1, np.int64)
    number_regions(masks, geometry.source, offsets, labels, np.zeros(cells, np.int64))
    return masks, offsets, labels


def _region_count(geometry: TilesTables | MultiTables, size: int) -> int:
    """Return the number of regions of all sets of `size` cells."""
    cells = len(geometry.source)
    if isinstance(geometry, MultiTables):
        return math.comb(cells, size) * (cells - size)
    return int(_regions(geometry, size)[1][-1])


def _row_size(size: int) -> int:
    """Return the entries of one region in memory: one for each order, in words of eight."""
    return -(-math.factorial(size) // 8) * 8


def build_group(
    geometry: TilesTables | MultiTables, group: tuple[int, ...], title: str, values: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """Return `uint8[k!, C(N, k)]`: the entries of a group of goal cells, by breadth-first search back from the goal.

    The cells of equal tiles are next to each other in the group.
    They are written into `values` if it is there. The moves are worked out once for each set of cells; the k! orders
    then follow by a table each. Time and memory are O(C(N, k) k!).
    """
    size = len(group)
    links = _links(geometry, size) if isinstance(geometry, TilesTables) else _multi_links(geometry, size)
    regions = len(links.first) - 1
    entries = np.full((regions, _row_size(size)), UNREACHED, np.uint8)
    search = GroupSearch(
        entries=entries,
        levels=entries.view(np.uint64),
        active=np.zeros((2, regions), np.uint8),
        first=links.first,
        target=links.target,
        turn=links.turn,
        turns=links.turns,
        new_entries=np.zeros(entries.shape[1], np.int32),
    )
    home = int(np.searchsorted(links.masks, np.uint64(sum(1 << cell for cell in group))))
    blanks = np.flatnonzero(geometry.kinds == geometry.kinds[geometry.home])
    orders = np.array(list(itertools.permutations(group)))
    is_home = (geometry.kinds[orders] == geometry.kinds[sorted(group)]).all(axis=1)
    _spread(search, links.offsets[home] + links.labels[home, blanks], np.flatnonzero(is_home), title)
    kept = links.offsets if isinstance(geometry, TilesTables) else np.arange(regions + 1)
    values = np.empty((math.factorial(size), kept.size - 1), np.uint8) if values is None else values
    least_entries(entries, kept, values)
    return values


class _Links(NamedTuple):
    """The moves out of every region of free cells of every set of cells; see `GroupSearch`."""

    masks: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    labels: NDArray[np.int8]
    """As in `number_regions`."""
    first: NDArray[np.int64]
    target: NDArray[np.int32]
    turn: NDArray[np.uint16]
    turns: NDArray[np.uint16]


def _links(geometry: TilesTables, size: int) -> _Links:
    """Return the moves of single tiles of a group; a region is where the blank can go without them."""
    (masks, offsets, labels), ranks = _regions(geometry, size), rank_chunks(len(geometry.source))
    first, nothing = np.zeros(int(offsets[-1]) + 1, np.int64), np.zeros(0, np.int32)
    total = link_regions(masks, geometry.source, ranks, offsets, labels, first, nothing, nothing.astype(np.uint16))
    target, turn = np.zeros(total, np.int32), np.zeros(total, np.uint16)
    link_regions(masks, geometry.source, ranks, offsets, labels, first, target, turn)
    return _Links(masks, offsets, labels, first, target, turn, order_turns(size).reshape(size * size, -1))


def _multi_links(geometry: MultiTables, size: int) -> _Links:
    """Return all moves of several tiles; a region is one free cell, where the blank is."""
    (cells, moves), one = geometry.source.shape, np.uint64(1)
    masks = _masks(cells, size)
    is_free = (masks[:, None] >> np.arange(cells, dtype=np.uint64)) & one == 0
    labels = np.where(is_free, np.cumsum(is_free, axis=1) - 1, -1).astype(np.int8)
    offsets = np.arange(masks.size + 1) * (cells - size)
    origins, targets, codes = [], [], []
    for blank, move in itertools.product(range(cells), range(moves)):
        if geometry.source[blank, move] == cells:
            continue
        sets = np.flatnonzero(is_free[:, blank])
        after, cell, code = masks[sets], blank, np.zeros(sets.size, np.int64)
        for _ in range(geometry.tiles[move]):  # one tile after the other slides into the blank
            source = cell + int(geometry.strides[move])
            moved = (after >> np.uint64(source)) & one == 1
            i, before = np.bitwise_count(after & ((one << np.uint64(source)) - one)), after
            after = np.where(moved, before ^ (one << np.uint64(source)) ^ (one << np.uint64(cell)), before)
            j = np.bitwise_count(after & ((one << np.uint64(cell)) - one))
            code = np.where(moved & (i != j), code * size * size + i.astype(np.int64) * size + j, code)
            cell = source
        reached = np.searchsorted(masks, after)
        origins.append(offsets[sets] + labels[sets, blank])
        targets.append(offsets[reached] + labels[reached, cell])
        codes.append(code)
    origin = np.concatenate(origins)
    by_origin = np.argsort(origin, kind="stable")
    known, turn = np.unique(np.concatenate([[0], *codes]), return_inverse=True)
    return _Links(
        masks,
        offsets,
        labels,
        np.searchsorted(origin[by_origin], np.arange(offsets[-1] + 1)),
        np.concatenate(targets)[by_origin].astype(np.int32),
        turn[1:][by_origin].astype(np.uint16),
        _compositions(known, order_turns(size).reshape(size * size, -1)),
    )


def _compositions(codes: NDArray[np.int64], turns: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return the turn of each code, which has the numbers of single turns as digits, the first one in front."""
    found = np.tile(np.arange(turns.shape[1], dtype=np.uint16), (codes.size, 1))
    for row, code in zip(found, codes.tolist(), strict=True):
        digits = []
        while code:
            code, digit = divmod(code, len(turns))
            digits.append(digit)
        for digit in reversed(digits):
            row[:] = turns[digit, row]
    return found


def _spread(search: GroupSearch, homes: NDArray[np.int64], orders: NDArray[np.int64], title: str) -> None:
    """Fill the entries level by level from the goal's regions and orders, in pieces short enough for progress and
    Ctrl-C.
    """
    regions = len(search.entries)
    search.entries[homes[:, None], orders], search.active[0, homes] = 0, 1
    wanted = regions * search.turns.shape[1]
    depth, done, reached = 0, np.unique(homes).size * orders.size, 1
    while reached:
        reached = 0
        for start in range(0, regions, 4096):
            reached += expand_level(search, depth, start, min(start + 4096, regions))
        done, depth = done + reached, depth + 1
        report.progress(title, min(done, wanted) if reached else wanted, wanted)


# --- by name ------------------------------------------------------------------------------------------------------


def named_groups(puzzle: Tiles, name: str) -> Groups:
    """Return the goal cells of each group that a name means: `pdb`, `pdb-663`, `pdb:1,2,3/4,5,6/7,8` (tiles)."""
    known = _named(puzzle)
    if name.startswith("pdb:"):
        return _given_groups(puzzle, name.removeprefix("pdb:"))
    if name == "pdb":
        return next(iter(known.values()), None) or _any_groups(puzzle)
    wanted = name.removeprefix("pdb-").replace("-", "")
    if wanted in known:
        return known[wanted]
    if wanted in _of_size(puzzle):
        raise BadOption(
            f"{name} needs a goal of distinct tiles whose blank is in a corner; for other goals there is pdb"
        )
    raise UnknownName(f"pattern database of {puzzle.name}", name, [f"pdb-{each}" for each in known] or ["pdb"])


def _of_size(puzzle: Tiles) -> dict[str, Groups]:
    return (MULTI_NAMED if puzzle.is_multi else NAMED).get((puzzle.rows, puzzle.columns), {})


def _named(puzzle: Tiles) -> dict[str, Groups]:
    """Return the databases that have a name; none unless the goal has the blank in a corner."""
    return _of_size(puzzle) if puzzle.is_permutation and _blanks(puzzle) == (puzzle.cells - 1,) else {}


def _goal_cells(puzzle: Tiles) -> dict[int, list[int]]:
    """Return the goal cells of each number that the goal names, in the cells of `kernels`: as many as equal tiles."""
    goal, named = reversed_goal(puzzle), sorted({*puzzle.goal} - {0, OPEN})
    return {number: np.flatnonzero(goal == number).tolist() for number in named}


def _group(goal_cells: Iterable[list[int]]) -> tuple[int, ...]:
    """Return the group of these goal cells, equal tiles beside each other."""
    return tuple(cell for cells in sorted(goal_cells) for cell in cells)


def _blanks(puzzle: Tiles) -> tuple[int, ...]:
    """Return the cells where the blank may lie in the end."""
    home, kinds = places(puzzle).of_numbers[0], places(puzzle).kinds
    return tuple(np.flatnonzero(kinds == kinds[home]).tolist())


def _entries(puzzle: Tiles, size: int) -> int:
    """Return the entries of a group: one for each place of its tiles and, where several slide in one move, of the
    blank.
    """
    return math.perm(puzzle.cells, size) * (puzzle.cells - size if puzzle.is_multi else 1)


def _any_groups(puzzle: Tiles) -> Groups:
    """Group cells in order, as many to a group as a table of some ten million entries allows. Equal tiles that are more
    are in none.
    """
    size = max(k for k in range(2, MOST_TILES) if _entries(puzzle, k) <= 20_000_000)
    groups = list[list[list[int]]]([[]])
    for cells in sorted(_goal_cells(puzzle).values()):
        if sum(map(len, groups[-1])) + len(cells) > size:
            groups.append([])
        if len(cells) <= size:
            groups[-1].append(cells)
    return tuple(_group(group) for group in groups if group)


def _given_groups(puzzle: Tiles, text: str) -> Groups:
    if not re.fullmatch(r"\d{1,2}(,\d{1,2})*(/\d{1,2}(,\d{1,2})*)*", text):
        raise BadOption(f"'{text[:60]}' is no partition; write groups of tiles as pdb:1,2,3/4,5,6/7,8")
    groups = [[int(tile) for tile in group.split(",")] for group in text.split("/")]
    tiles = sorted(tile for group in groups for tile in group)
    goal_cells, needs_all = _goal_cells(puzzle), not puzzle.is_multi and puzzle.is_permutation
    if len(set(tiles)) < len(tiles) or not set(tiles) <= {*goal_cells} or (needs_all and set(tiles) < {*goal_cells}):
        known = f"1 to {puzzle.cells - 1}" if puzzle.is_permutation else ", ".join(map(str, goal_cells))
        often = "once" if needs_all else "at most once"
        raise BadOption(f"the groups of '{text[:60]}' must hold each of the tiles {known} {often}")
    found = tuple(_group(goal_cells[tile] for tile in group) for group in groups)
    if max(map(len, found)) > MOST_TILES:
        raise BadOption(f"a group of a pattern database has at most {MOST_TILES} tiles")
    return found


def entry_count(puzzle: Tiles, groups: Groups) -> int:
    """Return the entries of all groups, a byte each."""
    return sum(_entries(puzzle, len(group)) for group in groups)


def table_name(puzzle: Tiles, groups: Groups) -> str:
    """Return the name of the table of all groups in the user's cache folder."""
    blanks, kinds = ",".join(map(str, _blanks(puzzle))), places(puzzle).kinds
    key = f"{puzzle.rows}x{puzzle.columns} {blanks} {groups} by order" + " multi" * puzzle.is_multi
    alike = tuple(tuple(kinds[list(group)].tolist()) for group in groups)
    key += f" alike {alike}" if alike != groups else ""
    sizes = "".join(str(len(group)) for group in groups)
    return f"pdb-{puzzle.rows}x{puzzle.columns}-{sizes}-{hashlib.sha256(key.encode()).hexdigest()[:12]}"


def database(puzzle: Tiles, groups: Groups) -> NDArray[np.uint8]:
    """Return the entries of all groups, from the user's cache folder or built now."""
    geometry, entries = rules(puzzle).tables, entry_count(puzzle, groups)
    if entries > MOST_ENTRIES:
        raise BadOption(f"this partition needs {entries:,} entries; at most {MOST_ENTRIES:,} are supported")
    sizes = "".join(str(len(group)) for group in groups)

    def make() -> NDArray[np.uint8]:
        doing, end = f"building the pattern database {sizes}", 0
        largest = max(_row_size(size) * _region_count(geometry, size) for size in set(map(len, groups)))
        require_memory(doing, entries + largest)
        table = np.empty(entries, np.uint8)
        for number, group in enumerate(groups, start=1):
            begin, orders = end, math.factorial(len(group))
            end += _entries(puzzle, len(group))
            title = f"{doing}, group {number} of {len(groups)}"
            build_group(geometry, group, title, table[begin:end].reshape(orders, -1))
        return table

    rare = groups not in _named(puzzle).values()
    return stored(table_name(puzzle, groups), make, np.uint8, (entries,), rare=rare)


@cache
def patterns(puzzle: Tiles, groups: Groups) -> PatternTables:
    """Return the tables of the estimate; dear the first time, when the database is built."""
    from puzzlelab.puzzles.tiles.planes import mirror

    cells = puzzle.cells
    group, slot = np.full(cells, len(groups), np.uint8), np.zeros(cells, np.uint8)
    for number, members in enumerate(groups):
        group[list(members)] = number
        slot[list(members)] = np.arange(len(members))
    half = (cells + 1) // 2
    blanks = [cells - len(members) if puzzle.is_multi else 1 for members in groups]
    low, high = set_places(cells, half, groups, blanks)
    turns, turn_starts = all_turns(groups)
    transposed = np.arange(cells, dtype=np.uint8).reshape(puzzle.rows, -1).T.reshape(-1)
    single = PatternTables if puzzle.is_permutation else OpenPatternTables
    return (MultiPatternTables if puzzle.is_multi else single)(
        geometry=rules(puzzle).tables,
        values=database(puzzle, groups),
        group=group,
        slot=slot,
        half=np.uint64(half),
        low=low,
        high=high,
        strides=np.array([_entries(puzzle, size) // math.factorial(size) for size in map(len, groups)], np.uint64),
        turns=turns,
        turn_starts=turn_starts,
        sizes=np.array([len(members) for members in groups], np.int64),
        mirror=transposed[:0] if mirror(puzzle) is None else transposed,
    )


def set_places(
    cells: int, half: int, groups: Groups, blanks: Sequence[int]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return `low` and `high` of `PatternTables`: the rank of a set, split between the halves of its bit mask.

    Each set of a group has as many entries of an order as `blanks` says.
    """
    masks = np.arange(1 << half)
    low, high, start = [], [], 0
    for group, blank_cells in zip(groups, blanks, strict=True):
        size = len(group)
        members = np.zeros(masks.size, np.int64)
        low.append(blank_cells * _half_rank(masks, 0, half, members, size))
        upper = size - np.array([int(mask).bit_count() for mask in masks])
        high.append(start + blank_cells * _half_rank(masks, half, cells, upper, size))
        start += math.perm(cells, size) * blank_cells
    return np.concatenate(low).astype(np.uint32), np.concatenate(high).astype(np.uint32)


def _half_rank(
    masks: NDArray[np.int64], first: int, last: int, members: NDArray[np.int64], size: int
) -> NDArray[np.int64]:
    """Return what the cells `first` to `last` add to the rank of a set, with `members` of the set before them."""
    rank, members = np.zeros(masks.size, np.int64), members.copy()
    for cell in range(first, last):
        inside = (masks >> (cell - first)) & 1
        members += inside
        choices = np.array([math.comb(cell, count) if 0 < count <= size else 0 for count in range(size + last + 1)])
        rank += inside * choices[np.clip(members, 0, None)]
    return rank


def all_turns(groups: Groups) -> tuple[NDArray[np.uint16], NDArray[np.uint32]]:
    """Return `turns` and `turn_starts` of `PatternTables`; groups of one size share theirs."""
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


def estimate_of(puzzle: Tiles, name: str) -> Estimate:
    """Return the estimate by its name; the database is looked for, or built, when the search begins."""
    from puzzlelab.puzzles.tiles.planes import mirror

    groups, known, stronger = named_groups(puzzle, name), list(_named(puzzle)), None
    if name == "pdb" and known:
        name = f"pdb-{known[0]}"
        stronger = _stronger(puzzle, f"pdb-{known[1]}") if len(known) > 1 else None
    memo = max(8, 4 * len(groups) + 2)
    if puzzle.is_multi:
        memo = 2 * len(groups) * (1 if mirror(puzzle) is None else 2)
    return Estimate(name, admissible=True, kernel=lambda: patterns(puzzle, groups), memo=memo, stronger=stronger)


def _stronger(puzzle: Tiles, name: str) -> Stronger:
    """Return the larger database of this name."""
    groups = named_groups(puzzle, name)
    size = entry_count(puzzle, groups) / 1e6
    costs = f"its table takes {size:.0f} MB, and some {size / ENTRIES_PER_SECOND:.0f} s to build, once"
    return Stronger(name, f"expands some {GAIN} fewer states; {costs}", lambda: is_stored(table_name(puzzle, groups)))
