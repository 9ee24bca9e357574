# mypy: allow-untyped-defs
"""Remote pairs: cells with the same two candidates that see each other in a chain hold the two digits in turn.

Roles of cells and of candidates: the two colours that the cells take; the candidates of one are all true, or those of
the other are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.kernels import implements, inlined
from puzzlelab.puzzles.sudoku.logic.position import CELLS
from puzzlelab.puzzles.sudoku.logic.steps import (
    CANDIDATE,
    CELL,
    Evidence,
    Sentence,
    begin_step,
    cells_text,
    digits_text,
    end_step,
    find,
    mark,
    remove_from,
    removed_text,
)
from puzzlelab.puzzles.sudoku.logic.techniques import Technique

REMOTE_PAIR = Technique.REMOTE_PAIR
LEAST = 4
"""The fewest cells of a chain that removes more than a naked pair does."""
UNKNOWN = -1


class RemotePairs(NamedTuple):
    """The family of remote pairs."""

    colours: NDArray[np.int64]
    """[81]: the colour of a cell, 0 or 1; UNKNOWN outside the chains that were looked at."""
    chain: NDArray[np.int64]
    """[81]: the cells of a chain."""


def families() -> Sequence[RemotePairs]:
    """Return the records of the searches of this family."""
    return [RemotePairs(np.zeros(CELLS, np.int64), np.zeros(CELLS, np.int64))]


@inlined
def set_chain(family, position, start):
    """Colour all cells that are joined to this one; returns how many, or 0 if two of a colour see each other."""
    digits, count, is_right = position.candidates[start], 1, True
    family.chain[0] = start
    family.colours[start] = 0
    done = 0
    while done < count:
        cell = family.chain[done]
        for i in range(20):
            peer = position.peers[cell, i]
            if position.candidates[peer] == digits:
                if family.colours[peer] == UNKNOWN:
                    family.colours[peer] = 1 - family.colours[cell]
                    family.chain[count] = peer
                    count += 1
                is_right = is_right and family.colours[peer] != family.colours[cell]
        done += 1
    return count if is_right else 0


@inlined
def colours_seen(family, position, count, cell):
    """Return which colours of a chain a cell sees, as bits; 0 for its own cells."""
    colours = 0
    for i in range(count):
        if family.chain[i] == cell:
            return 0
        if position.sees[cell, family.chain[i]]:
            colours |= 1 << family.colours[family.chain[i]]
    return colours


@implements(find, RemotePairs)
def find_remote_pairs(family, position, found):
    """Find remote pairs."""
    for cell in range(CELLS):
        family.colours[cell] = UNKNOWN
    for start in range(CELLS):
        digits = np.int64(position.candidates[start])
        if position.counts[digits] == 2 and family.colours[start] == UNKNOWN:
            count = set_chain(family, position, start)
            if count >= LEAST:
                begin_step(found, REMOTE_PAIR)
                removed = 0
                for cell in range(CELLS):
                    if position.candidates[cell] & digits and colours_seen(family, position, count, cell) == 3:
                        removed += remove_from(position, found, cell, digits)
                mark_chain(family, position, found, count, digits)
                if removed and end_step(found):
                    return


@inlined
def mark_chain(family, position, found, count, digits):
    """Mark the cells of a chain, and their candidates."""
    first, second = np.int64(position.lowest[digits]), np.int64(position.lowest[digits & (digits - 1)])
    for i in range(count):
        colour = family.colours[family.chain[i]]
        mark(found, CELL, colour, family.chain[i], 0)
        mark(found, CANDIDATE, colour, 9 * family.chain[i] + first, 0)
        mark(found, CANDIDATE, 1 - colour, 9 * family.chain[i] + second, 0)


def remote_pair(step: Evidence) -> str:
    """Explain a remote pair."""
    one, other = (cells_text(step.by_role("cells", role)) for role in (0, 1))
    cells, digits = cells_text([cell for _, cell in step.cells]), digits_text([each for _, each in step.candidates])
    return (
        f"{cells} have only {digits} and differ from those that they see, so {one} have one of the two and {other} the "
        f"other; what sees some of both can be neither: {removed_text(step.removed)}"
    )


SENTENCES: Mapping[Technique, Sentence] = {REMOTE_PAIR: remote_pair}
