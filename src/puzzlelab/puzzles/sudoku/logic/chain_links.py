# mypy: allow-untyped-defs
"""The nodes and links that chains go along, and the search for what follows when a node is false.

A node is one candidate, or a group: the candidates of a digit where a box crosses a line, or in an almost locked set.
Two nodes are strongly linked where one of them is true for sure: in a unit that has a digit in these two only, in a
cell with two candidates, or in an almost locked set, which can lack one digit only. Two nodes are weakly linked where
at most one is true: all cells of the one see all of the other, or both are candidates of one cell.

A kind of chains has something that those before it have not: groups, or sets. What a search comes to is an entry: twice
the number of a node, plus 1 if the chain to it has what its kind is to have.

Shapes: N = most nodes, A = most sets. Cells are sets as in `cellsets`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import inlined, outlined
from puzzlelab.puzzles.sudoku.logic.almost_locked import SETS, AlmostLocked, collect, new_almost_locked
from puzzlelab.puzzles.sudoku.logic.cellsets import (
    BANDS,
    empty,
    include,
    is_within,
    peer_sets,
    set_homes_of_digits,
    set_view,
)
from puzzlelab.puzzles.sudoku.logic.position import BOXES, CELLS, DIGITS, UNITS

SINGLE_DIGIT, TWO_VALUES, PLAIN, GROUPED, WITH_SETS = range(5)
"""Kinds of chains: by the links of units only, by the cells with two candidates only, by both, with groups, and with
almost locked sets."""
NODES, LINKS, CROSSINGS = 2000, 4, 54
OFF, ON = 0, 1
NONE = -1


class Graph(NamedTuple):
    """The nodes and links of a position, and where a search has come."""

    peers: NDArray[np.int64]
    """[81, 3]."""
    at: NDArray[np.int64]
    """[9, 3]: the cells that may hold a digit."""
    sizes: NDArray[np.int64]
    """[10]: the nodes of each digit; the last is the number of all nodes."""
    of_digit: NDArray[np.int64]
    """[9, N]: the nodes of a digit."""
    digits: NDArray[np.int64]
    """[N]."""
    cells: NDArray[np.int64]
    """[N, 3]."""
    views: NDArray[np.int64]
    """[N, 3]: the cells that see all cells of a node."""
    alone: NDArray[np.int64]
    """[N]: the cell of a node of one candidate; -1 for a group."""
    singles: NDArray[np.int64]
    """[81, 9]: the node of a candidate, or -1."""
    groups: NDArray[np.int64]
    """[9, 54]: the group of a digit in a crossing: 3 * line + place, rows before columns; or -1."""
    strong: NDArray[np.int64]
    """[N, 4]: the nodes that are true where this one is false; -1 after the last."""
    sets: AlmostLocked
    """The sets of a position, without their links."""
    of_set: NDArray[np.int64]
    """[A, 9]: the nodes of a set by digit, or -1."""
    latest: NDArray[np.int64]
    """[N]: the last place in `of_set` that holds a node, 9 * set + digit; or -1."""
    earlier: NDArray[np.int64]
    """[A, 9]: the place before that holds the same node, or -1."""
    before: NDArray[np.int64]
    """[2, 2N]: the entry from which a search came to this one being false, or true; -1 where it did not."""
    queue: NDArray[np.int64]
    """[2, 2N]: the entries that are false, or true, in the order in which a search came to them."""
    ends: NDArray[np.int64]
    """[2]: how many these are."""


def new_graph() -> Graph:
    """Return a graph without nodes."""
    return Graph(
        peers=peer_sets(),
        at=np.zeros((DIGITS, BANDS), np.int64),
        sizes=np.zeros(DIGITS + 1, np.int64),
        of_digit=np.zeros((DIGITS, NODES), np.int64),
        digits=np.zeros(NODES, np.int64),
        cells=np.zeros((NODES, BANDS), np.int64),
        views=np.zeros((NODES, BANDS), np.int64),
        alone=np.zeros(NODES, np.int64),
        singles=np.zeros((CELLS, DIGITS), np.int64),
        groups=np.zeros((DIGITS, CROSSINGS), np.int64),
        strong=np.zeros((NODES, LINKS), np.int64),
        sets=new_almost_locked(),
        of_set=np.zeros((SETS, DIGITS), np.int64),
        latest=np.zeros(NODES, np.int64),
        earlier=np.zeros((SETS, DIGITS), np.int64),
        before=np.zeros((2, 2 * NODES), np.int64),
        queue=np.zeros((2, 2 * NODES), np.int64),
        ends=np.zeros(2, np.int64),
    )


@outlined
def add_node(graph, digit):
    """Add a node whose set of cells has been written behind those of the others; returns its number."""
    number = graph.sizes[DIGITS]
    set_view(graph.peers, graph.cells[number], graph.views[number])
    graph.digits[number] = digit
    graph.alone[number] = graph.latest[number] = NONE
    graph.of_digit[digit, graph.sizes[digit]] = number
    for i in range(LINKS):
        graph.strong[number, i] = NONE
    graph.sizes[digit] += 1
    graph.sizes[DIGITS] += 1
    return number


@outlined
def add_singles(graph, position):
    """Add a node for each candidate."""
    for cell in range(CELLS):
        for digit in range(DIGITS):
            graph.singles[cell, digit] = NONE
            if (position.candidates[cell] >> digit) & 1:
                cells = graph.cells[graph.sizes[DIGITS]]
                empty(cells)
                include(cells, cell)
                number = add_node(graph, digit)
                graph.alone[number] = cell
                graph.singles[cell, digit] = number


@outlined
def add_groups(graph, position):
    """Add a node for each crossing where a digit has two or three places."""
    for digit in range(DIGITS):
        for crossing in range(CROSSINGS):
            line, part = crossing // 3, crossing % 3
            places = (position.places[digit, line] >> (3 * part)) & 7
            graph.groups[digit, crossing] = NONE
            if position.counts[places] > 1:
                cells = graph.cells[graph.sizes[DIGITS]]
                empty(cells)
                for i in range(3):
                    if (places >> i) & 1:
                        include(cells, position.units[line, 3 * part + i])
                graph.groups[digit, crossing] = add_node(graph, digit)


@outlined
def node_with(graph, digit, cells):
    """Return the node of a digit in some cells, which is added if it is new; those of one cell are there."""
    for i in range(graph.sizes[digit]):
        number = graph.of_digit[digit, i]
        if is_within(graph.cells[number], cells) and is_within(cells, graph.cells[number]):
            return number
    for band in range(BANDS):
        graph.cells[graph.sizes[DIGITS], band] = cells[band]
    return add_node(graph, digit)


@outlined
def add_set_nodes(graph, position):
    """Add the nodes of the almost locked sets of more than one cell, as far as there is room."""
    sets = graph.sets
    collect(sets, position)
    for number in range(sets.total[0]):
        is_cell = position.counts[sets.digits[number]] == 2
        for digit in range(DIGITS):
            graph.of_set[number, digit] = NONE
            if (sets.digits[number] >> digit) & 1 and not is_cell and graph.sizes[DIGITS] < NODES - 1:
                node = node_with(graph, digit, sets.places[number, digit])
                graph.of_set[number, digit] = node
                graph.earlier[number, digit] = graph.latest[node]
                graph.latest[node] = DIGITS * number + digit


@outlined
def set_of_link(graph, one, other):
    """Return an almost locked set that links two nodes strongly, or -1 if a unit or a cell does."""
    for i in range(LINKS):
        if graph.strong[one, i] == other:
            return NONE
    place = graph.latest[one]
    while graph.of_set[place // DIGITS, graph.digits[other]] != other:
        place = graph.earlier[place // DIGITS, place % DIGITS]
    return place // DIGITS


@inlined
def part_of(unit, part):
    """Return (crossing, its places in the unit) of the three parts of a line, or the six of a box."""
    if unit < BOXES:
        return 3 * unit + part, 7 << (3 * part)
    box = unit - BOXES
    if part < 3:
        return 3 * (box // 3 * 3 + part) + box % 3, 7 << (3 * part)
    return 3 * (9 + box % 3 * 3 + part - 3) + box // 3, 0o111 << (part - 3)


@outlined
def node_of(graph, position, digit, unit, places):
    """Return the node that is these places of a digit in a unit, or -1."""
    if places and places & (places - 1) == 0:
        return graph.singles[position.units[unit, position.lowest[places]], digit]
    all_places = np.int64(position.places[digit, unit])
    for part in range(6 if unit >= BOXES else 3):
        crossing, own = part_of(unit, part)
        if places and places == all_places & own:
            return graph.groups[digit, crossing]
    return NONE


@outlined
def link_strongly(graph, one, other):
    """Add a strong link from a node to another one, once."""
    i = 0
    while graph.strong[one, i] not in (NONE, other):
        i += 1
    graph.strong[one, i] = other


@outlined
def link_units(graph, position):
    """Link two nodes where a digit has no other place in a unit."""
    for digit in range(DIGITS):
        for unit in range(UNITS):
            all_places = np.int64(position.places[digit, unit])
            for i in range(9 + (6 if unit >= BOXES else 3)):
                places = all_places & (1 << i if i < 9 else part_of(unit, i - 9)[1])
                if i < 9 or position.counts[places] > 1:
                    one = node_of(graph, position, digit, unit, places)
                    other = node_of(graph, position, digit, unit, all_places ^ places) if one != NONE else NONE
                    if other != NONE:
                        link_strongly(graph, one, other)


@outlined
def link_cells(graph, position):
    """Link the two candidates of a cell."""
    for cell in range(CELLS):
        digits = position.candidates[cell]
        if position.counts[digits] == 2:
            one, other = position.lowest[digits], position.lowest[digits & (digits - 1)]
            link_strongly(graph, graph.singles[cell, one], graph.singles[cell, other])
            link_strongly(graph, graph.singles[cell, other], graph.singles[cell, one])


@outlined
def build(graph, position, kind):
    """Make the nodes and strong links of a position for a kind of chains."""
    for i in range(DIGITS + 1):
        graph.sizes[i] = 0
    set_homes_of_digits(position, graph.at)
    add_singles(graph, position)
    for digit in range(DIGITS):
        for crossing in range(CROSSINGS):
            graph.groups[digit, crossing] = NONE
    if kind >= GROUPED:
        add_groups(graph, position)
    if kind == WITH_SETS:
        add_set_nodes(graph, position)
    if kind != TWO_VALUES:
        link_units(graph, position)
    if kind != SINGLE_DIGIT:
        link_cells(graph, position)


@inlined
def are_linked_weakly(graph, one, other):
    """Tell whether at most one of two nodes is true."""
    if graph.digits[one] == graph.digits[other]:
        return is_within(graph.cells[other], graph.views[one])
    return graph.alone[one] != NONE and graph.alone[one] == graph.alone[other]


@outlined
def come_to(graph, state, node, origin, has_all):
    """Note that a search comes from an entry to a node being false or true, if it has not been there."""
    entry = 2 * node + ((origin & 1) | has_all)
    if graph.before[state, entry] == NONE:
        graph.before[state, entry] = origin
        graph.queue[state, graph.ends[state]] = entry
        graph.ends[state] += 1


@inlined
def is_wanted(graph, node, kind):
    """Tell whether a node makes a chain one of its kind."""
    return kind < GROUPED or (kind == GROUPED and graph.alone[node] == NONE)


@inlined
def follow_strong(graph, first, kind):
    """Come from the false nodes, from the one numbered `first` in their order on, to those that are then true."""
    for i in range(first, graph.ends[OFF]):
        entry = graph.queue[OFF, i]
        node = entry // 2
        for j in range(LINKS):
            other = graph.strong[node, j]
            if other == NONE:
                break
            come_to(graph, ON, other, entry, is_wanted(graph, other, kind))
        place = graph.latest[node]
        while place != NONE:
            for digit in range(DIGITS):
                other = graph.of_set[place // DIGITS, digit]
                if other not in (NONE, node):
                    come_to(graph, ON, other, entry, True)
            place = graph.earlier[place // DIGITS, place % DIGITS]


@inlined
def follow_weak(graph, first, kind):
    """Come from the true nodes, from the one numbered `first` in their order on, to those that are then false."""
    for i in range(first, graph.ends[ON]):
        entry = graph.queue[ON, i]
        node = entry // 2
        digit = graph.digits[node]
        for j in range(graph.sizes[digit]):
            other = graph.of_digit[digit, j]
            if is_within(graph.cells[other], graph.views[node]):
                come_to(graph, OFF, other, entry, is_wanted(graph, other, kind))
        if kind >= PLAIN and graph.alone[node] != NONE:
            for digit in range(DIGITS):
                other = graph.singles[graph.alone[node], digit]
                if other not in (NONE, node):
                    come_to(graph, OFF, other, entry, is_wanted(graph, other, kind))


@outlined
def reach(graph, start, length, kind):
    """Suppose that a node is false, and come to all that then is true by a chain of at most `length` strong links.

    Returns the number, in the order of the true entries, of the first that needs this length.
    """
    for state in range(2):
        graph.ends[state] = 0
        for entry in range(2 * graph.sizes[DIGITS]):
            graph.before[state, entry] = NONE
    origin = 2 * start + is_wanted(graph, start, kind)
    come_to(graph, OFF, start, origin, False)
    first_false = first_true = 0
    for i in range(length):
        first_true, later_false = graph.ends[ON], graph.ends[OFF]
        follow_strong(graph, first_false, kind)
        first_false = later_false
        if i + 1 < length:
            follow_weak(graph, first_true, kind)
    return first_true
