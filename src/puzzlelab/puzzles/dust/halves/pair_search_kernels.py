# mypy: allow-untyped-defs
"""Iterative deepening over pairs of half-boards: decides whether a board can be cleared within a number of clicks.

A board is a pair of numbers, the states of its halves in `boards_kernels`. Its clicks are their moves: one away from
the line in either half; one at the line without an adjacent cluster of its colour on the other side; or adjacent
clusters of both sides. The limit on clicks grows from the lower bound of the start, so the first solution is a shortest
one. A transposition table stores the proven lower bounds of pairs; a full bucket drops its least bound. Source: Korf,
"Depth-first iterative-deepening" (1985); the table as in Reinefeld and Marsland (1994).

Shapes: D = most clicks + 1, C = most clicks at one board.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.compiler import prefetch
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED, RUNNING, compiled, inlined
from puzzlelab.engine.record_parts import Control, control_type
from puzzlelab.puzzles.dust.halves.boards_kernels import (
    HalfBoards,
    at_line,
    bound,
    count_moves,
    first_move,
    has_capacity,
    has_moves,
    is_exact,
)
from puzzlelab.puzzles.dust.halves.costs_kernels import begin_raising, raise_bound, refine_bound
from puzzlelab.puzzles.dust.halves.moves_kernels import expand, is_single_cluster, least_of, rows_of, target
from puzzlelab.puzzles.dust.halves.pair_table_kernels import bucket_of, key_of, store_bound, stored_bound

CONTROL = control_type("phase max_clicks top raising stored may_grow known_clicks")
"""Of `control`: the phase, the limit on clicks, the depth, the half whose bound is being raised (0 none, 1 left,
2 right), pairs in the table, whether the table may grow, the clicks of the known solution."""
START, OPEN, CHECK, DESCEND, FINISHED = range(5)


class HalfPairRecord(NamedTuple):
    """The state of one search."""

    control: Control
    left: HalfBoards
    right: HalfBoards
    table: NDArray[np.uint64]
    """[2^k]: pairs with a proven lower bound of their clicks."""
    path: NDArray[np.int64]
    """[D, 2]: the pairs on the path from the start."""
    children: NDArray[np.int64]
    """[D, C, 2]: the pairs after each of them, best first."""
    values: NDArray[np.int64]
    """[D, C]: twice the lower bounds of these."""
    counts: NDArray[np.int64]
    """[D]: their number."""
    cursors: NDArray[np.int64]
    """[D]: the number of those already tried."""
    best: NDArray[np.int64]
    """[D, 2]: the pairs of the best solution."""
    singles: NDArray[np.uint64]
    """[2, 16]: rows of the clusters at the line, left and right."""


@inlined
def list_singles(half, number, row):
    """Write the rows of each cluster at the line; returns their number."""
    begin, count = first_move(half, number), np.int64(0)
    for place in range(begin, begin + count_moves(half, number)):
        edge = half.edges[place]
        if rows_of(edge) == np.uint64(0):
            break
        if is_single_cluster(edge):
            row[count] = rows_of(edge)
            count += 1
    return count


@inlined
def move_of(half, number, rows):
    """Return the place of the move at the line that takes these rows."""
    place = first_move(half, number)
    while rows_of(half.edges[place]) != rows:
        place += 1
    return place


@inlined
def add_pair(record, depth, left, right):
    """Add a pair to the children at this depth."""
    n = record.counts[depth]
    record.children[depth, n, 0], record.children[depth, n, 1] = left, right
    record.counts[depth] = n + 1
    key = key_of(left, right)
    prefetch(record.table, np.int64(bucket_of(record.table, key)))


@inlined
def add_half_move(record, depth, half, place, other, is_left):
    """Add the pair after a move in one half alone."""
    child = target(half.edges[place])
    if is_left:
        add_pair(record, depth, child, other)
    else:
        add_pair(record, depth, other, child)


@inlined
def add_moves_away(record, depth, half, number, other, slack, is_left):
    """Add the moves away from the line in one half whose lower bound is within `slack`."""
    begin = first_move(half, number)
    for place in range(begin, begin + count_moves(half, number)):
        edge = half.edges[place]
        if rows_of(edge) == np.uint64(0) and refine_bound(half, number, place, slack) <= slack:
            add_half_move(record, depth, half, place, other, is_left)


@inlined
def same_colour_rows(record, left, right):
    """Return the rows in which both columns at the line have the same colour."""
    planes = record.left.state.size // len(record.left.tables.like)
    same, some = ~np.uint64(0), np.uint64(0)
    for p in range(planes):
        a, b = at_line(record.left, left, p), at_line(record.right, right, p)
        same &= ~(a ^ b)
        some |= a
    return same & some


@inlined
def add_lone_cluster(record, depth, half, number, other, rows, slack, is_left):
    """Add a move at the line without an adjacent cluster of its colour on the other side."""
    place = move_of(half, number, rows)
    if refine_bound(half, number, place, slack - 1) <= slack - 1:
        add_half_move(record, depth, half, place, other, is_left)


@inlined
def add_moves_at_line(record, depth, left, right, twice):
    """Add the clicks on clusters at the line; `twice` is twice the remaining clicks."""
    a, b = record.left, record.right
    rows_left, rows_right = record.singles[0], record.singles[1]
    count_left, count_right = list_singles(a, left, rows_left), list_singles(b, right, rows_right)
    low_left, low_right = bound(a, left), bound(b, right)
    same = same_colour_rows(record, left, right) if count_left > 0 and count_right > 0 else np.uint64(0)
    none = np.uint64(0)
    used = np.int64(0)
    # One click takes a whole cluster of the board: those parts on both sides that touch each other across the line.
    for i in range(count_left):
        if (used >> i) & 1 == 1:
            continue
        here, there, before = rows_left[i], none, none
        while here != before:
            before = here
            for j in range(count_right):
                if rows_right[j] & here & same != none:
                    there |= rows_right[j]
            for j in range(i + 1, count_left):
                if rows_left[j] & there & same != none and (used >> j) & 1 == 0:
                    here |= rows_left[j]
                    used |= 1 << j
        if there == none:
            add_lone_cluster(record, depth, a, left, right, here, twice - low_right, True)
            continue
        # The click costs 1 in both halves; what one half needs at least is no slack for the other.
        place, other = move_of(a, left, here), move_of(b, right, there)
        least = refine_bound(a, left, place, twice - least_of(b.edges[other]))
        if least + refine_bound(b, right, other, twice - least) <= twice:
            add_pair(record, depth, target(a.edges[place]), target(b.edges[other]))
    # Clusters on the right that touch nothing of their colour; the others were met from the left.
    for j in range(count_right):
        if rows_right[j] & same == none:
            add_lone_cluster(record, depth, b, right, left, rows_right[j], twice - low_left, False)


@inlined
def list_children(record, depth):
    """List the successors that the lower bounds allow."""
    left, right = record.path[depth, 0], record.path[depth, 1]
    twice = 2 * (record.control.max_clicks - depth)
    record.counts[depth], record.cursors[depth] = 0, 0
    add_moves_away(record, depth, record.left, left, right, twice - bound(record.right, right), True)
    add_moves_away(record, depth, record.right, right, left, twice - bound(record.left, left), False)
    add_moves_at_line(record, depth, left, right, twice)


@inlined
def remove_child(record, depth, place):
    """Remove a child."""
    last = record.counts[depth] - 1
    record.children[depth, place, 0] = record.children[depth, last, 0]
    record.children[depth, place, 1] = record.children[depth, last, 1]
    record.counts[depth] = last


@inlined
def begin_raising_either(record, left, right):
    """Begin to raise the bound of one half of a pair; False if both bounds are exact."""
    if not is_exact(record.left, left):
        begin_raising(record.left, left)
        record.control.raising = 1
        return True
    if not is_exact(record.right, right):
        begin_raising(record.right, right)
        record.control.raising = 2
        return True
    return False


@inlined
def check_children(record, depth):
    """Keep the children within the limit; True if the bound of a half must be raised first."""
    control = record.control
    clicks = control.max_clicks - depth - 1
    place = record.cursors[depth]
    while place < record.counts[depth]:
        left, right = record.children[depth, place, 0], record.children[depth, place, 1]
        value = bound(record.left, left) + bound(record.right, right)
        # Both costs together are at most twice the clicks; the table may hold a better bound of the pair.
        if value > 2 * clicks or stored_bound(record.table, left, right) > clicks:
            remove_child(record, depth, place)
        elif begin_raising_either(record, left, right):
            record.cursors[depth] = place
            return True
        else:
            record.values[depth, place] = value
            place += 1
    record.cursors[depth] = 0
    return False


@inlined
def sort_children(record, depth):
    """Sort the children by their bounds, the least first."""
    children, values = record.children[depth], record.values[depth]
    for i in range(1, record.counts[depth]):
        left, right, value = children[i, 0], children[i, 1], values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            children[j, 0], children[j, 1], values[j] = children[j - 1, 0], children[j - 1, 1], values[j - 1]
            j -= 1
        children[j, 0], children[j, 1], values[j] = left, right, value


@inlined
def cleared(record, left, right):
    """Tell whether this pair is the empty board."""
    return bound(record.left, left) == 0 and bound(record.right, right) == 0


@inlined
def begin_limit(record):
    """Restart the search with the new limit, or finish if the known solution is proven shortest."""
    control = record.control
    control.bound = control.max_clicks
    control.top = 0
    control.phase = FINISHED if control.max_clicks >= control.known_clicks else OPEN


@inlined
def descend(record, depth):
    """Go to the next child or backtrack; True if the child is solved."""
    control = record.control
    place = record.cursors[depth]
    # All children were tried in vain, which proves that the pair needs more clicks than are left.
    if place == record.counts[depth]:
        control.stored += store_bound(
            record.table, key_of(record.path[depth, 0], record.path[depth, 1]), control.max_clicks - depth + 1
        )
        control.top -= 1
        return False
    record.cursors[depth] = place + 1
    left, right = record.children[depth, place, 0], record.children[depth, place, 1]
    record.path[depth + 1, 0], record.path[depth + 1, 1] = left, right
    if cleared(record, left, right):
        return True
    if stored_bound(record.table, left, right) <= control.max_clicks - depth - 1:
        control.top += 1
        control.phase = OPEN
    return False


@inlined
def is_full(record):
    """Tell whether the table of pairs or a half must grow before the next pair is opened."""
    control = record.control
    if control.may_grow == 1 and 2 * control.stored > record.table.size:
        return True
    return not (has_capacity(record.left) and has_capacity(record.right))


@inlined
def open_pair(record, depth):
    """List the moves of a half whose moves are not known; or, when both are, the children of the pair."""
    left, right = record.path[depth, 0], record.path[depth, 1]
    if not has_moves(record.left, left):
        expand(record.left, left)
    elif not has_moves(record.right, right):
        expand(record.right, right)
    else:
        list_children(record, depth)
        record.control.generated += record.counts[depth]
        record.control.phase = CHECK


@compiled
def step(record, budget):
    """Run one slice: expand at most `budget` boards and half-boards."""
    control = record.control
    if budget == 0:
        return RUNNING
    while control.phase != FINISHED:
        # A half whose exact cost is needed: the costs of both halves are the heuristic of a pair.
        if control.raising != 0:
            before = budget
            if control.raising == 1:
                status, budget = raise_bound(record.left, budget)
            else:
                status, budget = raise_bound(record.right, budget)
            control.expanded += before - budget
            if status != DONE:
                return status
            control.raising = 0
        # Both costs of the start are made exact, one after the other; half their sum is the first limit.
        if control.phase == START:
            left, right = record.path[0, 0], record.path[0, 1]
            control.bound = (bound(record.left, left) + bound(record.right, right) + 1) // 2
            if not begin_raising_either(record, left, right):
                control.max_clicks = max(control.bound, stored_bound(record.table, left, right))
                begin_limit(record)
            continue
        # All moves of the start were tried in vain: no solution is within the limit, and the next iteration begins.
        depth = control.top
        if depth < 0:
            control.max_clicks += 1
            begin_limit(record)
            continue
        # A new pair on the path: the moves of each half are listed, if they are not known, and then its children.
        if control.phase == OPEN:
            if budget <= 0:
                return RUNNING
            if is_full(record):
                return FULL
            budget -= 1
            control.expanded += 1
            open_pair(record, depth)
            continue
        # Children above the limit are cut off; the others are tried in the order of their heuristic.
        if control.phase == CHECK:
            if check_children(record, depth):
                continue
            sort_children(record, depth)
            control.phase = DESCEND
        # A solution within the limit is a shortest one, because no smaller limit had any.
        if descend(record, depth):
            control.length = depth + 1
            for i in range(depth + 2):
                record.best[i, 0], record.best[i, 1] = record.path[i, 0], record.path[i, 1]
            control.phase = FINISHED
            control.bound = depth + 1
            return IMPROVED
    return DONE
