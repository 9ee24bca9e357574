# mypy: allow-untyped-defs
"""Alternating inference chains: X-chains, XY-chains, AICs of types 1 and 2 and nice loops, also with groups and sets.

All are one thing: if the first node is false, then each second one of the chain is true. So the first or the last node
is true, and what both see is removed. Where they see each other the chain is a continuous loop, in which of each two
neighbours one is true; where the last node is the first one, it is true.

Cells have as role the number of the almost locked set on the chain, from 0, to which they belong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.logic import Node
from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import implements, inlined, outlined
from puzzlelab.puzzles.sudoku.logic.cellsets import (
    contains,
    include,
    meet,
    set_common_view,
)
from puzzlelab.puzzles.sudoku.logic.chain_links import (
    GROUPED,
    NODES,
    NONE,
    OFF,
    ON,
    PLAIN,
    SINGLE_DIGIT,
    WITH_SETS,
    Graph,
    are_linked_weakly,
    build,
    new_graph,
    reach,
    set_of_link,
)
from puzzlelab.puzzles.sudoku.logic.position import CELLS, DIGITS
from puzzlelab.puzzles.sudoku.logic.removals import (
    Removals,
    are_new,
    begin_removals,
    count_removals,
    forget_removals,
    keep_first,
    mark_removals,
    new_removals,
)
from puzzlelab.puzzles.sudoku.logic.steps import (
    CELL,
    LINK,
    NODE,
    Evidence,
    Sentence,
    begin_step,
    cell_text,
    cells_text,
    digit_text,
    end_step,
    find,
    is_full,
    mark,
    removed_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

X_CHAIN, XY_CHAIN, AIC = Technique.X_CHAIN, Technique.XY_CHAIN, Technique.AIC
CONTINUOUS, DISCONTINUOUS = Technique.CONTINUOUS_NICE_LOOP, Technique.DISCONTINUOUS_NICE_LOOP
TO_GROUPED = Technique.GROUPED_AIC - AIC
MOST_ROLES = 15


class Chains(NamedTuple):
    """One kind of chains, the shortest first; what removes the same as one before is left out."""

    kind: int
    graph: Graph
    path: NDArray[np.int64]
    """[4N]: the nodes of a chain, the first one false, the next one true and so on."""
    removals: Removals
    longest: int = NODES
    """The most strong links of a chain."""
    is_strict: int = 0
    """1 where a chain comes to each cell once, and removes one candidate only if it ends in a group and is no loop."""


def families() -> Sequence[Chains]:
    """Return the records of the searches of this family."""
    room = new_graph(), np.zeros(4 * NODES, np.int64), new_removals()
    return [Chains(kind, *room) for kind in range(WITH_SETS + 1)]


@outlined
def trace(graph, path, end):
    """Write the chain to an entry that is true into `path`; returns how many nodes it has."""
    count, entry, state = 0, end, ON
    while True:
        path[count] = entry // 2
        count += 1
        if state == OFF and graph.before[OFF, entry] == entry:
            break
        entry, state = graph.before[state, entry], 1 - state
    for i in range(count // 2):
        path[i], path[count - 1 - i] = path[count - 1 - i], path[i]
    return count


@inlined
def remove_others(family, position, cell, one, other):
    """Remove all digits from a cell but two, which may be the same."""
    for digit in range(DIGITS):
        if digit not in (one, other) and (position.candidates[cell] >> digit) & 1:
            include(family.removals.cells[digit], cell)


@outlined
def remove_seen(family, position, one, other):
    """Remove what both of two nodes see, of which one is true."""
    graph = family.graph
    digit, last = graph.digits[one], graph.digits[other]
    cell, final = graph.alone[one], graph.alone[other]
    if digit == last:
        set_common_view(graph.views[one], graph.views[other], graph.at[digit], family.removals.cells[digit])
    elif cell != NONE and cell == final:
        remove_others(family, position, cell, digit, last)
    else:
        if final != NONE and contains(graph.views[one], final) and contains(graph.at[digit], final):
            include(family.removals.cells[digit], final)
        if cell != NONE and contains(graph.views[other], cell) and contains(graph.at[last], cell):
            include(family.removals.cells[last], cell)


@outlined
def remove_by_loop(family, position, count):
    """Remove what both nodes of a weak link see, for all weak links of a loop."""
    for i in range(1, count, 2):
        remove_seen(family, position, family.path[i], family.path[(i + 1) % count])


@outlined
def technique_of(family, count, removed):
    """Return which technique a chain of `count` nodes is that removes so many candidates."""
    graph, first, last = family.graph, family.path[0], family.path[count - 1]
    if family.kind < PLAIN:
        return X_CHAIN if family.kind == SINGLE_DIGIT else XY_CHAIN
    technique = np.int64(AIC)
    if first != last and are_linked_weakly(graph, last, first):
        technique = np.int64(CONTINUOUS)
    elif first == last or removed == 1:
        technique = np.int64(DISCONTINUOUS)
    return technique + TO_GROUPED * (family.kind >= GROUPED)


@outlined
def turns_back(family, count):
    """Tell whether a chain comes to a node twice, or is strict and comes back to a cell; its ends may be the same."""
    path, cells, returns = family.path, family.graph.cells, 0
    for i in range(count):
        for j in range(i + 1, count):
            is_back = family.is_strict and j > i + 1 and meet(cells[path[i]], cells[path[j]])
            returns += (is_back or path[i] == path[j]) and j - i < count - 1
    return returns > 0


@outlined
def mark_chain(family, found, count):
    """Write the nodes, links and removed candidates of a chain into a step."""
    graph = family.graph
    is_loop = are_linked_weakly(graph, family.path[count - 1], family.path[0])
    for i in range(count):
        node = family.path[i]
        for cell in range(CELLS):
            if contains(graph.cells[node], cell):
                mark(found, NODE, i % 2, i, 9 * cell + graph.digits[node])
        if i + 1 < count or is_loop:
            mark(found, LINK, 1 - i % 2, i, (i + 1) % count)
    number = 0
    for i in range(0, count, 2):
        link = set_of_link(graph, family.path[i], family.path[i + 1])
        if link != NONE:
            for cell in range(CELLS):
                if contains(graph.sets.cells[link], cell):
                    mark(found, CELL, min(number, MOST_ROLES), cell, 0)
            number += 1
    mark_removals(family.removals, found)


@outlined
def report(family, position, found, start, entry):
    """Write the chain from a node to an entry as a step, if it removes something new; returns whether to stop."""
    graph, end = family.graph, entry // 2
    count = trace(graph, family.path, entry)
    if turns_back(family, count):
        return False
    begin_removals(family.removals)
    if start == end:
        remove_others(family, position, graph.alone[start], graph.digits[start], graph.digits[start])
    elif family.kind >= PLAIN and are_linked_weakly(graph, end, start):
        remove_by_loop(family, position, count)
    else:
        remove_seen(family, position, start, end)
        if family.is_strict and NONE in (graph.alone[start], graph.alone[end]):
            keep_first(family.removals)
    if not are_new(family.removals):
        return False
    begin_step(found, technique_of(family, count, count_removals(family.removals, position)))
    mark_chain(family, found, count)
    return end_step(found)


@outlined
def is_an_end(family, start, end):
    """Tell whether a chain of this kind may go from one node to another."""
    graph = family.graph
    if start == end:
        return family.kind >= PLAIN and graph.alone[start] != NONE
    if graph.digits[start] == graph.digits[end] and meet(graph.cells[start], graph.cells[end]):
        return False
    return family.kind >= PLAIN or graph.digits[start] == graph.digits[end]


@implements(find, Chains)
def find_chains(family, position, found):
    """Find chains, the shortest first."""
    graph = family.graph
    build(graph, position, family.kind)
    forget_removals(family.removals)
    length, is_longer = 2, True
    while is_longer and length <= family.longest and not is_full(found):
        is_longer = False
        for start in range(graph.sizes[DIGITS]):
            first = reach(graph, start, length, family.kind)
            for i in range(first, graph.ends[ON]):
                is_longer = True
                entry = graph.queue[ON, i]
                is_complete = entry & 1 and is_an_end(family, start, entry // 2)
                if is_complete and report(family, position, found, start, entry):
                    return
        length += 1


def node_text(node: Node) -> str:
    """Say what a node claims, as in 'r1c2 is not 5' or 'one of r1c2 and r1c3 is 5'."""
    cells = [candidate // 9 for candidate in node.candidates]
    digit = digit_text(node.candidates[0])
    if len(cells) == 1:
        return f"{cell_text(cells[0])} is {digit}" if node.is_on else f"{cell_text(cells[0])} is not {digit}"
    return f"one of {cells_text(cells)} is {digit}" if node.is_on else f"none of {cells_text(cells)} is {digit}"


def chain_text(step: Evidence) -> str:
    """Say what follows if the first node is false, as in 'if r1c2 is not 5, then r1c7 is 5, so ...'."""
    first, *others = [node_text(node) for node in step.nodes]
    sets = [cells_text(step.by_role("cells", role)) for role in sorted({role for role, _ in step.cells})]
    lacking = f" (these cells together lack one of their digits at most: {'; '.join(sets)})" if sets else ""
    return f"if {first}, then {', so '.join(others)}{lacking}"


def chain(step: Evidence) -> str:
    """Explain a chain by its two ends."""
    ends = [node_text(node._replace(is_on=True)) for node in (step.nodes[0], step.nodes[-1])]
    return f"{joined(ends, ' or ')}: {chain_text(step)}; therefore {removed_text(step.removed)}"


def continuous_loop(step: Evidence) -> str:
    """Explain a loop."""
    return (
        f"a loop in which one of each two neighbours is true: {chain_text(step)}, and then "
        f"{node_text(step.nodes[0])} again; therefore {removed_text(step.removed)}"
    )


def discontinuous_loop(step: Evidence) -> str:
    """Explain a loop that proves its first node, or a chain that removes one candidate."""
    if step.nodes[0].candidates == step.nodes[-1].candidates:
        return f"{node_text(step.nodes[-1])}: {chain_text(step)}; therefore {removed_text(step.removed)}"
    return chain(step)


SENTENCES: Mapping[Technique, Sentence] = {
    X_CHAIN: chain,
    XY_CHAIN: chain,
    AIC: chain,
    CONTINUOUS: continuous_loop,
    DISCONTINUOUS: discontinuous_loop,
    Technique.GROUPED_AIC: chain,
    Technique.GROUPED_CONTINUOUS_NICE_LOOP: continuous_loop,
    Technique.GROUPED_DISCONTINUOUS_NICE_LOOP: discontinuous_loop,
}
