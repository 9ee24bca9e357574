"""Permutation search on several threads, which share the pieces of a split search.

A piece is a path of choices, the last of which is not explored yet. Each thread has a record of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from puzzlelab.core.result import Count, Progress, Result
from puzzlelab.core.solver import Attempt
from puzzlelab.engine.driver import Clock, Machine
from puzzlelab.engine.enumeration import UNLIMITED, counted, listed
from puzzlelab.engine.shared_pieces import SharedPieces, work_of
from puzzlelab.solvers._permutation_kernels import PermutationRecord, apply_choice

Path = tuple[int, ...]
HEAD_START = 0.1
"""Seconds of search on one thread before the rest is split: a common 9x9 board takes milliseconds."""
PIECES_PER_JOB = 32
MAX_SPLITS = 1000
"""The most pieces that are split."""


# --- pieces ---


def untried_at(record: PermutationRecord, level: int) -> list[int]:
    """Return the permutations not tried yet at this level."""
    row = record.rows[level]
    words = record.alive[level, record.lists.words[row] : record.lists.words[row + 1]]
    numbers = np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))
    return [int(number) for number in numbers[numbers > record.chosen[level]]]


def frontier(record: PermutationRecord) -> list[Path]:
    """Return the rest of an interrupted search as pieces, in its order."""
    pieces: list[Path] = []
    for level in range(int(record.control.level), -1, -1):
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
    record.control.level = record.control.first_level = base


def pieces_of(search: Machine, jobs: int) -> list[Path]:
    """Return the rest of a search, split into enough pieces for `jobs` threads if possible.

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
        control.expanded += 1
        children: list[Path] = []
        if apply_choice(record, size - 1) >= 0:
            control.generated += 1
            children = [(*path, number) for number in untried_at(record, size)]
        pieces[index : index + 1] = children
    return pieces


# --- threads ---


def listed_by_threads(search: Machine, another: Callable[[], Machine], clock: Clock, jobs: int) -> Iterator[Attempt]:
    """Yield all solutions, as `Enumerator.solutions` specifies; `another` makes the search of one more thread."""
    for attempt in listed(search, clock.limit, clock):
        yield attempt
        if isinstance(attempt, Result) and attempt.moves is None:
            return
        if clock.seconds >= HEAD_START:
            break
    shared, stop = _split(search, [another() for _ in range(jobs)], 0), None
    for solutions in shared.rounds(clock.limit.nodes):
        expanded, generated = shared.work.tolist()
        for moves in solutions:
            yield Result(moves, expanded=expanded, generated=generated, seconds=clock.seconds)
        yield Progress(expanded, generated, 0, 0, clock.seconds)
        stop = None if shared.current == shared.count else clock.reached(expanded)
        if stop:
            break
    expanded, generated = shared.work.tolist()
    yield Result(None, stop=stop or "done", expanded=expanded, generated=generated, seconds=clock.seconds)


def counted_by_threads(
    search: Machine, another: Callable[[], Machine], clock: Clock, most: int, jobs: int
) -> Iterator[Count]:
    """Count the solutions, as `Enumerator.count` specifies, in the same way as `listed_by_threads`."""
    for count in counted(search, clock.limit, most, clock):
        yield count
        if count.stop != "interrupted":
            return
        if clock.seconds >= HEAD_START:
            break
    searches = [search, *(another() for _ in range(jobs))]
    shared = _split(search, searches[1:], UNLIMITED)
    for _ in shared.rounds(clock.limit.nodes):
        solutions, expanded = sum(int(each.control.found) for each in searches), int(shared.work[0])
        stop = "done" if shared.current == shared.count else clock.reached(expanded)
        if solutions >= most:
            stop = "solutions"
        yield Count(min(solutions, most), stop or "interrupted", expanded, clock.seconds)
        if stop:
            return


def _split(search: Machine, threads: list[Machine], most: int) -> SharedPieces:
    """Return the pieces of the rest of a search; `most` is the number of solutions that a thread counts, or 0."""
    pieces = pieces_of(search, len(threads))
    for thread in threads:
        thread.control.most = most

    def begin(thread: int, piece: int) -> Machine:
        restrict_to(threads[thread].record, pieces[piece])
        return threads[thread]

    shared = SharedPieces(len(pieces), begin, len(threads))
    shared.work += work_of(search)
    return shared
