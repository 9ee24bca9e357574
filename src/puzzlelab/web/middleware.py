"""Middleware for every request: refuses requests of other sites and large bodies, and adds security headers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

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


FOREIGN_SITES = (b"cross-site", b"same-site")
"""Values of `sec-fetch-site` for pages of other servers; other ports of this machine count as other servers."""


class RequestGuard:
    """Adds `HEADERS` to every response; refuses requests of other sites, and bodies of over `max_body` bytes."""

    def __init__(self, app: App, max_body: int) -> None:
        self.app, self.max_body = app, max_body

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

        refusal = self._refusal(scope)
        app = error_response(*refusal) if refusal else self.app
        await app(scope, self._limited(receive), send_with_headers)

    @property
    def _too_large(self) -> str:
        return f"a request may have {self.max_body:,} bytes; send fewer boards at once"

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = dict(scope["headers"])
        if headers.get(b"sec-fetch-site") in FOREIGN_SITES and scope["path"].startswith("/api/"):
            return 403, "only the page of this server may use its API, not the pages of other sites"
        length = headers.get(b"content-length", b"0")
        return (413, self._too_large) if length.isdigit() and int(length) > self.max_body else None

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


def error_response(status: int, sentence: str) -> App:
    """A response with an error as JSON."""
    return JSONResponse({"error": sentence}, status)
