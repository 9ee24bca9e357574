"""Exact cover as an integer program for HiGHS: a variable 0 or 1 for each option, a row for each item.

Rows of primary items sum to 1, rows of secondary items to at most 1, and what a board has chosen is fixed at 1. Further
solutions are found by cuts, each of which forbids one solution. HiGHS works with floating-point numbers and tolerances:
its 'infeasible' is a proof as far as these are trusted, and dancing links or SAT can confirm it.
Sources: Huangfu, Hall, "Parallelizing the dual revised simplex method" (2018), which is HiGHS; Bartlett, Chartier,
Langville, Rankin, "An integer programming model for the Sudoku problem" (2008).
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.boards import Instance
from puzzlelab.core.errors import PuzzlelabError
from puzzlelab.core.limit import Limit
from puzzlelab.core.result import Progress, Result, Stop
from puzzlelab.core.solver import Attempt
from puzzlelab.core.views import Cover
from puzzlelab.engine.driver import SLICE_SECONDS, Clock
from puzzlelab.engine.enumeration import Enumerator
from puzzlelab.runtime.memory import resident
from puzzlelab.solvers import _milp_worker
from puzzlelab.solvers._milp_worker import Message

INFEASIBLE = "the equations of the exact cover have no solution in whole numbers"
DIED = "the process that runs HiGHS has ended without an answer"


# --- the process that runs HiGHS ---


class MilpWorker:
    """A process that answers one question at a time."""

    def __init__(self) -> None:
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(Path(_milp_worker.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
            start_new_session=True,  # Ctrl-C is for this process alone
        )
        self.listener = threading.Thread()
        self.busy = False
        try:
            for _ in self._wait():
                pass
        except BaseException:
            self.close()
            raise

    def ask(self, question: Message) -> Generator[None, None, Message]:
        """Yield the answer; yields some twenty times a second while it waits.

        Left early, the worker stays busy for ever.
        """
        assert self.process.stdin is not None
        self.busy = True
        try:
            _milp_worker.write(self.process.stdin, question)
        except OSError:
            raise PuzzlelabError(DIED) from None
        return (yield from self._wait())

    def _wait(self) -> Generator[None, None, Message]:
        stream, answers = self.process.stdout, []
        assert stream is not None
        self.busy = True
        self.listener = threading.Thread(
            target=lambda: answers.append(_milp_worker.read(stream)), name="integer", daemon=True
        )
        self.listener.start()
        while self.listener.is_alive():
            self.listener.join(SLICE_SECONDS)
            yield
        if not answers or answers[0] is None:
            raise PuzzlelabError(DIED)
        self.busy = False
        return answers[0]

    def memory(self) -> int:
        """Return the bytes of the process that are in memory; 0 once it has ended."""
        try:
            return resident(self.process.pid)
        except OSError:
            return 0

    def close(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.wait()
        if self.listener.is_alive():
            self.listener.join()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]


_IDLE: list[MilpWorker] = []


@atexit.register
def _end_all() -> None:
    while _IDLE:
        _IDLE.pop().close()


@contextmanager
def _borrowed() -> Iterator[MilpWorker]:
    """Lend an unused worker; it is kept for later unless it is still busy at the end."""
    try:
        worker = _IDLE.pop()
    except IndexError:
        worker = MilpWorker()
    if worker.process.poll() is not None:
        worker.close()
        worker = MilpWorker()
    try:
        yield worker
    finally:
        if worker.busy:
            worker.close()
        else:
            _IDLE.append(worker)


# --- the search ---


class IntegerProgram:
    """The integer program of one board, with one more row for each solution so far."""

    def __init__(self, instance: Instance) -> None:
        puzzle = instance.puzzle
        view = puzzle.view(Cover)
        assert view is not None
        cover, self.taken = view.cover(), view.chosen(instance.state)
        self.moves = cover.moves
        self.rows, self.columns = [cover.entries.astype(np.int64)], [cover.owners]
        self.least = [np.less(np.arange(cover.items), cover.primary).astype(float)]
        self.most = [np.ones(cover.items)]
        self.lower = np.zeros(cover.options)
        self.lower[self.taken] = 1
        # an option without a primary item is never needed, and would make the same solution count twice
        self.upper = np.maximum(self.lower, cover.needed)

    def question(self, seconds: float | None, nodes: int | None) -> Message:
        """Return the program as it is now, with limits."""
        rows, columns, least, most = map(np.concatenate, (self.rows, self.columns, self.least, self.most))
        bounds = {"least": least, "most": most, "lower": self.lower, "upper": self.upper}
        return {"rows": rows, "columns": columns, **bounds, "seconds": seconds, "nodes": nodes}

    def forbid(self, options: NDArray[np.int64]) -> None:
        """Exclude solutions with all these options."""
        self.rows.append(np.full(len(options), sum(map(len, self.least))))
        self.columns.append(options)
        self.least.append(np.array([-np.inf]))
        self.most.append(np.array([len(options) - 1.0]))


@dataclass
class MilpSearch:
    """All solutions of one board, one after the other. `expanded` counts nodes where HiGHS says how many there were."""

    program: IntegerProgram
    worker: MilpWorker
    clock: Clock
    expanded: int = 0
    solution_count: int = 0
    stop: Stop = "done"

    def attempts(self) -> Iterator[Attempt]:
        """Yield all solutions, as `Enumerator.solutions` specifies."""
        while (options := (yield from self._next())) is not None:
            self.solution_count += 1
            yield self._result(tuple(sorted(self.program.moves[options].tolist())))
            self.program.forbid(options)
        yield self._result(None, self.stop, INFEASIBLE if self.stop == "done" and not self.solution_count else "")

    def _next(self) -> Generator[Progress, None, NDArray[np.int64] | None]:
        """Yield the options of one more solution; None with a `stop` where there is none, or a limit was reached."""
        if self._reached():
            return None
        limit = self.clock.limit
        seconds = None if limit.seconds is None else limit.seconds - self.clock.seconds
        nodes = None if limit.nodes is None else limit.nodes - self.expanded
        request = self.worker.ask(self.program.question(seconds, nodes))
        while True:
            try:
                next(request)
            except StopIteration as end:
                return self._read(end.value)
            yield Progress(self.expanded, 0, 0, 0, self.clock.seconds)
            if self._reached():
                return None

    def _reached(self) -> bool:
        stop = self.clock.reached(self.expanded)
        if stop is None and self.worker.memory() > self.clock.room():
            stop = "memory"
        self.stop = stop or "done"
        return stop is not None

    def _read(self, answer: Message) -> NDArray[np.int64] | None:
        self.expanded += int(answer["nodes"])
        if answer["end"] == _milp_worker.FOUND:
            return np.setdiff1d(answer["ones"], self.program.taken)
        if answer["end"] == _milp_worker.FAILED:
            raise PuzzlelabError(f"HiGHS ended without an answer: {answer['words']}")
        if answer["end"] == _milp_worker.LIMIT:
            self.stop = "time" if self.clock.limit.nodes is None else self.clock.reached(self.expanded) or "nodes"
        return None

    def _result(self, moves: tuple[int, ...] | None, stop: Stop = "done", reason: str = "") -> Result:
        return Result(moves, "none", reason, stop, 0, self.expanded, seconds=self.clock.seconds)


class Integer(Enumerator):
    """Integer programming with HiGHS, as it comes with SciPy; it finds and lists all solutions."""

    name: ClassVar[str] = "integer"
    needs: ClassVar[tuple[type, ...]] = (Cover,)

    def solutions(self, instance: Instance, limit: Limit) -> Iterator[Attempt]:
        """Yield every solution, in the order of the search; each needs a program with one more row."""
        with _borrowed() as worker:
            yield from MilpSearch(IntegerProgram(instance), worker, Clock(limit)).attempts()


SOLVER = Integer
