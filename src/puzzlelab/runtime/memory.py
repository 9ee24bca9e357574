"""Reads how much memory a process uses, and how much more it can get before the system ends it or refuses it.

Three things limit a process of Linux: the free memory of the machine, the control groups that it belongs to (those of
a container, a service or a job of Slurm), and its own limits (`ulimit -v` and `ulimit -d`). On other systems psutil
says what the machine has. A search may use a part of that, or what its `Limit` says.
"""

import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TypeVar

from puzzlelab.core.errors import NoRoom
from puzzlelab.core.limit import Limit

Item = TypeVar("Item")

PROC = Path("/proc")
"""The folder in which Linux describes processes."""
UNLIMITED = sys.maxsize
"""The free memory where nothing limits it."""
SHARE_OF_FREE_MEMORY = 0.8
"""The share of the free memory that a search without a limit may use."""
SMALL_TABLE = 2**24
"""Bytes of a table that is never refused."""
_sharers = 1


def share_memory(processes: int) -> None:
    """Leave each of this number of processes, this one among them, an equal share of the free memory."""
    global _sharers
    _sharers = max(1, processes)


def resident(process: int | None = None) -> int:
    """Return the bytes of a process, by default this one, that are in memory now; raises `OSError` if another one has
    ended.
    """
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
    """Return the bytes that this process can still use: the least of what the machine, its groups and its own limits
    leave it.
    """
    shared = min(_free_on_machine(), _free_in_groups())
    return min(shared // _sharers, address_room())


def address_room() -> int:
    """Return the bytes that this process may still reserve, used or not, by its own limits; `UNLIMITED` without any."""
    if sys.platform != "linux":
        return UNLIMITED
    try:
        import resource
    except ImportError:  # not even this small library can be loaded
        return 0
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    if limits == [resource.RLIM_INFINITY] * 2:
        return UNLIMITED
    try:
        pages = Path("/proc/self/statm").read_text().split()
        used = [int(pages[column]) * os.sysconf("SC_PAGE_SIZE") for column in (0, 5)]
    except (OSError, ValueError, IndexError):
        used = [resident()] * 2
    pairs = zip(limits, used, strict=True)
    return min(max(0, limit - size) for limit, size in pairs if limit != resource.RLIM_INFINITY)


def _free_on_machine() -> int:
    if sys.platform != "linux":
        import psutil

        return int(psutil.virtual_memory().available)
    try:
        for line in (PROC / "meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


# --- control groups ---


def _free_in_groups() -> int:
    """Return the bytes that the control groups of this process leave; each group above it limits it too."""
    return min(map(_free_in, _limited_groups(PROC)), default=UNLIMITED)


@cache
def _limited_groups(proc: Path) -> tuple[Path, ...]:
    """Return the folders of the groups with a limit; a limit that is set later is not seen, which saves time."""
    return tuple(group for group in _groups(proc) if _limit_of(group) < UNLIMITED // 2)


def _groups(proc: Path) -> Iterator[Path]:
    """Yield the folder of each control group, of version 1 or 2, that may limit the memory of this process."""
    try:
        memberships = (proc / "self/cgroup").read_text().splitlines()
        mounts = (proc / "self/mountinfo").read_text().splitlines()
    except OSError:
        return
    paths = {}
    for line in memberships:
        _, controllers, path = line.split(":", 2)
        if not controllers or "memory" in controllers.split(","):
            paths["cgroup" if controllers else "cgroup2"] = path
    for line in mounts:
        place, _, system = line.partition(" - ")
        kind, _, options = system.split(" ", 2)
        if kind in paths and (kind == "cgroup2" or "memory" in options.split(",")):
            root, top = place.split(" ")[3:5]
            yield from _up_from(Path(top), root, paths[kind])


def _up_from(top: Path, root: str, path: str) -> Iterator[Path]:
    """Yield the folder of a group, and of those above it, up to the top of its tree, which is mounted for `root`.

    In a container the tree may begin below the group of that path, or may not have it: then its top is what limits.
    """
    folder = top
    with suppress(ValueError):
        folder = top / PurePosixPath(path).relative_to(root)
    if ".." in folder.parts or not folder.is_dir():
        folder = top
    while folder != top:
        yield folder
        folder = folder.parent
    yield top


def _limit_of(group: Path) -> int:
    """Return the most memory of a group, by the files of version 2 or 1; one of version 1 knows the limits above it."""
    limits = (_number(group / name) for name in ("memory.max", "memory.high", "memory.limit_in_bytes"))
    return min(_statistics(group).get("hierarchical_memory_limit", UNLIMITED), *limits)


def _free_in(group: Path) -> int:
    """Return the bytes that a group leaves; files that were read once count as free: the system drops them where it
    must.
    """
    limit, counts = _limit_of(group), _statistics(group)
    usage = min(_number(group / "memory.current"), _number(group / "memory.usage_in_bytes"))
    if limit >= UNLIMITED // 2 or usage == UNLIMITED:
        return UNLIMITED
    dropped = counts.get("total_inactive_file", counts.get("inactive_file", 0))  # version 1 has both
    return max(0, limit - usage + min(dropped, usage))


def _number(path: Path) -> int:
    """Return the number in a file; `UNLIMITED` for a word, such as max, and for a file that is missing."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return UNLIMITED


def _statistics(group: Path) -> dict[str, int]:
    """Return the counts in `memory.stat`."""
    try:
        return {name: int(count) for name, count in map(str.split, (group / "memory.stat").read_text().splitlines())}
    except (OSError, ValueError):
        return {}


# --- what a search may use ---


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


def limit_reason(limit: Limit, used: int) -> str:
    """Return why a limit on memory ended a search, before which the process used so many bytes; empty without one."""
    if limit.memory is None:
        return ""
    begun = f"which used {_in_words(used)} before the search"
    return f"the limit of {_in_words(limit.memory)} of memory is for the whole process, {begun}"


def _in_words(size: int) -> str:
    return f"{size / 2**20:,.0f} MB"
