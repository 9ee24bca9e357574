"""Connections that send nothing or take nothing: they are closed, and the others are answered."""

import asyncio
import logging
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import pytest

pytest.importorskip("fastapi")
import httpx
import uvicorn

from puzzlelab.web import connections, serve

pytestmark = pytest.mark.anyio

LARGE = 24 * 2**20
"""Bytes of an answer that no system keeps for a client that does not read."""
ASKED = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


async def application(scope, receive, send) -> None:
    """Answers with as many bytes as the path says."""
    size = int(scope["path"].strip("/") or LARGE)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(size).encode())]})
    await send({"type": "http.response.body", "body": bytes(size)})


@asynccontextmanager
async def served(**settings) -> AsyncIterator[tuple[uvicorn.Server, tuple[str, int]]]:
    """A server in this process, and its address."""
    config = uvicorn.Config(
        application, http=connections.PatientProtocol, lifespan="off", log_level="error", **settings
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        running = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        yield server, listener.getsockname()
        server.should_exit = True
        await running


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    while not holds():
        await asyncio.sleep(0.01)


async def client_of(address: tuple[str, int]) -> socket.socket:
    """A client that has asked for a large answer, and has taken nothing of it."""
    client = socket.socket()
    client.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(client, address)
    await loop.sock_sendall(client, ASKED)
    return client


async def has_all(client: socket.socket) -> bool:
    """Whether a client that reads at last gets the whole answer."""
    size = 0
    with client, suppress(ConnectionResetError):
        while size < LARGE and (
            part := await asyncio.wait_for(asyncio.get_running_loop().sock_recv(client, 2**20), 300)
        ):
            size += len(part)
    return size >= LARGE


async def test_a_client_that_takes_nothing_is_closed(monkeypatch) -> None:
    monkeypatch.setattr(connections, "SEND_SECONDS", 0.2)
    async with served() as (server, address):
        client = await client_of(address)
        await until(lambda: server.server_state.total_requests == 1)
        await until(lambda: not server.server_state.connections)
        assert not await has_all(client)


async def test_of_clients_that_take_nothing_the_one_that_has_waited_longest_is_closed(monkeypatch) -> None:
    monkeypatch.setattr(connections, "MAX_UNSENT", LARGE)
    async with served() as (server, address):
        clients = []
        for _ in range(3):
            clients.append(await client_of(address))
            await until(lambda: server.server_state.total_requests == len(clients))
        assert [await has_all(client) for client in clients] == [False, False, True]


async def test_idle_connections_make_room_for_others() -> None:
    async with served(limit_concurrency=5) as (_, address):
        idle = [await asyncio.open_connection(*address) for _ in range(20)]
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{address[1]}") as client:
            assert (await client.get("/1")).status_code == 200
        await until(lambda: sum(not (reader.at_eof() or reader.exception()) for reader, _ in idle) <= 5)
        for _, writer in idle:
            writer.close()


def test_a_server_that_may_open_few_files_says_so() -> None:
    resource = pytest.importorskip("resource", reason="the system has no limit of open files")
    command = [sys.executable, "-m", "puzzlelab", "web", "--port", "0"]
    few = (24, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    ended = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few),
    )
    assert ended.returncode == 2
    assert "open files, and 24 are allowed here" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_warning_is_logged_once_a_second_and_a_lack_of_files_in_one_line(caplog) -> None:
    log = logging.getLogger("puzzlelab-test")
    log.addFilter(serve._warnings_once_a_second())
    for _ in range(100):
        log.warning("Invalid HTTP request received.")
        log.error(f"{serve.NO_MORE_FILES}\nsocket: <...>", exc_info=OSError(24, "Too many open files"))
    log.error("an error", exc_info=ValueError("whose traceback stays"))
    shown = [(record.getMessage(), bool(record.exc_info)) for record in caplog.records]
    assert shown[-1] == ("an error", True)
    assert set(shown[:-1]) == {
        ("Invalid HTTP request received.", False),
        (f"{serve.NO_MORE_FILES}: connections wait", False),
    }
    assert len(shown) < 100
