"""Rows in the forms of files: records of CSV, and tables of Arrow.

`RowColumns` is what files of rows need of many rows; `RowList` has it for rows that are objects.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from puzzlelab.core.errors import BadInput
from puzzlelab.storage.row import Row

COLUMNS = tuple(Row.model_fields)
JSON_COLUMNS = ("options", "limit")
"""Columns whose values are JSON objects, as text."""
MOVES = ("moves", "tried")
"""Columns whose values are lists of the names of moves."""
WHOLE_NUMBERS = (
    *("seed", "length", "cost", "score", "lower_bound", "upper_bound", "expanded", "generated", "evaluations"),
)
TRUTHS = ("verified", "seconds_shared")
TEXTS = ("board", "reason", "error")
"""Columns whose values are mostly different; other texts are repeated in many rows."""
HEADER = ",".join(COLUMNS)
"""The first line of a CSV file of rows."""


class RowColumns(Protocol):
    """Many rows, in any form that a file may have."""

    def __len__(self) -> int: ...

    def rows(self) -> list[Row]:
        """Return the rows as objects."""

    def json_lines(self) -> list[str]:
        """Return each row as JSON on one line."""

    def csv_records(self) -> list[str]:
        """Return each row as a record of CSV, with the columns `COLUMNS`."""

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table` with the columns of `arrow_schema`."""


@dataclass(frozen=True)
class RowList:
    """Rows that are objects."""

    objects: Sequence[Row]

    def __len__(self) -> int:
        return len(self.objects)

    def rows(self) -> list[Row]:
        """Return the rows as objects."""
        return list(self.objects)

    def json_lines(self) -> list[str]:
        """Return each row as JSON on one line."""
        return [row.to_json() for row in self.objects]

    def csv_records(self) -> list[str]:
        """Return each row as a record of CSV, with the columns `COLUMNS`."""
        return [",".join(csv_field(name, getattr(row, name)) for name in COLUMNS) for row in self.objects]

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table` with the columns of `arrow_schema`."""
        import pyarrow as pa

        values = {name: [plain(name, getattr(row, name)) for row in self.objects] for name in COLUMNS}
        try:
            arrays = [pa.array(values[name], _value_type(name)) for name in COLUMNS]
        except OverflowError:
            raise BadInput("a number in these rows is too large for a Parquet file") from None
        return pa.table(dict(zip(COLUMNS, arrays, strict=True))).cast(arrow_schema())


def plain(name: str, value: Any) -> Any:
    """Return the value of a column with JSON and broken characters as texts."""
    if name in JSON_COLUMNS:
        return json.dumps(value)
    return encodable(value) if isinstance(value, str) else value


def encodable(text: str) -> str:
    """Return the text without half surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode(errors="replace").decode()


# --- CSV ---


def csv_field(name: str, value: Any) -> str:
    """Return the value of a column in a record of CSV; empty for None."""
    if value is None:
        return ""
    if name in JSON_COLUMNS:
        return csv_text(json.dumps(value))
    if name in MOVES:
        return csv_text(csv_moves(value))
    if name in TRUTHS:
        return "true" if value else "false"
    return csv_text(value) if isinstance(value, str) else repr(value)


def csv_text(text: str) -> str:
    """Return a text in a record of CSV, in quotes where it needs them."""
    if any(sign in text for sign in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def csv_moves(names: Sequence[str]) -> str:
    """Return the names of moves with spaces between, or as a JSON list where that would not be clear."""
    return " ".join(names) if all(map(is_word, names)) else json.dumps(names)


def is_word(name: str) -> bool:
    """Tell whether the name of a move can stand between spaces."""
    return name.split() == [name] and not name.startswith("[")


def _moves_of(text: str) -> Any:
    """Return the inverse of `csv_moves`; raises `ValueError`."""
    return json.loads(text) if text.startswith("[") else text.split(" ")


def row_of_record(names: Sequence[str], record: Sequence[str]) -> Row:
    """Return the row in a record with these columns; raises `ValueError`, of which `ValidationError` is a kind."""
    if len(record) != len(names):
        raise ValueError(f"{len(record)} columns, and the header has {len(names)}")
    values: dict[str, Any] = {name: text for name, text in zip(names, record, strict=True) if text}
    for name in JSON_COLUMNS:
        if name in values:
            values[name] = json.loads(values[name])
    for name in MOVES:
        if name in values:
            values[name] = _moves_of(values[name])
    values.setdefault("board", "")
    if "length" in values:
        values.setdefault("moves", [])
    return Row.model_validate(values)


# --- Arrow ---


@cache
def arrow_schema() -> Any:
    """Return the columns of a table of rows: names of moves, and texts that many rows have, are dictionaries."""
    import pyarrow as pa

    return pa.schema([(name, _arrow_type(name, pa.dictionary(pa.int32(), pa.string()))) for name in COLUMNS])


@cache
def stored_schema() -> Any:
    """Return the columns of a Parquet file of rows."""
    import pyarrow as pa

    return pa.schema([(name, _value_type(name)) for name in COLUMNS])


def _value_type(name: str) -> Any:
    import pyarrow as pa

    return _arrow_type(name, pa.string())


def _arrow_type(name: str, repeated_text: Any) -> Any:
    """Return the type of a column, with this one for texts that many rows have."""
    import pyarrow as pa

    if name in MOVES:
        return pa.list_(pa.field("element", repeated_text))
    if name in WHOLE_NUMBERS:
        return pa.int64()
    if name in TRUTHS:
        return pa.bool_()
    if name == "seconds":
        return pa.float64()
    return pa.string() if name in TEXTS else repeated_text


def parquet_options() -> Mapping[str, Any]:
    """Return how `pyarrow.parquet` writes rows: without the types of Arrow, and with statistics of numbers alone."""
    return {"compression": "snappy", "store_schema": False, "write_statistics": [*WHOLE_NUMBERS, "seconds"]}


def parquet_dictionaries() -> list[str]:
    """Return the columns that are read as dictionaries, for the table to have `arrow_schema`."""
    leaves = {name: f"{name}.list.element" for name in MOVES}
    others = (*WHOLE_NUMBERS, *TRUTHS, *TEXTS, "seconds")
    return [leaves.get(name, name) for name in COLUMNS if name not in others]


def rows_of_table(table: Any) -> list[Row]:
    """Return the rows of a table with these or other columns; raises `ValidationError` for one that is none."""
    columns = {name: table.column(name).to_pylist() for name in table.column_names if name in COLUMNS}
    for name in JSON_COLUMNS:
        if name in columns:
            columns[name] = [{} if text is None else json.loads(text) for text in columns[name]]
    names = list(columns)
    rows = (dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True))
    return [Row.model_validate({name: value for name, value in row.items() if value is not None}) for row in rows]
