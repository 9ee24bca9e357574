"""Files that survive a kill and a power cut, and locks.

`replace_file` and `replacing` write a temporary file beside the old one, sync it, then rename it: a reader sees the old
file or the new one, never a part. `locked` keeps a second program from writing to the same file.
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from puzzlelab.core.errors import BadFile, BadInput

MOST_BYTES = 1 << 29
"""Bytes of a file that is read as a whole."""
Opener: TypeAlias = "Callable[[str, int], int] | None"
"""The argument `opener` of `open`, which opens a file; None for the usual way."""


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Turn an `OSError` into a `BadFile` that names this file or folder."""
    try:
        yield
    except OSError as error:
        raise BadFile(f"cannot write {place}: {error.strerror or error}") from None


def require_regular(path: Path) -> None:
    """Raise `BadFile` for a pipe, a device or a socket, whose reader may wait or read without an end.

    A link counts as what it leads to. A file that is missing passes.
    """
    with suppress(OSError, ValueError):
        if (kind := special_kind(path.stat().st_mode)) is not None:
            raise BadFile(f"{path} is a {kind}, not a file")


def special_kind(mode: int) -> str | None:
    """Name what a path of this mode is, if it is neither a regular file nor a folder nor a link."""
    names = {stat.S_IFIFO: "pipe", stat.S_IFCHR: "device", stat.S_IFBLK: "device", stat.S_IFSOCK: "socket"}
    return names.get(stat.S_IFMT(mode))


def read_regular(path: Path) -> bytes:
    """Return the content of a regular file of at most `MOST_BYTES`.

    Raises `BadFile`, and `OSError` if it cannot be read.
    """
    require_regular(path)
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise BadFile(f"{path} is larger than {MOST_BYTES >> 20} MiB, so it is not read")
        return file.read()


def sync(path: Path) -> None:
    """Wait until the content of a file, or the names in a folder, are on the disk, where the system can say so."""
    if path.is_dir():
        if os.name == "nt" or not os.access(path, os.R_OK):  # no such folder can be opened
            return
    elif not path.is_file():  # a pipe or a device, which may wait for its other end
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        sync_descriptor(descriptor)
    finally:
        os.close(descriptor)


def sync_descriptor(descriptor: int) -> None:
    """Wait until the content of an open file is on the disk, where the system can say so."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a pipe, a device, or a file system without this call
            raise


def without_waiting(path: str, flags: int) -> int:
    """Open a file, as `opener` of `open`: a pipe without a reader raises `BrokenPipeError`, where a plain `open`
    waits.
    """
    if os.name == "nt":
        return os.open(path, flags)
    try:
        descriptor = os.open(path, flags | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)) from None
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def not_a_link(path: str, flags: int) -> int:
    """Open a file, as `opener` of `open`, that is changed only where it is itself: a link raises `OSError`."""
    return without_waiting(path, flags | getattr(os, "O_NOFOLLOW", 0))  # not every system has it


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing; a power cut afterwards leaves their names on the disk."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync(folder.parent)


@contextmanager
def locked(path: Path, message: str) -> Iterator[int]:
    """Hold the lock of this file, which is created if it is missing, until the end of the block; gives its descriptor.

    Raises `BadInput` with this message if another process holds it, and `BadFile` if the file cannot be opened. Where
    the system or the file system has no locks there is none. The holder may remove the file before the block ends.
    """
    while True:
        with writing(path):
            file = path.open("ab")
        with file:
            lock_or_refuse(file.fileno(), message)
            if not is_at(path, file.fileno()):  # its last holder has removed it
                continue
            yield file.fileno()
            return


def lock_or_refuse(descriptor: int, message: str) -> None:
    """Lock an open file or folder until it is closed; raises `BadInput` with this message if another process did."""
    if try_lock(descriptor) is False:
        raise BadInput(message)


def try_lock(descriptor: int) -> bool | None:
    """Lock an open file or folder until it is closed; whether no other process holds its lock.

    None where the system or the file system has no locks.
    """
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def is_at(path: Path, descriptor: int) -> bool:
    """Tell whether an open file is still the one of this name."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


# --- files that are replaced as a whole ---


@contextmanager
def replacing(path: Path, temporary: Path | None = None, durable: bool = True) -> Iterator[Path]:
    """Give the path of a temporary file to write; at the end it takes the place of `path` in one step.

    The temporary file is removed after every error, Ctrl-C included. Only a killed process leaves it behind. It lies
    beside `path`, and its name contains the numbers of the thread and of the process. A caller chooses another name
    where several machines share the folder, or where it removes what killed processes have left.

    With `durable`, a power cut leaves the old file or the new one: the new one is synced before it gets its name, and
    the folder after that. Without it, a power cut may leave an empty file. That is enough for files with a checksum
    that can be made again, and for those that only say what a program does at the moment.
    """
    if temporary is None:
        temporary = path.with_name(f"{path.name}.{threading.get_native_id()}.{os.getpid()}")
    try:
        temporary.unlink(missing_ok=True)  # a link, or what a killed process has left
        yield temporary
        if durable:
            sync(temporary)
        temporary.replace(path)
        if durable:
            sync(path.parent)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def replace_file(path: Path, content: bytes | str, temporary: Path | None = None, durable: bool = True) -> None:
    """Replace a file in one step; text is written as UTF-8. See `replacing`."""
    with replacing(path, temporary, durable) as new:
        new.write_bytes(content.encode() if isinstance(content, str) else content)
