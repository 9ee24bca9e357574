"""What stands before every request: who may ask, how much may be sent, and what a browser may do with an answer."""

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
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


OTHERS = (b"cross-site", b"same-site")
"""What a browser says of requests by pages that are not of this server; other ports of this machine are such too."""


class RequestGuard:
    """Adds `HEADERS` to every answer; refuses what another site's page asks for, and bodies of over `most` bytes."""

    def __init__(self, app: App, most: int) -> None:
        self.app, self.most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message["headers"]}
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *(pair for pair in added if pair[0] not in known)]
            await send(message)

        refusal = self._refusal(scope)
        app = refused(*refusal) if refusal else self.app
        await app(scope, self._counted(receive), guarded)

    @property
    def _too_large(self) -> str:
        return f"a request may have {self.most:,} bytes; send fewer boards at once"

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = dict(scope["headers"])
        if headers.get(b"sec-fetch-site") in OTHERS and scope["path"].startswith("/api/"):
            return 403, "this is for the page of this server, not for those of other sites"
        length = headers.get(b"content-length", b"0")
        return (413, self._too_large) if length.isdigit() and int(length) > self.most else None

    def _counted(self, receive: Receive) -> Receive:
        """The same messages; raises `HTTPException` when their bodies together have too many bytes."""
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.most:
                raise HTTPException(413, self._too_large)
            return message

        return counted


def refused(status: int, sentence: str) -> App:
    """The answer that says what is wrong."""
    return JSONResponse({"error": sentence}, status)
