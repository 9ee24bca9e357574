"""The server's side of the workers, with workers that are no processes."""

import asyncio
from types import SimpleNamespace

import pytest

from puzzlelab.web import pool
from puzzlelab.web.pool import DIED, ENDED, STOPPED, Job, Pool
from puzzlelab.web.worker import DONE, FAULT, REFUSED


class Puppet(pool.WorkerHandle):
    """Tells at once what its task is called; of one that is called 'long', nothing until it is told to stop."""

    def __init__(self, memory: int) -> None:
        self.inbox, self.flag, self.ended = asyncio.Queue(), SimpleNamespace(value=False), False
        self.pipe = SimpleNamespace(send=self.take, close=lambda: None)
        self.process = SimpleNamespace(kill=lambda: setattr(self, "ended", True), join=lambda: None)

    def take(self, task) -> None:
        if task[0] not in ("long", "deaf"):
            self.inbox.put_nowait((task[0], None))
        self.task = task[0]

    def stop(self) -> None:
        super().stop()
        if self.task == "long":
            self.inbox.put_nowait((DONE, "what it has"))


async def told(workers: Pool, task: str) -> list:
    return [message async for message in workers.run(Job(task, {}, 60))]


@pytest.fixture
def workers(monkeypatch) -> Pool:
    """One worker, and nobody waits."""
    monkeypatch.setattr(pool, "WorkerHandle", Puppet)
    monkeypatch.setattr(pool, "GRACE", 0.01)
    return Pool(1, 0, 2**20)


def test_a_worker_that_dies_is_replaced(workers) -> None:
    async def play() -> None:
        workers.open()
        (first,) = workers._all
        assert await told(workers, DIED) == [(FAULT, ENDED)]
        assert first.ended
        assert first not in workers._all
        assert await told(workers, DONE) == [(DONE, None)]

    asyncio.run(play())


@pytest.mark.parametrize(("task", "stays"), [("long", True), ("deaf", False)])
def test_a_job_that_nobody_waits_for_is_told_to_stop(workers, task, stays) -> None:
    """Whoever does not stop within the grace is replaced."""

    async def play() -> None:
        workers.open()
        (first,) = workers._all
        asked = asyncio.create_task(told(workers, task))
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.wait([asked])
        await asyncio.wait_for(asyncio.gather(*workers._leaving), 10)
        assert first.flag.value
        assert first.ended != stays
        assert (first in workers._all) == stays
        assert await told(workers, DONE) == [(DONE, None)]

    asyncio.run(play())


def test_a_job_that_is_stopped_before_its_turn_leaves_the_line(workers) -> None:
    async def play() -> None:
        workers.most = 1
        workers.open()
        asked = asyncio.create_task(told(workers, "long"))
        await asyncio.sleep(0)
        job, heard = Job(DONE, {}, 60), []
        async for message in workers.run(job):
            heard.append(message)
            job.stop()
        assert heard[1:] == [(REFUSED, STOPPED)]
        asked.cancel()
        await asyncio.wait([asked])
        await asyncio.wait_for(asyncio.gather(*workers._leaving), 10)
        assert await told(workers, DONE) == [(DONE, None)]

    asyncio.run(play())
