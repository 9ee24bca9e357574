"""Threads that share the pieces of one search: they take them in order, and their solutions come in that order.

The answer depends on no timing. Each thread works for a slice of time; between two slices the limits are checked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from puzzlelab.engine.driver import SLICE_SECONDS, Machine
from puzzlelab.engine.kernels import DONE, FULL, IMPROVED

NODES = 20_000
"""The most nodes between two readings of the clock."""
PENDING = 100_000
"""The most solutions of later pieces that wait for the current one."""
MAX_BYTES = 1 << 30
"""The most bytes that the arrays of one search may grow by at once."""
UNLIMITED = 2**62


def work_of(search: Machine) -> NDArray[np.int64]:
    """Return `int64[2]`: the states that a search has expanded, and those that it has generated."""
    return np.array([search.control.expanded, search.control.generated])


class SharedPieces:
    """The pieces of a search, and the threads that share them."""

    def __init__(
        self,
        pieces: int,
        begin: Callable[[int, int], Machine],
        jobs: int,
        ended: Callable[[Machine], None] = lambda search: None,
        first_only: bool = False,
    ) -> None:
        """`begin(thread, piece)` returns the search of a piece, and `ended` gets it when it is over.

        With `first_only` a piece is over at its first solution, and the pieces after it are left out.
        """
        self.count, self.begin, self.ended, self.first_only = pieces, begin, ended, first_only
        self.searches: list[tuple[int, Machine] | None] = [None] * jobs
        """The piece on which each thread works, and its search."""
        self.solutions: list[list[tuple[int, ...]]] = [[] for _ in range(pieces)]
        """The solutions of each piece that were not yielded yet."""
        self.is_over = np.zeros(pieces, bool)
        self.work = np.zeros(2, np.int64)
        """The expanded and the generated states."""
        self.next = self.current = 0
        """The next piece that no thread has, and the first one that is not over."""
        self.lock = threading.Lock()

    def rounds(self, nodes: int | None) -> Iterator[list[tuple[int, ...]]]:
        """Let all threads work for a slice of time, again and again, until all pieces are over.

        Yields the solutions that are next in the order of the pieces; `nodes` is the most states to expand.
        """
        jobs = len(self.searches)
        with ThreadPoolExecutor(jobs, "pieces") as threads:
            while self.current < self.count:
                left = UNLIMITED if nodes is None else nodes - int(self.work[0])
                share = -(-left // jobs)
                budgets = [max(0, min(share, left - share * thread)) for thread in range(jobs)]
                list(threads.map(self._slice, range(jobs), budgets))
                ready = self._ready()
                yield ready

    def _slice(self, thread: int, budget: int) -> None:
        """Work on one piece after another for a slice of time, or until this many states are expanded."""
        began = time.perf_counter()
        while budget > 0 and time.perf_counter() - began < SLICE_SECONDS:
            taken = self._taken(thread)
            if taken is None:
                return
            piece, search = taken
            before = work_of(search)
            status = search.step(min(NODES, budget))
            work = work_of(search) - before
            budget -= int(work[0])
            if status == FULL and not search.enlarge(MAX_BYTES):
                raise MemoryError
            with self.lock:
                self.work += work
                self._note(thread, piece, search, status)

    def _note(self, thread: int, piece: int, search: Machine, status: int) -> None:
        """Keep what a step has found."""
        if status == IMPROVED:
            self.solutions[piece].append(tuple(search.solution(search.record)))
            if self.first_only:
                self.count = min(self.count, piece + 1)
        if status == DONE or (status == IMPROVED and self.first_only):
            self.searches[thread], self.is_over[piece] = None, True
            self.ended(search)

    def _taken(self, thread: int) -> tuple[int, Machine] | None:
        """Return the piece of a thread and its search; None if no piece is left, or too many solutions wait."""
        taken = self.searches[thread]
        if taken is None or taken[0] >= self.count:
            with self.lock:
                piece = self.next
                if piece >= self.count:
                    self.searches[thread] = None
                    return None
                self.next += 1
            taken = self.searches[thread] = piece, self.begin(thread, piece)
        piece, _ = taken
        waits = piece > self.current and len(self.solutions[piece]) * len(self.searches) > PENDING
        return None if waits else taken

    def _ready(self) -> list[tuple[int, ...]]:
        """Return the solutions of the current piece, and of those after it while each is over."""
        ready: list[tuple[int, ...]] = []
        while self.current < self.count:
            ready += self.solutions[self.current]
            self.solutions[self.current] = []
            if not self.is_over[self.current]:
                break
            self.current += 1
        return ready
