"""The server's side of the worker processes: idle workers, the queue of jobs, and the replacement of stuck workers.

A worker that is asked to stop has `GRACE` seconds to send its result; after that its process is killed and a new one
takes its place. So a request cannot cost more than its time, whatever it makes a worker do.

Compiling kernels and building tables is not counted, and is not ended: it happens once, and what is ended would have to
begin again. A worker that prepares something for a client that has left leaves the pool, and ends when it is ready.

Clients take turns: a free worker goes to the address that was served least recently, and there to the page that was.
Where the queue is full, the client with the most jobs in it loses its last one.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any

from starlette.exceptions import HTTPException

from puzzlelab.engine.compiler import kernel_folder
from puzzlelab.web.worker import FAULT, FINAL_KINDS, REFUSED
from puzzlelab.web.worker_handle import DIED, Client, Job, Message, WorkerHandle

MAX_LEAVING = 2
"""Workers of a pool that may end a preparation outside of it; further ones are killed."""
TURNS = 100
"""Turns that are remembered."""
NO_ANSWER = "the search ended without an answer"
STOPPED = "the search was stopped before it had a result"
TOO_LONG = "the search was ended after {:.0f} seconds"

BUSY = "the server is busy: try again in some seconds"
ENDING = "the server is ending: try again when it runs"


def busy(sentence: str = BUSY) -> HTTPException:
    """Return the error that no worker, or no memory, can be had."""
    return HTTPException(503, sentence, {"Retry-After": "5"})


class Pool:
    """A fixed number of workers and a bounded queue of jobs."""

    def __init__(self, size: int, max_waiting: int, memory: int) -> None:
        self.size, self.max_waiting, self.memory = size, max_waiting, memory
        self._idle: list[WorkerHandle] = []
        self._queue: list[Job] = []
        self._turns: deque[Client] = deque(maxlen=TURNS)
        self._workers: set[WorkerHandle] = set()
        self._draining: set[asyncio.Task[None]] = set()
        self._leaving: set[WorkerHandle] = set()
        self._is_closing = False

    def open(self) -> None:
        """Start the workers."""
        kernel_folder()  # a private one is shared with them
        for _ in range(self.size):
            self._start_worker()

    def _start_worker(self) -> None:
        new_worker = WorkerHandle(self.memory, self.size)
        self._workers.add(new_worker)
        self._release(new_worker)

    def _release(self, idle_worker: WorkerHandle) -> None:
        """Give a worker to the job whose turn it is, or keep it idle."""
        waiting = self._waiting()
        if not waiting:
            self._idle.append(idle_worker)
            return
        following = min(waiting, key=lambda job: self._last_turn(job.client))
        self._turns.append(following.client)
        following.assign(idle_worker)

    def _waiting(self) -> list[Job]:
        """Return the jobs that wait for a worker, in the order in which they came."""
        return [job for job in self._queue if job.is_waiting]

    def _last_turn(self, client: Client) -> tuple[int, int]:
        """Return when the address of a client, and the client itself, had their last turns; -1 for long ago."""
        turns = list(enumerate(self._turns))
        of_address = max((number for number, (address, _) in turns if address == client[0]), default=-1)
        return of_address, max((number for number, other in turns if other == client), default=-1)

    def _make_room(self, job: Job) -> None:
        """Refuse a job if the queue is full: the last one of the client with the most; raises `busy` for this one."""
        jobs = [*self._waiting(), job]
        if len(jobs) <= self.max_waiting:
            return
        addresses, clients = Counter(each.client[0] for each in jobs), Counter(each.client for each in jobs)
        last = max(reversed(jobs), key=lambda each: (addresses[each.client[0]], clients[each.client]))
        if last is job:
            raise busy()
        last.assign(None)

    def _replace(self, old_worker: WorkerHandle) -> None:
        self._workers.discard(old_worker)
        if not self._is_closing:
            self._start_worker()
        if not old_worker.is_preparing or len(self._leaving) >= MAX_LEAVING or self._is_closing:
            old_worker.kill()
            return
        self._leaving.add(old_worker)
        self._in_background(self._let_leave(old_worker))

    async def _let_leave(self, old_worker: WorkerHandle) -> None:
        """End a worker that is no longer in the pool as soon as what it prepares is kept for others."""
        try:
            await old_worker.ready()
        finally:
            self._leaving.discard(old_worker)
            old_worker.kill()

    def end_jobs(self) -> None:
        """End all jobs and accept no others, because the server ends."""
        self._is_closing = True
        for job in self._waiting():
            job.assign(None)
        for each in self._workers:
            each.inbox.put_nowait((DIED, None))

    async def close(self) -> None:
        """End all workers."""
        self._is_closing = True
        for task in self._draining:
            task.cancel()
        await asyncio.gather(*self._draining, return_exceptions=True)
        for each in self._workers:
            each.kill()
        self._workers.clear()

    async def run(self, job: Job) -> AsyncGenerator[Message, None]:
        """Yield the messages of a job, the last one of `FINAL_KINDS`; raises `busy`, also when the server ends.

        Closing the iterator early stops the job.
        """
        for is_last in (False, True):
            if not self._idle and not self._is_closing:
                self._make_room(job)
                yield "waiting", {"text": "waiting for an earlier search to end"}
            chosen = await self._worker_for(job)
            if chosen is None and (self._is_closing or not job.stopped):
                raise busy(ENDING if self._is_closing else BUSY)
            if chosen is None:
                yield REFUSED, STOPPED
                return
            has_begun = False
            async with aclosing(self._run_on(chosen, job)) as messages:
                async for kind, value in messages:
                    if kind == DIED and self._is_closing:
                        raise busy(ENDING)
                    if kind == DIED and not has_begun and not is_last:
                        break  # it died idle: another worker may do the job
                    yield (kind, value) if kind != DIED else (FAULT, NO_ANSWER)
                    has_begun = True
                else:
                    return

    async def _worker_for(self, job: Job) -> WorkerHandle | None:
        """Take an idle worker, or wait for one in the queue.

        None when the job was stopped or refused before a worker was free, or the server ends.
        """
        if job.stopped or self._is_closing:
            return None
        if self._idle:  # perhaps only since the job was told to wait
            self._turns.append(job.client)
            return self._idle.pop()
        slot: asyncio.Future[WorkerHandle | None] = asyncio.get_running_loop().create_future()
        job.queue_slot = slot
        self._queue.append(job)
        try:
            return await slot
        except asyncio.CancelledError:
            if slot.done() and not slot.cancelled() and (assigned := slot.result()) is not None:
                self._release(assigned)  # it was assigned just as the request was cancelled
            raise
        finally:
            self._queue.remove(job)

    async def _run_on(self, chosen: WorkerHandle, job: Job) -> AsyncGenerator[Message, None]:
        """Yield the messages of a job on this worker; afterwards the worker is idle again, or replaced."""
        kind = ""
        try:
            await chosen.begin(job)
            async for kind, value in chosen.messages(job):
                yield kind, value
        except TimeoutError:
            yield REFUSED, STOPPED if job.stopped else TOO_LONG.format(job.seconds)
        except OSError:
            kind = DIED
            yield DIED, None
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
            if not chosen.is_preparing and await chosen.drained_in_time(job):
                self._release(chosen)
            else:
                self._replace(chosen)

        self._in_background(drain())

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._draining.add(task)
        task.add_done_callback(self._draining.discard)
