# mypy: allow-untyped-defs
"""The cost of one half of a dust board: its lower bound is raised step by step until it is exact.

A depth-first search over the moves that the bound allows decides whether a state costs no more than its bound; if not,
the bound is raised. The bounds in `boards_kernels` are its transposition table. It has a stack of its own, so that it
can stop and resume anywhere.
"""

from __future__ import annotations

import numpy as np

from puzzlelab.engine import kernels as names
from puzzlelab.engine.compiler import load, lowest, store
from puzzlelab.engine.kernels import DONE, FULL, RUNNING, compiled, inlined
from puzzlelab.puzzles.dust.halves.boards_kernels import (
    DEPTH,
    EXACT,
    LOW,
    bound,
    count_moves,
    first_move,
    has_capacity,
    has_moves,
    is_exact,
    unpack_half,
)
from puzzlelab.puzzles.dust.halves.moves_kernels import (
    TRIED,
    cost_of,
    expand,
    is_unnumbered,
    least_of,
    make_child,
    number_child,
    target,
    with_least,
)
from puzzlelab.puzzles.dust.kernels import NONE, count_colours, grow_clusters, mask, occupied, same_colour, settle


@inlined
def set_bound(half, number, low):
    """Raise the bound of a state."""
    last = half.records.shape[1] - 1
    half.records[number, last] = (half.records[number, last] & ~LOW) | np.uint64(low)


@inlined
def set_exact(half, number):
    """Mark the bound of a state as exact."""
    half.records[number, half.records.shape[1] - 1] |= EXACT


@inlined
def begin_raising(half, number):
    """Begin to raise the bound of a state."""
    half.stack[0, 0], half.stack[0, 1] = number, -1
    half.counts[DEPTH] = 1


@inlined
def one_wave_each(half):
    """Tell whether the cost of `half.trials[0]` is its number of colours.

    It is if its colours can be removed one after the other, each in one move at the line. This decides most cases of
    the last bound without storing any state.
    """
    own, wide = half.tables, len(half.tables.like)
    none, line = mask(own, NONE), load(half.line, np.int64(0), own.like)
    cells = occupied(own, half.trials[0])
    if cells == none:
        return True
    # Depth-first over the order of colours: level d holds the state after d waves, and the line's untried cells there.
    store(line & cells, half.pending, np.int64(0))
    depth = np.int64(0)
    while depth >= 0:
        state = half.trials[depth]
        untried = load(half.pending, np.int64(depth * wide), own.like)
        if untried == none:
            depth -= 1
            continue
        same = same_colour(own, state, lowest(untried))
        store(untried & ~same, half.pending, np.int64(depth * wide))
        # One move removes a colour only if each of its clusters touches the line.
        if grow_clusters(own, same, same & line) != same:
            continue
        kept = occupied(own, state) & ~same
        if kept == none:
            return True
        depth += 1
        settle(own, state, kept, half.trials[depth])
        store(line & occupied(own, half.trials[depth]), half.pending, np.int64(depth * wide))
    return False


@inlined
def is_unexplored(half, number):
    """Tell whether the bound of a state is still its number of colours."""
    unpack_half(half, half.records[number], half.state)
    return bound(half, number) == count_colours(half.tables, half.state)


@inlined
def refine_bound(half, number, place, limit):
    """Return the lower bound of a move, refined until it exceeds `limit` or its successor has a number.

    There must be capacity for one more state.
    """
    edge = half.edges[place]
    least = least_of(edge)
    if least > limit:
        return least
    if is_unnumbered(edge):
        return refine_unnumbered(half, number, place, limit)
    least = max(least, bound(half, target(edge)) + cost_of(edge))
    half.edges[place] = with_least(edge, least)
    return least


@compiled
def refine_unnumbered(half, number, place, limit):
    """Refine a move whose state has no number yet, as `refine` does: a function of its own, compiled once."""
    edge = half.edges[place]
    least = least_of(edge)
    make_child(half, number, edge)
    # Below the limit, or where the short test has failed, the state is needed and gets a number.
    if least < limit or edge & TRIED != np.uint64(0):
        number_child(half, place)
        return least_of(half.edges[place])
    names.copy(half.child, half.trials[0])
    if one_wave_each(half):
        set_exact(half, number_child(half, place))
        return least
    half.edges[place] = with_least(edge | TRIED, least + 1)
    return least + 1


@compiled
def settle_unexplored(half, number):
    """Decide whether the bound of an unexplored state is exact, or raise it."""
    names.copy(half.state, half.trials[0])
    if one_wave_each(half):
        set_exact(half, number)
    else:
        set_bound(half, number, bound(half, number) + 1)


@compiled
def raise_bound(half, budget):
    """Raise a bound or prove it exact, after `begin_raising`; expands at most `budget` states.

    Returns (DONE, RUNNING or FULL, the rest of the budget).
    """
    counts, stack = half.counts, half.stack
    while counts[DEPTH] > 0:
        if not has_capacity(half):
            return FULL, budget
        top = counts[DEPTH] - 1
        number, place = stack[top, 0], stack[top, 1]
        low = bound(half, number)
        # A state without moves: the test for one wave a colour decides most of them; others are expanded.
        if not has_moves(half, number):
            if is_unexplored(half, number):
                settle_unexplored(half, number)
                counts[DEPTH] -= 1
                continue
            if budget <= 0:
                return RUNNING, budget
            expand(half, number)
            budget -= 1
        begin = first_move(half, number)
        end = begin + count_moves(half, number)
        # First look at this bound: a move within it to a state whose cost is exact proves it without search.
        if place < 0:
            place = begin
            for i in range(begin, end):
                if refine_bound(half, number, i, low) <= low and is_exact(half, target(half.edges[i])):
                    place = -1
                    break
            if place < 0:
                set_exact(half, number)
                counts[DEPTH] -= 1
                continue
        # The next move that might stay within the bound; if there is none, the bound rises to the least of all moves.
        while place < end and refine_bound(half, number, place, low) > low:
            place += 1
        if place == end:
            set_bound(half, number, least_move(half, begin, end))
            counts[DEPTH] -= 1
            continue
        child = target(half.edges[place])
        if is_exact(half, child):
            set_exact(half, number)
            counts[DEPTH] -= 1
            continue
        # The state costs `low` at least, and so the child at least what the move leaves of it: is that its cost?
        stack[top, 1] = place
        set_bound(half, child, max(bound(half, child), low - cost_of(half.edges[place])))
        stack[top + 1, 0], stack[top + 1, 1] = child, -1
        counts[DEPTH] += 1
    return DONE, budget


@inlined
def least_move(half, begin, end):
    """Return the least lower bound of these moves."""
    least = np.int64(255)
    for place in range(begin, end):
        least = min(least, least_of(half.edges[place]))
    return least
