"""Many rows as columns: lines of JSON and of CSV, and tables of Arrow, without an object for each row.

Shapes: B = rows, L = moves of all rows together.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.answers import BatchTime
from puzzlelab.core.errors import BadInput
from puzzlelab.storage.row import COLUMNS, Column, Row

ENCODER = json.JSONEncoder()


@dataclass(frozen=True)
class Same:
    """One value for all rows."""

    value: Any


@dataclass(frozen=True, eq=False)
class MoveLists:
    """Lists of the names of moves."""

    names: Sequence[str]
    places: NDArray[np.int32]
    """[L]: the place of each move in `names`."""
    offsets: NDArray[np.int64]
    """[B + 1]: where the moves of each row begin in `places`; the last is L."""
    is_missing: NDArray[np.bool_]
    """[B]: rows without a list."""

    @classmethod
    def of(cls, lists: Sequence[Sequence[str] | None]) -> MoveLists:
        """Return the same lists."""
        names: defaultdict[str, int] = defaultdict()
        names.default_factory = names.__len__
        places = np.fromiter(map(names.__getitem__, chain.from_iterable(filter(None, lists))), np.int32)
        lengths = [0 if each is None else len(each) for each in lists]
        is_missing = np.array([each is None for each in lists], bool)
        return cls(list(names), places, np.concatenate([[0], np.cumsum(lengths)]), is_missing)

    def lists(self, names: Sequence[str]) -> list[list[str] | None]:
        """Return the list of each row, or None; `names` are written in the place of the names."""
        texts = np.array(names, object)[self.places].tolist()
        offsets, is_missing = self.offsets.tolist(), self.is_missing.tolist()
        spans = zip(offsets, offsets[1:], is_missing, strict=False)
        return [None if missing else texts[begin:end] for begin, end, missing in spans]


Values = Same | MoveLists | Sequence[Any]
"""The values of a column: a sequence has one for each row."""


@dataclass(frozen=True, eq=False)
class RowColumns:
    """The columns of many rows."""

    count: int
    values: Mapping[str, Values]
    """The values of each column by its name."""
    time: BatchTime | None = None
    """The time of those of the rows that have no seconds of their own."""

    @classmethod
    def of(cls, rows: Sequence[Row], time: BatchTime | None = None) -> RowColumns:
        """Return the columns of rows that are objects."""
        return cls(len(rows), {each.name: [getattr(row, each.name) for row in rows] for each in COLUMNS}, time)

    @classmethod
    def of_records(cls, records: Sequence[Mapping[str, Any]]) -> RowColumns:
        """Return the columns of rows as `Row.to_dict` gives them and lines of JSON have them."""
        values: dict[str, Values] = {}
        for column in COLUMNS:
            of_all = [record.get(column.name) for record in records]
            values[column.name] = Same(of_all[0]) if of_all.count(of_all[0]) == len(of_all) else of_all
        return cls(len(records), values)

    def __len__(self) -> int:
        return self.count

    def rows(self) -> list[Row]:
        """Return the rows as objects."""
        names = [column.name for column in COLUMNS]
        columns = [self._list(name) for name in names]
        return [Row.model_construct(None, **dict(zip(names, each, strict=True))) for each in zip(*columns, strict=True)]

    def _list(self, name: str) -> Sequence[Any]:
        """Return the values of a column [B]."""
        values = self.values[name]
        if isinstance(values, Same):
            return [values.value] * self.count
        return values.lists(values.names) if isinstance(values, MoveLists) else values

    def json_lines(self) -> list[str]:
        """Return each row as JSON on one line, as `Row.to_json` writes it."""
        return _joined(self.count, [*(_json_part(column, self.values[column.name]) for column in COLUMNS), "}"])

    def csv_lines(self) -> list[str]:
        """Return each row as a record of CSV; None is an empty field."""
        parts = [_csv_part(column, self.values[column.name]) for column in COLUMNS]
        return _joined(self.count, [part for column in zip(cycle([","]), parts) for part in column][1:])

    def to_arrow(self) -> Any:
        """Return the rows as a `pyarrow.Table` with the columns of `arrow_schema`."""
        import pyarrow as pa

        schema = arrow_schema()
        try:
            arrays = [self._array(column, schema.field(column.name).type) for column in COLUMNS]
        except OverflowError:
            raise BadInput("a number in these rows is too large for a table of Arrow") from None
        return pa.table(arrays, schema=schema)

    def _array(self, column: Column, kind: Any) -> Any:
        """Return a column as an array of Arrow."""
        import pyarrow as pa

        values = self.values[column.name]
        if column.kind == "moves" and not isinstance(values, Same | MoveLists):
            values = MoveLists.of(values)
        if isinstance(values, Same):
            return pa.repeat(pa.scalar(_plain(column, values.value), kind), self.count)
        if isinstance(values, MoveLists):
            names = pa.array(list(map(encodable, values.names)), pa.string())
            texts = pa.DictionaryArray.from_arrays(pa.array(values.places, pa.int32()), names)
            missing = pa.array(values.is_missing)
            return pa.ListArray.from_arrays(pa.array(values.offsets, pa.int32()), texts, mask=missing).cast(kind)
        return pa.array([_plain(column, value) for value in values], kind)


# --- lines ---

Part = str | tuple[str, Iterable[Any]]
"""A part of all lines: one text, or a format such as `, "length": %s` and its value in each line."""


def _joined(count: int, parts: Sequence[Part]) -> list[str]:
    """Return the lines that consist of these parts."""
    texts = [part.replace("%", "%%") if isinstance(part, str) else part[0] for part in parts]
    columns = [part[1] for part in parts if not isinstance(part, str)]
    template = "".join(texts)
    return list(map(template.__mod__, zip(*columns, strict=True))) if columns else [template % ()] * count


def _json_part(column: Column, values: Values) -> Part:
    """Return a key and its value, after a comma or the beginning; a rare column without a value is left out."""
    key = f"{'{' if column is COLUMNS[0] else ', '}{ENCODER.encode(column.name)}: "

    def member(value: Any) -> str:
        return "" if column.is_rare and value is None else f"{key}{ENCODER.encode(value)}"

    if isinstance(values, Same):
        return member(values.value)
    if isinstance(values, MoveLists):
        lists = values.lists(list(map(ENCODER.encode, values.names)))
        return f"{key}%s", ["null" if names is None else f"[{', '.join(names)}]" for names in lists]
    values = list(values)
    if None in values:
        return "%s", map(member, values)
    if column.kind == "number":
        return f"{key}%s", values
    if column.kind == "text" and _are_plain("".join(values)):
        return f'{key}"%s"', values
    return f"{key}%s", map(ENCODER.encode, values)


def _are_plain(texts: str) -> bool:
    """Return whether these texts stand as they are in JSON between quotes."""
    return texts.isascii() and texts.isprintable() and '"' not in texts and "\\" not in texts


def _csv_part(column: Column, values: Values) -> Part:
    """Return a field."""
    write = _CSV_FIELDS.get(column.kind, str)
    if isinstance(values, Same):
        return "" if values.value is None else write(values.value)
    if isinstance(values, MoveLists):
        values = values.lists(values.names)
    if None in values:
        return "%s", ["" if value is None else write(value) for value in values]
    return "%s", values if column.kind == "number" else map(write, values)


def _csv_text(text: str) -> str:
    """Return a text in a record of CSV, in quotes where it needs them."""
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _csv_moves(names: Sequence[str]) -> str:
    """Return the names of moves with spaces between, or as a JSON list where that would not be clear."""
    text = " ".join(names)
    is_clear = text.count(" ") == len(names) - 1 and text != "" and not text.startswith("[")
    return _csv_text(text if is_clear or not names else json.dumps(names))


_CSV_FIELDS: Mapping[str, Callable[[Any], str]] = {
    "text": _csv_text,
    "word": _csv_text,
    "truth": ENCODER.encode,
    "object": lambda value: _csv_text(json.dumps(value)),
    "moves": _csv_moves,
}


# --- Arrow ---


def _plain(column: Column, value: Any) -> Any:
    """Return the value of a column with objects and broken characters as texts that Arrow can hold."""
    if column.kind == "object":
        return json.dumps(value)
    if column.kind == "moves":
        return None if value is None else list(map(encodable, value))
    return encodable(value) if isinstance(value, str) else value


def encodable(text: str) -> str:
    """Return the text without half surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def require_pyarrow(subject: str = "Parquet files") -> None:
    """Raise `BadInput` if pyarrow is not installed; `subject` is what needs it."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise BadInput(f"{subject} need pyarrow: pip install 'puzzlelab[table]'") from None


@cache
def arrow_schema() -> Any:
    """Return the columns of a table of rows: names of moves, and texts that many rows have, are dictionaries."""
    import pyarrow as pa

    word = pa.dictionary(pa.int32(), pa.string())
    types = {
        "text": pa.string(),
        "word": word,
        "object": word,
        "number": pa.int64(),
        "truth": pa.bool_(),
        "seconds": pa.float64(),
        "moves": pa.list_(pa.field("element", word)),
    }
    return pa.schema([(column.name, types[column.kind]) for column in COLUMNS])
