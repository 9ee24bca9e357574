"""Permutation search on several threads, which share the pieces of a split search.

A piece is a path of choices, the last of which is not explored yet. The threads take the pieces in the order of the
search, and solutions are yielded in that order, whatever the timing. Each thread has a record of its own, and works for
a slice of time; between two slices the limits are checked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from puzzlelab.core.result import Count, Progress, Result
from puzzlelab.core.solver import Attempt
from puzzlelab.engine.control_slots import EXPANDED, GENERATED
from puzzlelab.engine.driver import SLICE_SECONDS, Clock, Machine
from puzzlelab.engine.enumeration import UNLIMITED, counted, listed
from puzzlelab.engine.enumeration_slots import FOUND, MOST
from puzzlelab.engine.kernels import DONE, IMPROVED
from puzzlelab.solvers._permutation_kernels import BASE, LEVEL, PermutationRecord, apply_choice

Path = tuple[int, ...]
HEAD_START = 0.1
"""Seconds of search on one thread before the rest is split: a common 9x9 board takes milliseconds."""
PIECES_PER_JOB = 32
MAX_SPLITS = 1000
"""The most pieces that are split."""
NODES = 5_000
"""Nodes between two readings of the clock."""
PENDING = 100_000
"""The most solutions of later pieces that wait for the current one."""


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
        control[EXPANDED] += 1
        children: list[Path] = []
        if apply_choice(record, size - 1) >= 0:
            control[GENERATED] += 1
            children = [(*path, number) for number in untried_at(record, size)]
        pieces[index : index + 1] = children
    return pieces


# --- threads ---


class SplitSearch:
    """The rest of a search, and the searches of the threads that share it."""

    def __init__(self, search: Machine, threads: list[Machine], most: int) -> None:
        self.pieces = pieces_of(search, len(threads))
        self.searches = [search, *threads]
        """The search that was split, whose counts go on, and those of the threads."""
        self.places: list[int | None] = [None for _ in threads]
        """The piece on which each thread works."""
        self.solutions: list[list[Path]] = [[] for _ in self.pieces]
        """The solutions of each piece that were not yielded yet."""
        self.is_done = [False for _ in self.pieces]
        self.lock = threading.Lock()
        self.next = self.current = 0
        """The next piece that no thread has, and the first one that is not over."""
        for thread in threads:
            thread.control[MOST] = most

    def counts(self) -> tuple[int, int]:
        """Return the numbers of expanded and of generated states."""
        return self.total(EXPANDED), self.total(GENERATED)

    def total(self, slot: int) -> int:
        """Return a count of all searches together."""
        return sum(int(search.control[slot]) for search in self.searches)

    def rounds(self, nodes: int | None) -> Iterator[list[Path]]:
        """Let all threads work for a slice of time, again and again, until all pieces are over; `nodes` is the limit.

        Yields the next solutions.
        """
        with ThreadPoolExecutor(len(self.places), "permutation") as executor:
            while self.current < len(self.pieces):
                left = UNLIMITED if nodes is None else nodes - self.total(EXPANDED)
                share = -(-left // len(self.places))
                budgets = [max(0, min(share, left - share * thread)) for thread in range(len(self.places))]
                list(executor.map(self._work, range(len(self.places)), budgets))
                ready = self._take_ready()
                yield ready

    def _work(self, thread: int, budget: int) -> None:
        """Work on one piece after another for a slice of time, or until this many nodes are expanded."""
        search, began = self.searches[1 + thread], time.perf_counter()
        most = int(search.control[EXPANDED]) + budget
        while (left := most - int(search.control[EXPANDED])) > 0 and time.perf_counter() - began < SLICE_SECONDS:
            piece = self._piece_of(thread)
            if piece is None:
                return
            status = search.step(min(NODES, left))
            if status == IMPROVED:
                self.solutions[piece].append(tuple(search.solution(search.record)))
            if status == DONE:
                self.places[thread], self.is_done[piece] = None, True

    def _piece_of(self, thread: int) -> int | None:
        """Return the piece of a thread, or the next one; None if there is none, or too many solutions wait."""
        piece = self.places[thread]
        if piece is None:
            with self.lock:
                if self.next == len(self.pieces):
                    return None
                piece = self.places[thread] = self.next
                self.next += 1
            restrict_to(self.searches[1 + thread].record, self.pieces[piece])
        return None if piece > self.current and len(self.solutions[piece]) * len(self.places) > PENDING else piece

    def _take_ready(self) -> list[Path]:
        """Return the solutions of the current piece, and of those after it while each is over."""
        ready: list[Path] = []
        while self.current < len(self.pieces):
            ready += self.solutions[self.current]
            self.solutions[self.current] = []
            if not self.is_done[self.current]:
                break
            self.current += 1
        return ready


def listed_by_threads(search: Machine, another: Callable[[], Machine], clock: Clock, jobs: int) -> Iterator[Attempt]:
    """Yield all solutions, as `Enumerator.solutions` specifies; `another` makes the search of one more thread."""
    for attempt in listed(search, clock.limit, clock):
        yield attempt
        if isinstance(attempt, Result) and attempt.moves is None:
            return
        if clock.seconds >= HEAD_START:
            break
    split, stop = SplitSearch(search, [another() for _ in range(jobs)], 0), None
    for solutions in split.rounds(clock.limit.nodes):
        expanded, generated = split.counts()
        for moves in solutions:
            yield Result(moves, expanded=expanded, generated=generated, seconds=clock.seconds)
        yield Progress(expanded, generated, 0, 0, clock.seconds)
        stop = None if split.current == len(split.pieces) else clock.reached(expanded)
        if stop:
            break
    expanded, generated = split.counts()
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
    split = SplitSearch(search, [another() for _ in range(jobs)], UNLIMITED)
    for _ in split.rounds(clock.limit.nodes):
        solutions, expanded = split.total(FOUND), split.total(EXPANDED)
        stop = "done" if split.current == len(split.pieces) else clock.reached(expanded)
        if solutions >= most:
            stop = "solutions"
        yield Count(min(solutions, most), stop or "interrupted", expanded, clock.seconds)
        if stop:
            return
