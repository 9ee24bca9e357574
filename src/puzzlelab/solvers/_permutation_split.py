"""Splits the rest of a permutation search into pieces: paths of choices, the last of which is not explored yet."""

from __future__ import annotations

import numpy as np

from puzzlelab.engine.control_slots import EXPANDED, GENERATED
from puzzlelab.engine.driver import Machine
from puzzlelab.solvers._permutation_kernels import BASE, LEVEL, PermutationRecord, apply_choice

Path = tuple[int, ...]
PIECES_PER_JOB = 32
MAX_SPLITS = 1000
"""The most pieces that are split."""


def untried_at(record: PermutationRecord, level: int) -> list[int]:
    """Return the permutations not tried yet at this level."""
    row = record.rows[level]
    words = record.alive[level, record.lists.words[row] : record.lists.words[row + 1]]
    numbers = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
    return [int(number) for number in numbers[numbers > record.chosen[level]]]


def frontier(record: PermutationRecord) -> list[Path]:
    """Return the rest of an interrupted search as pieces, in its order."""
    pieces: list[Path] = []
    for level in range(int(record.control[LEVEL]), -1, -1):
        path = tuple(record.chosen[:level].tolist())
        pieces += [(*path, number) for number in untried_at(record, level)]
    return pieces


def restrict_to(record: PermutationRecord, path: Path) -> None:
    """Restrict the record to this piece: the subtree of the last choice of the path."""
    base = len(path) - 1
    record.alive[0] = record.whole
    for level, number in enumerate(path[:-1]):
        record.chosen[level] = number
        apply_choice(record, level)
    row = record.rows[base]
    first, last = record.lists.words[row], record.lists.words[row + 1]
    record.alive[base, first:last] = 0
    record.alive[base, first + path[-1] // 64] = np.uint64(1) << np.uint64(path[-1] % 64)
    record.chosen[base] = -1
    record.control[LEVEL] = record.control[BASE] = base


def pieces_of(search: Machine, jobs: int) -> list[Path]:
    """Return the rest of a search, split into enough pieces for `jobs` workers if possible.

    The largest are split first.
    """
    record, control = search.record, search.control
    pieces, min_pieces = frontier(record), PIECES_PER_JOB * jobs
    for _ in range(MAX_SPLITS):
        size = min(map(len, pieces), default=0)
        if len(pieces) >= min_pieces or size in (0, len(record.rows) - 1):
            break
        index = next(index for index, piece in enumerate(pieces) if len(piece) == size)
        path = pieces[index]
        restrict_to(record, path)
        record.chosen[size - 1] = path[-1]
        control[EXPANDED] += 1
        children: list[Path] = []
        if apply_choice(record, size - 1) >= 0:
            control[GENERATED] += 1
            children = [(*path, number) for number in untried_at(record, size)]
        pieces[index : index + 1] = children
    return pieces
