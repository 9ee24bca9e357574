"""Files of lines: they are read line by line, and grow by whole lines.

`JsonLines` is a file to which lines are appended; a killed writer leaves at most half a line at its end, and a power
cut NUL bytes. Readers leave them out, and the next writer cuts them off.
"""

from __future__ import annotations

import codecs
import io
import json
import math
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from puzzlelab.core.errors import BadFile
from puzzlelab.storage.files import Opener, not_a_link, sync, sync_descriptor, writing

BLOCK_SIZE = 4096
"""Bytes that are read at once in search of the beginning of the last line."""
CHUNK_SIZE = 1 << 20
"""Bytes that are read at once of a whole file."""
BYTE_ORDER_MARK = "\ufeff"
"""The mark that some programs write at the beginning of a text file."""
LONGEST_LINE = 16_000_000
"""Characters of the longest line that is read from a file of boards or rows."""
SYNC_SECONDS = 1.0
"""Lines that are appended are on the disk after this time."""


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
                    check_length(line, name, place)
            yield text
        if not data:
            return
        number += text.count("\n")
        check_length(rest if len(rest) <= LONGEST_LINE else rest.decode(errors="replace"), name, number)


def _end_of_whole_lines(data: bytes) -> int:
    """Return where the last line that has its end is over; a CR that comes last may be half of an end."""
    return data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1


def check_length(line: bytes | str, name: str, number: int) -> None:
    """Raise `BadFile` with `name` and the number of a line that is longer than `LONGEST_LINE`."""
    if len(line) > LONGEST_LINE:
        raise BadFile(f"{name}, line {number}: longer than {LONGEST_LINE // 10**6} million characters")


def blocks_of(path: Path) -> Iterator[str]:
    """Yield the text of a file, or of a pipe, as `text_blocks` does; raises `BadFile`."""
    try:
        with path.open("rb") as file:
            yield from text_blocks(file, str(path))
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from None


def lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a text file, or of a pipe, as `blocks_of` does; raises `BadFile`."""
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
                    check_length(line, str(path), number)
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


def json_lines(path: Path, begins: Sequence[str], note: Callable[[str], object]) -> Iterator[tuple[int, int, str]]:
    """Yield the lines of a file of JSON objects that are not blank, each with its number from 1, and its offset in
    bytes; raises `BadFile`.

    What a killed writer or a power cut may leave is left out: lines with NUL bytes, and half a last line that agrees
    with one of `begins` as far as both go. `note` is then called with a sentence. A last line that is whole needs no
    end.
    """
    if path.is_dir():
        raise BadFile(f"{path} is a folder: give the files in it, as in {path / '*.jsonl'}")
    for number, (offset, line) in enumerate(placed_lines(path), start=1):
        text = line if line.endswith("\n") else line.rstrip("\0")
        is_whole = "\0" not in text and (line.endswith("\n") or _is_json(text))
        part = text.partition("\0")[0]
        if not is_whole and any(begin.startswith(part[: len(begin)]) for begin in begins):
            note(
                f"{path}, line {number}: its program was stopped before it had written all of it; the line is left out"
            )
        elif text.strip():
            yield number, offset, text


def _is_json(text: str | bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


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
        sync_descriptor(descriptor)
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


class JsonLines:
    """A file with one JSON object a line, which grows at its end.

    `shared` means that several processes append to it: `append` then locks the file, and cuts off half a line of a
    killed writer first. Lines are synced to the disk together, at most once in `SYNC_SECONDS`; `sync` does it at once.
    `opener` opens the file for writing, by default only where it is no link. All methods raise `BadFile`.
    """

    def __init__(self, path: Path, shared: bool = False, opener: Opener = not_a_link) -> None:
        self.path, self.shared, self.opener = path, shared, opener
        self._position = self._count = 0
        self._sync = PeriodicSync(path)

    def append(self, *lines: Mapping[str, Any]) -> int:
        """Append these lines at once; returns their size in bytes."""
        return self.append_texts([f"{json.dumps(line)}\n" for line in lines])

    def append_texts(self, texts: Sequence[str]) -> int:
        """Append texts of lines, which have their ends, at once; returns their size in bytes."""
        with writing(self.path), self._open("ab+" if self.shared else "ab", 0) as file:
            if self.shared:
                _lock(file)
                cut_half_line(file)
            size = _write_whole(file, [text.encode(errors="replace") for text in texts])
            self._sync.when_due(file.fileno())
        return size

    def sync(self) -> None:
        """Wait until all lines are on the disk; nothing if the file does not exist."""
        with writing(self.path), suppress(FileNotFoundError):
            sync(self.path)

    def cut(self, length: int) -> None:
        """Keep only the first `length` bytes; creates a missing file."""
        with writing(self.path), self._open("ab") as file:
            file.truncate(min(length, file.seek(0, os.SEEK_END)))

    def cut_half_line(self, *begins: bytes) -> None:
        """Cut off half a line of a killed writer; see the function `cut_half_line`."""
        with writing(self.path), self._open("rb+") as file:
            cut_half_line(file, *begins)

    def _open(self, mode: str, buffering: int = -1) -> BinaryIO:
        return cast(BinaryIO, open(self.path, mode, buffering, opener=self.opener))

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
        _write_whole(file, [data])


def _write_whole(file: BinaryIO, parts: Sequence[bytes]) -> int:
    """Append to an unbuffered file; if not all of it can be written, nothing is. Returns the size in bytes."""
    before, size = os.fstat(file.fileno()), sum(map(len, parts))
    try:
        for part in parts:
            rest = memoryview(part)
            while rest:
                rest = rest[file.write(rest) :]
    except BaseException:  # a signal may come after the last byte: what is written is kept
        if stat.S_ISREG(before.st_mode) and os.fstat(file.fileno()).st_size != before.st_size + size:
            os.ftruncate(file.fileno(), before.st_size)
        raise
    return size


def _lock(file: BinaryIO) -> None:
    """Wait until no other process has locked this file, and lock it until it is closed; nothing where locks lack."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX)
