"""Cuts what is left of a permutation search into pieces: paths of choices, of which the last one is still to make."""

from __future__ import annotations

import numpy as np

from puzzlelab.engine.driver import Machine
from puzzlelab.engine.kernels import EXPANDED, GENERATED
from puzzlelab.solvers.permutation import BASE, LEVEL, PermutationRecord, advance

Path = tuple[int, ...]
PIECES_A_JOB = 32
SPLITS = 1000
"""Pieces that are cut smaller, at most."""


def left_at(record: PermutationRecord, level: int) -> list[int]:
    """The permutations that were not tried at this level."""
    row = record.rows[level]
    words = record.alive[level, record.lists.words[row] : record.lists.words[row + 1]]
    numbers = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
    return [int(number) for number in numbers[numbers > record.chosen[level]]]


def frontier(record: PermutationRecord) -> list[Path]:
    """What is left of a search that was interrupted, as pieces in its order."""
    pieces: list[Path] = []
    for level in range(int(record.control[LEVEL]), -1, -1):
        path = tuple(record.chosen[:level].tolist())
        pieces += [(*path, number) for number in left_at(record, level)]
    return pieces


def enter(record: PermutationRecord, path: Path) -> None:
    """Make the record a search of this piece alone: the last choice of the path, and all that follows from it."""
    base = len(path) - 1
    record.alive[0] = record.whole
    for level, number in enumerate(path[:-1]):
        record.chosen[level] = number
        advance(record, level)
    row = record.rows[base]
    first, last = record.lists.words[row], record.lists.words[row + 1]
    record.alive[base, first:last] = 0
    record.alive[base, first + path[-1] // 64] = np.uint64(1) << np.uint64(path[-1] % 64)
    record.chosen[base] = -1
    record.control[LEVEL] = record.control[BASE] = base


def pieces_of(search: Machine, jobs: int) -> list[Path]:
    """What is left of a search, in enough pieces for `jobs` workers if it has so many; the largest are cut first."""
    record, control = search.record, search.control
    pieces, wanted = frontier(record), PIECES_A_JOB * jobs
    for _ in range(SPLITS):
        size = min(map(len, pieces), default=0)
        if len(pieces) >= wanted or size in (0, len(record.rows) - 1):
            break
        place = next(place for place, piece in enumerate(pieces) if len(piece) == size)
        path = pieces[place]
        enter(record, path)
        record.chosen[size - 1] = path[-1]
        control[EXPANDED] += 1
        children: list[Path] = []
        if advance(record, size - 1) >= 0:
            control[GENERATED] += 1
            children = [(*path, number) for number in left_at(record, size)]
        pieces[place : place + 1] = children
    return pieces
