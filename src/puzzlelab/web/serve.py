"""Runs the server until a signal ends it."""

from __future__ import annotations

import ipaddress
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI

from puzzlelab.core import startup
from puzzlelab.core.errors import BadOption
from puzzlelab.web.app import make_app
from puzzlelab.web.server_limits import ServerLimits

SHUTDOWN_SECONDS = 1
"""Seconds that requests have to end when the server ends."""
MAX_HEADER_BYTES = 2**18
"""Bytes of a request's address and headers; enough for the longest board and game of every puzzle."""
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")


def serve(host: str, port: int, limits: ServerLimits, ready: Callable[[str], None], browse: bool = False) -> None:
    """Serve until a signal; `ready(address)` is called as soon as the address can be opened.

    Raises:
        BadOption: if this host and port cannot be used.
    """
    family, socket_address = _resolve(host, port)
    # With the protocol by its name, asyncio sends small parts of an answer at once, and not 40 ms later.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(socket_address)
        except OSError as error:
            reason = f"port {port} of {host} cannot be used: {error.strerror}"
            raise BadOption(f"{reason}; choose another one with --port") from None
        address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/"
        hosts = (*LOCAL_HOSTS, host.lower(), f"[{host.lower()}]") if _is_loopback(socket_address[0]) else ("*",)
        _run(make_app(limits, hosts), listener, lambda: _announce(address, ready, browse))


def _announce(address: str, ready: Callable[[str], None], browse: bool) -> None:
    ready(address)
    if browse:  # in a thread, because opening a browser of the terminal blocks until it is closed
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _run(app: FastAPI, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until a signal ends it; `ready` is called as soon as requests are answered."""
    settings = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        http="h11",
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )

    class AnnouncingServer(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """End the server at each signal that ends a program; uvicorn knows nothing of SIGHUP."""
            if threading.current_thread() is not threading.main_thread():
                yield
                return
            before = startup.handle(self.handle_exit)
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            self.should_exit = True  # a second signal changes nothing: requests have `SHUTDOWN_SECONDS` at most

    AnnouncingServer(settings).run([listener])


def is_local(address: str) -> bool:
    """Whether only this machine can reach the server at this address, such as 'http://127.0.0.1:8000/'."""
    return _is_loopback(_resolve(str(urlsplit(address).hostname), 0)[1][0])


def _is_loopback(ip: str) -> bool:
    return ipaddress.ip_address(ip.partition("%")[0]).is_loopback


def _resolve(host: str, port: int) -> tuple[int, tuple[str, int]]:
    """The address family and the socket address of a host; raises `BadOption`."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadOption(
            f"there is no host '{host}' here; write an address of this machine, such as 127.0.0.1"
        ) from None
    family, _, _, _, socket_address = addresses[0]
    return family, (str(socket_address[0]), int(socket_address[1]))
