"""The requests that are answered: those of this machine, and of others by the token, with small bodies; their headers.

The guard stands before every request. It refuses those of other sites, of strangers and with large bodies, and adds
headers to the responses.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse

from puzzlelab.version import VERSION
from puzzlelab.web.pool import busy

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
OURS = "x-puzzlelab"
"""The header by which the service worker of the page knows the answers of this server from those of another program."""
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
    OURS: VERSION,
}
LARGE_BODY, LARGE_BODY_PAUSE = 2**16, 0.1
"""Bytes from which on bodies are read one after the other, and the seconds for other requests between them."""
MAX_HELD = 64 * 2**20
"""The most bytes of the bodies of all requests that are not answered yet."""
HEALTH = "/health"
"""The path that needs no token."""
NO_TOKEN = "this needs the token of the server: open the whole address that it printed, or start it with --token"
COOKIE_SECONDS = 30 * 86_400
FOREIGN_SITES = ("cross-site", "same-site")
"""Values of `sec-fetch-site` for pages of other servers; other ports of this machine count as other servers."""
OWN_SITES = ("none", "same-origin")
"""The values of `sec-fetch-site` for the user, who enters an address or reloads a page, and for the page of this
server."""


class RequestGuard:
    """The guard that adds `HEADERS` to every response, and refuses requests without the needed token, and too large
    bodies.

    A body may have `max_body` bytes. Requests of other machines need the `token`; where it is None, none does.
    """

    def __init__(self, app: App, max_body: int, token: str | None) -> None:
        self.app, self.max_body, self.token = app, max_body, token
        self._held = 0
        self._large_body = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        headers = {**HEADERS, "server-timing": _opener(Headers(scope=scope))}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                defaults = [(name.encode(), value.encode()) for name, value in headers.items()]
                message["headers"] = [*message["headers"], *(pair for pair in defaults if pair[0] not in present)]
            await send(message)

        app = self._instead(scope) or self.app
        sizes = [0]
        try:
            await app(scope, self._limited(receive, sizes), send_with_headers)
        finally:
            self._held -= sizes[0]

    @property
    def _too_large(self) -> str:
        return f"a request may have {self.max_body:,} bytes; send fewer boards at once"

    def _instead(self, scope: Scope) -> App | None:
        """Return the response in the place of the application's, or None."""
        headers = Headers(scope=scope)
        if scope["path"] != HEALTH and self.token is not None:
            client = scope["client"][0] if scope.get("client") else ""
            if has_token(self.token, tokens_in_address(scope["query_string"].decode("latin-1"))):
                return _remembering(scope, self.token)
            if not is_from_here(client, headers) and not has_token(self.token, tokens_in_cookies(headers)):
                return error_response(403, NO_TOKEN)
        return self._refusal(scope, headers)

    def _refusal(self, scope: Scope, headers: Headers) -> App | None:
        if scope["path"].startswith("/api/") and _is_foreign(headers):
            return error_response(403, "only the page of this server may use its API, not the pages of other sites")
        length = headers.get("content-length", "0")
        too_large = length.isdigit() and int(length) > self.max_body
        return error_response(413, self._too_large) if too_large else None

    def _limited(self, receive: Receive, sizes: list[int]) -> Receive:
        """Pass messages on, and add their bytes to `sizes[0]`; raises `HTTPException` when they are too many."""

        async def receive_limited() -> Message:
            message = await receive()
            size = len(message.get("body", b""))
            sizes[0] += size
            self._held += size
            if sizes[0] > self.max_body:
                raise HTTPException(413, self._too_large)
            if self._held > MAX_HELD:
                raise busy()
            if sizes[0] > LARGE_BODY and message["type"] == "http.request" and not message.get("more_body"):
                async with self._large_body:
                    await asyncio.sleep(LARGE_BODY_PAUSE)
            return message

        return receive_limited


def _opener(headers: Headers) -> str:
    """Name the opener of the page, `user` or a link `elsewhere`, for the header `server-timing`, which its script can
    read.
    """
    is_opened = headers.get("sec-fetch-mode") == "navigate"
    return "user" if is_opened and headers.get("sec-fetch-site") in OWN_SITES else "elsewhere"


def _is_foreign(headers: Headers) -> bool:
    """Tell whether the page of another server has sent a request."""
    origin = headers.get("origin")
    is_other = origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower()
    return is_other or headers.get("sec-fetch-site") in FOREIGN_SITES


def _remembering(scope: Scope, token: str) -> App:
    """Return a redirect to the same address without the token, which the browser keeps as a cookie."""
    response = RedirectResponse(without_token(scope["path"], scope["query_string"].decode("latin-1")), 303)
    response.set_cookie(COOKIE, token, max_age=COOKIE_SECONDS, httponly=True, samesite="strict")
    return response


def error_response(status: int, sentence: str) -> App:
    """Return a response with an error as JSON."""
    return JSONResponse({"error": sentence}, status)


# --- who asks ---

TOKEN = "token"
COOKIE = "puzzlelab-token"
FORWARDERS = ("forwarded", "via", "x-forwarded", "x-real-ip")
"""The beginnings of the names of headers that another server adds to a request which it passes on."""
PROBE = ("192.0.2.1", 9)
"""An address for documentation (RFC 5737): a socket that is bound for it knows which of its own it would use."""


def is_from_here(client: str, headers: Headers) -> bool:
    """Tell whether a program of this machine sent a request itself, to a name that means this machine everywhere.

    The page of another site may have pointed another name at this server, and a forwarder passes on what others ask.
    """
    is_forwarded = any(name.startswith(FORWARDERS) for name in headers)
    return is_loopback(client) and is_local_name(host_name(headers.get("host", ""))) and not is_forwarded


def has_token(token: str, given: list[str]) -> bool:
    """Tell whether the token is among those of a request."""
    return any(hmac.compare_digest(each.encode(), token.encode()) for each in given)


def tokens_in_address(query: str) -> list[str]:
    """Return the tokens in the query of an address."""
    return [value for name, value in parse_qsl(query) if name == TOKEN]


def tokens_in_cookies(headers: Headers) -> list[str]:
    """Return the tokens in the cookies of a request; whatever else they hold is passed over, readable or not."""
    pairs = (cookie.strip().partition("=") for line in headers.getlist("cookie") for cookie in line.split(";"))
    return [value for name, _, value in pairs if name == COOKIE]


def without_token(path: str, query: str) -> str:
    """Return the address of a request without the token."""
    rest = urlencode([(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name != TOKEN])
    return "/" + path.lstrip("/") + (f"?{rest}" if rest else "")


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port."""
    text = host.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0]


def is_local_name(name: str) -> bool:
    """Tell whether a name means the machine itself, wherever it is looked up."""
    return name.lower() == "localhost" or is_loopback(name)


def is_loopback(ip: str) -> bool:
    """Tell whether an address is one of this machine alone; also an IPv4 address that is written as IPv6."""
    try:
        address = ipaddress.ip_address(ip.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback


def network_address() -> str | None:
    """Return the address of this machine in its network, or None if it is in none; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(PROBE)
        except OSError:
            return None
        address = str(probe.getsockname()[0])
    return None if is_loopback(address) else address
