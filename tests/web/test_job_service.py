"""What becomes of a job whose client leaves."""

import asyncio
import gc
from types import SimpleNamespace

import pytest
from starlette.exceptions import HTTPException

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
