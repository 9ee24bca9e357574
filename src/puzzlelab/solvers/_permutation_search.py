"""The machine of permutation search, which this process and its workers run; method and shapes as in `permutation`."""

from __future__ import annotations

import numpy as np

from puzzlelab.core.boards import Instance
from puzzlelab.engine.driver import EXHAUSTED, Machine
from puzzlelab.solvers._candidates import view, writer
from puzzlelab.solvers._permutation_kernels import PermutationLists, PermutationRecord, step


def record_of(lists: PermutationLists) -> PermutationRecord:
    """Return the start of a search."""
    size = len(lists.having_begin)
    counts = np.zeros((size + 1, size), np.int64)
    counts[0] = np.diff(lists.firsts)
    whole = np.zeros(int(lists.words[-1]), np.uint64)
    for row in range(size):
        bits = np.zeros(int(lists.words[row + 1] - lists.words[row]) * 64, np.uint8)
        bits[: counts[0, row]] = 1
        whole[lists.words[row] : lists.words[row + 1]] = np.packbits(bits, bitorder="little").view(np.uint64)
    alive = np.zeros((size + 1, whole.size), np.uint64)
    alive[0] = whole
    rows, chosen = np.zeros(size + 1, np.int64), np.full(size + 1, -1)
    rows[0] = np.argmin(counts[0])
    checks = np.zeros(size * lists.cell_units.shape[2], np.int64)
    return PermutationRecord(lists, np.zeros(16, np.int64), alive, counts, rows, chosen, checks, whole)


def machine(instance: Instance, lists: PermutationLists) -> Machine:
    """Return the search; every row has a permutation."""
    cells = next(iter(view(instance).units.kinds.values()))
    digits, moves_of = np.zeros(cells.size, np.int64), writer(instance)

    def solution(record: PermutationRecord) -> tuple[int, ...]:
        rows = record.rows[:-1]
        digits[cells[rows]] = lists.digits[lists.firsts[rows] + record.chosen[:-1]]
        return moves_of(digits)

    return Machine(
        record_of(lists),
        step,
        lambda record: list(solution(record)),
        lambda record, room: None,
        lambda record: EXHAUSTED,
    )
