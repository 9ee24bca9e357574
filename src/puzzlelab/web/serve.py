"""Runs the server until somebody ends it."""

from __future__ import annotations

import ipaddress
import socket
import threading
import webbrowser
from collections.abc import Callable
from types import FrameType
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI

from puzzlelab.core.errors import BadOption
from puzzlelab.web.app import make_app
from puzzlelab.web.server_limits import ServerLimits

FAREWELL = 2
"""Seconds that requests have to end when the server ends."""
LONGEST_ADDRESS = 2**18
"""Bytes of a request's address and headers; longer boards and games than those of any puzzle fit in."""
LOCAL = ("localhost", "127.0.0.1", "[::1]")


def serve(host: str, port: int, bounds: ServerLimits, ready: Callable[[str], None], browse: bool = False) -> None:
    """Serve until Ctrl-C; `ready` is told the address as soon as it can be opened.

    Raises:
        BadOption: where this host and port cannot be had.
    """
    family, place = _place(host, port)
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(place)
        except OSError as error:
            reason = f"port {port} of {host} cannot be had: {error.strerror}"
            raise BadOption(f"{reason}; name another with --port") from None
        address = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/"
        hosts = (*LOCAL, host.lower(), f"[{host.lower()}]") if _loopback(place[0]) else ("*",)
        _run(make_app(bounds, hosts), listener, lambda: _announce(address, ready, browse))


def _announce(address: str, ready: Callable[[str], None], browse: bool) -> None:
    ready(address)
    if browse:  # aside, because a browser of the terminal keeps whoever opens it waiting
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def _run(app: FastAPI, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until a signal ends it; `ready` is called when requests are answered."""
    settings = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        http="h11",
        h11_max_incomplete_event_size=LONGEST_ADDRESS,
        timeout_graceful_shutdown=FAREWELL,
    )

    class Announced(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            if not self.should_exit:  # whoever presses Ctrl-C again need not wait longer, and gets no traceback
                super().handle_exit(sig, frame)

    Announced(settings).run([listener])


def local(address: str) -> bool:
    """Whether only this machine can reach the server at this address, as `ready` is told it."""
    return _loopback(_place(str(urlsplit(address).hostname), 0)[1][0])


def _loopback(number: str) -> bool:
    return ipaddress.ip_address(number.partition("%")[0]).is_loopback


def _place(host: str, port: int) -> tuple[int, tuple[str, int]]:
    """The family and the address that a host means; raises `BadOption`."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadOption(
            f"there is no host '{host}' here; write an address of this machine, such as 127.0.0.1"
        ) from None
    family, _, _, _, place = found[0]
    return family, (str(place[0]), int(place[1]))
