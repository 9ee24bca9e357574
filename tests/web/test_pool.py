"""The server's side of the workers, with workers that are no processes."""

import asyncio
from types import SimpleNamespace

import pytest

from puzzlelab.web import pool
from puzzlelab.web.pool import DIED, NO_ANSWER, STOPPED, Job, Pool
from puzzlelab.web.worker import DONE, FAULT, REFUSED


class FakeWorker(pool.WorkerHandle):
    """Sends the name of its task at once; for the task 'long' only after it was asked to stop, for 'deaf' never."""

    def __init__(self, memory: int) -> None:
        self.inbox, self.stop_flag, self.killed = asyncio.Queue(), SimpleNamespace(value=False), False
        self.pipe = SimpleNamespace(send=self.take, close=lambda: None)
        self.process = SimpleNamespace(kill=lambda: setattr(self, "killed", True), join=lambda: None)

    def take(self, task) -> None:
        if task[0] not in ("long", "deaf"):
            self.inbox.put_nowait((task[0], None))
        self.task = task[0]

    def stop(self) -> None:
        super().stop()
        if self.task == "long":
            self.inbox.put_nowait((DONE, "what it has"))


async def messages(workers: Pool, task: str) -> list:
    return [message async for message in workers.run(Job(task, {}, 60))]


@pytest.fixture
def workers(monkeypatch) -> Pool:
    """One worker and an empty queue."""
    monkeypatch.setattr(pool, "WorkerHandle", FakeWorker)
    monkeypatch.setattr(pool, "GRACE", 0.01)
    return Pool(1, 0, 2**20)


def test_a_worker_that_dies_is_replaced(workers) -> None:
    async def play() -> None:
        workers.open()
        (first,) = workers._workers
        assert await messages(workers, DIED) == [(FAULT, NO_ANSWER)]
        assert first.killed
        assert first not in workers._workers
        assert await messages(workers, DONE) == [(DONE, None)]

    asyncio.run(play())


@pytest.mark.parametrize(("task", "stays"), [("long", True), ("deaf", False)])
def test_a_job_whose_result_is_no_longer_needed_is_stopped(workers, task, stays) -> None:
    """A worker that does not stop within the grace is replaced."""

    async def play() -> None:
        workers.open()
        (first,) = workers._workers
        running = asyncio.create_task(messages(workers, task))
        await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait([running])
        await asyncio.wait_for(asyncio.gather(*workers._draining), 10)
        assert first.stop_flag.value
        assert first.killed != stays
        assert (first in workers._workers) == stays
        assert await messages(workers, DONE) == [(DONE, None)]

    asyncio.run(play())


def test_a_job_that_is_stopped_before_its_turn_leaves_the_line(workers) -> None:
    async def play() -> None:
        workers.max_waiting = 1
        workers.open()
        running = asyncio.create_task(messages(workers, "long"))
        await asyncio.sleep(0)
        job, received = Job(DONE, {}, 60), []
        async for message in workers.run(job):
            received.append(message)
            job.stop()
        assert received[1:] == [(REFUSED, STOPPED)]
        running.cancel()
        await asyncio.wait([running])
        await asyncio.wait_for(asyncio.gather(*workers._draining), 10)
        assert await messages(workers, DONE) == [(DONE, None)]

    asyncio.run(play())
