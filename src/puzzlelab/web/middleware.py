"""Middleware for every request: refuses those of other sites, of strangers and with large bodies; adds headers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse

from puzzlelab.version import VERSION
from puzzlelab.web.access import COOKIE, has_token, is_from_here, tokens_in_address, tokens_in_cookies, without_token
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
