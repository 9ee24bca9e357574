"""What a half of a dust board costs alone: its lower bound is raised, step by step, until it is the cost itself.

To ask whether a state costs no more than its bound is a depth-first search over the moves that this allows, with the
bounds of `halfboards` as its memory; in vain, it raises the bound. The search is a machine with a stack of its own,
which can stop anywhere and go on.
"""

from __future__ import annotations

import numpy as np

from puzzlelab.core.kernels import DONE, FULL, RUNNING, inlined
from puzzlelab.core.wide import load, lowest, store
from puzzlelab.puzzles.dust.halfboards import (
    DEPTH,
    EXACT,
    LOW,
    bound,
    cost_of,
    count_moves,
    exact,
    expand,
    first_move,
    known,
    least_of,
    refreshed,
    roomy,
    target,
    unpack_half,
)
from puzzlelab.puzzles.dust.kernels import NONE, alike, count_colours, mask, occupied, settle, spread


@inlined
def set_bound(half, number, low):
    """Raise the bound of a state."""
    last = half.records.shape[1] - 1
    half.records[number, last] = (half.records[number, last] & ~LOW) | np.uint64(low)


@inlined
def set_exact(half, number):
    """The bound of a state is its cost."""
    half.records[number, half.records.shape[1] - 1] |= EXACT


@inlined
def ask(half, number):
    """Begin to raise the bound of a state."""
    half.stack[0, 0], half.stack[0, 1] = number, -1
    half.counts[DEPTH] = 1


@inlined
def answered(half, number):
    """Whether a move of this state leads on at its bound, to a state whose cost is known."""
    begin, low = first_move(half, number), bound(half, number)
    for place in range(begin, begin + count_moves(half, number)):
        near = least_of(half.edges[place]) <= low and refreshed(half, place) <= low
        if near and exact(half, target(half.edges[place])):
            return True
    return False


@inlined
def one_wave_each(half, number):
    """Whether a state costs no more than one for each colour that it has.

    It does if its colours can go one after the other, each at once, from the line. Most questions about the last bound
    are answered so, without any state to be kept.
    """
    own, wide = half.tables, len(half.tables.like)
    none, line = mask(own, NONE), load(half.line, np.int64(0), own.like)
    unpack_half(half, half.records[number], half.trials[0])
    store(line & occupied(own, half.trials[0]), half.pending, np.int64(0))
    depth = np.int64(0)
    while depth >= 0:
        state = half.trials[depth]
        untried = load(half.pending, np.int64(depth * wide), own.like)
        if untried == none:
            depth -= 1
            continue
        same = alike(own, state, lowest(untried))
        store(untried & ~same, half.pending, np.int64(depth * wide))
        if spread(own, same, same & line) != same:
            continue
        kept = occupied(own, state) & ~same
        if kept == none:
            return True
        depth += 1
        settle(own, state, kept, half.trials[depth])
        store(line & occupied(own, half.trials[depth]), half.pending, np.int64(depth * wide))
    return False


@inlined
def fresh(half, number):
    """Whether nothing is known of a state but that each of its colours costs something."""
    unpack_half(half, half.records[number], half.state)
    return bound(half, number) == count_colours(half.tables, half.state)


@inlined
def raise_bound(half, budget):
    """Go on with `ask`: until the bound is found to be the cost, or is raised; expands at most `budget` states.

    Returns (DONE, RUNNING or FULL, what is left of the budget).
    """
    counts, stack = half.counts, half.stack
    while counts[DEPTH] > 0:
        top = counts[DEPTH] - 1
        number = stack[top, 0]
        low = bound(half, number)
        if not known(half, number):
            if fresh(half, number):
                if one_wave_each(half, number):
                    set_exact(half, number)
                else:
                    set_bound(half, number, low + 1)
                counts[DEPTH] -= 1
                continue
            if budget <= 0:
                return RUNNING, budget
            if not roomy(half):
                return FULL, budget
            expand(half, number)
            budget -= 1
        begin = first_move(half, number)
        if stack[top, 1] < 0:
            if answered(half, number):
                set_exact(half, number)
                counts[DEPTH] -= 1
                continue
            stack[top, 1] = begin
        place = stack[top, 1]
        end = begin + count_moves(half, number)
        deeper = False
        while place < end:
            if least_of(half.edges[place]) <= low and refreshed(half, place) <= low:
                child = target(half.edges[place])
                if exact(half, child):
                    set_exact(half, number)
                    break
                stack[top, 1] = place
                set_bound(half, child, max(bound(half, child), low - cost_of(half.edges[place])))
                stack[top + 1, 0], stack[top + 1, 1] = child, -1
                counts[DEPTH] += 1
                deeper = True
                break
            place += 1
        if deeper:
            continue
        if place == end:
            least = np.int64(255)
            for i in range(begin, end):
                least = min(least, least_of(half.edges[i]))
            set_bound(half, number, least)
        counts[DEPTH] -= 1
    return DONE, budget
