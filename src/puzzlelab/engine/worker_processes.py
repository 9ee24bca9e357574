"""The worker processes of this machine, for `executor.py`: each does one piece at a time.

Each process is a pool of `concurrent.futures` of its own, so that its end leaves the others alone, and tells which
piece ended it; a thread for each gives it its pieces. Processes are spawned, never forked: a fork of a process with
compiled threads can hang or die.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from multiprocessing import process
from multiprocessing.connection import wait as wait_for_sentinel
from pathlib import Path
from typing import Any

from puzzlelab.core.errors import BadInput
from puzzlelab.engine.compiler import kernel_folder
from puzzlelab.engine.executor import MOST_TRIES, Executor, PieceLost, Program, ProgramLost, Setup, Timed
from puzzlelab.engine.worker import run_piece, value_of
from puzzlelab.runtime import signals
from puzzlelab.runtime.memory import share_memory

QUIET_TRACKER = "ignore::UserWarning:multiprocessing.resource_tracker"
"""Keeps the process that frees the semaphores of a killed program from writing how many there were."""
END_SECONDS = 1.0
"""The time that the end of a process may take."""
UNGUARDED = 85
"""The exit code of a process that would start processes of its own while it imports the script of its parent."""


@dataclass(frozen=True)
class PublishedFile:
    """A published value in a file; see `Published`."""

    key: str
    path: Path

    def value(self) -> Any:
        return value_of(self.key, lambda: pickle.loads(self.path.read_bytes()))


class WorkerProcesses(Executor):
    """This number of worker processes of this machine."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count
        self._threads = ThreadPoolExecutor(self._count)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._over = threading.Event()
        """Is set when the pieces that run are cancelled."""
        self._folder: Path | None = None
        self._programs: list[LocalProgram] = []

    def _begin(
        self, work: Callable[[], Any], setup: Setup | None, put: Callable[[Any], None] | None
    ) -> Future[Timed[Any]]:
        return self._threads.submit(self._run, work, setup, self._over)

    def _run(self, work: Callable[[], Any], setup: Setup | None, over: threading.Event) -> Timed[Any]:
        """Let processes do a piece until one has done it."""
        for _ in range(MOST_TRIES):
            if over.is_set():
                raise CancelledError
            worker = self._worker()
            self._busy.add(worker)
            is_usable = True
            try:
                timed: Timed[Any] = worker.submit(run_piece, work, setup).result()
                return timed
            except BrokenProcessPool:
                is_usable = False  # though its process may look alive for another moment
                try:
                    worker.refuse_unguarded()
                finally:
                    worker.end()
            finally:
                self._busy.discard(worker)
                if is_usable:
                    self._idle.append(worker)
        raise PieceLost(f"it has ended {MOST_TRIES} workers (a worker process was killed, or crashed)")

    def _worker(self) -> _Worker:
        """Return a process that has nothing to do."""
        while True:
            try:
                worker = self._idle.pop()  # without a look before: other threads take workers too
            except IndexError:
                return _Worker(self._count)
            if worker.is_alive():
                return worker

    def cancel(self) -> None:
        for future in list(self.running):
            future.cancel()
        self._over.set()
        self._over = threading.Event()
        for worker in list(self._busy):
            worker.end()
        self.running.clear()

    def shutdown(self) -> None:
        self.cancel()
        for program in self._programs:
            program.end()
        self._threads.shutdown()
        while self._idle:
            self._idle.pop().end()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    @property
    def slots(self) -> int:
        return self._count

    def publish(self, key: str, value: Any) -> PublishedFile:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="puzzlelab-"))
        path = self._folder / key
        if not path.exists():
            path.write_bytes(pickle.dumps(value))
        return PublishedFile(key, path)

    def forget(self, key: str) -> None:
        if self._folder is not None:
            (self._folder / key).unlink(missing_ok=True)

    def start(
        self, factory: Callable[..., Any], arguments: Sequence[Any], resources: Mapping[str, float] | None = None
    ) -> Program:
        program = LocalProgram(factory, arguments)
        self._programs.append(program)
        return program


def end_if_unguarded() -> None:
    """End this process if it imports the script of its parent, which has no guard: it would begin the work again."""
    if getattr(process.current_process(), "_inheriting", False):
        os._exit(UNGUARDED)


class _Worker:
    """A process that does not outlive this one, and does not get its signals: one of several that share the memory."""

    def __init__(self, sharers: int = 1) -> None:
        end_if_unguarded()
        kernel_folder()  # a private one is shared with the process
        if QUIET_TRACKER not in sys.warnoptions:
            sys.warnoptions.append(QUIET_TRACKER)
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_begin_worker, initargs=(sharers,))
        with signals.blocked():
            self._pool.submit(_nothing)  # starts the process
        (self._process,) = self._pool._processes.values()
        self._thread: Any = self._pool._executor_manager_thread
        self._ending = threading.Lock()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Let the process call a function; raises `BrokenProcessPool`, as the future does, if it has ended."""
        return self._pool.submit(function, *arguments)

    def is_alive(self) -> bool:
        """Tell whether the process runs."""
        return not wait_for_sentinel([self._process.sentinel], 0)

    def _exit_code(self) -> int | None:
        """Wait a second for the end of the process, and return its exit code.

        While another thread reads the code, which can be done once, the process has none for a moment.
        """
        end = time.monotonic() + END_SECONDS
        while (code := self._process.exitcode) is None and (left := end - time.monotonic()) > 0:
            wait_for_sentinel([self._process.sentinel], left)
            time.sleep(0.001)
        return code

    def refuse_unguarded(self) -> None:
        """Raise `BadInput` if the process ended because the script of this one has no guard."""
        if self._exit_code() == UNGUARDED:
            raise BadInput(
                "worker processes import the script that starts them, and this one would start others then: put what "
                "it does below the line `if __name__ == '__main__':`"
            ) from None

    def cause_of_end(self) -> str:
        """Return why the process ended, in words."""
        code = self._exit_code()
        return f"killed by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"

    def end(self) -> None:
        """End the process at once, and the thread of its pool.

        A program that ends while such a thread closes its pipe writes into that pipe, and fails. The thread itself,
        which calls this for a lost program, cannot wait for its own end. `shutdown` is no call for two threads at once.
        """
        self._process.kill()
        with self._ending:
            self._pool.shutdown(wait=False, cancel_futures=True)
        if self._thread is not threading.current_thread():
            self._thread.join()
        self._exit_code()


def _nothing() -> None:
    pass


def _begin_worker(sharers: int) -> None:
    """End this process when its parent has ended, and compile nothing in the background."""
    os.environ["PUZZLELAB_BACKGROUND"] = "0"
    share_memory(sharers)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        wait_for_sentinel([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()


class LocalProgram:
    """An object in a process of its own; see `Program`."""

    def __init__(self, factory: Callable[..., Any], arguments: Sequence[Any]) -> None:
        self._call = partial(_call, factory, arguments)
        self._worker: _Worker | None = None

    def call(self, method: str, *arguments: Any) -> Future[Any]:
        """See `Program`."""
        worker = self._worker = self._worker or _Worker()
        answer: Future[Any] = Future()
        try:
            ended = worker.submit(self._call, method, arguments)
        except BrokenProcessPool:
            answer.set_exception(self._lost(worker))
        else:
            ended.add_done_callback(partial(self._answer, worker, answer))
        return answer

    def _answer(self, worker: _Worker, answer: Future[Any], ended: Future[Any]) -> None:
        """Give a call its answer."""
        if ended.cancelled():  # by `end`
            answer.cancel()
        elif isinstance(error := ended.exception(), BrokenProcessPool):
            answer.set_exception(self._lost(worker))
        elif error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(ended.result())

    def _lost(self, worker: _Worker) -> Exception:
        """Forget a process that has ended; the error of its last call."""
        if worker is self._worker:
            self._worker = None
        lost: Exception
        try:
            worker.refuse_unguarded()
            lost = ProgramLost(worker.cause_of_end())
        except BadInput as error:
            lost = error
        worker.end()
        return lost

    def end(self) -> None:
        """See `Program`."""
        if self._worker is not None:
            self._worker.end()


_object: Any = None
"""The object of the program that this process is."""


def _call(factory: Callable[..., Any], arguments: Sequence[Any], method: str, values: Sequence[Any]) -> Any:
    """Call a method of the object of this process, which the first call makes."""
    global _object
    if _object is None:
        _object = factory(*arguments)
    return getattr(_object, method)(*values)
