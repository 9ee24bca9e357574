"""The server's side of the workers, with workers that are no processes."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from starlette.exceptions import HTTPException

from puzzlelab.web import pool, worker_handle
from puzzlelab.web.pool import NO_ANSWER, STOPPED, Pool
from puzzlelab.web.worker import DONE, FAULT, PREPARING, REFUSED
from puzzlelab.web.worker_handle import DIED, Job

pytestmark = pytest.mark.anyio


class FakeWorker(pool.WorkerHandle):
    """Sends the name of its task at once; for the task 'long' only after it was asked to stop, for 'deaf' never."""

    def __init__(self, memory: int, sharers: int) -> None:
        self.is_preparing = False
        self.inbox, self.stop_flag, self.killed = asyncio.Queue(), SimpleNamespace(value=False), False
        self.pipe = SimpleNamespace(send=self.take, close=lambda: None)
        self.process = SimpleNamespace(kill=lambda: setattr(self, "killed", True), join=lambda: None)

    async def begin(self, job) -> None:
        job.worker, self.stop_flag.value = self, job.stopped
        self.take((job.task, job.request))

    def take(self, task) -> None:
        if task[0] not in ("long", "deaf"):
            self.inbox.put_nowait((task[0], None))
        self.task = task[0]

    def stop(self) -> None:
        super().stop()
        if self.task == "long":
            self.inbox.put_nowait((DONE, "what it has"))


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    while not holds():
        await asyncio.sleep(0.01)


async def messages(workers: Pool, task: str) -> list:
    return [message async for message in workers.run(Job(task, {}, 60))]


@pytest.fixture
def workers(monkeypatch) -> Pool:
    """One worker and an empty queue."""
    monkeypatch.setattr(pool, "WorkerHandle", FakeWorker)
    monkeypatch.setattr(worker_handle, "GRACE", 0.01)
    return Pool(1, 0, 2**20)


async def test_a_worker_that_dies_is_replaced(workers) -> None:
    workers.open()
    (first,) = workers._workers
    assert await messages(workers, DIED) == [(FAULT, NO_ANSWER)]  # the second worker has died of it too
    assert first.killed
    assert first not in workers._workers
    assert await messages(workers, DONE) == [(DONE, None)]


@pytest.mark.parametrize(("task", "stays"), [("long", True), ("deaf", False)])
async def test_a_job_whose_result_is_no_longer_needed_is_stopped(workers, task, stays) -> None:
    """A worker that does not stop within the grace is replaced."""
    workers.open()
    (first,) = workers._workers
    running = asyncio.create_task(messages(workers, task))
    await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait([running])
    await asyncio.wait_for(asyncio.gather(*workers._draining), 300)
    assert first.stop_flag.value
    assert first.killed != stays
    assert (first in workers._workers) == stays
    assert await messages(workers, DONE) == [(DONE, None)]


async def test_a_job_that_is_stopped_before_its_turn_leaves_the_line(workers) -> None:
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
    await asyncio.wait_for(asyncio.gather(*workers._draining), 300)
    assert await messages(workers, DONE) == [(DONE, None)]


async def test_a_worker_that_gets_free_while_a_job_is_told_to_wait_takes_it(workers) -> None:
    workers.max_waiting = 1
    workers.open()
    (worker,) = workers._workers
    running = asyncio.create_task(messages(workers, "long"))
    await asyncio.sleep(0)
    waiting = workers.run(Job(DONE, {}, 60))
    assert (await anext(waiting))[0] == "waiting"
    worker.stop()
    assert await running == [(DONE, "what it has")]
    assert await asyncio.wait_for(anext(waiting), 300) == (DONE, None)


async def test_a_job_that_is_told_to_wait_while_the_server_ends_is_refused(workers) -> None:
    workers.max_waiting = 1
    workers.open()
    running = asyncio.create_task(messages(workers, "long"))
    await asyncio.sleep(0)
    waiting = workers.run(Job(DONE, {}, 60))
    assert (await anext(waiting))[0] == "waiting"
    workers.end_jobs()
    for end in (running, anext(waiting)):
        with pytest.raises(HTTPException, match="ending"):
            await asyncio.wait_for(end, 300)


class DeadOnce(FakeWorker):
    """The first worker has died while it was idle."""

    count = 0

    def __init__(self, memory: int, sharers: int) -> None:
        super().__init__(memory, sharers)
        self.number = DeadOnce.count
        DeadOnce.count += 1

    def take(self, task) -> None:
        if self.number == 0:
            raise BrokenPipeError
        super().take(task)


async def test_a_job_of_a_worker_that_died_idle_is_done_by_another(workers, monkeypatch) -> None:
    monkeypatch.setattr(pool, "WorkerHandle", DeadOnce)
    monkeypatch.setattr(DeadOnce, "count", 0)
    workers.open()
    assert await messages(workers, DONE) == [(DONE, None)]


class Preparing(FakeWorker):
    """Prepares something from the beginning of its task, and is ready when the test says so."""

    def take(self, task) -> None:
        self.task = task[0]
        self.inbox.put_nowait((PREPARING, True))
        self.inbox.put_nowait(("waiting", {"text": "Compiling ida.step."}))


async def test_a_preparation_is_not_ended_by_the_time_of_its_job(workers, monkeypatch) -> None:
    monkeypatch.setattr(pool, "WorkerHandle", Preparing)
    monkeypatch.setattr(worker_handle, "TICK", 0.01)
    workers.open()
    (first,) = workers._workers
    received = []
    async for kind, value in workers.run(Job("long", {}, 0.001)):
        received.append((kind, value))
        if len(received) == 5:
            first.inbox.put_nowait((PREPARING, False))
            first.inbox.put_nowait((DONE, "found"))
    assert received[0] == ("waiting", {"text": "Compiling ida.step."})
    assert all(kind == "waiting" and value["text"].count("s so far") == 1 for kind, value in received[1:5])
    assert received[-1] == (DONE, "found")


async def test_a_worker_that_prepares_what_nobody_waits_for_leaves_the_pool_and_ends_it(workers, monkeypatch) -> None:
    monkeypatch.setattr(pool, "WorkerHandle", Preparing)
    workers.open()
    (first,) = workers._workers
    async for _ in workers.run(Job("long", {}, 60)):
        break
    await until(lambda: first not in workers._workers)
    assert not first.killed
    first.inbox.put_nowait((PREPARING, False))  # now it writes what it has prepared to the disk
    await asyncio.sleep(0.05)
    assert not first.killed
    first.inbox.put_nowait((DONE, None))
    await asyncio.wait_for(asyncio.gather(*workers._draining), 300)
    assert first.killed
    assert len(workers._workers) == 1


async def test_a_stop_ends_a_job_whose_worker_prepares_something(workers, monkeypatch) -> None:
    monkeypatch.setattr(pool, "WorkerHandle", Preparing)
    workers.open()
    job, received = Job("deaf", {}, 60), []
    async for message in workers.run(job):
        received.append(message)
        job.stop()
    assert received[-1] == (REFUSED, STOPPED)


GREEDY, PAGE, OTHER = ("127.0.0.1", ""), ("127.0.0.1", "page"), ("192.168.1.5", "")


async def test_clients_take_turns_and_the_one_with_most_jobs_loses_its_last(workers) -> None:
    workers.max_waiting = 4
    workers.open()
    ends = []

    async def ask(name: str, client: tuple[str, str], task: str = DONE) -> None:
        try:
            async for _ in workers.run(Job(task, {}, 60, client)):
                pass
            ends.append(name)
        except HTTPException:
            ends.append(f"{name} refused")

    async def begin(*asked) -> asyncio.Task:
        task = asyncio.create_task(ask(*asked))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return task

    running = await begin("first", GREEDY, "long")
    tasks = [await begin(f"greedy {number}", GREEDY) for number in range(5)]
    tasks += [await begin("page", PAGE), await begin("other", OTHER), await begin("page again", PAGE)]
    (worker,) = workers._workers
    worker.stop()
    await asyncio.wait_for(asyncio.gather(running, *tasks), 300)
    refused = [name for name in ends if name.endswith("refused")]
    assert refused == ["greedy 4 refused", "greedy 3 refused", "greedy 2 refused", "page again refused"]
    assert [name for name in ends if name not in refused] == ["first", "other", "page", "greedy 0", "greedy 1"]


async def test_the_end_of_the_server_ends_every_job(workers) -> None:
    workers.max_waiting = 1
    workers.open()
    running = asyncio.create_task(messages(workers, "long"))
    queued = asyncio.create_task(messages(workers, DONE))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    workers.end_jobs()
    for task in (running, queued):
        with pytest.raises(HTTPException, match="ending"):
            await asyncio.wait_for(task, 300)
    await workers.close()
    assert not workers._workers
