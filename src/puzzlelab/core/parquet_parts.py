"""Parquet files that grow, and survive a kill: parts that are each written in one step, and joined at the end.

The parts of NAME are `NAME.parts/part-000000.arrow` and so on: files of Arrow's own format, which are written and read
several times as fast as Parquet. While there are parts there is no NAME: a complete file that is continued becomes the
first part, in Parquet, by a rename. Parts beside NAME are thus those of a program that was killed after it had joined
them, and are removed. The caller holds a lock.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

from puzzlelab.core.errors import BadInput
from puzzlelab.core.files import make_folder, replacing, sync, writing

ARROW, PARQUET = ".arrow", ".parquet"
WRITING, JOINED = "writing", "joined"
"""Temporary files beside the parts."""


def require_pyarrow(subject: str = "Parquet files") -> None:
    """Raise `BadInput` if pyarrow is not installed; `subject` is what needs it."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise BadInput(f"{subject} need pyarrow: pip install 'puzzlelab[table]'") from None


def parts_folder(path: Path) -> Path:
    """The folder of the parts of a file."""
    return path.with_name(f"{path.name}.parts")


def files_of(path: Path) -> list[Path]:
    """The files that hold the rows of NAME, in order: itself, or its parts if it is not complete; none if it is new.

    Parts after a missing one do not count.
    """
    if path.exists():
        return [path]
    parts = sorted(parts_folder(path).glob("part-*"))
    return [part for number, part in enumerate(parts) if part.stem == part_name(number)]


def part_name(number: int) -> str:
    """The name of a part in its folder, without its ending."""
    return f"part-{number:06}"


def row_count(path: Path) -> int:
    """The rows of a file or a part."""
    with TableFile(path) as file:
        return sum(file.group_sizes)


class TableFile:
    """A Parquet file, or a part in Arrow's own format: a table in groups of rows.

    `dictionaries` are columns that are read as dictionaries from Parquet, which is faster.
    """

    def __init__(self, path: Path, dictionaries: Sequence[str] = ()) -> None:
        self.path, self._dictionaries = path, list(dictionaries)

    def __enter__(self) -> Self:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self._part: Any = None
        with ExitStack() as opened:
            if self.path.suffix == ARROW:
                source = opened.enter_context(pa.memory_map(str(self.path)))
                self._part = pa.ipc.open_stream(source).read_all()
                self.schema, self.group_sizes = self._part.schema, [len(self._part)]
            else:
                self._file: Any = opened.enter_context(pq.ParquetFile(self.path, read_dictionary=self._dictionaries))
                groups = map(self._file.metadata.row_group, range(self._file.num_row_groups))
                self.schema, self.group_sizes = self._file.schema_arrow, [group.num_rows for group in groups]
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def read(self, group: int) -> Any:
        """The rows of a group."""
        import pyarrow as pa

        if self._part is not None:
            return self._part
        try:
            return self._file.read_row_group(group)
        except pa.ArrowNotImplementedError:  # lists of very many different texts
            with TableFile(self.path) as plain:
                return plain.read(group)

    def tables(self, size: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Tables of all rows, of at most so many rows each, with some of the columns."""
        import pyarrow as pa

        if self._part is None:
            yield from map(pa.Table.from_batches, zip(self._file.iter_batches(size, columns=columns)))
            return
        part = self._part if columns is None else self._part.select(columns)
        yield from (part.slice(begin, size) for begin in range(0, len(part), size))


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
        if path.exists():
            if path.stat().st_size:
                remove_parts(path)
            else:
                path.unlink()
        files = files_of(path)
        self.rows = sum(map(row_count, files))
        for part in set(self.folder.glob("part-*")).difference(files):
            part.unlink()
        self._count: int | None = None

    def append(self, table: Any) -> None:
        """Write a table as the next part."""
        import pyarrow as pa

        number = self._begin() if self._count is None else self._count
        path = self.folder / f"{part_name(number)}{ARROW}"
        with (
            writing(self.path),
            replacing(path, self.folder / WRITING) as temporary,
            pa.ipc.new_stream(str(temporary), table.schema) as writer,
        ):
            writer.write_table(table)
        self._count = number + 1
        self.rows += len(table)

    def _begin(self) -> int:
        """Make the folder, with a complete file as its first part; returns the number of parts."""
        with writing(self.path):
            make_folder(self.folder)
            if self.path.exists():
                self.path.rename(self.folder / f"{part_name(0)}{PARQUET}")
                sync(self.folder)
                sync(self.path.parent)
        return len(files_of(self.path))

    def join(self, group: int) -> None:
        """Join the parts into row groups of so many rows, however they were cut; nothing if there are no parts."""
        import pyarrow.parquet as pq

        parts = [] if self.path.exists() else files_of(self.path)
        if not parts:
            return
        with (
            writing(self.path),
            replacing(self.path, self.folder / JOINED) as temporary,
            TableFile(parts[0], self._dictionaries) as first,
            pq.ParquetWriter(temporary, first.schema, **self._options) as writer,
        ):
            for table in self._groups(parts, group):
                writer.write_table(table, row_group_size=group)
        self.discard()
        sync(self.path.parent)
        self._count = None

    def _groups(self, parts: Sequence[Path], size: int) -> Iterator[Any]:
        """Tables of `size` rows each, but for the last one."""
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
        """The groups of rows of these parts as tables with the same types."""
        schema = None
        for part in parts:
            with TableFile(part, self._dictionaries) as file:
                schema = schema or file.schema
                for group in range(len(file.group_sizes)):
                    yield file.read(group).cast(schema)

    def discard(self) -> None:
        """Remove the parts."""
        shutil.rmtree(self.folder)


def remove_parts(path: Path) -> None:
    """Remove the parts of a file that are in it already, or of which no note says what they hold."""
    folder = parts_folder(path)
    for part in [*folder.glob("part-*"), folder / WRITING, folder / JOINED]:
        part.unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()
    if path.parent.is_dir():
        sync(path.parent)
