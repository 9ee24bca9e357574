"""What a half of a dust board costs alone: its lower bound is raised, step by step, until it is the cost itself.

To ask whether a state costs no more than its bound is a depth-first search over the moves that this allows, with the
bounds of `halfboards` as its memory; in vain, it raises the bound. The search is a machine with a stack of its own,
which can stop anywhere and go on.
"""

from __future__ import annotations

import numpy as np

from puzzlelab.engine import kernels as names
from puzzlelab.engine.kernels import DONE, FULL, RUNNING, compiled, inlined
from puzzlelab.engine.wide_integers import load, lowest, store
from puzzlelab.puzzles.dust.half_boards import (
    DEPTH,
    EXACT,
    LOW,
    TRIED,
    ahead,
    bound,
    cost_of,
    count_moves,
    exact,
    expand,
    first_move,
    known,
    least_of,
    make,
    number_child,
    roomy,
    target,
    unpack_half,
    with_least,
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
def one_wave_each(half):
    """Whether `half.trials[0]` costs no more than one for each colour that it has.

    It does if its colours can go one after the other, each at once, from the line. Most questions about the last bound
    are answered so, without any state to be kept.
    """
    own, wide = half.tables, len(half.tables.like)
    none, line = mask(own, NONE), load(half.line, np.int64(0), own.like)
    left = occupied(own, half.trials[0])
    if left == none:
        return True
    store(line & left, half.pending, np.int64(0))
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
def look(half, number, place, most):
    """The lower bound of a move, after as close a look as it takes to see whether it exceeds `most`.

    The state it leads to gets a number only if it does not; there must be room for that.
    """
    edge = half.edges[place]
    least = least_of(edge)
    if least > most:
        return least
    if ahead(edge):
        return look_ahead(half, number, place, most)
    least = max(least, bound(half, target(edge)) + cost_of(edge))
    half.edges[place] = with_least(edge, least)
    return least


@compiled
def look_ahead(half, number, place, most):
    """A `look` at a move whose state has no number yet; a function of its own, which is compiled once."""
    edge = half.edges[place]
    least = least_of(edge)
    make(half, number, edge)
    if least < most or edge & TRIED != np.uint64(0):
        number_child(half, place)
        return least_of(half.edges[place])
    names.copy(half.child, half.trials[0])
    if one_wave_each(half):
        set_exact(half, number_child(half, place))
        return least
    half.edges[place] = with_least(edge | TRIED, least + 1)
    return least + 1


@compiled
def settle_fresh(half, number):
    """Find out whether a state that is `fresh` costs its bound, or raise that."""
    names.copy(half.state, half.trials[0])
    if one_wave_each(half):
        set_exact(half, number)
    else:
        set_bound(half, number, bound(half, number) + 1)


@compiled
def raise_bound(half, budget):
    """Go on with `ask`: until the bound is found to be the cost, or is raised; expands at most `budget` states.

    Returns (DONE, RUNNING or FULL, what is left of the budget).
    """
    counts, stack = half.counts, half.stack
    while counts[DEPTH] > 0:
        if not roomy(half):
            return FULL, budget
        top = counts[DEPTH] - 1
        number, place = stack[top, 0], stack[top, 1]
        low = bound(half, number)
        if not known(half, number):
            if fresh(half, number):
                settle_fresh(half, number)
                counts[DEPTH] -= 1
                continue
            if budget <= 0:
                return RUNNING, budget
            expand(half, number)
            budget -= 1
        begin = first_move(half, number)
        end = begin + count_moves(half, number)
        if place < 0:
            place = begin
            for i in range(begin, end):  # an answer that needs no search
                if look(half, number, i, low) <= low and exact(half, target(half.edges[i])):
                    place = -1
                    break
            if place < 0:
                set_exact(half, number)
                counts[DEPTH] -= 1
                continue
        while place < end and look(half, number, place, low) > low:
            place += 1
        if place == end:
            set_bound(half, number, least_move(half, begin, end))
            counts[DEPTH] -= 1
            continue
        child = target(half.edges[place])
        if exact(half, child):
            set_exact(half, number)
            counts[DEPTH] -= 1
            continue
        stack[top, 1] = place
        set_bound(half, child, max(bound(half, child), low - cost_of(half.edges[place])))
        stack[top + 1, 0], stack[top + 1, 1] = child, -1
        counts[DEPTH] += 1
    return DONE, budget


@inlined
def least_move(half, begin, end):
    """The least lower bound of these moves."""
    least = np.int64(255)
    for place in range(begin, end):
        least = min(least, least_of(half.edges[place]))
    return least
