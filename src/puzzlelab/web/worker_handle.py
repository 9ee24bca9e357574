"""One worker process as the server sees it: its job, its messages, and the time that the job has left."""

from __future__ import annotations

import asyncio
import multiprocessing
import secrets
import signal
import threading
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

from puzzlelab.runtime import signals
from puzzlelab.web import worker
from puzzlelab.web.worker import FINAL_KINDS, PREPARING

GRACE = 2.0
"""Seconds in which a worker that was asked to stop may send its result."""
TICK = 2.0
"""Seconds between two messages of a worker that prepares something: they show that it goes on."""
PREPARATION = "preparing the search"
DIED, WAKE_UP = "died", "wake up"
"""Messages about a worker, not from it: its process has ended; the deadline of its job may have changed."""
LEAVING_SECONDS = 60.0
"""Seconds in which a worker that prepared something for a client that has left may keep it, such as write a table."""
Message = tuple[str, Any]
Client = tuple[str, str]
"""The client of a request: the address, and the name that a page gives itself."""


@dataclass
class Job:
    """One task, from the request to its end."""

    task: str
    request: dict[str, Any]
    seconds: float
    """The worker is ended after this time, in which preparations are not counted."""
    client: Client = ("", "")
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    stopped: bool = False
    worker: WorkerHandle | None = None
    """The worker that runs the job now."""
    queue_slot: asyncio.Future[WorkerHandle | None] | None = None
    """Set while the job waits in the queue: resolves to its worker, or to None when the job was stopped or refused."""

    def stop(self) -> None:
        """End the job with the result that it has."""
        self.stopped, self.seconds = True, GRACE
        if self.worker is not None:
            self.worker.stop()
        if self.is_waiting:
            self.assign(None)

    @property
    def is_waiting(self) -> bool:
        """Whether the job waits in the queue."""
        return self.queue_slot is not None and not self.queue_slot.done()

    def assign(self, chosen: WorkerHandle | None) -> None:
        """End the waiting of the job: with a worker, or without one because it is stopped or refused."""
        assert self.queue_slot is not None
        self.queue_slot.set_result(chosen)


class WorkerHandle:
    """A worker process and the messages that it sends."""

    def __init__(self, memory: int, sharers: int = 1) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, child_pipe = context.Pipe()
        self.stop_flag = context.RawValue("b", 0)
        arguments = (child_pipe, self.stop_flag, memory, sharers)
        self.process = context.Process(target=worker.main, args=arguments, daemon=True)
        with signals.blocked({signal.SIGINT}):  # Ctrl-C reaches all processes of a terminal
            self.process.start()
        child_pipe.close()
        self.is_preparing = False
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
                self.process.join()
                self.pipe.close()
                return

    async def begin(self, job: Job) -> None:
        """Send the task of a job to the process, which may only be starting and read it later."""
        job.worker, self.stop_flag.value = self, job.stopped
        await asyncio.to_thread(self.pipe.send, (job.task, job.request))

    def stop(self) -> None:
        """Ask the process to end its task."""
        self.stop_flag.value = True
        self.inbox.put_nowait((WAKE_UP, None))

    async def messages(self, job: Job) -> AsyncGenerator[Message, None]:
        """Yield the messages of a job, up to its end; raises `TimeoutError` when the job's seconds are over.

        Its time stands while the worker prepares something, and begins anew when the job is stopped.
        """
        now = asyncio.get_running_loop().time
        start = paused = now()
        reason, stopped = PREPARATION, job.stopped
        while True:
            if job.stopped and not stopped:  # its time begins anew
                start, stopped = now(), True
            is_paused = self.is_preparing and not stopped
            try:
                kind, value = await asyncio.wait_for(
                    self.inbox.get(), TICK if is_paused else start + job.seconds - now()
                )
            except TimeoutError:
                if not self.is_preparing or job.stopped:
                    raise
                yield "waiting", {"text": f"{reason.rstrip('.')} ({now() - paused:.0f} s so far)"}
                continue
            if kind == PREPARING:
                self.is_preparing = value
                if value:
                    paused, reason = now(), PREPARATION
                elif not stopped:
                    start += now() - paused
                continue
            if kind == "waiting":
                reason = value["text"]
            if kind != WAKE_UP:
                yield kind, value
            if kind in (*FINAL_KINDS, DIED):
                return

    async def ready(self) -> None:
        """Wait until the process has ended what it prepares and keeps it, or has died."""
        kind = ""
        while kind not in (*FINAL_KINDS, DIED):
            try:
                patience = None if self.is_preparing else LEAVING_SECONDS
                kind, value = await asyncio.wait_for(self.inbox.get(), patience)
            except TimeoutError:
                return
            if kind == PREPARING:
                self.is_preparing = value

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
        """End the process at once; its thread waits for it, because much memory takes time to be returned."""
        self.process.kill()
