"""The connections of the server: slow ones are closed, and there is a limit to how many are open."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 20.0
"""The time in which a request has to arrive, with its body."""
MAX_CONNECTIONS = 500
"""Connections at once; further ones are told that the server is busy."""
RECEIVING = (h11.IDLE, h11.SEND_BODY)
"""The states of a client that has not sent its whole request."""


class PatientProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with a limit to the time of a request; uvicorn limits only the time between them."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected."""
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        self._expect_nothing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request has come."""
        if self._deadline is None and self.conn.their_state is h11.IDLE:
            self._expect()
        super().data_received(data)
        if self.conn.their_state not in RECEIVING:
            self._expect_nothing()

    def _expect(self) -> None:
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._close_if_slow)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close_if_slow(self) -> None:
        self._deadline = None
        if self.conn.their_state in RECEIVING:
            self.transport.close()
