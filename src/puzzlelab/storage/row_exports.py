"""Rows as CSV and as Parquet: complete files that are made from a growing file of JSON lines, and that are read again.

A file is written in one step and in constant memory, a block of rows after the other. CSV needs the standard library
alone, Parquet needs pyarrow.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import ValidationError

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.storage.files import LONGEST_LINE, replacing, require_regular, writing
from puzzlelab.storage.outputs import check_replaceable
from puzzlelab.storage.row import COLUMNS, Row
from puzzlelab.storage.row_columns import RowColumns, arrow_schema, require_pyarrow

CSV, PARQUET = ".csv", ".parquet"
REQUIRED = ("puzzle", "board", "solver")
HEADER = ",".join(column.name for column in COLUMNS)
"""The first line of a CSV file of rows."""
BLOCK = 5_000
"""Rows that are converted at once."""
GROUP = 50_000
"""Rows of a row group of a Parquet file."""
Appender = Callable[[RowColumns], None]
Record = Mapping[str, Any]
"""The columns of a row, as `Row.to_dict` gives them and JSON lines have them."""


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
    """Tell whether an export has been made since the last line of its growing file, or that file has none."""
    if not path.exists():
        return growing.stat().st_size == 0
    return path.stat().st_size > 0 and path.stat().st_mtime_ns >= growing.stat().st_mtime_ns


def export(path: Path, records: Iterator[Record], temporary: Path | None = None) -> None:
    """Write rows to a CSV or Parquet file; see `exporting`."""
    with exporting(path, temporary) as append:
        while block := list(islice(records, BLOCK)):
            append(RowColumns.of_records(block))


@contextmanager
def exporting(path: Path, temporary: Path | None = None) -> Iterator[Appender]:
    """Give a function that appends rows to a new CSV or Parquet file, which replaces an older one at the end.

    `temporary` is what it is called meanwhile: see `replacing`. Raises `BadFile`.
    """
    form = _parquet if path.suffix == PARQUET else _csv
    with writing(path), replacing(path, temporary) as new, new.open("wb") as file, form(file) as append:
        yield append


@contextmanager
def _csv(file: BinaryIO) -> Iterator[Appender]:
    def append(rows: RowColumns) -> None:
        file.write("".join(f"{line}\n" for line in rows.csv_lines()).encode(errors="replace"))

    file.write(f"{HEADER}\n".encode())
    yield append


@contextmanager
def _parquet(file: BinaryIO) -> Iterator[Appender]:
    """Write row groups of `GROUP` rows, however many are appended at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    numbers = [column.name for column in COLUMNS if column.kind in ("number", "seconds")]
    waiting: list[Any] = []

    def write(least: int) -> None:
        table = pa.concat_tables(waiting)
        while len(table) >= least:
            writer.write_table(table.slice(0, GROUP).combine_chunks(), GROUP)
            table = table.slice(GROUP)
        waiting[:] = [table]

    def append(rows: RowColumns) -> None:
        waiting.append(rows.to_arrow())
        if sum(map(len, waiting)) >= GROUP:
            write(GROUP)

    with pq.ParquetWriter(file, arrow_schema(), store_schema=False, write_statistics=numbers) as writer:
        yield append
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
    return _parquet_rows(path) if path.suffix == PARQUET else _csv_rows(path)


def row_error(path: Path, number: int, error: ValueError) -> BadFile:
    """Return the error about a line that is no row."""
    about = str(error)
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        about = f"'{where}' {first['msg']}" if where else first["msg"]
    return BadFile(f"{path}, line {number}: no row of results ({shorten(about, 120)})")


def _csv_rows(path: Path) -> Iterator[tuple[int, Row]]:
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    reader = csv.reader(_csv_lines(path), strict=True)
    names: Sequence[str] = ()
    while True:
        number = reader.line_num + 1
        try:
            record = next(reader, None)
            if record is None:
                return
            if names and record:
                yield number, _row_of_record(names, record)
            elif record:
                names = record
                if not set(REQUIRED) <= set(names):
                    raise BadFile(f"{path}, line {number}: no header of a file of rows")
        except (csv.Error, ValueError) as error:
            raise row_error(path, number, ValueError(str(error)) if isinstance(error, csv.Error) else error) from None


def _csv_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file with their ends as they are: those in a field belong to it."""
    with _reading(path), path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for number in count(1):
            if not (line := file.readline(LONGEST_LINE + 1)):
                return
            if len(line) > LONGEST_LINE:
                raise BadFile(f"{path}, line {number}: longer than {LONGEST_LINE // 10**6} million characters")
            yield line


def _row_of_record(names: Sequence[str], record: Sequence[str]) -> Row:
    """Return the row in a record with these columns; raises `ValueError`, of which `ValidationError` is a kind."""
    if len(record) != len(names):
        raise ValueError(f"{len(record)} columns, and the header has {len(names)}")
    values: dict[str, Any] = {name: text for name, text in zip(names, record, strict=True) if text}
    for column in COLUMNS:
        if column.name in values and column.kind == "object":
            values[column.name] = json.loads(values[column.name])
        elif column.name in values and column.kind == "moves":
            text = values[column.name]
            values[column.name] = json.loads(text) if text.startswith("[") else text.split(" ")
    values.setdefault("board", "")
    if "length" in values:
        values.setdefault("moves", [])
    return Row.model_validate(values)


def _parquet_rows(path: Path) -> Iterator[tuple[int, Row]]:
    require_pyarrow()
    import pyarrow.parquet as pq

    with _reading(path), path.open("rb") as source, pq.ParquetFile(source) as file:  # names may be no Unicode
        _check_columns(path, file.schema_arrow)
        rows = chain.from_iterable(map(_rows_of_batch, file.iter_batches(BLOCK)))
        yield from enumerate(rows, start=1)


def _rows_of_batch(batch: Any) -> Iterator[Row]:
    """Yield the rows of a batch of records of Arrow; raises `ValidationError` for one that is none."""
    columns = {each.name: batch.column(each.name).to_pylist() for each in COLUMNS if each.name in batch.schema.names}
    for column in COLUMNS:
        if column.kind == "object" and column.name in columns:
            columns[column.name] = [{} if text is None else json.loads(text) for text in columns[column.name]]
    for values in zip(*columns.values(), strict=True):
        row = zip(columns, values, strict=True)
        yield Row.model_validate({name: value for name, value in row if value is not None})


def _check_columns(path: Path, schema: Any) -> None:
    """Raise `BadFile` unless a file has the columns of rows, with their types; others may be missing or added."""
    import pyarrow as pa

    if not set(REQUIRED) <= set(schema.names):
        raise BadFile(f"{path} holds something else, and no rows")
    for expected in arrow_schema():
        kind = expected.type.value_type if pa.types.is_dictionary(expected.type) else expected.type
        if expected.name in schema.names and pa.types.is_list(kind):
            kind = pa.list_(pa.field("element", pa.string()))
        if expected.name in schema.names and schema.field(expected.name).type != kind:
            raise BadFile(f"{path}: the column '{expected.name}' has another type than in a file of rows")


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn errors of Arrow about a damaged file into a `BadFile`."""
    try:
        yield
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or shorten(str(error), 120)}") from None
    except ValueError as error:
        raise BadFile(f"{path}: no file of rows ({shorten(str(error), 120)})") from None
