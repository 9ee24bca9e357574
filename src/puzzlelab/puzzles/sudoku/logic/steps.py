# mypy: allow-untyped-defs
"""What a technique finds: as numbers in a buffer, written by kernels, and as `Evidence` for people.

A found step is a row of marks: what it removes and places, and what it rests on (cells, candidates, units, the nodes
and links of a chain). A mark is one number: its kind, its role (which a family gives a meaning), and two operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import reasons
from puzzlelab.core.logic import Link, Node
from puzzlelab.core.reasons import joined
from puzzlelab.engine.kernels import compiled, inlined, kernel_name, outlined
from puzzlelab.puzzles.sudoku.logic.position import CANDIDATES, DIGITS, PLACES, Position, load, play
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

REMOVED, PLACED, CELL, CANDIDATE, UNIT, NODE, LINK, LENGTH = range(8)
"""Kinds of marks. A NODE is (number of the node, candidate), one mark for each of its candidates; its role is 1 where
the chain says that one of them is true, 0 where it says that all are false. A LINK is (number of a node, number of the
next); its role is 1 for a strong one, 0 for a weak one. The LENGTH of a chain is how many assertions it has
beyond two. The others have one operand."""


NEVER = 1 << 62
PLACE_WEIGHT, WEIGHTS = 80, 1 << 40
"""How much more each next removed candidate weighs than the first, and more than all can weigh together."""


class Found(NamedTuple):
    """The steps that a search has found, one after the other."""

    heads: NDArray[np.int64]
    """[N, 3]: the technique, and where its marks begin and end."""
    marks: NDArray[np.int64]
    """[M]."""
    used: NDArray[np.int64]
    """[3]: steps, marks, and 1 where the buffer is too small."""
    limit: int
    """The most steps that are looked for; 1 to take the first."""


def new_found(limit: int) -> Found:
    """Make an empty buffer for this many steps."""
    return Found(np.zeros((limit, 3), np.int64), np.zeros(400 * limit + 2000, np.int64), np.zeros(3, np.int64), limit)


@outlined
def begin_step(found, technique):
    """Begin a step; the marks that follow are its own. It counts when `end_step` is called."""
    number = found.used[0]
    found.heads[number, 0] = technique
    found.heads[number, 1] = found.heads[number - 1, 2] if number else 0
    found.used[1] = found.heads[number, 1]


@outlined
def mark(found, kind, role, first, second):
    """Add a mark to the step that was begun."""
    if found.used[1] >= found.marks.size:
        found.used[2] = 1
    else:
        found.marks[found.used[1]] = (kind << 28) | (role << 24) | (first << 12) | second
        found.used[1] += 1


@outlined
def end_step(found):
    """Count the step that was begun; returns whether the search is to stop because there are as many as asked for."""
    if found.used[2] == 0:
        found.heads[found.used[0], 2] = found.used[1]
        found.used[0] += 1
    return is_full(found)


@inlined
def is_full(found):
    """Tell whether a search is to stop: it has as many steps as were asked for, or no room."""
    return found.used[0] >= found.limit or found.used[2] != 0


@outlined
def is_repeated(found):
    """Tell whether an earlier step of the technique does the same as the one that was begun.

    Marks of what a step does come first, and in a fixed order.
    """
    number = found.used[0]
    begin, end = found.heads[number, 1], found.used[1]
    for other in range(number):
        if found.heads[other, 0] == found.heads[number, 0]:
            place = found.heads[other, 1]
            i = begin
            while i < end and found.marks[i] == found.marks[place] and found.marks[i] >> 28 <= PLACED:
                i += 1
                place += 1
            if (i == end or found.marks[i] >> 28 > PLACED) and (
                place == found.heads[other, 2] or found.marks[place] >> 28 > PLACED
            ):
                return True
    return False


@outlined
def remove_from(position, found, cell, digits):
    """Mark those of the `digits` (bits) as removed that a cell has as candidates; returns how many."""
    present = np.int64(position.candidates[cell]) & digits
    count = np.int64(position.counts[present])
    while present:
        mark(found, REMOVED, 0, 9 * cell + np.int64(position.lowest[present]), 0)
        present &= present - 1
    return count


@outlined
def mark_digits(position, found, cell, digits, role):
    """Mark those of the `digits` (bits) with a role that a cell has as candidates."""
    present = np.int64(position.candidates[cell]) & digits
    while present:
        mark(found, CANDIDATE, role, 9 * cell + np.int64(position.lowest[present]), 0)
        present &= present - 1


@kernel_name
def find(family, position, found):
    """Write the steps of a family of techniques that are possible in `position` into `found`, until it is full.

    Only steps that remove or place something count. A family may work in arrays of its own record, and leaves
    `position` as it was.
    """
    raise NotImplementedError


@kernel_name
def surcharge(family, found):
    """Return how much the step in `found` is harder than its technique says, in tenths."""
    return 0


@inlined
def clear(found):
    """Forget all steps."""
    found.used[0] = 0
    found.used[1] = 0
    found.used[2] = 0


# --- searches in many positions ---


class Choice(NamedTuple):
    """The step that a search chose in each of several positions."""

    techniques: NDArray[np.int64]
    """[B]: its technique."""
    tenths: NDArray[np.int64]
    """[B]: its rating."""
    changes: NDArray[np.int64]
    """[B, K]: what it does, as `change` takes it."""
    counts: NDArray[np.int64]
    """[B]: how much that is; 0 without a step."""


def new_choice(count: int) -> Choice:
    """Make room for this many positions."""
    techniques, tenths, counts = np.zeros((3, count), np.int64)
    return Choice(techniques, tenths, np.zeros((count, CANDIDATES), np.int64), counts)


@inlined
def chosen_step(found, tenths):
    """Return the number of the step to be applied, or -1 if none has a rating."""
    chosen, least = -1, NEVER
    for number in range(found.used[0]):
        technique = found.heads[number, 0]
        removed = weight = 0
        for i in range(found.heads[number, 1], found.heads[number, 2]):
            if found.marks[i] >> 28 == REMOVED:
                candidate = (found.marks[i] >> 12) & 0xFFF
                weight += (1 + PLACE_WEIGHT * removed) * (10 * (candidate // DIGITS) + candidate % DIGITS + 1)
                removed += 1
        cost = (tenths[technique] * CANDIDATES - removed) * WEIGHTS + weight
        if tenths[technique] >= 0 and cost < least:
            chosen, least = number, cost
    return chosen


@compiled
def search(family, position, found, memories, waits, tenths, choice):
    """Choose a step of a family in those of `memories: uint8[B, M]` for which `waits: bool[B]` holds.

    `tenths: int64[T]` has the rating of each technique, -1 for none. The steps of the last position stay in `found`.
    """
    for row in range(waits.size):
        choice.counts[row] = 0
        if not waits[row]:
            continue
        load(position, memories, row)
        clear(found)
        find(family, position, found)
        number = chosen_step(found, tenths)
        if number >= 0:
            choice.techniques[row] = found.heads[number, 0]
            choice.tenths[row] = tenths[found.heads[number, 0]] + surcharge(family, found)
            for i in range(found.heads[number, 1], found.heads[number, 2]):
                kind = found.marks[i] >> 28
                if kind <= PLACED and choice.counts[row] < CANDIDATES:
                    choice.changes[row, choice.counts[row]] = PLACES * kind + ((found.marks[i] >> 12) & 0xFFF)
                    choice.counts[row] += 1


def find_steps(family: Any, position: Position, found: Found) -> None:
    """Look for the steps of one family in one position, from the beginning."""
    search(family, position, found, position.memory[None], *_one())


@cache
def _one() -> tuple[NDArray[np.bool_], NDArray[np.int64], Choice]:
    """Return the last arguments of a search in one position that chooses nothing."""
    return np.ones(1, bool), np.full(len(Technique), -1), new_choice(1)


def take_step(position: Position, found: Found, number: int) -> None:
    """Apply a step that was found."""
    [step] = evidence_of(single_step(found, number))
    play(position, step.placed, step.removed)


# --- for people ---


@dataclass(frozen=True)
class Evidence:
    """The marks of a step, by kind; those with a role as (role, operand)."""

    technique: Technique
    removed: tuple[int, ...]
    """Candidates."""
    placed: tuple[int, ...]
    cells: tuple[tuple[int, int], ...]
    candidates: tuple[tuple[int, int], ...]
    units: tuple[tuple[int, int], ...]
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    length: int = 0
    """Of a chain whose length its rating depends on: its assertions beyond two."""

    def by_role(self, marks: str, role: int) -> list[int]:
        """Return the operands of the marks (`cells`, `candidates` or `units`) with this role."""
        return [operand for own, operand in getattr(self, marks) if own == role]


def evidence_of(found: Found) -> list[Evidence]:
    """Return the different steps of a buffer."""
    steps = []
    for technique, begin, end in found.heads[: found.used[0]].tolist():
        parts: dict[int, list[tuple[int, int, int]]] = {kind: [] for kind in range(8)}
        for each in found.marks[begin:end].tolist():
            parts[each >> 28].append(((each >> 24) & 15, (each >> 12) & 0xFFF, each & 0xFFF))
        roles = {kind: tuple((role, first) for role, first, _ in marks) for kind, marks in parts.items()}
        nodes: dict[int, tuple[bool, list[int]]] = {}
        for role, number, candidate in parts[NODE]:
            nodes.setdefault(number, (role == 1, []))[1].append(candidate)
        evidence = Evidence(
            technique=Technique(technique),
            removed=tuple(sorted({candidate for _, candidate in roles[REMOVED]})),
            placed=tuple(sorted({candidate for _, candidate in roles[PLACED]})),
            cells=roles[CELL],
            candidates=roles[CANDIDATE],
            units=roles[UNIT],
            nodes=tuple(Node(tuple(sorted(members)), is_on) for _, (is_on, members) in sorted(nodes.items())),
            links=tuple(Link(start, end, role == 1) for role, start, end in parts[LINK]),
            length=sum(length for _, length, _ in parts[LENGTH]),
        )
        steps.append(evidence)
    return list(dict.fromkeys(steps))


def single_step(found: Found, number: int) -> Found:
    """Return a buffer with one of the steps of another buffer alone."""
    technique, begin, end = found.heads[number].tolist()
    heads = np.array([[technique, 0, end - begin]])
    return Found(heads, found.marks[begin:end].copy(), np.array([1, end - begin, 0]), 1)


Sentence = Callable[[Evidence], str]
"""What a family gives for each of its techniques: the sentence that explains a step."""


# --- how things are named in sentences ---


def digit_text(candidate: int) -> str:
    """Return the digit of a candidate."""
    return str(candidate % 9 + 1)


def cell_text(cell: int) -> str:
    """Return a cell such as `r3c5`."""
    return f"r{cell // 9 + 1}c{cell % 9 + 1}"


def cells_text(cells: Sequence[int]) -> str:
    """Return cells as in 'r1c2, r1c3 and r4c2'."""
    return joined([cell_text(cell) for cell in sorted(set(cells))])


def unit_text(unit: int) -> str:
    """Return a unit such as `row 3`."""
    return f"{('row', 'column', 'box')[unit // 9]} {unit % 9 + 1}"


def digits_text(candidates: Sequence[int]) -> str:
    """Return the digits of candidates as in '1, 2 and 5'."""
    return joined([str(digit + 1) for digit in sorted({candidate % 9 for candidate in candidates})])


def removed_text(candidates: Sequence[int]) -> str:
    """Return what a step removes, as in 'r3c4 and r3c5 cannot be 5, and r3c6 cannot be 5 or 7'."""
    return reasons.removed_text((cell_text(each // 9), digit_text(each)) for each in sorted(candidates))
