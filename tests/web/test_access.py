"""A server that other machines reach: its names, its token, and pages of other sites."""

import asyncio
import re
import socket
import subprocess
import sys

import pytest

pytest.importorskip("fastapi")
import httpx
from served import end, start

from puzzlelab.web import access, app, connections, serve
from puzzlelab.web.access import Access

PHONE = ("192.168.1.5", 40_000)
HERE = ("127.0.0.1", 40_000)
OPEN = Access(frozenset({"0.0.0.0", "desk"}), any_address=True, token="secret-word")


def asked(path: str, client: tuple[str, int] = PHONE, allowed: Access = OPEN, **headers: str) -> httpx.Response:
    """The answer of a server in this process to a request from this address."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app.make_app(access=allowed), client=client)
        async with httpx.AsyncClient(transport=transport, base_url="http://192.168.1.2:8000") as one:
            return await one.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    return asyncio.run(ask())


def test_the_token_in_the_address_becomes_a_cookie_and_leaves_the_address() -> None:
    answer = asked("/?token=secret-word&a=1")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/?a=1"
    cookie = answer.headers["set-cookie"]
    assert re.search("HttpOnly", cookie)
    assert re.search("SameSite=strict", cookie, re.I)
    assert asked("/", cookie=cookie.split(";")[0]).status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/list", "/?token=other", "/?token=", "/api/limits?token=secret-wor"])
def test_without_the_token_another_machine_gets_a_sentence(path: str) -> None:
    answer = asked(path)
    assert answer.status_code == 403
    assert "whole address" in answer.json()["error"]


def test_this_machine_needs_no_token() -> None:
    assert asked("/api/limits", HERE).status_code == 200
    assert asked("/api/limits", ("::ffff:127.0.0.1", 1)).status_code == 200


def test_anyone_may_ask_for_the_health() -> None:
    assert asked("/health").json()["status"] == "ok"


@pytest.mark.parametrize(
    ("host", "status"),
    [("192.168.1.2:8000", 200), ("[fe80::1]:8000", 200), ("desk:8000", 200), ("localhost", 200), ("evil.example", 400)],
)
def test_a_name_that_is_not_the_servers_is_refused(host: str, status: int) -> None:
    assert asked("/api/limits", HERE, host=host).status_code == status


@pytest.mark.parametrize(("origin", "status"), [("http://192.168.1.2:8000", 200), ("http://evil.example", 403)])
def test_the_page_of_another_site_may_not_use_the_api(origin: str, status: int) -> None:
    assert asked("/api/limits", HERE, origin=origin).status_code == status


def test_the_address_for_phones_has_the_token_and_the_machines_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "network_address", lambda: "192.168.1.2")
    served = serve._served_elsewhere("0.0.0.0", "0.0.0.0", 8000, "secret-word")
    assert served == serve.Served("http://127.0.0.1:8000/", "http://192.168.1.2:8000/?token=secret-word")


def test_the_address_of_this_machine_is_found_without_sending_anything() -> None:
    found = access.network_address()
    assert found is None or access.is_address(found)


def test_a_request_that_comes_slowly_is_closed_and_others_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a body that stops in the middle."""
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.3)

    async def play() -> None:
        import uvicorn

        settings = uvicorn.Config(app.make_app(), http=connections.PatientProtocol, log_level="error")
        server = uvicorn.Server(settings)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = listener.getsockname()
            running = asyncio.create_task(server.serve([listener]))
            while not server.started:
                await asyncio.sleep(0.01)
            heads = [
                b"GET / HTTP/1.1\r\nX: ",
                b"POST /api/solve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{",
            ]
            slow = [await asyncio.open_connection(*address) for _ in heads]
            for (_, writer), head in zip(slow, heads, strict=True):
                writer.write(head)
            async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{address[1]}") as client:
                assert (await client.get("/health")).status_code == 200
            for reader, writer in slow:
                assert await asyncio.wait_for(reader.read(), 30) == b""
                writer.close()
            server.should_exit = True
            await running

    asyncio.run(play())


def test_the_command_prints_the_address_for_other_machines() -> None:
    server = start("--host", "0.0.0.0", "--token", "secret-word")
    try:
        assert httpx.get(server.address + "health", timeout=60).status_code == 200
        assert server.process.stdout is not None
        printed = server.process.stdout.readline() + server.process.stdout.readline()
    finally:
        assert "Traceback" not in end(server)
    assert "0.0.0.0" not in server.address
    assert "/?token=secret-word" in printed
    assert "not encrypted" in printed


def test_a_token_that_is_none_is_refused() -> None:
    command = [sys.executable, "-m", "puzzlelab", "web", "--token", "a b"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2
    assert "a token has 8 to 100 letters" in ended.stderr


def test_ctrl_c_ends_a_watched_search_without_a_traceback() -> None:
    server = start("--jobs", "1")
    board = "15 14 8 12 10 11 9 13 2 6 5 1 3 7 4 0"
    query = {"puzzle": "tiles-4x4", "board": board, "solver": "bfs", "time": 30}
    with httpx.stream("GET", f"{server.address}api/solve/events", params=query, timeout=60) as answer:
        assert next(answer.iter_lines()).startswith("event: job")
        printed = end(server)
    assert "Traceback" not in printed
    assert "Exception" not in printed


def test_what_is_wrong_with_a_body_is_a_sentence() -> None:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app.make_app())
        async with httpx.AsyncClient(transport=transport, base_url="http://server") as one:
            return await one.post("/api/solve", content=b"{not json", headers={"content-type": "application/json"})

    answer = asyncio.run(ask())
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("the body is no JSON")
