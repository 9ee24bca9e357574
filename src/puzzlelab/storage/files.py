"""Files that survive a kill and a power cut: they are replaced in one step, or grow by whole lines.

`replace_file` and `replacing` write a temporary file beside the old one, sync it, then rename it: a reader sees the old
file or the new one, never a part. `JsonLines` is a file to which lines are appended; a killed writer leaves at most
half a line at its end, and a power cut NUL bytes. Readers leave them out, and the next writer cuts them off.
`locked` keeps a second program from writing to the same file.
"""

from __future__ import annotations

import codecs
import errno
import io
import json
import math
import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

from puzzlelab.core.errors import BadFile, BadInput

BLOCK_SIZE = 4096
"""Bytes that are read at once in search of the beginning of the last line."""
CHUNK_SIZE = 1 << 20
"""Bytes that are read at once of a whole file."""
MOST_BYTES = 1 << 29
"""Bytes of a file that is read as a whole."""
BYTE_ORDER_MARK = "\ufeff"
"""The mark that some programs write at the beginning of a text file."""
LONGEST_LINE = 16_000_000
"""Characters of the longest line that is read from a file of boards or rows."""
SYNC_SECONDS = 1.0
"""Lines that are appended are on the disk after this time."""
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
        _sync_descriptor(descriptor)
    finally:
        os.close(descriptor)


def _sync_descriptor(descriptor: int) -> None:
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


# --- files of lines ---


def text_blocks(file: BinaryIO, name: str) -> Iterator[str]:
    """Yield a text in UTF-8 by blocks of whole lines, which end with LF; a byte-order mark is left out.

    Lines end with LF, CR LF or CR in the file, the last one perhaps with nothing. Lines of a pipe are yielded when they
    arrive. Raises `BadFile` with `name` and the number of a line that is longer than `LONGEST_LINE`; little more of it
    than that is ever read.
    """
    read = getattr(file, "read1", file.read)
    rest, number, at_begin = b"", 1, True
    while True:
        data = read(CHUNK_SIZE)
        rest += data
        end = _end_of_whole_lines(rest) if data else len(rest)
        text = rest[:end].decode(errors="replace")
        text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
        rest = rest[end:]
        if text:
            text, at_begin = text.removeprefix(BYTE_ORDER_MARK) if at_begin else text, False
            if len(text) > LONGEST_LINE:
                for place, line in enumerate(text.split("\n"), start=number):
                    _check_length(line, name, place)
            yield text
        if not data:
            return
        number += text.count("\n")
        _check_length(rest if len(rest) <= LONGEST_LINE else rest.decode(errors="replace"), name, number)


def _end_of_whole_lines(data: bytes) -> int:
    """Return where the last line that has its end is over; a CR that comes last may be half of an end."""
    return data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1


def _check_length(line: bytes | str, name: str, number: int) -> None:
    if len(line) > LONGEST_LINE:
        raise BadFile(f"{name}, line {number}: longer than {LONGEST_LINE // 10**6} million characters")


def text_lines(file: BinaryIO, name: str) -> Iterator[str]:
    """Yield the lines of a text one by one, each with its end; see `text_blocks`."""
    for text in text_blocks(file, name):
        yield from io.StringIO(text)


def blocks_of(path: Path) -> Iterator[str]:
    """Yield the text of a file, or of a pipe, as `text_blocks` does; raises `BadFile`."""
    try:
        with path.open("rb") as file:
            yield from text_blocks(file, str(path))
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a text file, or of a pipe, as `text_lines` does; raises `BadFile`."""
    for text in blocks_of(path):
        yield from io.StringIO(text)


def placed_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file, or of a pipe, as `lines_of` does, each with its offset in bytes."""
    number = offset = 0
    try:
        with path.open("rb") as file:
            while data := file.readline(LONGEST_LINE + 1):
                for line in data.splitlines(keepends=True) if b"\r" in data else (data,):
                    number += 1
                    if len(line) > LONGEST_LINE:
                        raise BadFile(f"{path}, line {number}: longer than {LONGEST_LINE // 10**6} million characters")
                    yield offset, decoded_line(line, offset)
                    offset += len(line)
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None


def decoded_line(line: bytes, offset: int) -> str:
    """Return the text of a line at this offset of a file, with LF at its end if it has an end."""
    text = line.decode(errors="replace")
    if text.endswith(("\r\n", "\r")):
        text = text.rstrip("\r\n") + "\n"
    return text if offset else text.removeprefix(BYTE_ORDER_MARK)


def line_at(file: BinaryIO, offset: int) -> str:
    """Return the line that begins at this offset."""
    file.seek(offset)
    data = file.readline(LONGEST_LINE + 1)
    return decoded_line(data.splitlines(keepends=True)[0] if b"\r" in data else data, offset)


def json_lines(path: Path, begins: Sequence[str], note: Callable[[str], object]) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file of JSON objects that are not blank, each with its number from 1; raises `BadFile`.

    What a killed writer or a power cut may leave is left out: lines with NUL bytes, and half a last line that agrees
    with one of `begins` as far as both go. `note` is then called with a sentence. A last line that is whole needs no
    end.
    """
    return ((number, text) for number, _, text in placed_json_lines(path, begins, note))


def placed_json_lines(
    path: Path, begins: Sequence[str], note: Callable[[str], object]
) -> Iterator[tuple[int, int, str]]:
    """Yield the lines of `json_lines`, each with its offset in bytes after its number."""
    if path.is_dir():
        raise BadFile(f"{path} is a folder: give the files in it, as in {path / '*.jsonl'}")
    for number, (offset, line) in enumerate(placed_lines(path), start=1):
        text = line if line.endswith("\n") else line.rstrip("\0")
        is_whole = "\0" not in text and (line.endswith("\n") or _is_json(text))
        part = text.partition("\0")[0]
        if not is_whole and any(begin.startswith(part[: len(begin)]) for begin in begins):
            note(half_line(path, number))
        elif text.strip():
            yield number, offset, text


def half_line(path: Path, number: int) -> str:
    """Write the sentence about a line that its writer has not finished."""
    return f"{path}, line {number}: its program was stopped before it had written all of it; the line is left out"


def _is_json(text: str | bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def open_after(path: Path, length: int, opener: Opener = None) -> BinaryIO:
    """Open a file to continue it after its first `length` bytes; the rest is cut off. Creates a missing file."""
    file = open(path, "ab", opener=opener)  # noqa: SIM115  # a path has no opener
    try:
        file.truncate(min(length, file.seek(0, os.SEEK_END)))
    except BaseException:
        file.close()
        raise
    return file


class PeriodicSync:
    """The syncs of a file that grows, at most one in `SYNC_SECONDS`; the first time also of its folder, for a new
    file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._synced_at = -math.inf

    def when_due(self, descriptor: int) -> None:
        """Sync the open file if the last time is long enough ago."""
        if time.monotonic() - self._synced_at >= SYNC_SECONDS:
            self.at_once(descriptor)

    def at_once(self, descriptor: int) -> None:
        """Wait until all bytes of the open file are on the disk."""
        _sync_descriptor(descriptor)
        if self._synced_at == -math.inf:
            sync(self._path.parent)
        self._synced_at = time.monotonic()


def count_lines(file: BinaryIO) -> int:
    """Return the number of complete lines from here to the first NUL byte, which a power cut may leave."""
    count = 0
    while chunk := file.read(CHUNK_SIZE):
        text, nul, _ = chunk.partition(b"\0")
        count += text.count(b"\n")
        if nul:
            break
    return count


def line_count(path: Path) -> int | None:
    """Return the complete lines of a file, quickly; None for a pipe or a device. Raises `OSError`."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return count_lines(file)


def cut_half_line(file: BinaryIO, *begins: bytes) -> None:
    """Cut off a last line that has no end, and NUL bytes after it.

    With `begins`, it must agree with one of them as far as both go.

    A last line that is a whole JSON value is kept, and gets its end. `file` is open for reading and writing.
    """
    end = file.seek(0, os.SEEK_END)
    complete = _end_of_last_complete_line(file, end)
    file.seek(complete)
    line = file.read(min(end - complete, LONGEST_LINE)).rstrip(b"\0")
    if line and _is_json(line):
        file.truncate(complete + len(line))
        file.seek(0, os.SEEK_END)
        file.write(b"\n")
    elif complete < end and any(begin.startswith(line[: len(begin)]) for begin in begins or (b"",)):
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


class GrowingLines:
    """A file of lines, which grows at its end.

    `shared` means that several processes append to it: `append` then locks the file, and cuts off half a line of a
    killed writer first. Lines are synced to the disk together, at most once in `SYNC_SECONDS`; `sync` does it at once.
    All methods raise `BadFile`.
    """

    def __init__(self, path: Path, shared: bool = False, opener: Opener = without_waiting) -> None:
        self.path, self.shared, self.opener = path, shared, opener
        self._position = self._count = 0
        self._sync = PeriodicSync(path)

    def append_texts(self, lines: Iterable[str]) -> int:
        """Append these lines, which have no ends, at once; returns their size in bytes."""
        data = "".join(f"{line}\n" for line in lines).encode(errors="replace")
        with writing(self.path), self._open("ab+" if self.shared else "ab", 0) as file:
            if self.shared:
                _lock(file)
                cut_half_line(file)
            _write_whole(file, data)
            self._sync.when_due(file.fileno())
        return len(data)

    def sync(self) -> None:
        """Wait until all lines are on the disk; nothing if the file does not exist."""
        with writing(self.path), suppress(FileNotFoundError):
            sync(self.path)

    def cut(self, length: int) -> None:
        """Keep only the first `length` bytes; creates a missing file."""
        with writing(self.path):
            open_after(self.path, length, self.opener).close()

    def cut_half_line(self, *begins: bytes) -> None:
        """Cut off half a line of a killed writer; see the function `cut_half_line`."""
        with writing(self.path), self._open("rb+") as file:
            cut_half_line(file, *begins)

    def _open(self, mode: str, buffering: int = -1) -> BinaryIO:
        return cast(BinaryIO, open(self.path, mode, buffering, opener=self.opener))


class JsonLines(GrowingLines):
    """Return a file with one JSON object a line, which grows at its end, and is no link; see `GrowingLines`."""

    def __init__(self, path: Path, shared: bool = False) -> None:
        super().__init__(path, shared, not_a_link)

    def append(self, *lines: Mapping[str, Any]) -> int:
        """Append these lines at once; returns their size in bytes."""
        return self.append_texts(map(json.dumps, lines))

    def read(self) -> list[dict[str, Any]]:
        """Return the complete lines since the previous call; see `new_lines`."""
        return list(self.new_lines())

    def new_lines(self) -> Iterator[dict[str, Any]]:
        """Yield the complete lines that were not read yet; none where the file does not exist.

        Lines with NUL bytes are left out: a power cut leaves them in the place of lines that had not been synced.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(self._position)
                while (line := file.readline(LONGEST_LINE)).endswith(b"\n"):
                    text = line.removeprefix(codecs.BOM_UTF8).strip()
                    values = dict(json.loads(text)) if text and b"\0" not in text else None
                    self._count += 1
                    self._position += len(line)
                    if values is not None:
                        yield values
        except FileNotFoundError:
            return
        except OSError as error:
            raise BadFile(f"cannot read {self.path}: {error.strerror}; put the file back, or remove it") from None
        except (ValueError, TypeError, RecursionError):
            raise BadFile(
                f"{self.path} is damaged: line {self._count + 1} is no JSON object; put the file back, or remove this "
                "line"
            ) from None
        if len(line) == LONGEST_LINE:
            raise BadFile(f"{self.path} is damaged: line {self._count + 1} is longer than {LONGEST_LINE // 10**6} MB")


def append(path: Path, data: bytes) -> None:
    """Append these bytes to a file, which may be missing and is no link, without a sync.

    If not all can be written, nothing is.
    """
    with open(path, "ab", buffering=0, opener=not_a_link) as file:  # a path has no opener
        _write_whole(file, data)


def _write_whole(file: BinaryIO, data: bytes) -> None:
    """Append to an unbuffered file; if not all of it can be written, nothing is."""
    before, rest = os.fstat(file.fileno()), memoryview(data)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        if stat.S_ISREG(before.st_mode):
            os.ftruncate(file.fileno(), before.st_size)
        raise


def _lock(file: BinaryIO) -> None:
    """Wait until no other process has locked this file, and lock it until it is closed; nothing where locks lack."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX)
