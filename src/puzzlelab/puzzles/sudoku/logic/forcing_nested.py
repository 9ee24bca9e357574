# mypy: allow-untyped-defs
"""Forcing nets with chains and nets inside: a step on the way may be a forcing chain or a net of its own.

It is found in the position that a closure has come to. It rests on the assertions by which candidates are off that its
strong links, and the cell or unit of its branches, need to be off; its length counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from puzzlelab.engine.kernels import compiled, implements, inlined
from puzzlelab.puzzles.sudoku.logic.forcing import ForcingChains, find_sight, forcing_chains, removed_by_cycle
from puzzlelab.puzzles.sudoku.logic.forcing_closure import (
    ABSENT,
    COUNT,
    FIRST,
    MULTIPLE,
    PATTERNS,
    SECOND,
    add_step,
    close,
    deduce,
    fill_closure,
    gather,
    remove_by_step,
    unit_zone,
)
from puzzlelab.puzzles.sudoku.logic.forcing_links import cell_bit
from puzzlelab.puzzles.sudoku.logic.forcing_nets import (
    CELL_NET,
    CONTRADICTION,
    DOUBLE,
    NONE,
    Nets,
    branch,
    find_shortest,
    net,
    nets,
    nets_of,
    nets_with,
)
from puzzlelab.puzzles.sudoku.logic.forcing_patterns import Patterns, new_patterns, search
from puzzlelab.puzzles.sudoku.logic.position import CELLS, DIGITS, has
from puzzlelab.puzzles.sudoku.logic.steps import Evidence, Found, Sentence, new_found
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

NESTED_CHAINS, NESTED_MULTIPLE, NESTED_DYNAMIC, NESTED_PATTERNS = range(PATTERNS + 1, PATTERNS + 5)
"""The levels of nets by what is inside: chains, and nets of the levels MULTIPLE, DYNAMIC and PATTERNS."""


class Nested(NamedTuple):
    """The searches for steps on the way."""

    patterns: Patterns
    chains: ForcingChains
    has_nets: bool
    """Whether nets are looked for where there is no chain."""
    nets: Nets
    found: Found


def nested_nets(level: int) -> Nets:
    """Make room for the search of nets of a level above PATTERNS."""
    has_nets = level > NESTED_CHAINS
    inner = nets(level - NESTED_MULTIPLE + MULTIPLE if has_nets else MULTIPLE)
    return nets_with(level, Nested(new_patterns(), forcing_chains(), has_nets, inner, new_found(1)))


def families() -> Sequence[Nets]:
    """Return the records of the searches of this family."""
    return [nested_nets(level) for level in range(NESTED_CHAINS, NESTED_PATTERNS + 1)]


@inlined
def link_zone(state, one, other):
    """Return the zone in which two candidates are the only ones."""
    cell, digit = one // 9, one % 9
    if cell == other // 9:
        return cell
    zone = np.int64(0)
    for kind in range(2, -1, -1):
        unit = state.homes[cell, kind]
        if unit == state.homes[other // 9, kind] and state.counts[state.places[digit, unit]] == 2:
            zone = unit_zone(digit, unit)
    return zone


@inlined
def add_chain(closure, position, chains):
    """Add the best chain as a step, with what it removes; returns whether there is no contradiction."""
    path, size = chains.path, chains.best[2]
    for i in range(size):
        last, before = path[i], path[i - 1 if i else size - 1]
        if last & 1 and not before & 1 and last >> 1 != before >> 1:
            closure.zones[link_zone(closure.state, last >> 1, before >> 1)] = 1
    add_step(closure, position, (chains.best[0] & 0xFFFF) + 2)
    if path[size - 1] >> 1 == path[0] >> 1:
        return conclude(closure, path[size - 1])
    find_sight(chains, path, size)
    for digit in range(DIGITS):
        for cell in range(CELLS):
            is_removed = removed_by_cycle(chains, digit, cell // 64) & cell_bit(cell)
            if is_removed and not remove_by_step(closure, 9 * cell + digit):
                return False
    return True


@inlined
def conclude(closure, assertion):
    """Add what is off because the last step proves an assertion; returns whether there is no contradiction."""
    cell, digit = assertion // 18, assertion // 2 % 9
    if not assertion & 1:
        return remove_by_step(closure, assertion >> 1)
    for other in range(DIGITS):
        if other != digit and has(closure.state, cell, other) and not remove_by_step(closure, 9 * cell + other):
            return False
    return True


@inlined
def set_zones_behind(closure, inner, assertion):
    """Set the zones that an assertion of an inner closure rests on."""
    last = inner.numbers[assertion]
    for number in range(last + 1):
        gather(inner, number)
    for number in range(last + 1):
        if inner.behind[last, number // 64] >> np.uint64(number % 64) & np.uint64(1):
            for i in range(inner.starts[number], inner.starts[number + 1]):
                if inner.parents[i] < 0:
                    closure.zones[-1 - np.int64(inner.parents[i])] = 1


@inlined
def set_zones_of_branch(closure, inner, start, conclusion):
    """Set the zones of one branch of an inner net; without a conclusion, those of its contradiction."""
    own = inner.closure
    close(inner.deductions, own, closure.state, start, inner.level)
    if conclusion != ABSENT:
        set_zones_behind(closure, own, conclusion)
    else:
        set_zones_behind(closure, own, own.order[own.sizes[FIRST]])
        set_zones_behind(closure, own, own.order[own.sizes[SECOND]])


@inlined
def add_net(closure, position, inner):
    """Add the best inner net as a step, with what it removes; returns whether there is no contradiction."""
    kind, start, conclusion = inner.best[1], inner.best[2], inner.best[3]
    if kind == CONTRADICTION:
        set_zones_of_branch(closure, inner, start, ABSENT)
    elif kind == DOUBLE:
        for assumption in (start, start ^ 1):
            set_zones_of_branch(closure, inner, assumption, conclusion)
    else:
        closure.zones[start if kind == CELL_NET else unit_zone(start // 32, start % 32)] = 1
        for i in range(9):
            candidate = branch(closure.state, kind, start, i)
            if candidate != ABSENT:
                set_zones_of_branch(closure, inner, 2 * candidate + 1, conclusion)
    add_step(closure, position, inner.best[0])
    return conclude(closure, conclusion)


@implements(deduce, Nested)
def deduce_nested(deductions, closure, position):
    """Add what patterns remove, or else the shortest chain, or else the shortest inner net."""
    count = closure.sizes[COUNT]
    if not deduce(deductions.patterns, closure, position):
        return False
    if closure.sizes[COUNT] > count:
        return True
    search(deductions.chains, closure.state, deductions.found)
    if deductions.found.used[0]:
        return add_chain(closure, position, deductions.chains)
    if deductions.has_nets:
        find_shortest(deductions.nets, closure.state)
        if deductions.nets.best[0] != NONE:
            return add_net(closure, position, deductions.nets)
    return True


@compiled
def close_with_nets(deductions, closure, position, assumption, level):
    """Find all that follows from an assumption, with chains and nets on the way."""
    fill_closure(deductions, closure, position, assumption, level)


@implements(close, Nested)
def close_by_nets(deductions, closure, position, assumption, level):
    """Call the kernel."""
    close_with_nets(deductions, closure, position, assumption, level)


def with_chains(step: Evidence) -> str:
    """Explain a net with chains on the way."""
    return f"With forcing chains on the way, which hold where the assumptions lead: {net(step)}"


SENTENCES: Mapping[Technique, Sentence] = dict.fromkeys(nets_of(NESTED_CHAINS), with_chains)
