"""Middleware for every request: refuses those of other sites, of strangers and with large bodies; adds headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, RedirectResponse

from puzzlelab.web.access import COOKIE, Access, given_token, without_token

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}
HEALTH = "/health"
"""The path that needs no token."""
COOKIE_SECONDS = 30 * 86_400
FOREIGN_SITES = ("cross-site", "same-site")
"""Values of `sec-fetch-site` for pages of other servers; other ports of this machine count as other servers."""


class RequestGuard:
    """Adds `HEADERS` to every response; refuses what `access` does not allow, and bodies of over `max_body` bytes."""

    def __init__(self, app: App, max_body: int, access: Access) -> None:
        self.app, self.max_body, self.access = app, max_body, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                defaults = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *(pair for pair in defaults if pair[0] not in present)]
            await send(message)

        app = self._instead(scope) or self.app
        await app(scope, self._limited(receive), send_with_headers)

    @property
    def _too_large(self) -> str:
        return f"a request may have {self.max_body:,} bytes; send fewer boards at once"

    def _instead(self, scope: Scope) -> App | None:
        """The response in the place of the application's, or None."""
        headers = Headers(scope=scope)
        if not self.access.knows(headers.get("host", "")):
            return error_response(400, "this server is not known by that name; open it by the address that it printed")
        if scope["path"] == HEALTH:
            return None
        token, in_address = given_token(scope["query_string"].decode("latin-1"), headers.get("cookie", ""))
        client = scope["client"][0] if scope.get("client") else ""
        if not self.access.allows(client, token):
            return error_response(403, "open this server by the whole address that it printed, with its token")
        if in_address and self.access.token is not None:
            return _remembering(scope, token)
        return self._refusal(scope, headers)

    def _refusal(self, scope: Scope, headers: Headers) -> App | None:
        if scope["path"].startswith("/api/") and _is_foreign(headers):
            return error_response(403, "only the page of this server may use its API, not the pages of other sites")
        length = headers.get("content-length", "0")
        too_large = length.isdigit() and int(length) > self.max_body
        return error_response(413, self._too_large) if too_large else None

    def _limited(self, receive: Receive) -> Receive:
        """The same messages; raises `HTTPException` when their bodies together have too many bytes."""
        received = 0

        async def receive_limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.max_body:
                raise HTTPException(413, self._too_large)
            return message

        return receive_limited


def _is_foreign(headers: Headers) -> bool:
    """Whether the page of another server has sent a request."""
    origin = headers.get("origin")
    is_other = origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()
    return is_other or headers.get("sec-fetch-site") in FOREIGN_SITES


def _remembering(scope: Scope, token: str) -> App:
    """A redirect to the same address without the token, which the browser keeps as a cookie."""
    response = RedirectResponse(without_token(scope["path"], scope["query_string"].decode("latin-1")), 303)
    response.set_cookie(COOKIE, token, max_age=COOKIE_SECONDS, httponly=True, samesite="strict")
    return response


def error_response(status: int, sentence: str) -> App:
    """A response with an error as JSON."""
    return JSONResponse({"error": sentence}, status)
