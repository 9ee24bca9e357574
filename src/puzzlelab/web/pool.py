"""The server's side of the worker processes: idle workers, the queue of jobs, and the replacement of stuck workers.

A worker that is asked to stop has `GRACE` seconds to send its result; after that its process is killed and a new one
takes its place. So a request cannot cost more than its time, whatever it makes a worker do.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import secrets
import signal
import threading
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from puzzlelab.core import signals
from puzzlelab.web import worker
from puzzlelab.web.worker import FAULT, FINAL_KINDS, REFUSED

GRACE = 2.0
"""Seconds in which a worker that was asked to stop may send its result."""
DIED, WAKE_UP = "died", "wake up"
"""Messages about a worker, not from it: its process has ended; the deadline of its job may have changed."""
NO_ANSWER = "the search ended without an answer"
STOPPED = "the search was stopped before it had a result"
TOO_LONG = "the search was ended after {:.0f} seconds, with compiling kernels and building tables"
Message = tuple[str, Any]


class Busy(Exception):
    """All workers are busy and the queue is full."""


@dataclass
class Job:
    """One task, from the request to its end."""

    task: str
    request: dict[str, Any]
    seconds: float
    """The worker is ended after this time."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    stopped: bool = False
    worker: WorkerHandle | None = None
    """The worker that runs the job now."""
    queue_slot: asyncio.Future[WorkerHandle | None] | None = None
    """Set while the job waits in the queue: resolves to its worker, or to None when the job was stopped."""

    def stop(self) -> None:
        """End the job with the result that it has."""
        self.stopped, self.seconds = True, GRACE
        if self.worker is not None:
            self.worker.stop()
        if self.queue_slot is not None and not self.queue_slot.done():
            self.queue_slot.set_result(None)


class WorkerHandle:
    """A worker process and the messages that it sends."""

    def __init__(self, memory: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, child_pipe = context.Pipe()
        self.stop_flag = context.RawValue("b", 0)
        self.process = context.Process(target=worker.main, args=(child_pipe, self.stop_flag, memory), daemon=True)
        with signals.blocked({signal.SIGINT}):  # Ctrl-C reaches all processes of a terminal
            self.process.start()
        child_pipe.close()
        self.inbox: asyncio.Queue[Message] = asyncio.Queue()
        threading.Thread(target=self._listen, args=(asyncio.get_running_loop(),), daemon=True).start()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Pass the messages of the process to the event loop until the process ends."""
        message: Message = (DIED, None)
        while True:
            try:
                message = self.pipe.recv()
            except (EOFError, OSError):
                message = (DIED, None)
            try:
                loop.call_soon_threadsafe(self.inbox.put_nowait, message)
            except RuntimeError:  # the server has ended
                return
            if message[0] == DIED:
                return

    def begin(self, job: Job) -> None:
        """Send the task of a job to the process."""
        job.worker, self.stop_flag.value = self, job.stopped
        self.pipe.send((job.task, job.request))

    def stop(self) -> None:
        """Ask the process to end its task."""
        self.stop_flag.value = True
        self.inbox.put_nowait((WAKE_UP, None))

    async def messages(self, job: Job) -> AsyncGenerator[Message, None]:
        """The messages of a job, up to its end; raises `TimeoutError` when the job's seconds are over."""
        clock = asyncio.get_running_loop().time
        start, stopped = clock(), job.stopped
        while True:
            if job.stopped and not stopped:
                start, stopped = clock(), True
            message = await asyncio.wait_for(self.inbox.get(), start + job.seconds - clock())
            if message[0] != WAKE_UP:
                yield message
            if message[0] in (*FINAL_KINDS, DIED):
                return

    async def drained_in_time(self, job: Job) -> bool:
        """Stop a job whose result is no longer needed; whether the process ends it within the grace."""
        job.worker = self
        job.stop()
        try:
            async for kind, _ in self.messages(job):
                if kind in FINAL_KINDS:
                    return True
        except TimeoutError:
            pass
        return False

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


class Pool:
    """A fixed number of workers and a bounded queue of jobs."""

    def __init__(self, size: int, max_waiting: int, memory: int) -> None:
        self.size, self.max_waiting, self.memory = size, max_waiting, memory
        self._idle: list[WorkerHandle] = []
        self._queue: deque[asyncio.Future[WorkerHandle | None]] = deque()
        self._workers: set[WorkerHandle] = set()
        self._draining: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Start the workers."""
        for _ in range(self.size):
            self._start_worker()

    def _start_worker(self) -> None:
        new_worker = WorkerHandle(self.memory)
        self._workers.add(new_worker)
        self._release(new_worker)

    def _release(self, idle_worker: WorkerHandle) -> None:
        """Give a worker to the first job in the queue, or keep it idle."""
        first = next((slot for slot in self._queue if not slot.done()), None)
        if first is None:
            self._idle.append(idle_worker)
        else:
            first.set_result(idle_worker)

    def _replace(self, old_worker: WorkerHandle) -> None:
        old_worker.kill()
        self._workers.discard(old_worker)
        self._start_worker()

    def close(self) -> None:
        """End all workers."""
        for task in self._draining:
            task.cancel()
        for each in self._workers:
            each.kill()
        self._workers.clear()

    async def run(self, job: Job) -> AsyncGenerator[Message, None]:
        """The messages of a job, the last one of `FINAL_KINDS`; raises `Busy`.

        Closing the iterator early stops the job.
        """
        chosen: WorkerHandle | None
        if self._idle:
            chosen = self._idle.pop()
        else:
            if len(self._queue) >= self.max_waiting:
                raise Busy
            yield "waiting", {"text": "waiting for an earlier search to end"}
            chosen = await self._wait_for_worker(job)
        if chosen is None:
            yield REFUSED, STOPPED
            return
        async with aclosing(self._run_on(chosen, job)) as messages:
            async for message in messages:
                yield message

    async def _wait_for_worker(self, job: Job) -> WorkerHandle | None:
        """Wait in the queue; None when the job was stopped before a worker was free."""
        slot: asyncio.Future[WorkerHandle | None] = asyncio.get_running_loop().create_future()
        job.queue_slot = slot
        if job.stopped:
            return None
        self._queue.append(slot)
        try:
            return await slot
        except asyncio.CancelledError:
            if slot.done() and not slot.cancelled() and (assigned := slot.result()) is not None:
                self._release(assigned)  # it was assigned just as the request was cancelled
            raise
        finally:
            self._queue.remove(slot)

    async def _run_on(self, chosen: WorkerHandle, job: Job) -> AsyncGenerator[Message, None]:
        """The messages of a job on this worker; afterwards the worker is idle again, or replaced."""
        kind = ""
        try:
            chosen.begin(job)
            async for kind, value in chosen.messages(job):
                yield (kind, value) if kind != DIED else (FAULT, NO_ANSWER)
        except TimeoutError:
            yield REFUSED, STOPPED if job.stopped else TOO_LONG.format(job.seconds)
        except OSError:  # the process ended while it was idle
            kind = DIED
            yield FAULT, NO_ANSWER
        finally:
            job.worker = None
            if kind == DIED:
                self._replace(chosen)
            elif kind not in FINAL_KINDS:
                self._drain(chosen, job)
            else:
                self._release(chosen)

    def _drain(self, chosen: WorkerHandle, job: Job) -> None:
        """Release a worker as soon as it has ended a job whose result is no longer needed, or replace it."""

        async def drain() -> None:
            if await chosen.drained_in_time(job):
                self._release(chosen)
            else:
                self._replace(chosen)

        task = asyncio.get_running_loop().create_task(drain())
        self._draining.add(task)
        task.add_done_callback(self._draining.discard)
