"""Files that survive a kill and a power cut: they are replaced in one step, or grow by whole lines.

`replace_file` and `replacing` write a temporary file beside the old one, sync it, then rename it: a reader sees the old
file or the new one, never a part. `JsonLines` is a file to which lines are appended; a killed writer leaves at most
half a line at its end, which the next writer cuts off. `GrowingFile` is any other file that is continued at its end.
`locked` keeps a second program from writing to the same file.
"""

from __future__ import annotations

import errno
import io
import json
import math
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Self

from puzzlelab.core.errors import BadFile, BadInput

BLOCK_SIZE = 4096
"""Bytes that are read at once in search of the beginning of the last line."""
CHUNK_SIZE = 1 << 20
"""Bytes that are read at once of a whole file."""
BYTE_ORDER_MARK = "\ufeff"
"""Some programs write it at the beginning of a text file."""
LONGEST_LINE = 16_000_000
"""Characters of the longest line that is read from a file of boards or rows."""
SYNC_SECONDS = 1.0
"""Lines that are appended are on the disk after this time."""


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Turns an `OSError` into a `BadFile` that names this file or folder."""
    try:
        yield
    except OSError as error:
        raise BadFile(f"cannot write {place}: {error.strerror or error}") from None


def sync(path: Path) -> None:
    """Wait until the content of a file, or the names in a folder, are on the disk, where the system can say so."""
    if path.is_dir():
        if os.name == "nt" or not os.access(path, os.R_OK):  # no such folder can be opened
            return
    elif not path.is_file():  # a pipe or a device, which may wait for its other end
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        _sync_descriptor(descriptor)
    finally:
        os.close(descriptor)


def _sync_descriptor(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a pipe, a device, or a file system without this call
            raise


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing; a power cut afterwards leaves their names on the disk."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync(folder.parent)


@contextmanager
def locked(path: Path, message: str) -> Iterator[None]:
    """Holds the lock of this file, which is created if it is missing, until the end of the block.

    Raises `BadInput` with this message if another process holds it, and `BadFile` if the file cannot be opened. Where
    the system or the file system has no locks there is none.
    """
    with writing(path):
        file = path.open("ab")
    with file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(message) from None
        except (ImportError, OSError):
            pass
        yield


# --- files that are replaced as a whole ---


@contextmanager
def replacing(path: Path, temporary: Path | None = None, durable: bool = True) -> Iterator[Path]:
    """Gives the path of a temporary file to write; at the end it takes the place of `path` in one step.

    The temporary file is removed after every error, Ctrl-C included. Only a killed process leaves it behind. It lies
    beside `path`, and its name contains the numbers of the thread and of the process. A caller chooses another name
    where several machines share the folder, or where it removes what killed processes have left.

    With `durable`, a power cut leaves the old file or the new one: the new one is synced before it is renamed, and the
    folder after that. Without it, a power cut may leave an empty file. That is enough for files with a checksum that
    can be made again, and for those that only say what a program does at the moment.
    """
    if temporary is None:
        temporary = path.with_name(f"{path.name}.{threading.get_native_id()}.{os.getpid()}")
    try:
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


# --- files of lines ---


def text_lines(file: BinaryIO, name: str) -> Iterator[str]:
    """Yield the lines of a text in UTF-8, each with its end; a byte-order mark is left out.

    Lines end with LF, CR LF or CR, which are all yielded as LF. Raises `BadFile` with `name` and the number of a line
    that is longer than `LONGEST_LINE`; no more of it than that is ever read.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", errors="replace")
    number = 0
    try:
        while line := text.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise BadFile(f"{name}, line {number}: longer than {LONGEST_LINE // 10**6} million characters")
            yield line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
    finally:
        text.detach()


def open_after(path: Path, length: int) -> BinaryIO:
    """Open a file to continue it after its first `length` bytes; the rest is cut off. Creates a missing file."""
    file = path.open("ab")
    try:
        file.truncate(length)
    except BaseException:
        file.close()
        raise
    return file


class GrowingFile:
    """A file that is continued after its first `length` bytes; the rest is cut off. Creates a missing file.

    What is written is synced to the disk at most once in `SYNC_SECONDS`, and at the end.
    """

    def __init__(self, path: Path, length: int) -> None:
        self.path = path
        self._file = open_after(path, length)
        self._synced_at = -math.inf

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def write(self, data: bytes) -> None:
        """Append these bytes."""
        self._file.write(data)
        self._file.flush()
        if time.monotonic() - self._synced_at >= SYNC_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Wait until all bytes are on the disk."""
        self._file.flush()
        _sync_descriptor(self._file.fileno())
        if self._synced_at == -math.inf:  # the file may be new
            sync(self.path.parent)
        self._synced_at = time.monotonic()

    def close(self) -> None:
        """Sync and close the file; nothing if it is closed already."""
        if not self._file.closed:
            try:
                self.sync()
            finally:
                self._file.close()


def length_without_nul(path: Path) -> int:
    """The number of bytes before the first NUL byte; some file systems leave NUL bytes at the end after a power cut."""
    length = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_SIZE):
            if (index := chunk.find(b"\0")) >= 0:
                return length + index
            length += len(chunk)
    return length


def cut_half_line(file: BinaryIO, begins: bytes = b"") -> None:
    """Cut off a last line that has no end, if it agrees with `begins` as far as both go.

    `file` is open for reading and writing.
    """
    end = file.seek(0, os.SEEK_END)
    complete = _end_of_last_complete_line(file, end)
    file.seek(complete)
    if complete < end and begins.startswith(file.read(len(begins))):
        file.truncate(complete)


def _end_of_last_complete_line(file: BinaryIO, end: int) -> int:
    begin = end
    while begin > 0:
        begin = max(0, begin - BLOCK_SIZE)
        file.seek(begin)
        index = file.read(min(BLOCK_SIZE, end - begin)).rfind(b"\n")
        if index >= 0:
            return begin + index + 1
    return 0


class JsonLines:
    """A file with one JSON object a line, which grows at its end.

    `shared` means that several processes append to it: `append` then locks the file, and cuts off half a line of a
    killed writer first. Lines are synced to the disk together, at most once in `SYNC_SECONDS`; `sync` does it at once.
    All methods raise `BadFile`.
    """

    def __init__(self, path: Path, shared: bool = False) -> None:
        self.path, self.shared = path, shared
        self._position = 0
        self._synced_at = -math.inf

    def append(self, *lines: Mapping[str, Any]) -> int:
        """Append these lines at once; returns their size in bytes."""
        data = "".join(json.dumps(line) + "\n" for line in lines).encode()
        with writing(self.path), self.path.open("ab+" if self.shared else "ab") as file:
            if self.shared:
                _lock(file)
                cut_half_line(file)
            file.write(data)
            file.flush()
            if time.monotonic() - self._synced_at >= SYNC_SECONDS:
                _sync_descriptor(file.fileno())
                if self._synced_at == -math.inf:  # the file may be new
                    sync(self.path.parent)
                self._synced_at = time.monotonic()
        return len(data)

    def sync(self) -> None:
        """Wait until all lines are on the disk; nothing if the file does not exist."""
        with writing(self.path), suppress(FileNotFoundError):
            sync(self.path)

    def cut(self, length: int) -> None:
        """Keep only the first `length` bytes; creates a missing file."""
        with writing(self.path):
            open_after(self.path, length).close()

    def cut_half_line(self, begins: bytes = b"") -> None:
        """Cut off half a line of a killed writer; see the function `cut_half_line`."""
        with writing(self.path), self.path.open("rb+") as file:
            cut_half_line(file, begins)

    def read(self) -> list[dict[str, Any]]:
        """The complete lines since the previous call; none where the file does not exist.

        Lines with NUL bytes are left out: a power cut leaves them in the place of lines that had not been synced.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(self._position)
                data = file.read()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise BadFile(f"cannot read {self.path}: {error.strerror}") from None
        data = data[: data.rfind(b"\n") + 1]
        self._position += len(data)
        try:
            return [dict(json.loads(line)) for line in data.splitlines() if b"\0" not in line]
        except (ValueError, TypeError):
            raise BadFile(f"{self.path} is damaged: one of its lines is no JSON object") from None


def _lock(file: BinaryIO) -> None:
    """Wait until no other process has locked this file, and lock it until it is closed; nothing where locks lack."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX)
