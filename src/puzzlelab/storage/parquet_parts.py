"""Parquet files that grow, and survive a kill: parts that are each written in one step, and joined at the end.

The parts of NAME are `NAME.parts/part-000000.arrow` and so on: files of Arrow's own format, which are written and read
several times as fast as Parquet, each with a checksum after it: Arrow does not find damage, which can end the process.
While there are parts there is no NAME: a complete file that is continued becomes the first part, in Parquet, by a
rename. Parts beside NAME are thus those of a program that was killed after it had joined them, and are removed. Other
files in the folder are never touched. The caller holds a lock.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import chain
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, BinaryIO, Self
from zlib import crc32

from puzzlelab.core.errors import BadFile, BadInput, shorten
from puzzlelab.storage.files import make_folder, replacing, require_regular, sync, writing

ARROW, PARQUET = ".arrow", ".parquet"
PART = re.compile(r"part-\d{6,}\.(arrow|parquet)", re.ASCII)
WRITING, JOINED = "writing", "joined"
"""Temporary files beside the parts."""
CHECKSUM = 4
"""Bytes of the checksum (CRC-32) after a part in Arrow's format."""


def require_pyarrow(subject: str = "Parquet files") -> None:
    """Raise `BadInput` if pyarrow is not installed; `subject` is what needs it."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise BadInput(f"{subject} need pyarrow: pip install 'puzzlelab[table]'") from None


def parts_folder(path: Path) -> Path:
    """Return the folder of the parts of a file."""
    return path.with_name(f"{path.name}.parts")


def files_of(path: Path) -> list[Path]:
    """Return the files that hold the rows of NAME, in order: itself, or its parts if it is not complete; none if it is
    new.

    Raises `BadFile` for a pipe or a device.
    """
    files = [path] if path.exists() else _parts_of(path)
    for file in files:
        require_regular(file)
    return files


def _parts_of(path: Path) -> list[Path]:
    """Return the parts of NAME, in order, which may lie beside it; raises `BadFile` if their folder is a link."""
    folder = parts_folder(path)
    if folder.is_symlink():
        raise BadFile(f"{folder} is a link, and no folder that puzzlelab has made: remove the link first")
    return sorted((part for part in folder.glob("part-*") if PART.fullmatch(part.name)), key=_number)


def _number(part: Path) -> int:
    return int(part.stem.removeprefix("part-"))


def part_name(number: int) -> str:
    """Return the name of a part in its folder, without its ending."""
    return f"part-{number:06}"


def row_count(path: Path) -> int:
    """Return the rows of a file or a part."""
    with TableFile(path) as file:
        return sum(file.group_sizes)


class TableFile:
    """A Parquet file, or a part in Arrow's own format: a table in groups of rows.

    `dictionaries` are columns that are read as dictionaries from Parquet, which is faster.
    """

    def __init__(self, path: Path, dictionaries: Sequence[str] = ()) -> None:
        self.path, self._dictionaries = path, list(dictionaries)

    def __enter__(self) -> Self:
        import pyarrow.parquet as pq

        self._part: Any = None
        with ExitStack() as opened:
            if self.path.suffix == ARROW:
                self._part = _read_part(self.path)
                self.schema, self.group_sizes = self._part.schema, [len(self._part)]
            else:
                source = opened.enter_context(self.path.open("rb"))  # Arrow does not open names that are no Unicode
                self._file: Any = opened.enter_context(pq.ParquetFile(source, read_dictionary=self._dictionaries))
                groups = map(self._file.metadata.row_group, range(self._file.num_row_groups))
                self.schema, self.group_sizes = self._file.schema_arrow, [group.num_rows for group in groups]
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def read(self, group: int) -> Any:
        """Return the rows of a group."""
        import pyarrow as pa

        if self._part is not None:
            return self._part
        try:
            return self._file.read_row_group(group)
        except pa.ArrowNotImplementedError:  # lists of very many different texts
            with TableFile(self.path) as plain:
                return plain.read(group)

    def tables(self, size: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield tables of all rows, of at most `size` rows each, with some of the columns."""
        import pyarrow as pa

        if self._part is None:
            yield from map(pa.Table.from_batches, zip(self._file.iter_batches(size, columns=columns)))
            return
        part = self._part if columns is None else self._part.select(columns)
        yield from (part.slice(begin, size) for begin in range(0, len(part), size))


def _read_part(path: Path) -> Any:
    """Return the table of a part in Arrow's format; raises `BadFile` if its checksum does not agree."""
    import pyarrow as pa

    with path.open("rb") as file:
        content = _mapped(file)
    data = content[:-CHECKSUM]
    if _checksum(data) != content[-CHECKSUM:]:
        raise BadFile(
            f"{path} is damaged: its checksum does not agree; remove it, and the command that wrote it makes its rows "
            "again"
        )
    try:
        table = pa.ipc.open_stream(data).read_all()
        table.validate(full=True)  # a checksum can be forged
    except pa.ArrowException as error:
        raise BadFile(f"{path} holds no rows: {shorten(str(error), 120)}") from None
    return table


def _write_part(path: Path, table: Any) -> None:
    """Write a table in Arrow's format, with its checksum after it."""
    import pyarrow as pa

    with path.open("w+b") as file:
        with pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
        file.flush()
        file.write(_checksum(_mapped(file)))


def _mapped(file: BinaryIO) -> memoryview:
    """Return the content of an open file, which is not copied."""
    return memoryview(mmap(file.fileno(), 0, access=ACCESS_READ) if os.fstat(file.fileno()).st_size else b"")


def _checksum(data: memoryview) -> bytes:
    return crc32(data).to_bytes(CHECKSUM, "little")


class PartFiles:
    """The parts of a Parquet file; tables are appended as parts, and joined when the file is complete.

    Args:
        path: NAME.
        dictionaries: columns that are read as dictionaries when parts are joined, which is faster.
        options: how pyarrow writes, as keyword arguments.
    """

    def __init__(self, path: Path, dictionaries: Sequence[str] = (), options: Mapping[str, Any] | None = None) -> None:
        self.path, self.folder = path, parts_folder(path)
        self._dictionaries, self._options = list(dictionaries), dict(options or {})
        require_regular(path)
        if path.exists():
            if path.stat().st_size:
                self._remove_joined()
            else:
                path.unlink()
        self.rows = sum(map(row_count, files_of(path)))
        self._count: int | None = None

    def _remove_joined(self) -> None:
        """Remove parts that are in the file already; raises `BadFile` for those that are not."""
        if sum(map(row_count, _parts_of(self.path))) > row_count(self.path):
            raise BadFile(f"{self.folder} has more rows than {self.path}: move one of them away")
        remove_parts(self.path)

    def append(self, table: Any) -> None:
        """Write a table as the next part."""
        number = self._begin() if self._count is None else self._count
        path = self.folder / f"{part_name(number)}{ARROW}"
        with writing(self.path), replacing(path, self.folder / WRITING) as temporary:
            _write_part(temporary, table)
        self._count = number + 1
        self.rows += len(table)

    def _begin(self) -> int:
        """Make the folder, with a complete file as its first part; returns the number of the next part."""
        with writing(self.path):
            make_folder(self.folder)
            if self.path.exists():
                self.path.rename(self.folder / f"{part_name(0)}{PARQUET}")
                sync(self.folder)
                sync(self.path.parent)
        return max(map(_number, _parts_of(self.path)), default=-1) + 1

    def join(self, group: int) -> None:
        """Join the parts into row groups of equal numbers of rows, however they were cut; do nothing if there are none.

        Raises `BadFile`, and keeps the parts, if another program has removed some, or made the file.
        """
        parts = [] if self.path.exists() else _parts_of(self.path)
        if not parts and not self._count:
            return
        changed = BadFile(
            f"{self.path} or its parts were changed by another program while this one wrote to them: move {self.path} "
            "away if it is there, and the same command makes again what is missing"
        )
        if not parts:
            raise changed
        with writing(self.path), replacing(self.path, self.folder / JOINED) as temporary:
            if self._write_joined(temporary, parts, group) != self.rows:
                raise changed
        remove_parts(self.path)
        self._count = None

    def _write_joined(self, path: Path, parts: Sequence[Path], group: int) -> int:
        """Write the rows of the parts to this file; returns their number."""
        import pyarrow.parquet as pq

        tables = self._groups(parts, group)
        first, rows = next(tables), 0
        with path.open("wb") as file, pq.ParquetWriter(file, first.schema, **self._options) as writer:
            for table in chain([first], tables):
                writer.write_table(table, row_group_size=group)
                rows += len(table)
        return rows

    def _groups(self, parts: Sequence[Path], size: int) -> Iterator[Any]:
        """Yield tables of `size` rows each, but for the last one, which may be empty if it is the only one."""
        import pyarrow as pa

        waiting: list[Any] = []
        rows = 0
        for table in self._row_groups(parts):
            waiting.append(table)
            rows += len(table)
            while rows >= size:
                together = pa.concat_tables(waiting)
                yield together.slice(0, size).combine_chunks()
                waiting, rows = [together.slice(size)], rows - size
        if rows:
            yield pa.concat_tables(waiting).combine_chunks()

    def _row_groups(self, parts: Sequence[Path]) -> Iterator[Any]:
        """Yield the groups of rows of these parts as tables with the same types."""
        schema = None
        for part in parts:
            with TableFile(part, self._dictionaries) as file:
                schema = schema or file.schema
                for group in range(len(file.group_sizes)):
                    yield file.read(group).cast(schema)


def remove_parts(path: Path) -> None:
    """Remove the parts of a file that are in it already, or of which no note says what they hold."""
    folder = parts_folder(path)
    for part in [*_parts_of(path), folder / WRITING, folder / JOINED]:
        part.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
    if path.parent.is_dir():
        sync(path.parent)
