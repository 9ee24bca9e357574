"""The machine code that may be run: what only trusted users can have changed.

They are root, this user, and the owner of the package's own files. The code of others could do anything in the name of
this user. Owners and modes decide, as they do for the keys of `ssh`.
"""

import errno
import os
import stat
from collections.abc import Iterator, Set
from contextlib import suppress
from pathlib import Path

from puzzlelab.version import PACKAGE

TRUST = "PUZZLELAB_TRUST_CACHE"
"""The environment variable that, set to 1, lets kernels be used that other users can change."""
MOST_LINKS = 40
"""Symbolic links on the way to a folder; Linux follows as many."""


def trusts_all() -> bool:
    """Tell whether the user trusts everyone that can change kernels, as those who share a cache on purpose."""
    return os.environ.get(TRUST) == "1"


def distrust(folder: Path) -> str | None:
    """Return why the machine code in this folder should not be run; None if only trusted users can change it.

    All folders and links on the way to it are checked, from the root on: once a folder is safe, no other user can
    exchange what is in it. The sticky bit keeps a folder above safe that all users can write to, as /tmp. Folders above
    the package are not checked: they are as safe as the package. A folder that does not exist is safe if those above
    are. Raises `OSError` if it cannot be reached.
    """
    if trusts_all():
        return None
    for place, is_last in _way_to(folder):
        try:
            status = place.lstat()
        except FileNotFoundError:
            return None
        if place not in PACKAGE.parents and (fault := fault_of(status, str(place), is_last)):
            return fault
    return None


def fault_of(status: os.stat_result, name: str, with_sticky: bool = True) -> str | None:
    """Return how other users could change the file, folder or link of this name and status; None if they cannot.

    With `with_sticky` False, a folder with the sticky bit is safe although others can add files.
    """
    if os.name == "nt" or trusts_all():
        return None
    owners = {0, os.geteuid(), PACKAGE.stat().st_uid}
    if status.st_uid not in owners:
        return f"{name} belongs to another user"
    if stat.S_ISLNK(status.st_mode) or (status.st_mode & stat.S_ISVTX and not with_sticky):
        return None
    if status.st_mode & stat.S_IWOTH:
        return f"every user can write to {name}"
    if status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid, owners):
        return f"a group of users can write to {name}"
    return None


def _is_private(group: int, owners: Set[int]) -> bool:
    """Tell whether a group has only these users as members: many systems give each user a group of that name."""
    try:
        import grp
        import pwd

        entry = grp.getgrgid(group)
    except (ImportError, KeyError):
        return False
    names = set()
    for owner in owners:
        with suppress(KeyError):
            names.add(pwd.getpwuid(owner).pw_name)
    return entry.gr_name in names and names.issuperset(entry.gr_mem)


def _way_to(folder: Path) -> Iterator[tuple[Path, bool]]:
    """Yield the folders and links that lead to a folder, from the root on, each with whether it is the last one."""
    place, rest, links = Path(), [*reversed(folder.absolute().parts)], 0
    while rest:
        part = rest.pop()
        step = place.parent if part == ".." else place / part
        yield step, not rest
        if not step.is_symlink():
            place = step
            continue
        links += 1
        if links > MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        rest += reversed(step.readlink().parts)


def refused(folder: Path, why: str) -> str:
    """Return the sentence about a folder that is not used because of `distrust`."""
    return (
        f"Compiled kernels in {folder} are not used, because {why}, and they could run any code. "
        f"{TRUST}=1 uses them all the same."
    )
