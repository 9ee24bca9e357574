"""The workers of a server and their jobs: what may be asked of them, and how one waits for their answers.

Three pools of workers: for searches, which take their time; for questions, which may have to wait for kernels to be
compiled; and for facts that are there. So a page goes on being quick while somebody's search runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from fastapi import Request
from starlette.exceptions import HTTPException

from puzzlelab.web.pool import Busy, Job, Message, Pool
from puzzlelab.web.server_limits import USUAL_SECONDS, ServerLimits
from puzzlelab.web.worker import DONE, FAULT, REFUSED

ASKED = 2
"""Workers for questions."""
LOOK = 0.5
"""Seconds after which it is seen whether the one who asked is still there."""
BUSY = "everything is busy: try again in some seconds"
LEFT = 499
"""The status for one who has gone, and will not read it."""


class JobService:
    """The workers of a server, and the jobs that they have."""

    def __init__(self, bounds: ServerLimits) -> None:
        self.bounds = bounds
        self.searches = Pool(bounds.jobs, bounds.waiting, bounds.memory)
        self.questions = Pool(ASKED, bounds.waiting, bounds.memory)
        self.facts = Pool(1, bounds.waiting, bounds.memory)
        self.jobs: dict[str, Job] = {}

    @property
    def pools(self) -> tuple[Pool, ...]:
        """All of them."""
        return self.facts, self.questions, self.searches

    def job(self, task: str, seconds: float, asked: dict[str, Any]) -> Job:
        """A job of so many seconds, and those for compiling."""
        return Job(task, asked, seconds + self.bounds.building)

    def time(self, wanted: float | None) -> float:
        """What a search gets of the seconds that were wanted, if any were; raises `HTTPException`."""
        if wanted is None:
            return min(USUAL_SECONDS, self.bounds.seconds)
        if wanted > self.bounds.seconds:
            raise HTTPException(422, f"time: a search may take {self.bounds.seconds:g} seconds here, not {wanted:g}")
        return wanted

    def allow(self, parameter: str, boards: int) -> None:
        """Raise `HTTPException` for a parameter that asks for too many boards."""
        if boards > self.bounds.boards:
            most = f"{self.bounds.boards:,} of one request"
            raise HTTPException(422, f"{parameter}: {boards:,} boards are more than the {most}")

    def boards(self, texts: Sequence[str]) -> list[str]:
        """The boards, if they are not too many; raises `HTTPException`."""
        self.allow("boards", len(texts))
        return list(texts)

    async def events(self, pool: Pool, job: Job) -> AsyncGenerator[Message, None]:
        """What a job tells, while it can be stopped by its id."""
        self.jobs[job.id] = job
        try:
            async with aclosing(pool.run(job)) as told:
                async for message in told:
                    yield message
        finally:
            del self.jobs[job.id]

    async def answer(self, request: Request, pool: Pool, job: Job) -> Any:
        """How a job ends, for one who waits for it; whoever leaves stops it. Raises `HTTPException`."""
        end = asyncio.ensure_future(self._end(pool, job))
        try:
            while not (await asyncio.wait({end}, timeout=LOOK))[0]:
                if await request.is_disconnected():
                    raise HTTPException(LEFT)
            kind, value = end.result()
        except Busy:
            raise HTTPException(503, BUSY, {"Retry-After": "5"}) from None
        finally:
            end.cancel()
        if kind != DONE:
            raise HTTPException(400 if kind == REFUSED else 500, value)
        return value

    async def _end(self, pool: Pool, job: Job) -> Message:
        last: Message = (FAULT, "")
        async for message in self.events(pool, job):
            last = message
        return last
