"""One server for all tests of a process."""

from collections.abc import Iterator

import httpx
import pytest
from served import Server, end, start


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The server that most tests share."""
    found = start("--time", "30")
    yield found
    assert "Traceback" not in end(found)


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    """Asks the server; waits long, because kernels may have to be compiled."""
    with httpx.Client(base_url=server.address, timeout=300) as found:
        yield found
