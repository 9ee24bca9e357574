"""Files and folders that commands write: by one program at a time, and never over what is not their own.

`only_writer` holds the lock of a file or folder. `LineOutput` is a text of lines in a fixed order: it is continued only
where the lines that are there are those that the command would write. The rule for all commands is in docs/solving.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.storage.files import is_at, lock_or_refuse, locked, make_folder, require_regular, special_kind, writing
from puzzlelab.storage.lines import CHUNK_SIZE, PeriodicSync, count_lines

LONGEST_QUOTE = 60
"""Characters of a line in an error."""
BEGINNING = 1000
"""Bytes at the beginning of a file in which an SVG image or a report names itself."""


@contextmanager
def only_writer(path: Path) -> Iterator[int | None]:
    """Hold the lock of a file, which is created if it is missing; raises `BadInput` if another program has it.

    It gives the descriptor of the file, or None for a device or a pipe. The file itself is locked, and must be there at
    the end. A file that was created here and is still empty after an error is removed. A device or a pipe needs no
    lock: a pipe is kept open, so that its reader does not come to its end between two lines.
    """
    message = f"another program is writing to {path}"
    if path.exists() and not path.is_file() and not path.is_dir():
        with writing(path), path.open("ab"):
            yield None
        return
    is_new = not path.exists()
    with locked(path, message) as descriptor:
        try:
            yield descriptor
            if not is_at(path, descriptor):
                raise BadFile(
                    f"{path} was removed or replaced by another program while this one wrote to it, so that it lacks "
                    "what was written before: the same command makes that again"
                )
        except BaseException:
            with suppress(OSError):
                if is_new and path.stat().st_size == 0:
                    path.unlink()
            raise


@contextmanager
def only_writer_in(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is created if it is missing; raises `BadInput` if another program has it.

    The folder itself is locked, and nothing is written into it. Not every system and network file system can do so.
    """
    with writing(folder):
        make_folder(folder)
    if os.name == "nt":  # no folder can be opened
        yield
        return
    with writing(folder):
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        lock_or_refuse(descriptor, f"another program is writing to {folder}")
        yield
    finally:
        os.close(descriptor)


class LineOutput:
    """A file of lines that a command makes in a fixed order; lines that are there are compared, and new ones appended.

    The first line that is another one raises `BadFile`, and nothing is changed. Half a line of a killed writer is made
    whole. A device or a pipe gets all lines.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.existing = 0
        """Lines that the file had at first."""
        self.number = 0
        """Lines that were compared, skipped or written."""
        self._resources = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as resources:
            resources.enter_context(only_writer(self.path))
            is_regular = self.path.is_file()
            with writing(self.path):
                self._file: BinaryIO = resources.enter_context(self.path.open("rb+" if is_regular else "wb"))
            if is_regular:
                self.existing = count_lines(self._file)
                self._file.seek(0)
            self._sync = PeriodicSync(self.path)
            self._is_at_end = not is_regular
            self._resources = resources.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        with writing(self.path):
            try:
                self._file.flush()
                self._sync.at_once(self._file.fileno())
            finally:
                self._resources.__exit__(*error)  # type: ignore[arg-type]

    def skip(self, count: int) -> None:
        """Pass over existing lines without a comparison."""
        for _ in range(count):
            self._file.readline()
        self.number += count

    def write(self, line: str) -> None:
        """Compare the next existing line with this one, or append it; raises `BadFile`."""
        expected = line.encode()
        with writing(self.path):
            if not self._is_at_end:
                begin = self._file.tell()
                old = self._file.readline(len(expected) + 2)
                if self.number >= self.existing and self._is_begun(old, expected):
                    self._file.seek(begin)
                    self._file.truncate()
                    self._is_at_end = True
                elif not old.endswith(b"\n") or old.rstrip(b"\r\n") != expected:
                    raise self._refusal(old, line)
            if self._is_at_end:
                self._file.write(expected + b"\n")
        self.number += 1

    def write_all(self, lines: Iterable[str]) -> None:
        """Write each of these lines."""
        for line in lines:
            self.write(line)

    def _is_begun(self, old: bytes, expected: bytes) -> bool:
        """Tell whether a killed writer or a power cut may have left this in the place of the line, and all after it."""
        part, nul, _ = old.partition(b"\0")
        if not expected.startswith(part):
            return False
        if not nul or self.number > 0:
            return True
        self._file.seek(len(part))
        return not any(block.strip(b"\0") for block in iter(lambda: self._file.read(CHUNK_SIZE), b""))

    def flush(self) -> None:
        """Hand the lines so far to the system, so that they stay if the program is killed; sync them now and then."""
        with writing(self.path):
            self._file.flush()
            self._sync.when_due(self._file.fileno())

    @property
    def rest(self) -> int:
        """Existing lines after those that were compared or skipped."""
        return max(0, self.existing - self.number)

    def _refusal(self, old: bytes, line: str) -> BadFile:
        there = shorten(old.decode(errors="replace").rstrip(), LONGEST_QUOTE)
        return BadFile(
            f"{self.path} holds something else: its line {self.number + 1} is '{there}', "
            f"not '{shorten(line, LONGEST_QUOTE)}'; give another name, or remove it first"
        )


def check_folder(folder: Path, marker: str, is_own: Callable[[str], bool], contents: str) -> None:
    """Check that a command may fill a folder: it has the file `marker`, or nothing but files of the command.

    `is_own` says which names a stopped command may leave without the marker; hidden files are passed over. Raises
    `BadFile`, which says that the folder holds no `contents`.
    """
    if not folder.is_dir() or (folder / marker).exists():
        return
    for path in sorted(folder.iterdir()):
        if not path.name.startswith(".") and not is_own(path.name):
            raise BadFile(f"{folder} holds {path.name}, and no {contents}: give an empty folder, or a new name")


def check_replaceable(path: Path, is_own: Callable[[bytes], bool], contents: str) -> None:
    """Check that a file may be replaced: it is new or empty, or `is_own` knows it by its beginning.

    Raises `BadFile`, which says that the file is no `contents`.
    """
    require_regular(path)
    try:
        with path.open("rb") as file:
            begin = file.read(BEGINNING)
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadFile(f"cannot write {path}: {error.strerror}") from None
    if begin and not is_own(begin):
        raise BadFile(f"{path} exists already, and is no {contents}: give another name, or remove it first")


def check_ending(path: Path, endings: Collection[str]) -> None:
    """Raise `BadFile` for the name of a new file whose ending is none of these, which say the form of the file.

    Devices and pipes may have any name.
    """
    if path.suffix in endings or special_kind(path.stat().st_mode if path.exists() else 0) is not None:
        return
    raise BadFile(f"{path} ends in none of {', '.join(filter(None, endings))}, which say the form of the file")


def check_image(path: Path) -> None:
    """Check that an image may be written there: the file is new, empty, or an image already; raises `BadFile`."""
    check_replaceable(path, lambda begin: begin.startswith((b"\x89PNG", b"GIF8")) or b"<svg" in begin, "image")
