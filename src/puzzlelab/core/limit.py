"""Limits on the time, the expanded nodes and the memory of a search."""

import math
from collections.abc import Callable, Generator, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from puzzlelab.core.arguments import real_number, whole_number
from puzzlelab.core.errors import BadOption, NoRoom
from puzzlelab.core.free_memory import address_room, free_memory, resident

_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
SHARE_OF_FREE_MEMORY = 0.8
SMALL_TABLE = 2**24
"""Bytes of a table that is never refused."""
Item = TypeVar("Item")


@dataclass(frozen=True)
class Limit:
    """The limits of a search; `None` means no limit of that kind.

    `seconds` is wall-clock time, `nodes` counts expanded states, `memory` is the most resident bytes of this process.
    Without a memory limit, a search stops before it has used four fifths of the memory that was free at its start. No
    memory limit allows more than what was free then.
    Raises `BadOption` for what is no finite number, or not more than 0.

    >>> board = puzzlelab.load("tiles-3x3").read("8 6 7 2 5 4 3 0 1")
    >>> puzzlelab.solve(board, "bfs", puzzlelab.Limit(nodes=100)).stop
    'nodes'
    """

    seconds: float | None = None
    nodes: int | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None:
            object.__setattr__(self, "seconds", _positive(self.seconds, "time", "a number of seconds"))
        if self.nodes is not None:
            object.__setattr__(self, "nodes", _positive_whole(self.nodes, "nodes", "a whole number"))
        if self.memory is not None:
            expected = "a whole number of bytes, such as 2 * 2**30"
            object.__setattr__(self, "memory", _positive_whole(self.memory, "memory", expected))

    def allows_more_than(self, other: "Limit") -> bool:
        """Tell whether a search that stopped at `other` could continue under this limit."""
        pairs = ((self.seconds, other.seconds), (self.nodes, other.nodes), (self.memory, other.memory))
        return any(theirs is not None and (ours is None or ours > theirs) for ours, theirs in pairs)


def _positive(value: object, name: str, expected: str) -> int | float:
    number = real_number(value, f"a limit on {name}", expected)
    if not number > 0:
        raise BadOption(f"a limit on {name} must be more than 0, not {number}")
    if number == math.inf:
        raise BadOption(f"a limit on {name} must be finite; leave it out for none")
    return number


def _positive_whole(value: object, name: str, expected: str) -> int:
    return whole_number(_positive(value, name, expected), f"a limit on {name}", expected=expected)


def read_memory(text: str) -> int:
    """Return the bytes of '2G', '512M' or '1000000'."""
    number, unit = text.strip().upper().removesuffix("B").removesuffix("I"), 1
    if number and number[-1] in _UNITS:
        number, unit = number[:-1], _UNITS[number[-1]]
    try:
        return int(float(number) * unit)
    except (ValueError, OverflowError):
        raise BadOption(f"'{text}' is no amount of memory; write 2G, 512M or a number of bytes") from None


def memory_ceiling(limit: Limit) -> int:
    """Return the most resident bytes that a search under this limit may reach."""
    used = resident()
    return used + _room(limit, used)


def _room(limit: Limit, used: int) -> int:
    """Return the bytes that a search may use beside those that the process uses already."""
    free = free_memory()
    return int(free * SHARE_OF_FREE_MEMORY) if limit.memory is None else min(limit.memory - used, free)


def reserved(bytes_a_state: int, limit: Limit) -> int:
    """Return the number of states to reserve arrays for: as many as the memory limit could hold. The system gives pages
    as they are used.

    Where the system limits what this process reserves, half of that is left for hash tables and machine code.
    """
    room = min(_room(limit, resident()), address_room() // 2)
    return int(min(max(room, 1 << 20) // bytes_a_state, 2**31 - 2**16))


# --- tables ---


_current: ContextVar[Limit | None] = ContextVar("limit", default=None)


def within(limit: Limit, begin: Callable[[], Iterator[Item]]) -> Iterator[Item]:
    """Yield the items of the iterator that `begin` gives.

    `require_memory` knows the limit while the next one is made.
    """
    items: Iterator[Item] | None = None
    try:
        while True:
            token = _current.set(limit)
            try:
                items = items or begin()
                item = next(items)
            except StopIteration:
                return
            finally:
                _current.reset(token)
            yield item
    finally:
        if isinstance(items, Generator):
            items.close()


def require_memory(title: str, needed: int, is_mapped: bool = False) -> None:
    """Raise `NoRoom` unless the search of this thread, or the process, may use this number of bytes more for a table.

    The system can drop what is mapped from a file, so only a limit of the user counts for that. A small table is never
    refused: the search that follows looks at its memory.
    """
    limit = _current.get() or Limit()
    if needed < SMALL_TABLE or (is_mapped and limit.memory is None):
        return
    room = _room(limit, resident())
    if needed > room:
        of_limit = "" if limit.memory is None else f" of the limit of {_in_words(limit.memory)}"
        raise NoRoom(f"{title} needs {_in_words(needed)} of memory, and {_in_words(max(room, 0))}{of_limit} are left")


def _in_words(size: int) -> str:
    return f"{size / 2**20:,.0f} MB"
