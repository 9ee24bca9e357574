"""Limits on the time, the expanded nodes and the memory of a search."""

import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from puzzlelab.core.arguments import real_number, whole_number
from puzzlelab.core.errors import BadOption

_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
SHARE_OF_FREE_MEMORY = 0.8


@dataclass(frozen=True)
class Limit:
    """The limits of a search; `None` means no limit of that kind.

    `seconds` is wall-clock time, `nodes` counts expanded states, `memory` is the most resident bytes of this process.
    Without a memory limit, a search stops before it has used four fifths of the memory that was free at its start.
    Raises `BadOption` for what is no finite number, or not more than 0.
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
        """Whether a search that stopped at `other` could continue under this limit."""
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
    """Bytes from '2G', '512M' or '1000000'."""
    number, unit = text.strip().upper().removesuffix("B").removesuffix("I"), 1
    if number and number[-1] in _UNITS:
        number, unit = number[:-1], _UNITS[number[-1]]
    try:
        return int(float(number) * unit)
    except (ValueError, OverflowError):
        raise BadOption(f"'{text}' is no amount of memory; write 2G, 512M or a number of bytes") from None


def resident(process: int | None = None) -> int:
    """Bytes of a process, by default this one, that are in memory now; raises `OSError` if another one has ended."""
    if sys.platform != "linux":
        import psutil

        try:
            return int(psutil.Process(process).memory_info().rss)
        except psutil.Error as error:
            raise ProcessLookupError(str(error)) from None
    try:
        pages = Path(f"/proc/{process or 'self'}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        if process is not None:
            raise ProcessLookupError(f"there is no process {process}") from None
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def free_memory() -> int:
    """Bytes that this process can still allocate: the lesser of free memory and what its own limit allows."""
    return min(_free_on_machine(), _available_to_process())


def _available_to_process() -> int:
    """Bytes that the process may still reserve, where the system limits them."""
    if sys.platform != "linux":
        return sys.maxsize
    import resource

    most, _ = resource.getrlimit(resource.RLIMIT_DATA)
    if most == resource.RLIM_INFINITY:
        return sys.maxsize
    try:
        data = int(Path("/proc/self/statm").read_text().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        data = resident()
    return max(0, most - data)


def _free_on_machine() -> int:
    if sys.platform != "linux":
        import psutil

        return int(psutil.virtual_memory().available)
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def memory_ceiling(limit: Limit) -> int:
    """The most resident bytes that a search under this limit may reach."""
    return limit.memory or resident() + int(free_memory() * SHARE_OF_FREE_MEMORY)


def reserved(bytes_a_state: int, limit: Limit) -> int:
    """States to reserve arrays for: as many as the memory limit could hold. The system gives pages as they are used."""
    room = max(memory_ceiling(limit) - resident(), 1 << 20)
    return int(min(room // bytes_a_state, 2**31 - 2**16))
