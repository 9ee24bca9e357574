# mypy: allow-untyped-defs
"""Cycles and forcing chains of single candidates: what one assumption leads to, by links alone.

From a candidate that is on, a breadth-first search follows a weak link to a candidate that is off, a strong link to one
that is on, and so on. If the first candidate turns out to be off, it is off; if one that is off turns out to be on, it
is on. If it comes back to itself, all links of the cycle hold in both directions: of its assertions either those that
say `on` are true, or those that say `off` are false, and other candidates that see one of each are off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.logic import Node
from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.forcing_links import (
    ALL_LINKS,
    ONE_DIGIT,
    PAIRS,
    Links,
    begin_chain,
    cell_bit,
    excludes,
    find_links,
    length_surcharge,
    new_links,
    rank,
)
from puzzlelab.puzzles.sudoku.logic.position import CANDIDATES, CELLS, DIGITS, has
from puzzlelab.puzzles.sudoku.logic.steps import (
    LINK,
    NODE,
    PLACED,
    REMOVED,
    Evidence,
    Sentence,
    cell_text,
    digit_text,
    end_step,
    find,
    mark,
    removed_text,
    surcharge,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

X_CYCLE, Y_CYCLE, XY_CYCLE = Technique.X_CYCLE, Technique.Y_CYCLE, Technique.XY_CYCLE
FORCING_X_CHAIN, FORCING_CHAIN = Technique.FORCING_X_CHAIN, Technique.FORCING_CHAIN
NONE = np.int64(1 << 40)
"""The rank of no chain."""


class ForcingChains(NamedTuple):
    """The family, with room for one search; the shortest chain of all is found first."""

    links: Links
    stamp: NDArray[np.int64]
    """[1]: the number of the search."""
    seen: NDArray[np.int64]
    """[729]: the last search in which a candidate was on."""
    passed: NDArray[np.int64]
    """[729]: the last search in which a candidate was off."""
    closes: NDArray[np.int64]
    """[729]: the last search in which the source followed from that."""
    depth: NDArray[np.int64]
    """[729]: how many links from the assumption to it."""
    origin: NDArray[np.int64]
    """[729, 2]: the candidate that is off before it, and the one that is on before that, or -1."""
    queue: NDArray[np.int64]
    """[729]."""
    best: NDArray[np.int64]
    """[3]: the rank, the technique and the assertions of the best chain."""
    path: NDArray[np.int64]
    """[1458]: its assertions."""
    trial: NDArray[np.int64]
    """[1458]: those of a cycle that may remove nothing."""
    sight: NDArray[np.uint64]
    """[9, 2, 2]: by digit, the cells that see a candidate of the cycle that is off, and on."""


def families() -> Sequence[ForcingChains]:
    """Return the records of the searches of this family."""
    return [forcing_chains()]


def forcing_chains() -> ForcingChains:
    """Make room for the search of cycles and forcing chains."""
    return ForcingChains(
        links=new_links(),
        stamp=np.zeros(1, np.int64),
        seen=np.zeros(CANDIDATES, np.int64),
        passed=np.zeros(CANDIDATES, np.int64),
        closes=np.zeros(CANDIDATES, np.int64),
        depth=np.zeros(CANDIDATES, np.int64),
        origin=np.zeros((CANDIDATES, 2), np.int64),
        queue=np.zeros(CANDIDATES, np.int64),
        best=np.zeros(3, np.int64),
        path=np.zeros(2 * CANDIDATES, np.int64),
        trial=np.zeros(2 * CANDIDATES, np.int64),
        sight=np.zeros((DIGITS, 2, 2), np.uint64),
    )


@inlined
def strong_of(links, candidate, kind):
    """Return where the strong links of a kind begin and end."""
    first = links.strong_counts[candidate, 0] if kind == PAIRS else 0
    end = links.strong_counts[candidate, 0 if kind == ONE_DIGIT else 1]
    return first, end


@inlined
def write_path(chains, path, last, between):
    """Write the assertions that end with candidate `last` on, and `between` off if it is not -1; returns how many."""
    size = chains.depth[last] + 1
    if between >= 0:
        path[size] = 2 * between
    at, candidate = size - 1, last
    while at >= 0:
        path[at] = 2 * candidate + 1
        if at > 0:
            path[at - 1] = 2 * chains.origin[candidate, 0]
        candidate = chains.origin[candidate, 1]
        at -= 2
    return size + (between >= 0)


@inlined
def find_sight(chains, path, size):
    """Find the cells that see a candidate of a cycle, outside its own cells."""
    chains.sight[:] = 0
    for i in range(size):
        cell, digit, is_on = path[i] // 18, path[i] // 2 % 9, path[i] % 2
        for word in range(2):
            chains.sight[digit, is_on, word] |= chains.links.peers[cell, word]
    for i in range(size):
        cell = path[i] // 18
        for digit in range(DIGITS):
            chains.sight[digit, 0, cell // 64] &= ~cell_bit(cell)


@inlined
def removed_by_cycle(chains, digit, word):
    """Return the cells of one word from which a cycle removes a digit."""
    return chains.sight[digit, 0, word] & chains.sight[digit, 1, word] & chains.links.present[digit, word]


@inlined
def is_useful(chains, path, size):
    """Tell whether a cycle removes anything, and passes no candidate twice."""
    for i in range(size - 1):
        if path[i] == path[size - 1]:
            return False
    find_sight(chains, path, size)
    removed = np.uint64(0)
    for digit in range(DIGITS):
        for word in range(2):
            removed |= removed_by_cycle(chains, digit, word)
    return removed != 0


@inlined
def keep_path(chains, value, technique, size):
    """Keep a path of this rank as the best chain."""
    chains.best[0] = value
    chains.best[1] = technique
    chains.best[2] = size
    for i in range(size):
        chains.path[i] = chains.trial[i]


@inlined
def offer_chain(chains, source, is_on, kind, last, between):
    """Keep the chain from a source to its contrary, if it is the best: at its end `last` is on, then `between` off."""
    length = chains.depth[last] + 1 - is_on
    value = rank(66 if kind == ONE_DIGIT else 70, length)
    if value < chains.best[0]:
        size = write_path(chains, chains.trial, last, between)
        chains.trial[size] = 2 * source + 1 - is_on
        keep_path(chains, value, FORCING_X_CHAIN if kind == ONE_DIGIT else FORCING_CHAIN, size + 1)


@inlined
def offer_cycle(chains, kind, last, between):
    """Keep the cycle that ends with `last` on and `between` off, if it is the best and removes something."""
    length = chains.depth[last]
    value = rank(70 if kind == ALL_LINKS else 65, length)
    if length >= 2 and value < chains.best[0]:
        size = write_path(chains, chains.trial, last, between)
        if is_useful(chains, chains.trial, size):
            technique = X_CYCLE if kind == ONE_DIGIT else Y_CYCLE if kind == PAIRS else XY_CYCLE
            keep_path(chains, value, technique, size)


@inlined
def reach(chains, candidate, between, before, tail):
    """Add a candidate that is on to the queue, unless it is there; returns the new end."""
    if chains.seen[candidate] == chains.stamp[0]:
        return tail
    chains.seen[candidate] = chains.stamp[0]
    chains.origin[candidate, 0] = between
    chains.origin[candidate, 1] = before
    chains.depth[candidate] = chains.depth[before] + 2 if before >= 0 else 1 if between >= 0 else 0
    chains.queue[tail] = candidate
    return tail + 1


@inlined
def begin_search(chains, source, is_on, kind):
    """Put what follows at once from the source into the queue; returns how many these are."""
    chains.stamp[0] += 1
    if is_on:
        return reach(chains, source, -1, -1, 0)
    tail = 0
    first, end = strong_of(chains.links, source, kind)
    for i in range(first, end):
        tail = reach(chains, chains.links.strong[source, i], source, -1, tail)
    return tail


@inlined
def follow(chains, source, is_on, kind, candidate, tail):
    """Follow a weak and a strong link from a candidate that is on; returns the new end of the queue."""
    links = chains.links
    for i in range(links.weak_counts[candidate, 0 if kind == ONE_DIGIT else 1]):
        between = links.weak[candidate, i]
        if chains.passed[between] != chains.stamp[0]:
            chains.passed[between] = chains.stamp[0]
            first, end = strong_of(links, between, kind)
            for j in range(first, end):
                following = links.strong[between, j]
                if following != source:
                    tail = reach(chains, following, between, candidate, tail)
                else:
                    chains.closes[between] = chains.stamp[0]
        if chains.closes[between] == chains.stamp[0]:
            if is_on:
                offer_cycle(chains, kind, candidate, between)
            else:
                offer_chain(chains, source, 0, kind, candidate, between)
    return tail


@inlined
def search(chains, position, source, is_on, kind):
    """Search the chains and cycles from one assumption, as long as they may be better than the best one."""
    tail, head = begin_search(chains, source, is_on, kind), 0
    lowest = 70 if kind == ALL_LINKS else 65 if is_on else 66
    while head < tail:
        candidate = chains.queue[head]
        head += 1
        if rank(lowest, chains.depth[candidate] + 1 - is_on) >= chains.best[0]:
            return
        may_end = is_on and (kind == ALL_LINKS or (kind == ONE_DIGIT and candidate % 9 == source % 9))
        if may_end and excludes(position, candidate, source):
            offer_chain(chains, source, 1, kind, candidate, -1)
        tail = follow(chains, source, is_on, kind, candidate, tail)


@inlined
def mark_path(chains, found):
    """Mark the assertions of the best chain and the links between them."""
    size = chains.best[2]
    for i in range(size):
        mark(found, NODE, chains.path[i] & 1, i, chains.path[i] >> 1)
        if i > 0:
            mark(found, LINK, chains.path[i] & 1, i - 1, i)


@inlined
def mark_cycle(chains, found):
    """Mark the link that closes the best cycle, and what the cycle removes."""
    size = chains.best[2]
    mark(found, LINK, 1, size - 1, 0)
    find_sight(chains, chains.path, size)
    for digit in range(DIGITS):
        for cell in range(CELLS):
            if removed_by_cycle(chains, digit, cell // 64) & cell_bit(cell):
                mark(found, REMOVED, 0, 9 * cell + digit, 0)


@inlined
def write_best(chains, found):
    """Write the step of the best chain; returns whether the search is to stop."""
    if chains.best[0] == NONE:
        return False
    begin_chain(found, chains.best[1], chains.best[0] & 0xFFFF)
    mark_path(chains, found)
    last = chains.path[chains.best[2] - 1]
    if last >> 1 != chains.path[0] >> 1:
        mark_cycle(chains, found)
    else:
        mark(found, PLACED if last & 1 else REMOVED, 0, last >> 1, 0)
    return end_step(found)


@implements(surcharge, ForcingChains)
def surcharge_of_chain(family, found):
    """Return what the length adds."""
    return length_surcharge(found)


@implements(find, ForcingChains)
def find_chains(family, position, found):
    """Find the chains and cycles of one digit, then of cells of two candidates, then of all links.

    With a limit of one it is the one with the lowest rating of all, otherwise that of each assumption.
    """
    find_links(family.links, position)
    family.best[0] = NONE
    for kind in range(3):
        for source in range(CANDIDATES):
            if has(position, source // 9, source % 9):
                for is_on in range(1, -1 if kind != PAIRS else 0, -1):
                    search(family, position, source, is_on, kind)
                    if found.limit > 1:
                        if write_best(family, found):
                            return
                        family.best[0] = NONE
    write_best(family, found)


LISTED = 12
"""The most assertions of a chain that a sentence lists."""


def assertion_text(node: Node) -> str:
    """Return an assertion such as `r1c2=5` or `r1c2<>5`."""
    (candidate,) = node.candidates
    return f"{cell_text(candidate // 9)}{'=' if node.is_on else '<>'}{digit_text(candidate)}"


def chain_text(nodes: Sequence[Node]) -> str:
    """Return the assertions of a short chain, or the first and the last ones and how many are between."""
    texts = [assertion_text(node) for node in nodes]
    if len(texts) > LISTED:
        texts[3:-3] = [f"({len(texts) - 6} more)"]
    return " -> ".join(texts)


def forcing_chain(step: Evidence) -> str:
    """Explain a forcing chain."""
    first, last = step.nodes[0], step.nodes[-1]
    return (
        f"If {assertion_text(first)}, it follows that {assertion_text(last)}: {chain_text(step.nodes)}. "
        f"The assumption contradicts itself, so {assertion_text(last)}"
    )


def cycle(step: Evidence) -> str:
    """Explain a cycle."""
    return (
        f"The cycle {chain_text([*step.nodes, step.nodes[0]])} can be followed in both directions: of each two "
        f"neighbours, one is in the solution. What sees one of each kind is not: {removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {
    X_CYCLE: cycle,
    Y_CYCLE: cycle,
    XY_CYCLE: cycle,
    FORCING_X_CHAIN: forcing_chain,
    FORCING_CHAIN: forcing_chain,
}
