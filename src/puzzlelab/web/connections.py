"""The connections of the server: slow ones are closed, and there is a limit to how many are open.

Three limits keep clients that send or read slowly from holding the server: the time of a request, the time of sending,
and the number of connections. Where there is no room, the connection goes that has waited longest.
"""

from __future__ import annotations

import asyncio
import math
import sys
from collections.abc import Iterable

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from puzzlelab.core.errors import BadOption

REQUEST_SECONDS = 20.0
"""The time in which a request has to arrive, with its body."""
SEND_SECONDS, LEAST_TAKEN = 20.0, 2**20
"""The time in which a client has to take what was sent to it, and the bytes that are enough within that time."""
MAX_UNSENT = 32 * 2**20
"""The most bytes that wait to be taken by clients."""
MAX_CONNECTIONS, MIN_CONNECTIONS = 500, 16
"""Connections at once; further ones are told that the server is busy. A server that may have fewer does not start."""
ACCEPTED_AT_ONCE = 8
"""Connections that are accepted before the first of them is counted: the number that may be over the limit."""
WAITING_CONNECTIONS = 1024
"""Connections that the system keeps until they are accepted."""
OWN_FILES, FILES_OF_WORKER, FILES_OF_CONNECTION = 50, 3, 2
"""Files that the server may have open: its own, those of each worker, and a socket and a file that is sent."""
RECEIVING = (h11.IDLE, h11.SEND_BODY)
"""The states of a client that has not sent its whole request."""


def connection_limit(workers: int) -> int:
    """Return the most connections of a server with this number of workers; raises `BadOption` if they are too few."""
    if sys.platform == "win32":
        return MAX_CONNECTIONS
    import resource

    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    own = OWN_FILES + FILES_OF_WORKER * workers
    needed = own + FILES_OF_CONNECTION * MIN_CONNECTIONS
    if allowed == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    if allowed < needed:
        raise BadOption(
            f"the page needs {needed} open files, and {allowed} are allowed here; 'ulimit -n {needed}' allows them"
        )
    return min(MAX_CONNECTIONS, (allowed - own) // FILES_OF_CONNECTION)


class PatientProtocol(H11Protocol):
    """The protocol HTTP of uvicorn, with limits to the time of a request and of an answer, and to what is held.

    uvicorn limits only the time between requests.
    """

    _deadline: asyncio.TimerHandle | None = None
    """Closes the connection when its request has not arrived in time."""
    _send_deadline: asyncio.TimerHandle | None = None
    """Closes the connection when the client has not taken its answer in time."""
    _is_aborted = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin: a client has connected."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that `pause_writing` is called as soon as something is unsent
        self._expect()
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """End: the connection is closed."""
        self._expect_nothing()
        self._end_sending()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Note that a part of a request has come."""
        if self._deadline is None and self.conn.their_state is h11.IDLE:
            self._expect()
        super().data_received(data)
        if self.conn.their_state not in RECEIVING:
            self._expect_nothing()

    def pause_writing(self) -> None:
        """Note that a part of an answer is unsent."""
        super().pause_writing()
        self._expect_taking()
        connections = self._open_connections()
        if sum(map(_unsent, connections)) > MAX_UNSENT:
            _first_to_close(filter(_unsent, connections)).abort()

    def resume_writing(self) -> None:
        """Note that the client has taken all that was sent."""
        super().resume_writing()
        self._end_sending()

    def abort(self) -> None:
        """Close the connection without waiting for the client to take what is unsent."""
        self._is_aborted = True
        self.transport.abort()

    def _open_connections(self) -> list[PatientProtocol]:
        return [each for each in self.connections if isinstance(each, PatientProtocol) and not each._is_aborted]

    def _make_room(self) -> None:
        """Close a connection if there are too many: one from which no request is being answered, or else this one."""
        connections, limit = self._open_connections(), self.limit_concurrency or MAX_CONNECTIONS
        others = [each for each in connections if each is not self and each.closing_time() is not None]
        if len(connections) >= limit and others:
            _first_to_close(others).abort()
        elif len(connections) >= limit + ACCEPTED_AT_ONCE:
            self.abort()

    def closing_time(self) -> float | None:
        """Return when the connection will be closed unless its client does something; None while a request is
        answered.
        """
        timer = self._deadline or self.timeout_keep_alive_task or self._send_deadline
        return timer.when() if timer is not None else None

    def _expect_taking(self) -> None:
        self._send_deadline = self.loop.call_later(SEND_SECONDS, self._abort_if_not_taken, _unsent(self))

    def _abort_if_not_taken(self, unsent_before: int) -> None:
        if unsent_before - _unsent(self) < LEAST_TAKEN:
            self.abort()
        else:
            self._expect_taking()

    def _end_sending(self) -> None:
        if self._send_deadline is not None:
            self._send_deadline.cancel()
            self._send_deadline = None

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


def _unsent(connection: PatientProtocol) -> int:
    """Return the bytes that the client has not taken."""
    return connection.transport.get_write_buffer_size()


def _first_to_close(connections: Iterable[PatientProtocol]) -> PatientProtocol:
    """Return the connection that has waited longest for its client."""
    return min(connections, key=lambda each: each.closing_time() or math.inf)
