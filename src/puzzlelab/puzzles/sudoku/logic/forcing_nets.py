# mypy: allow-untyped-defs
"""Forcing chains with several branches: whatever is true of a cell or a unit, something follows.

All that follows from each candidate being on, and being off, is computed once for a position. Then an assumption that
contradicts itself is false; what follows from a candidate being on and from it being off is true; so is what follows
from each candidate of a cell, and from each place of a digit in a unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import GOLDEN, compiled, implements, inlined, population, scramble
from puzzlelab.puzzles.sudoku.logic.forcing import assertion_text
from puzzlelab.puzzles.sudoku.logic.forcing_closure import (
    ABSENT,
    ASSERTIONS,
    COUNT,
    DYNAMIC,
    FIRST,
    LATER_KIND,
    MULTIPLE,
    NISHIO_NETS,
    PATTERNS,
    SECOND,
    STEP,
    Closure,
    close,
    gather,
    new_closure,
)
from puzzlelab.puzzles.sudoku.logic.forcing_links import begin_chain, length_surcharge
from puzzlelab.puzzles.sudoku.logic.forcing_patterns import new_patterns
from puzzlelab.puzzles.sudoku.logic.position import CANDIDATES, CELLS, DIGITS, has
from puzzlelab.puzzles.sudoku.logic.steps import (
    CELL,
    LINK,
    NODE,
    PLACED,
    REMOVED,
    UNIT,
    Evidence,
    Sentence,
    cell_text,
    digit_text,
    end_step,
    find,
    mark,
    removed_text,
    surcharge,
    unit_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

WORDS = (ASSERTIONS + 63) // 64
CONTRADICTION, DOUBLE, CELL_NET, REGION_NET = range(4)
NONE = np.int64(1 << 40)
BARREN = 4096


class Nets(NamedTuple):
    """The family of one level, with room for its search."""

    level: int
    deductions: Any
    """What finds the steps on the way, see `deduce`."""
    closure: Closure
    is_known: NDArray[np.uint8]
    """[729]: whether what follows from a candidate being on is known."""
    reached: NDArray[np.uint64]
    """[729, W]: the set of what follows, by assertion."""
    lengths: NDArray[np.uint32]
    """[729, A]: how many assertions each of these rests on, itself included; 0 for what does not follow."""
    other_reached: NDArray[np.uint64]
    """[W]: the same for a candidate being off."""
    other_lengths: NDArray[np.uint32]
    """[A]."""
    branches: NDArray[np.int64]
    """[9]: the candidates of a cell, or the places of a digit in a unit."""
    common: NDArray[np.uint64]
    """[W]: what follows from all of them."""
    barren: NDArray[np.uint64]
    """[4096]: a hash table of the places of a digit that have no Nishio net."""
    is_barren: NDArray[np.uint8]
    """[9]: whether a digit is known to have none."""
    best: NDArray[np.int64]
    """[4]: the length of the best net, its kind, where it begins (an assertion, cell, or 32 * digit + unit), and the
    conclusion."""


def nets(level: int) -> Nets:
    """Make room for the search of nets of a level up to PATTERNS."""
    return nets_with(level, new_patterns())


def nets_with(level: int, deductions: Any) -> Nets:
    """Make room for the search of nets of a level."""
    return Nets(
        level=level,
        deductions=deductions,
        closure=new_closure(),
        is_known=np.zeros(CANDIDATES, np.uint8),
        reached=np.zeros((CANDIDATES, WORDS), np.uint64),
        lengths=np.zeros((CANDIDATES, ASSERTIONS), np.uint32),
        other_reached=np.zeros(WORDS, np.uint64),
        other_lengths=np.zeros(ASSERTIONS, np.uint32),
        branches=np.zeros(9, np.int64),
        common=np.zeros(WORDS, np.uint64),
        barren=np.zeros(BARREN, np.uint64),
        is_barren=np.zeros(DIGITS, np.uint8),
        best=np.zeros(4, np.int64),
    )


def families() -> Sequence[Nets]:
    """Return the records of the searches of this family."""
    return [nets(level) for level in range(PATTERNS + 1)]


@inlined
def offer(nets, kind, start, conclusion, length):
    """Keep a net if it is shorter than the best."""
    if length < nets.best[0]:
        nets.best[0] = length
        nets.best[1] = kind
        nets.best[2] = start
        nets.best[3] = conclusion


@inlined
def record(closure, reached, lengths):
    """Write down what follows, and how many assertions each rests on; returns the length of a contradiction or 0."""
    for word in range(WORDS):
        reached[word] = 0
    for assertion in range(ASSERTIONS):
        lengths[assertion] = 0
    contradiction = np.int64(0)
    for number in range(closure.sizes[COUNT]):
        count = gather(closure, number)
        if number == closure.sizes[SECOND]:
            first = closure.order[closure.sizes[FIRST]]
            return count + np.int64(lengths[first])
        assertion = closure.order[number]
        if assertion == STEP:
            continue
        reached[assertion // 64] |= np.uint64(1) << np.uint64(assertion % 64)
        lengths[assertion] = count
    return contradiction


@inlined
def learn_on(nets, position, candidate):
    """Find what follows from a candidate being on, unless it is known; an assumption that fails is a net."""
    if nets.is_known[candidate]:
        return
    nets.is_known[candidate] = 1
    close(nets.deductions, nets.closure, position, 2 * candidate + 1, nets.level)
    if nets.level == NISHIO_NETS and nets.closure.sizes[SECOND] == ABSENT:
        return
    length = record(nets.closure, nets.reached[candidate], nets.lengths[candidate])
    if length and nets.level != MULTIPLE:
        offer(nets, CONTRADICTION, 2 * candidate + 1, 2 * candidate, length)


@inlined
def learn_off(nets, position, candidate, is_wanted):
    """Find what follows from a candidate being off; if that is not wanted, only whether it fails."""
    close(nets.deductions, nets.closure, position, 2 * candidate, nets.level)
    if is_wanted or nets.closure.sizes[SECOND] != ABSENT:
        length = record(nets.closure, nets.other_reached, nets.other_lengths)
        if length:
            offer(nets, CONTRADICTION, 2 * candidate, 2 * candidate + 1, length)


@inlined
def find_double(nets, candidate):
    """Find what follows from a candidate being on and being off."""
    for word in range(WORDS):
        both = nets.reached[candidate, word] & nets.other_reached[word]
        while both:
            assertion = 64 * word + trailing(both)
            both &= both - np.uint64(1)
            length = np.int64(nets.lengths[candidate, assertion]) + np.int64(nets.other_lengths[assertion])
            offer(nets, DOUBLE, 2 * candidate + 1, assertion, length)


@inlined
def trailing(word):
    """Return the place of the lowest bit of a uint64 that is not 0."""
    return np.int64(population((word & (~word + np.uint64(1))) - np.uint64(1)))


@inlined
def narrow(nets, candidate, is_first):
    """Keep of what follows from the branches so far what follows from a further one."""
    for word in range(WORDS):
        if is_first:
            nets.common[word] = nets.reached[candidate, word]
        else:
            nets.common[word] &= nets.reached[candidate, word]


@inlined
def branch(position, kind, start, i):
    """Return the i-th candidate of a cell, or place of a digit in a unit; ABSENT if it is none."""
    cell = start if kind == CELL_NET else position.units[start % 32, i]
    digit = i if kind == CELL_NET else start // 32
    return 9 * cell + digit if has(position, cell, digit) else ABSENT


@inlined
def find_common(nets, position, kind, start):
    """Find what follows from all candidates of a cell, or all places of a digit in a unit."""
    branches, count = nets.branches, 0
    for i in range(9):
        candidate = branch(position, kind, start, i)
        if candidate != ABSENT:
            learn_on(nets, position, candidate)
            narrow(nets, candidate, count == 0)
            branches[count] = candidate
            count += 1
    for word in range(WORDS):
        rest = nets.common[word]
        while rest:
            assertion = 64 * word + trailing(rest)
            rest &= rest - np.uint64(1)
            length = np.int64(0)
            for i in range(count):
                length += np.int64(nets.lengths[branches[i], assertion])
            offer(nets, kind, start, assertion, length)


@inlined
def find_regions(nets, position, cell, digit):
    """Find what follows from the places of a digit in the units of which a cell is the first place."""
    for kind in LATER_KIND:
        unit = position.homes[cell, kind]
        places = position.places[digit, unit]
        if position.lowest[places] == position.spots[cell, kind] and position.counts[places] >= 2:
            find_common(nets, position, REGION_NET, 32 * digit + unit)


@inlined
def find_at(nets, position, cell):
    """Find the nets that begin at a cell."""
    count = position.counts[position.candidates[cell]]
    if count < 2 or (count == 2 and nets.level == MULTIPLE):
        return
    for digit in range(DIGITS):
        if has(position, cell, digit) and not nets.is_barren[digit]:
            candidate = 9 * cell + digit
            learn_on(nets, position, candidate)
            if nets.level != MULTIPLE:
                may_be_double = count > 2 and nets.level != NISHIO_NETS
                learn_off(nets, position, candidate, may_be_double)
                if may_be_double:
                    find_double(nets, candidate)
            if nets.level != NISHIO_NETS:
                find_regions(nets, position, cell, digit)
    if nets.level != NISHIO_NETS:
        find_common(nets, position, CELL_NET, cell)


@inlined
def mark_branch(nets, found, conclusion, first):
    """Mark the part of the closure that a conclusion rests on, with nodes from number `first` on; returns the next.

    What finds no room is left out, so that the step itself is never lost.
    """
    closure, last = nets.closure, nets.closure.numbers[conclusion]
    end = found.heads[found.used[0], 1] + found.marks.size // found.limit - 20
    for number in range(last + 1):
        gather(closure, number)
    for number in range(last + 1):
        is_behind = closure.behind[last, number // 64] >> np.uint64(number % 64) & np.uint64(1)
        if is_behind and found.used[1] < end and first + number < 4095:
            assertion = closure.order[number]
            if assertion != STEP:
                mark(found, NODE, assertion & 1, first + number, assertion >> 1)
            for i in range(closure.starts[number], closure.starts[number + 1]):
                if closure.parents[i] >= 0 and found.used[1] < end:
                    mark(found, LINK, assertion & 1, first + np.int64(closure.parents[i]), first + number)
    return first + last + 1


@inlined
def mark_branches(nets, position, found):
    """Mark the branches of the best net."""
    kind, start, conclusion = nets.best[1], nets.best[2], nets.best[3]
    if kind == CONTRADICTION:
        close(nets.deductions, nets.closure, position, start, nets.level)
        first = mark_branch(nets, found, nets.closure.order[nets.closure.sizes[FIRST]], 0)
        mark_branch(nets, found, nets.closure.order[nets.closure.sizes[SECOND]], first)
    elif kind == DOUBLE:
        close(nets.deductions, nets.closure, position, start, nets.level)
        first = mark_branch(nets, found, conclusion, 0)
        close(nets.deductions, nets.closure, position, start ^ 1, nets.level)
        mark_branch(nets, found, conclusion, first)
    else:
        first = 0
        for i in range(9):
            candidate = branch(position, kind, start, i)
            if candidate != ABSENT:
                close(nets.deductions, nets.closure, position, 2 * candidate + 1, nets.level)
                first = mark_branch(nets, found, conclusion, first)


@inlined
def technique_of(level, kind):
    """Return the technique of a net."""
    if level == NISHIO_NETS:
        return np.int64(Technique.NISHIO)
    first = np.int64(Technique.NESTED_CELL_FORCING_CHAIN)
    if level == MULTIPLE:
        first = np.int64(Technique.CELL_FORCING_CHAIN)
    elif level == DYNAMIC:
        first = np.int64(Technique.DYNAMIC_CELL_FORCING_CHAIN)
    elif level == PATTERNS:
        first = np.int64(Technique.DYNAMIC_PLUS_CELL_FORCING_CHAIN)
    return first + (kind + 2) % 4


def nets_of(level: int) -> list[Technique]:
    """Return the techniques of a level."""
    return [Technique(technique_of(level, kind)) for kind in range(4)]


@inlined
def write_best(nets, position, found):
    """Write the step of the best net; returns whether the search is to stop."""
    if nets.best[0] == NONE:
        return False
    kind, start, conclusion = nets.best[1], nets.best[2], nets.best[3]
    begin_chain(found, technique_of(nets.level, kind), nets.best[0] - 2)
    mark(found, PLACED if conclusion & 1 else REMOVED, 0, conclusion >> 1, 0)
    if kind == CELL_NET:
        mark(found, CELL, 0, start, 0)
    elif kind == REGION_NET:
        mark(found, UNIT, 0, start % 32, 0)
    mark_branches(nets, position, found)
    nets.best[0] = NONE
    return end_step(found)


@implements(surcharge, Nets)
def surcharge_of_net(family, found):
    """Return what the length adds."""
    return length_surcharge(found)


@inlined
def forget(nets):
    """Forget what was known of a position."""
    nets.best[0] = NONE
    for candidate in range(CANDIDATES):
        nets.is_known[candidate] = 0


@compiled
def find_shortest(nets, position):
    """Find the shortest net of a position."""
    forget(nets)
    for cell in range(CELLS):
        find_at(nets, position, cell)


@inlined
def places_key(position, digit):
    """Return a number that stands for the places of a digit."""
    key = np.uint64(0)
    for row in range(9):
        key = scramble((key ^ np.uint64(position.places[digit, row])) + GOLDEN)
    return key


@inlined
def recall_barren(nets, position):
    """Find the digits of which it is known that they have no net."""
    for digit in range(DIGITS):
        key = places_key(position, digit)
        nets.is_barren[digit] = nets.barren[key & np.uint64(BARREN - 1)] == key


@inlined
def keep_barren(nets, position):
    """Keep that no digit has a net."""
    for digit in range(DIGITS):
        key = places_key(position, digit)
        nets.barren[key & np.uint64(BARREN - 1)] = key


@implements(find, Nets)
def find_nets(family, position, found):
    """Find the shortest net of all with a limit of one, otherwise that of each cell."""
    is_nishio = family.level == NISHIO_NETS and found.limit == 1
    if is_nishio:
        recall_barren(family, position)
    forget(family)
    for cell in range(CELLS):
        find_at(family, position, cell)
        if found.limit > 1 and write_best(family, position, found):
            return
    if is_nishio and family.best[0] == NONE:
        keep_barren(family, position)
    write_best(family, position, found)


def net(step: Evidence) -> str:
    """Explain what all branches of a net, or both assumptions, lead to."""
    conclusion = removed_text(step.removed) if step.removed else assertion_of(step)
    if step.cells:
        return f"Whichever candidate of {cell_text(step.cells[0][1])} is right, the same follows: {conclusion}"
    if step.units:
        first = next(node for node in step.nodes if node.is_on)
        where = f"{digit_text(first.candidates[0])} in {unit_text(step.units[0][1])}"
        return f"Whichever place of {where} is right, the same follows: {conclusion}"
    first = step.nodes[0]
    if first.candidates in (step.removed, step.placed):
        last = step.nodes[-1].candidates[0]
        both = f"{cell_text(last // 9)} would be {digit_text(last)} and would not be"
        return f"If {assertion_text(first)}, then {both}. So the assumption is false: {conclusion}"
    candidate = first.candidates[0]
    return f"Whether {cell_text(candidate // 9)} is {digit_text(candidate)} or not, the same follows: {conclusion}"


def assertion_of(step: Evidence) -> str:
    """Return what a step places."""
    return f"{cell_text(step.placed[0] // 9)} is {digit_text(step.placed[0])}"


def with_patterns(step: Evidence) -> str:
    """Explain a net that needs locked candidates, pairs or X-wings."""
    return f"With locked candidates, pairs and X-wings on the way: {net(step)}"


SENTENCES: Mapping[Technique, Sentence] = dict.fromkeys(
    [Technique.NISHIO, *nets_of(MULTIPLE), *nets_of(DYNAMIC)], net
) | dict.fromkeys(nets_of(PATTERNS), with_patterns)
