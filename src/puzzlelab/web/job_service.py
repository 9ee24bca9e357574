"""The workers of a server and their jobs: limits of requests, streams of events, and answers.

There are three pools of workers: for searches, which take long; for questions, which may wait for kernels to be
compiled; and for facts, which are answered at once. So the page stays quick while a search runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import Request
from pydantic import Field
from starlette.exceptions import HTTPException

from puzzlelab.core.settings import Settings
from puzzlelab.engine.parallel import cores
from puzzlelab.web.pool import Pool
from puzzlelab.web.worker import DONE, FAULT, REFUSED
from puzzlelab.web.worker_handle import Job, Message

DEFAULT_SECONDS = 10.0
"""The time of a search for which no time was requested."""
QUESTION_WORKERS = 2
FACTS_MEMORY = 2**28
"""Bytes that a worker for facts may hold; none of its tasks searches."""
CLIENT, MAX_CLIENT_LENGTH = "x-client", 64
"""The header by which pages of one machine are told apart, so that each has its turns."""
DISCONNECT_POLL = 0.5
"""Seconds between two checks whether the client is still connected."""
CLIENT_CLOSED_REQUEST = 499
"""The status for a client that has disconnected; nothing reads it."""


class ServerLimits(Settings):
    """The limits of a server; a request over them is refused with a sentence."""

    seconds: float = Field(default=60.0, gt=0, le=86_400)
    """The most that one search, or one request of many boards, may take; compiling and building are not counted."""
    loading: float = Field(default=180.0, ge=0)
    """Additional seconds of a job for imports and networks, on a slow machine; after that the worker is ended."""
    memory: int = Field(default=2 * 2**30, ge=2**28)
    """The most bytes that a search may hold."""
    boards: int = Field(default=1000, ge=1)
    """The most boards in one request."""
    body: int = Field(default=2**20, ge=1)
    """The most bytes of a request's body."""
    jobs: int = Field(default_factory=cores, ge=1, le=64)
    """Searches at once."""
    waiting: int = Field(default=32, ge=0)
    """Searches that may wait for a worker, and as many quick requests; further ones are refused as "busy"."""


class JobService:
    """The workers of a server and the jobs that they run."""

    def __init__(self, limits: ServerLimits) -> None:
        self.limits = limits
        self.searches = Pool(limits.jobs, limits.waiting, limits.memory)
        self.questions = Pool(QUESTION_WORKERS, limits.waiting, limits.memory)
        self.facts = Pool(1, limits.waiting, FACTS_MEMORY)
        self.jobs: dict[str, Job] = {}

    @property
    def pools(self) -> tuple[Pool, ...]:
        """All pools."""
        return self.facts, self.questions, self.searches

    def end(self) -> None:
        """End all jobs, because the server ends."""
        for pool in self.pools:
            pool.end_jobs()

    def job(self, request: Request, task: str, parameters: dict[str, Any], seconds: float) -> Job:
        """Return a job of these seconds for the client of a request, with extra time for imports."""
        client = request.client.host if request.client else "", request.headers.get(CLIENT, "")[:MAX_CLIENT_LENGTH]
        return Job(task, parameters, seconds + self.limits.loading, client)

    def search_seconds(self, requested: float | None) -> float:
        """Return the seconds of a search: those requested, or the default.

        Raises `HTTPException` if they are too many.
        """
        if requested is None:
            return min(DEFAULT_SECONDS, self.limits.seconds)
        if requested > self.limits.seconds:
            raise HTTPException(422, f"time: a search may take {self.limits.seconds:g} seconds here, not {requested:g}")
        return requested

    def check_board_count(self, boards: int, parameter: str = "boards") -> None:
        """Raise `HTTPException` if a request has too many boards, by this parameter."""
        if boards > self.limits.boards:
            allowed = f"{self.limits.boards:,} of one request"
            raise HTTPException(422, f"{parameter}: {boards:,} boards are more than the {allowed}")

    async def events(self, pool: Pool, job: Job) -> AsyncGenerator[Message, None]:
        """Yield the messages of a job, which can be stopped by its id meanwhile."""
        self.jobs[job.id] = job
        try:
            async with aclosing(pool.run(job)) as messages:
                async for message in messages:
                    yield message
        finally:
            del self.jobs[job.id]

    async def answer(
        self, request: Request, pool: Pool, task: str, parameters: dict[str, Any], seconds: float
    ) -> bytes:
        """Return the result of a task as JSON; its job is stopped when the client disconnects.

        Raises `HTTPException`.
        """
        job = self.job(request, task, parameters, seconds)
        end = asyncio.ensure_future(self._last_message(pool, job))
        end.add_done_callback(_noted)
        try:
            while not (await asyncio.wait({end}, timeout=DISCONNECT_POLL))[0]:
                if await request.is_disconnected():
                    raise HTTPException(CLIENT_CLOSED_REQUEST)
            kind, value = end.result()
        finally:
            end.cancel()
        if kind != DONE:
            raise HTTPException(400 if kind == REFUSED else 500, value)
        return bytes(value)

    async def _last_message(self, pool: Pool, job: Job) -> Message:
        last: Message = (FAULT, "")
        async for message in self.events(pool, job):
            last = message
        return last


def _noted(end: asyncio.Future[Message]) -> None:
    """Note the error of a job whose client may have left, so that the event loop does not print it."""
    if not end.cancelled():
        end.exception()
