"""Rows as CSV and as Parquet: complete files that are made from a growing file of JSON lines, and that are read again.

A file is written in one step and in constant memory, a block of rows after the other. CSV needs the standard library
alone, Parquet needs pyarrow. An export has the time of the growing file from which it was made, so that it is known
whether one of them was changed since then.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.storage.files import replacing, require_regular, writing
from puzzlelab.storage.lines import CHUNK_SIZE, LONGEST_LINE, check_length
from puzzlelab.storage.outputs import check_replaceable
from puzzlelab.storage.row import COLUMNS, Row
from puzzlelab.storage.row_columns import HEADER, RowColumns, arrow_schema, require_pyarrow

CSV, PARQUET, JSON_LINES = ".csv", ".parquet", ".jsonl"
REQUIRED = ("puzzle", "board", "solver")
OBJECTS = [column.name for column in COLUMNS if column.kind == "object"]
"""The columns whose values are JSON."""
BLOCK = 5_000
"""Rows that are converted at once."""
GROUP = 50_000
"""Rows of a row group of a Parquet file."""
Appender = Callable[[RowColumns], object]


def is_export(path: Path) -> bool:
    """Return whether the name of a file of rows says that it does not grow, but is made from a growing one."""
    return path.suffix in (CSV, PARQUET)


def growing_file(path: Path) -> Path:
    """Return the file of JSON lines from which an export is made; a file of JSON lines is itself."""
    return path.with_name(f"{path.name}.jsonl") if is_export(path) else path


def source_of(path: Path) -> Path:
    """Return the file that has the rows of this one: its growing file, unless only the export is there."""
    grown = growing_file(path)
    return grown if grown.exists() else path


def place_in_words(path: Path, number: int) -> str:
    """Return where a row is that `read_rows` gives with this number."""
    return f"{path}, {'row' if path.suffix == PARQUET else 'line'} {number}"


# --- writing ---


def check_export(path: Path) -> None:
    """Check that an export may be written there; raises `BadFile`, and `BadInput` without pyarrow."""
    if path.suffix == PARQUET:
        require_pyarrow()
    check_replaceable(path, lambda begin: begin.startswith((b"PAR1", HEADER[:20].encode())), "file of rows")


def check_can_grow(path: Path, growing: Path, command: str = "") -> None:
    """Raise `BadFile` if an export is there, and not its growing file; `command` makes that from the export."""
    if not growing.exists() and path.exists() and path.stat().st_size:
        advice = f", or make that file first ({command})" if command else ""
        raise BadFile(
            f"{path} cannot be continued without {growing.name}, from which it was made: give another name{advice}"
        )


def is_current(path: Path, growing: Path) -> bool:
    """Tell whether an export was made of all that is in its growing file, and neither was changed since; or whether
    there is nothing to export.
    """
    if not path.exists():
        return growing.stat().st_size == 0
    return path.stat().st_size > 0 and path.stat().st_mtime_ns == growing.stat().st_mtime_ns


@contextmanager
def new_export(path: Path, growing: Path | None = None) -> Iterator[BinaryIO]:
    """Give a file, which replaces an export at the end; it is then current, if `growing` was not changed meanwhile.

    Where there is a growing file, what a killed program has left is removed by the next one. Raises `BadFile`.
    """
    temporary = None if growing is None else path.with_name(f"{path.name}.new")
    with writing(path), replacing(path, temporary) as new:
        with new.open("wb") as file:
            yield file
        if growing is not None:
            modified = growing.stat().st_mtime_ns
            os.utime(new, ns=(modified, modified))


def export(path: Path, rows: Iterable[Row], growing: Path | None = None) -> None:
    """Write rows to a CSV or Parquet file; see `exporting`."""
    with exporting(path, growing) as append:
        for first in (each := iter(rows)):
            append(RowColumns.of([first, *islice(each, BLOCK - 1)]))


@contextmanager
def exporting(path: Path, growing: Path | None = None, begins: bool = True) -> Iterator[Appender]:
    """Give a function that appends rows to a new CSV or Parquet file; see `new_export`.

    Unless it `begins` with these rows, the rows of the old file come first. Raises `ValueError` if it cannot be read.
    """
    form = _parquet if path.suffix == PARQUET else _csv
    with new_export(path, growing) as file, form(file, None if begins else path) as append:
        yield append


@contextmanager
def _csv(file: BinaryIO, old: Path | None) -> Iterator[Appender]:
    file.write(f"{HEADER}\n".encode())
    if old is not None:
        with old.open("rb") as source:
            if source.readline() != f"{HEADER}\n".encode():
                raise ValueError("a CSV file with other columns")
            shutil.copyfileobj(source, file, CHUNK_SIZE)
    yield lambda rows: file.writelines(text.encode(errors="replace") for text in rows.csv_texts())


@contextmanager
def _parquet(file: BinaryIO, old: Path | None) -> Iterator[Appender]:
    """Write row groups of `GROUP` rows, however many are appended at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, waiting = arrow_schema(), list[Any]()
    numbers = [column.name for column in COLUMNS if column.kind in ("number", "seconds")]

    def write(least: int) -> None:
        table = pa.concat_tables(waiting)
        while len(table) >= least:
            writer.write_table(table.slice(0, GROUP).combine_chunks(), GROUP)
            table = table.slice(GROUP)
        waiting[:] = [table]

    def append(table: Any) -> None:
        waiting.append(table)
        if sum(map(len, waiting)) >= GROUP:
            write(GROUP)

    with pq.ParquetWriter(file, schema, store_schema=False, write_statistics=numbers) as writer:
        for batch in () if old is None else parquet_batches(old, BLOCK):
            append(pa.Table.from_batches([batch]).cast(schema))
        yield lambda rows: append(rows.to_arrow())
        if waiting:
            write(1)


# --- reading ---


def exported_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Yield the rows of a CSV file with the numbers of their lines, or of a Parquet file with their own, from 1.

    Raises `BadFile`.
    """
    require_regular(path)
    if path.is_dir():
        raise BadFile(f"{path} is a folder: give the files in it, as in {path / f'*{path.suffix}'}")
    for number, values in _parquet_records(path) if path.suffix == PARQUET else _csv_records(path):
        try:
            objects = {name: json.loads(values[name]) for name in OBJECTS if name in values}
            yield number, Row.model_validate({**values, **objects})
        except ValueError as error:  # of pydantic too
            raise row_error(path, number, error) from None


def row_error(path: Path, number: int, error: ValueError) -> BadFile:
    """Return the error about a line that is no row."""
    about = str(error)
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        about = f"'{where}' {first['msg']}" if where else first["msg"]
    return BadFile(f"{place_in_words(path, number)}: no row of results ({shorten(about, 120)})")


def _csv_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the values of each record, with the number of its first line."""
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    reader, names, number = csv.reader(_csv_lines(path), strict=True), list[str](), 1
    try:
        for record in reader:
            if names and record:
                yield number, _values_of(names, record)
            elif record:
                names = record
                if not set(REQUIRED) <= set(names):
                    raise BadFile(f"{path}, line {number}: no header of a file of rows")
            number = reader.line_num + 1
    except (csv.Error, ValueError) as error:
        raise row_error(path, number, ValueError(str(error))) from None


def _csv_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file with their ends as they are: those in a field belong to it."""
    with _reading(path), path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for number in count(1):
            if not (line := file.readline(LONGEST_LINE + 1)):
                return
            check_length(line, str(path), number)
            yield line


def _values_of(names: Sequence[str], record: Sequence[str]) -> dict[str, Any]:
    """Return the values in a record with these columns; raises `ValueError`."""
    if len(record) != len(names):
        raise ValueError(f"{len(record)} columns, and the header has {len(names)}")
    values: dict[str, Any] = {name: text for name, text in zip(names, record, strict=True) if text}
    for column in COLUMNS:
        if column.kind == "moves" and (text := values.get(column.name)):
            values[column.name] = json.loads(text) if text.startswith("[") else text.split(" ")
    return {"board": "", **({"moves": []} if "length" in values else {}), **values}


def _parquet_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the values of each record, with its number from 1."""
    number = count(1)
    with _reading(path):
        for batch in parquet_batches(path, BLOCK):
            names = batch.schema.names
            for record in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                yield (
                    next(number),
                    {name: value for name, value in zip(names, record, strict=True) if value is not None},
                )


def parquet_batches(path: Path, size: int) -> Iterator[Any]:
    """Yield the records of a Parquet file, `size` at a time, as `pyarrow.RecordBatch`es of its columns that rows have.

    Raises `BadFile` if it lacks those that each row has.
    """
    require_pyarrow()
    import pyarrow.parquet as pq

    with path.open("rb") as source, pq.ParquetFile(source) as file:  # names may be no Unicode
        if not set(REQUIRED) <= set(file.schema_arrow.names):
            raise BadFile(f"{path} holds something else, and no rows")
        for group in range(file.num_row_groups):  # a reader of all would need more memory for each of them
            yield from file.iter_batches(size, row_groups=[group], columns=[column.name for column in COLUMNS])


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn errors of Arrow about a damaged file into a `BadFile`."""
    try:
        yield
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or shorten(str(error), 120)}") from None
    except ValueError as error:
        raise BadFile(f"{path}: no file of rows ({shorten(str(error), 120)})") from None
