"""The server's side of the workers: who is idle, who waits, and what becomes of one that does not stop.

A worker that is told to stop has `GRACE` seconds to tell what it has; after that it is ended, and another takes its
place. So a request can cost no more than its time, whatever it makes a worker do.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import secrets
import threading
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from puzzlelab.web import worker
from puzzlelab.web.worker import ENDS, FAULT, REFUSED

GRACE = 2.0
"""Seconds in which a worker that was told to stop may tell what it has."""
DIED, NUDGE = "died", "nudge"
"""What is told in a worker's place: that it is no more, and that its time may be another now."""
ENDED = "the search ended without an answer"
STOPPED = "stopped before there was anything to tell"
TOO_LONG = "this was ended after {:.0f} seconds, with compiling kernels and building tables"
Message = tuple[str, Any]


class Busy(Exception):
    """All workers have work, and as many requests wait as may wait."""


@dataclass
class Job:
    """One task, from the request to its end."""

    task: str
    asked: dict[str, Any]
    seconds: float
    """After so many the worker is ended, whatever it does."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    stopped: bool = False
    worker: WorkerHandle | None = None
    """Who does it now."""
    place: asyncio.Future[WorkerHandle | None] | None = None
    """Its place in the line, where it has to wait: the worker that it gets, or None where it waits no longer."""

    def stop(self) -> None:
        """Let it end with what it has."""
        self.stopped, self.seconds = True, GRACE
        if self.worker is not None:
            self.worker.stop()
        if self.place is not None and not self.place.done():
            self.place.set_result(None)


class WorkerHandle:
    """A process, and what it tells."""

    def __init__(self, memory: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.flag = context.RawValue("b", 0)
        self.process = context.Process(target=worker.main, args=(theirs, self.flag, memory), daemon=True)
        self.process.start()
        theirs.close()
        self.inbox: asyncio.Queue[Message] = asyncio.Queue()
        threading.Thread(target=self._listen, args=(asyncio.get_running_loop(),), daemon=True).start()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Bring what the process tells to the event loop, as long as it lives."""
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
        """Give it the task."""
        job.worker, self.flag.value = self, job.stopped
        self.pipe.send((job.task, job.asked))

    def stop(self) -> None:
        """Tell it that it should end its task."""
        self.flag.value = True
        self.inbox.put_nowait((NUDGE, None))

    async def messages(self, job: Job) -> AsyncGenerator[Message, None]:
        """What it tells, to the end; raises `TimeoutError` when the job's seconds are over."""
        clock = asyncio.get_running_loop().time
        began, stopped = clock(), job.stopped
        while True:
            if job.stopped and not stopped:
                began, stopped = clock(), True
            message = await asyncio.wait_for(self.inbox.get(), began + job.seconds - clock())
            if message[0] != NUDGE:
                yield message
            if message[0] in (*ENDS, DIED):
                return

    async def settles(self, job: Job) -> bool:
        """Whether it ends a job that nobody waits for any more within the grace."""
        job.worker = self
        job.stop()
        try:
            async for kind, _ in self.messages(job):
                if kind in ENDS:
                    return True
        except TimeoutError:
            pass
        return False

    def end(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


class Pool:
    """So many workers, and those who wait for one."""

    def __init__(self, size: int, waiting: int, memory: int) -> None:
        self.size, self.most, self.memory = size, waiting, memory
        self._idle: list[WorkerHandle] = []
        self._line: deque[asyncio.Future[WorkerHandle | None]] = deque()
        self._all: set[WorkerHandle] = set()
        self._leaving: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Start the workers."""
        for _ in range(self.size):
            self._hire()

    def _hire(self) -> None:
        fresh = WorkerHandle(self.memory)
        self._all.add(fresh)
        self._free(fresh)

    def _free(self, idle: WorkerHandle) -> None:
        """Give a worker to the first in the line, or let it be idle."""
        first = next((place for place in self._line if not place.done()), None)
        if first is None:
            self._idle.append(idle)
        else:
            first.set_result(idle)

    def _replace(self, gone: WorkerHandle) -> None:
        gone.end()
        self._all.discard(gone)
        self._hire()

    def close(self) -> None:
        """End all workers."""
        for task in self._leaving:
            task.cancel()
        for each in self._all:
            each.end()
        self._all.clear()

    async def run(self, job: Job) -> AsyncGenerator[Message, None]:
        """What a worker tells of a job, the last one of `ENDS`; raises `Busy`.

        Whoever closes the iterator early stops the job.
        """
        chosen: WorkerHandle | None
        if self._idle:
            chosen = self._idle.pop()
        else:
            if len(self._line) >= self.most:
                raise Busy
            yield "waiting", {"text": "waiting for a search before this one to end"}
            chosen = await self._turn(job)
        if chosen is None:
            yield REFUSED, STOPPED
            return
        async with aclosing(self._told(chosen, job)) as told:
            async for message in told:
                yield message

    async def _turn(self, job: Job) -> WorkerHandle | None:
        """Wait in the line; None where the job was stopped before its turn came."""
        place: asyncio.Future[WorkerHandle | None] = asyncio.get_running_loop().create_future()
        job.place = place
        if job.stopped:
            return None
        self._line.append(place)
        try:
            return await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and (given := place.result()) is not None:
                self._free(given)  # it came just as nobody waited any more
            raise
        finally:
            self._line.remove(place)

    async def _told(self, chosen: WorkerHandle, job: Job) -> AsyncGenerator[Message, None]:
        """What this worker tells of the job; afterwards it is idle again, or another is in its place."""
        kind = ""
        try:
            chosen.begin(job)
            async for kind, value in chosen.messages(job):
                yield (kind, value) if kind != DIED else (FAULT, ENDED)
        except TimeoutError:
            yield REFUSED, STOPPED if job.stopped else TOO_LONG.format(job.seconds)
        except OSError:  # it ended while nobody asked it anything
            kind = DIED
            yield FAULT, ENDED
        finally:
            job.worker = None
            if kind == DIED:
                self._replace(chosen)
            elif kind not in ENDS:
                self._leave(chosen, job)
            else:
                self._free(chosen)

    def _leave(self, chosen: WorkerHandle, job: Job) -> None:
        """See to it that a worker whose answer nobody waits for is idle soon, or replaced."""

        async def settle() -> None:
            if await chosen.settles(job):
                self._free(chosen)
            else:
                self._replace(chosen)

        task = asyncio.get_running_loop().create_task(settle())
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
