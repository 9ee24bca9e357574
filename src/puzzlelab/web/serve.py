"""Runs the server until a signal ends it."""

from __future__ import annotations

import ipaddress
import logging
import math
import secrets
import signal
import socket
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from fastapi import FastAPI

from puzzlelab.core.errors import BadOption
from puzzlelab.runtime import startup
from puzzlelab.web.access import TOKEN, is_local_name, is_loopback, network_address
from puzzlelab.web.app import make_app
from puzzlelab.web.connections import ACCEPTED_AT_ONCE, WAITING_CONNECTIONS, PatientProtocol, connection_limit
from puzzlelab.web.job_service import ServerLimits

SHUTDOWN_SECONDS = 1
"""Seconds that requests have to end when the server ends."""
NO_MORE_FILES = "socket.accept() out of system resource"
"""The message of asyncio when no connection can be accepted."""
MAX_HEADER_BYTES = 2**18
"""Bytes of a request's address and headers; enough for the longest board and game of every puzzle."""


Addresses = tuple[str, str | None]
"""The addresses at which a server can be opened: on this machine, and on others, such as a phone; None if not there."""


def serve(
    host: str,
    port: int,
    limits: ServerLimits,
    ready: Callable[[Addresses], None],
    browse: bool = False,
    token: str | None = None,
) -> None:
    """Serve until a signal; `ready` is called as soon as the addresses can be opened.

    Args:
        host: the address to serve.
        port: the port; 0 takes any free one.
        limits: the limits of requests.
        ready: is told where the server can be opened.
        browse: whether to open it in the browser.
        token: what requests of other machines need, also of those behind a forwarder; by default a new one.

    Raises:
        BadOption: if this host and port cannot be used, or too few files can be open.
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
        number = listener.getsockname()[1]
        token = token or secrets.token_urlsafe(12)
        served = _served(host, socket_address[0], number, token)
        _run(make_app(limits, token), listener, lambda: _announce(served, ready, browse))


def _served(host: str, ip: str, port: int, token: str) -> Addresses:
    """Return the addresses of a server, with the token where requests need it."""
    is_every_address = ipaddress.ip_address(ip.partition("%")[0]).is_unspecified
    here = ("localhost" if ":" in ip else "127.0.0.1") if is_every_address else host
    local = _address(here, port) + ("" if is_local_name(here) else f"?{TOKEN}={token}")
    if is_loopback(ip):
        return local, None
    other = network_address() if is_every_address else host
    return local, f"{_address(other or host, port)}?{TOKEN}={token}"


def _address(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _announce(served: Addresses, ready: Callable[[Addresses], None], browse: bool) -> None:
    ready(served)
    if browse:  # in a thread, because opening a browser of the terminal blocks until it is closed
        threading.Thread(target=webbrowser.open, args=(served[0],), daemon=True).start()


def _run(app: FastAPI, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until a signal ends it; `ready` is called as soon as requests are answered."""
    workers = sum(pool.size for pool in app.state.job_service.pools)
    settings = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # a request has the address of its own connection, whatever its headers say
        http=PatientProtocol,
        limit_concurrency=connection_limit(workers),
        backlog=ACCEPTED_AT_ONCE,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )

    for name in ("uvicorn.error", "asyncio"):
        logging.getLogger(name).addFilter(_warnings_once_a_second())

    class AnnouncingServer(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            listener.listen(WAITING_CONNECTIONS)
            ready()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.job_service.end()  # so that the streams of events end by themselves
            await super().shutdown(sockets)

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


def _warnings_once_a_second() -> Callable[[logging.LogRecord], bool]:
    """Return a filter of a log: lets each warning pass once a second, so that no client can fill the disk."""
    last: dict[str, float] = {}

    def passes(record: logging.LogRecord) -> bool:
        if NO_MORE_FILES in record.getMessage():  # which asyncio reports as an error with a traceback
            record.levelno, record.msg, record.exc_info = logging.WARNING, f"{NO_MORE_FILES}: connections wait", None
        now = time.monotonic()
        if record.levelno != logging.WARNING:
            return True
        is_due = now - last.get(record.msg, -math.inf) >= 1
        last[record.msg] = now if is_due else last[record.msg]
        return is_due

    return passes


def _resolve(host: str, port: int) -> tuple[int, tuple[str, int]]:
    """Return the address family and the socket address of a host; raises `BadOption`."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadOption(
            f"there is no host '{host}' here; write an address of this machine, such as 127.0.0.1"
        ) from None
    family, _, _, _, socket_address = addresses[0]
    return family, (str(socket_address[0]), int(socket_address[1]))
