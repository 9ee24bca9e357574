"""Who may ask the server: this machine, others by the token, and no page of another site."""

import asyncio
import ipaddress
import re
import socket
from functools import cache

import pytest

pytest.importorskip("fastapi")
import httpx
import served
from served import end, start

from puzzlelab.web import access, app, connections, serve

PHONE = ("192.168.1.5", 40_000)
HERE = ("127.0.0.1", 40_000)
TOKEN = "secret-word"


@cache
def guarded() -> app.FastAPI:
    """A server with a token."""
    return app.make_app(token=TOKEN)


def asked(path: str, client: tuple[str, int] = PHONE, **headers: str) -> httpx.Response:
    """The answer of a server in this process to a request from this address; of this machine's programs to its name."""
    host = "localhost:8000" if client == HERE else "192.168.1.2:8000"
    sent = {name: value.encode("latin-1") for name, value in headers.items()}
    return served.asked(guarded(), "GET", path, f"http://{host}", client=client, headers=sent)


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
    assert asked("/api/limits", ("::ffff:127.0.0.1", 1), host="localhost").status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        *((host, 200) for host in ("127.0.0.1:8000", "127.0.0.1", "[::1]:8000", "LocalHost:80")),
        *((host, 403) for host in ("evil.example", "192.168.1.2:8000", "0.0.0.0", "localhost.evil.example", "[", "")),
    ],
)
def test_only_a_name_that_means_this_machine_needs_no_token(host: str, status: int) -> None:
    """Another name may have been pointed at this server by the page of another site."""
    assert asked("/api/limits", HERE, host=host).status_code == status
    assert asked("/api/limits", HERE, host=host, cookie=f"puzzlelab-token={TOKEN}").status_code == 200


@pytest.mark.parametrize(
    "header", ["forwarded", "via", "x-real-ip", "x-forwarded-for", "x-forwarded-host", "X-Forwarded-Proto"]
)
def test_what_another_server_passes_on_needs_the_token(header: str) -> None:
    assert asked("/api/limits", HERE, **{header: "127.0.0.1"}).status_code == 403
    assert asked(f"/?token={TOKEN}", HERE, **{header: "127.0.0.1"}).status_code == 303
    assert asked("/api/limits", HERE, **{header: "127.0.0.1", "cookie": f"puzzlelab-token={TOKEN}"}).status_code == 200


def test_the_page_behind_another_server_uses_the_api_under_its_name() -> None:
    passed_on = {"host": "puzzles.example", "x-forwarded-for": "203.0.113.9", "cookie": f"puzzlelab-token={TOKEN}"}
    assert asked("/api/limits", HERE, origin="https://puzzles.example", **passed_on).status_code == 200
    assert asked("/api/limits", HERE, origin="https://evil.example", **passed_on).status_code == 403


@pytest.mark.parametrize(
    "cookies",
    [
        "a=b; puzzlelab-token={}",
        "@#$(=,;;[]; puzzlelab-token={}; c=d",
        'x="a\\"b; puzzlelab-token={}',
        "puzzlelab-token=of-another-server; puzzlelab-token={}",
        "\xff=\xfe; puzzlelab-token={}",
        "expires=Wed, 09 Jun; path; puzzlelab-token={};",
    ],
)
def test_cookies_of_others_change_nothing(cookies: str) -> None:
    assert asked("/api/limits", cookie=cookies.format(TOKEN)).status_code == 200
    assert asked("/api/limits", cookie=cookies.format("other-word")).status_code == 403


def test_an_old_token_in_the_address_does_not_replace_the_right_one() -> None:
    assert asked("/?token=old-one", cookie=f"puzzlelab-token={TOKEN}").status_code == 200
    assert "set-cookie" not in asked("/?token=old-one", HERE).headers


def test_anyone_may_ask_for_the_health() -> None:
    assert asked("/health").json()["status"] == "ok"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:8000", 200),
        *((origin, 403) for origin in ("http://evil.example", "http://localhost:80", "null", "http://[", "://", "[")),
    ],
)
def test_the_page_of_another_site_may_not_use_the_api(origin: str, status: int) -> None:
    assert asked("/api/limits", HERE, origin=origin).status_code == status


@pytest.mark.parametrize(
    ("host", "ip", "addresses"),
    [
        ("0.0.0.0", "0.0.0.0", ("http://127.0.0.1:80/", "http://192.168.1.2:80/?token=secret-word")),
        ("::", "::", ("http://localhost:80/", "http://192.168.1.2:80/?token=secret-word")),
        ("desk", "192.168.1.2", ("http://desk:80/?token=secret-word", "http://desk:80/?token=secret-word")),
        ("127.0.0.1", "127.0.0.1", ("http://127.0.0.1:80/", None)),
        ("desk", "127.0.1.1", ("http://desk:80/?token=secret-word", None)),
    ],
)
def test_an_address_has_the_token_where_requests_need_it(
    monkeypatch: pytest.MonkeyPatch, host: str, ip: str, addresses: tuple[str, str | None]
) -> None:
    monkeypatch.setattr(serve, "network_address", lambda: "192.168.1.2")
    assert serve._served(host, ip, 80, TOKEN) == addresses


def test_a_server_for_other_machines_prints_its_address_and_no_variable_makes_a_strangers_header_count() -> None:
    server = start("--host", "0.0.0.0", "--token", TOKEN, FORWARDED_ALLOW_IPS="*", WEB_CONCURRENCY="1")
    try:
        assert server.process.stdout is not None
        printed = server.process.stdout.readline() + server.process.stdout.readline()
        assert "0.0.0.0" not in server.address
        assert f"/?token={TOKEN}" in printed
        assert "not encrypted" in printed
        forwarded = {"x-forwarded-for": "127.0.0.1"}
        assert httpx.get(server.address + "api/limits", headers=forwarded, timeout=300).status_code == 403
        assert httpx.get(server.address + "api/limits", timeout=300).status_code == 200
        opened = httpx.get(f"{server.address}?token={TOKEN}", headers=forwarded, timeout=300)
        assert opened.headers["location"] == "/"
    finally:
        assert "Traceback" not in end(server)


def test_the_address_of_this_machine_is_found_without_sending_anything() -> None:
    found = access.network_address()
    assert found is None or str(ipaddress.ip_address(found)) == found


@pytest.mark.anyio
async def test_a_request_that_comes_slowly_is_closed_and_others_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also a body that stops in the middle."""
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.5)
    made = []

    class Counted(connections.PatientProtocol):
        def connection_made(self, transport) -> None:
            super().connection_made(transport)
            made.append(self)

    import uvicorn

    settings = uvicorn.Config(app.make_app(), http=Counted, log_level="error")
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
        while len(made) < len(slow):
            await asyncio.sleep(0.01)
        monkeypatch.setattr(connections, "REQUEST_SECONDS", 300.0)  # of the connections that come now
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{address[1]}") as client:
            assert (await client.get("/health")).status_code == 200
        for reader, writer in slow:
            assert await asyncio.wait_for(reader.read(), 300) == b""
            writer.close()
        server.should_exit = True
        await running


def test_what_is_wrong_with_a_body_is_a_sentence() -> None:
    headers = {"content-type": "application/json"}
    answer = served.asked(guarded(), "POST", "/api/solve", "http://localhost", content=b"{not json", headers=headers)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("the body is no JSON")
