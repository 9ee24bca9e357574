"""The resources that one request may use, so that no request can occupy the whole machine."""

from __future__ import annotations

from pydantic import Field

from puzzlelab.core.settings import Settings
from puzzlelab.engine.parallel import cores

DEFAULT_SECONDS = 10.0
"""The time of a search for which no time was requested."""


class ServerLimits(Settings):
    """The limits of a server; a request over them is refused with a sentence."""

    seconds: float = Field(default=60.0, gt=0, le=86_400)
    """The most that one search, or one request of many boards, may take; compiling and building are not counted."""
    loading: float = Field(default=180.0, ge=0)
    """Additional seconds of a job for imports and networks, on a slow machine; after that the worker is ended."""
    memory: int = Field(default=2 * 2**30, ge=2**28)
    """The most bytes that a search may hold."""
    boards: int = Field(default=1000, ge=1)
    """The most boards in one request."""
    body: int = Field(default=2**20, ge=1)
    """The most bytes of a request's body."""
    jobs: int = Field(default_factory=cores, ge=1, le=64)
    """Searches at once."""
    waiting: int = Field(default=32, ge=0)
    """Searches that may wait for a worker, and as many quick requests; further ones are refused as "busy"."""
