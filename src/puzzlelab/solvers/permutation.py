"""Permutation search: list the permutations of every row, choose one row by row, and exclude conflicting ones.

After constraint propagation, few permutations of a row fit its candidates. The search takes the row with the fewest,
chooses one of them, and excludes the permutations of the other rows with one of its digits in the same column or box.
Each unit and digit has a bit set over the permutations, so that operations on words exclude 64 at once. 'Row' stands
for the units of the puzzle's first kind.

Source: the idea is from Berg, "Parallel sudoku solver" (2018), which searches the product of the rows' permutations.

Shapes: D = digits and rows, U = units of the other kinds, K = these kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from puzzlelab.core.boards import Instance
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Count, Progress, Result
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Candidates
from puzzlelab.engine.driver import EXHAUSTED, Clock, Machine
from puzzlelab.engine.enumeration import Enumerator, counted, listed, proving_uniqueness
from puzzlelab.engine.record_parts import new_control
from puzzlelab.solvers._candidates import view, writer
from puzzlelab.solvers._permutation_kernels import CONTROL, PermutationLists, PermutationRecord, step
from puzzlelab.solvers._permutations import PermutationRows

MAX_BYTES = 2**29
"""The memory limit of the lists and of all threads together."""


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
    return PermutationRecord(lists, new_control(CONTROL), alive, counts, rows, chosen, checks, whole)


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


class Permutation(Enumerator):
    """The search row by row over the permutations of every row.

    It counts the permutations first, because rows of large boards with few clues have too many to list. With `jobs`
    above 1, that many threads share the rest of a search that takes longer than a tenth of a second. The answers and
    their order are always the same. It searches for up to `most` solutions: 2 show whether the first one is unique.
    """

    name: ClassVar[str] = "permutation"
    needs: ClassVar[tuple[type, ...]] = (Candidates,)

    jobs: int = Field(default=1, ge=1, le=1024)
    """Threads that share the work of one board."""
    most: int = Field(default=2, ge=2)
    """The most solutions of one board."""

    def attempts(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield progress, then a solution, and whether it is the only one. Nodes are chosen permutations."""
        return proving_uniqueness(self.solutions(instance, limit)) if self.most == 2 else self._all(instance, limit)

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield every solution, in the order of the search."""
        clock = _clock(instance, limit)
        lists = prepare(instance, clock, self.jobs)
        if isinstance(lists, Result):
            yield replace(lists, seconds=clock.seconds)
        elif self.jobs == 1:
            yield from listed(machine(instance, lists), limit, clock)
        else:
            from puzzlelab.solvers._permutation_threads import listed_by_threads

            another = partial(machine, instance, lists)
            yield from listed_by_threads(another(), another, clock, self.jobs)

    def count(self, instance: Instance, limit: Limit, most: int) -> Iterator[Count]:
        """Count the solutions without listing them."""
        clock = _clock(instance, limit)
        lists = prepare(instance, clock, self.jobs)
        if isinstance(lists, Result):
            yield Count(0, lists.stop, 0, clock.seconds)
        else:
            yield from self._counts(instance, machine(instance, lists), clock, most)

    def _counts(self, instance: Instance, search: Machine, clock: Clock, most: int) -> Iterator[Count]:
        """Continue a search and count its solutions."""
        if self.jobs == 1:
            return counted(search, clock.limit, most, clock)
        from puzzlelab.solvers._permutation_threads import counted_by_threads

        return counted_by_threads(search, partial(machine, instance, search.record.lists), clock, most, self.jobs)

    def _all(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield a solution, and then the number of solutions."""
        clock = _clock(instance, limit)
        lists = prepare(instance, clock, self.jobs)
        if isinstance(lists, Result):
            yield from proving_uniqueness(iter([lists]))
            return
        search = machine(instance, lists)
        first: Result | None = None
        for attempt in proving_uniqueness(listed(search, limit, clock)):
            yield attempt
            if isinstance(attempt, Result):
                first = attempt
                break
        if first is None or first.moves is None:
            return
        count = Count(1, "interrupted")
        for count in self._counts(instance, search, clock, self.most):
            yield Progress(count.expanded, 0, 0, len(first.moves), count.seconds)
        yield replace(first, **_verdict(count), expanded=count.expanded, seconds=count.seconds)


def _clock(instance: Instance, limit: Limit) -> Clock:
    """Return a clock that starts after the kernels are compiled."""
    PermutationRows.of(instance)
    _load()
    return Clock(limit)


@cache
def _load() -> None:
    """Compile or load the kernels, with a board of one cell."""
    step(record_of(PermutationRows(np.ones((1, 1), np.uint32), np.zeros((1, 1, 2), np.int32)).list([1])), 0)


def _verdict(count: Count) -> dict[str, Any]:
    """Return the fields of a result that follow from the count of solutions."""
    stop = "done" if count.stop == "solutions" else count.stop
    if count.complete and count.solutions == 1:
        return {"proof": "unique", "stop": stop}
    number = f"{'' if count.complete else 'at least '}{count.solutions:,}"
    return {"reason": f"it has {number} solutions; this is one of them" if count.solutions > 1 else "", "stop": stop}


def prepare(instance: Instance, clock: Clock, jobs: int) -> PermutationLists | Result:
    """Return the permutations of all rows, or the result of a search that cannot begin."""
    rows = PermutationRows.of(instance)
    if rows is None:
        return Result(None)
    memory = min(clock.room(), MAX_BYTES) // (1 if jobs == 1 else jobs + 1)
    max_count = max(memory // rows.bytes_each, 0)
    counts, stop = rows.count(max_count, clock)
    if stop == "memory":
        reason = f"the rows have more than {max_count:,} permutations, and a list of them would take too much memory"
        return Result(None, stop=stop, reason=reason)
    if stop is not None or 0 in counts:
        return Result(None, stop=stop or "done")
    return rows.list(counts)


SOLVER = Permutation
