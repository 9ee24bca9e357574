"""What becomes of a job whose client leaves."""

import asyncio
import gc
from types import SimpleNamespace

import pytest
from starlette.exceptions import HTTPException

from puzzlelab.web.app import make_app
from puzzlelab.web.job_service import CLIENT_CLOSED_REQUEST, JobService, ServerLimits

pytestmark = pytest.mark.anyio


class Ending:
    """A pool that refuses a job when it is cancelled, as one does whose server ends."""

    async def run(self, job):
        try:
            yield "waiting", {}
            await asyncio.sleep(60)
        finally:
            raise HTTPException(503, "the server ends")


class Leaving:
    """A request whose client has left."""

    client = SimpleNamespace(host="here")
    headers, state = {}, SimpleNamespace()

    async def is_disconnected(self):
        return True


async def test_the_error_of_a_job_whose_client_has_left_is_not_printed() -> None:
    printed = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: printed.append(context))
    with pytest.raises(HTTPException) as left:
        await JobService(ServerLimits()).answer(Leaving(), Ending(), "solve", {}, 1.0)
    assert left.value.status_code == CLIENT_CLOSED_REQUEST
    del left  # it keeps the job
    await asyncio.sleep(0.05)
    gc.collect()
    assert printed == []


class Endless:
    """A pool whose only job goes on until it is closed."""

    async def run(self, job):
        while True:
            yield "waiting", {"text": "for its end"}


async def test_a_stream_whose_client_leaves_while_an_event_is_sent_ends_its_job() -> None:
    """Without a collection of garbage, which an idle server does not make."""
    app, left = make_app(), asyncio.Event()
    service = app.state.job_service
    service.searches = Endless()
    sent = []

    async def receive():
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)
        if len(sent) == 4:
            assert len(service.jobs) == 1
            left.set()
            await asyncio.Event().wait()

    path, query = "/api/solve/events", b"puzzle=tiles-2x2&board=1+2+0+3"
    server = {"server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "headers": [(b"host", b"127.0.0.1")]}
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query, "asgi": {"version": "3.0"}, **server}
    gc.collect()
    gc.disable()
    try:
        await app(scope, receive, send)
        assert service.jobs == {}
    finally:
        gc.enable()
    assert len(sent) == 4
