"""What one request may use, so that a stranger's request cannot take the machine."""

from __future__ import annotations

from pydantic import Field

from puzzlelab.core.settings import Settings
from puzzlelab.engine.parallel import cores

USUAL_SECONDS = 10.0
"""What a search may take where nobody says."""


class ServerLimits(Settings):
    """The limits of a server; what is over them is refused with a sentence."""

    seconds: float = Field(default=60.0, gt=0, le=86_400)
    """The most that one search, or one request of many boards, may take; what is compiled or built is not counted."""
    building: float = Field(default=180.0, ge=0)
    """Seconds more for compiling kernels and building tables; after that the worker is ended."""
    memory: int = Field(default=2 * 2**30, ge=2**28)
    """The most bytes that a search may hold."""
    boards: int = Field(default=1000, ge=1)
    """The most boards in one request."""
    body: int = Field(default=2**20, ge=1)
    """The most bytes of a request's body."""
    jobs: int = Field(default_factory=cores, ge=1, le=64)
    """Searches at once."""
    waiting: int = Field(default=32, ge=0)
    """Searches that may wait for their turn, and as many quick requests; those after them are told that all is busy."""
