"""Samples: named columns with one schema for all puzzles, in memory and in Parquet files.

Shapes: B = samples, S = length of a state, M = number of moves. In a file a state is the S numbers of the plain state
one after the other, and `moves` is a bit set, with move 0 in the lowest bit of the first byte. Rows of a fixed length
are read without a copy, at half the size and fifty times the speed of Parquet's lists. Files whose description has
`LISTS` are for other programs: a state is a list of S numbers, and `moves` one of M truth values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadFile
from puzzlelab.core.objective import Kind as ObjectiveKind
from puzzlelab.core.puzzle import State
from puzzlelab.runtime import libraries

CARD = b"puzzlelab"
"""The metadata key of a file under which the description of its samples stands, in JSON."""
CHECKSUM = "crc32"
"""The entry of the description with the checksum of the columns."""
LISTS, BYTES = {"columns": "lists"}, {"columns": "bytes"}
"""The entry of the description of samples whose states and moves are lists, and of others."""
LONGEST = 2**16 - 1
"""The greatest number of remaining moves in a sample."""


def remaining_type(kind: ObjectiveKind) -> type[np.integer[Any]]:
    """Return the type of the column `remaining`: points may be below 0, and moves and costs are not."""
    return np.int32 if kind == "score" else np.uint16


@dataclass(frozen=True, eq=False)
class SampleColumns:
    """Labelled positions. Those of one game are adjacent, in the order of play; solved boards are left out."""

    WIDE: ClassVar[Mapping[str, np.dtype[Any]]] = {}
    """Columns, beside `state`, with several numbers a row -> their type."""

    game: NDArray[np.int64]
    """[B]: the number of the game. Split training and test data by this column."""
    state: State
    """[B, S]: the plain state."""

    def __len__(self) -> int:
        return len(self.game)

    def rows(self, first: int, end: int) -> Self:
        """Return the samples number `first` to `end` - 1."""
        return type(self)(*(column[first:end] for column in self.columns.values()))

    def at(self, rows: NDArray[np.int64]) -> Self:
        """Return the samples of these rows, in this order."""
        return type(self)(*(column[rows] for column in self.columns.values()))

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, eq=False)
class TrainingSamples(SampleColumns):
    """Positions labelled by a teacher. After those of a game come those of its off-path branches."""

    WIDE: ClassVar = {"moves": np.dtype(np.uint8)}

    moves: NDArray[np.uint8]
    """[B, (M + 7) // 8]: the moves to imitate, as a bit set; see `masks`."""
    remaining: NDArray[np.uint16] | NDArray[np.int32]
    """[B]: the moves to the goal by the teacher's solution, or their cost; `int32`: their points, for a score."""
    proven: NDArray[np.bool_]
    """[B]: whether `remaining` is proven to be optimal, and an exact teacher's `moves` to be complete."""

    def masks(self, move_count: int) -> NDArray[np.bool_]:
        """Return `bool[B, M]`: the moves to imitate."""
        return unpacked(self.moves, move_count)


@dataclass(frozen=True, eq=False)
class SelfPlaySamples(SampleColumns):
    """Positions of games that a tree search played."""

    WIDE: ClassVar = {"shares": np.dtype(np.float16)}

    shares: NDArray[np.float16]
    """[B, M]: the share of playouts of each move."""
    remaining: NDArray[np.uint16]
    """[B]: the length of the shortest solution from here that the game or its searches contain."""


Kind = TypeVar("Kind", bound=SampleColumns)


def packed(masks: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Pack `bool[B, M]` into bit sets `uint8[B, (M + 7) // 8]`."""
    return np.packbits(masks, axis=1, bitorder="little")


def unpacked(sets: NDArray[np.uint8], move_count: int) -> NDArray[np.bool_]:
    """Return the inverse of `packed`."""
    return np.unpackbits(sets, axis=1, count=move_count, bitorder="little").astype(bool)


def joined(parts: Iterable[Kind]) -> Kind:
    """Return the samples of all parts, one after the other; there must be at least one part."""
    first, *others = parts
    columns = zip(first.columns.values(), *(part.columns.values() for part in others), strict=True)
    return type(first)(*(np.concatenate(column) for column in columns))


def need_arrow() -> None:
    """Raise `BadInput` where pyarrow is missing."""
    libraries.require("a file of samples", ["pyarrow.parquet"])


def to_table(samples: SampleColumns, card: Mapping[str, Any]) -> Any:
    """Return an Arrow table of the samples, whose metadata hold their description `card`."""
    import pyarrow as pa

    parts = samples.columns
    if is_lists := LISTS.items() <= card.items():
        parts["moves"] = unpacked(parts["moves"], card["move_count"])
    wide = _lists if is_lists else _fixed
    columns = {name: pa.array(part) if part.ndim == 1 else wide(part) for name, part in parts.items()}
    metadata = {**card, "dtype": samples.state.dtype.str, CHECKSUM: checksum(samples)}
    return pa.table(columns).replace_schema_metadata({CARD: json.dumps(metadata)})


def _fixed(rows: NDArray[Any]) -> Any:
    """Return rows `[B, K]` as a column of byte strings of a fixed length."""
    import pyarrow as pa

    data = np.ascontiguousarray(rows)
    width = data.shape[1] * data.itemsize
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(data), [None, pa.py_buffer(data)])


def _lists(rows: NDArray[Any]) -> Any:
    """Return rows `[B, K]` as a column of lists of a fixed length."""
    import pyarrow as pa

    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(rows).ravel()), rows.shape[1])


def from_table(table: Any, kind: type[Kind]) -> Kind:
    """Return the inverse of `to_table`; raises `BadFile` for a table of another kind of samples."""
    types = {**kind.WIDE, "state": np.dtype(card_of(table.schema, "this table")["dtype"])}
    names = [field.name for field in fields(kind)]
    if names != table.column_names:
        raise BadFile(f"these samples have the columns {', '.join(table.column_names)}, not {', '.join(names)}")
    return kind(*(_rows(table[name], types[name]) if name in types else table[name].to_numpy() for name in names))


def checksum(samples: SampleColumns) -> int:
    """Return the CRC-32 of the columns."""
    value = 0
    for name, column in samples.columns.items():
        value = crc32(np.ascontiguousarray(column).tobytes(), crc32(name.encode(), value))
    return value


def _rows(column: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the inverse of `_fixed`, and of `_lists`; truth values are packed."""
    import pyarrow as pa

    whole = column.combine_chunks()
    if pa.types.is_fixed_size_list(column.type):
        values = whole.flatten().to_numpy(zero_copy_only=False).reshape(len(whole), column.type.list_size)
        return packed(values) if values.dtype == bool else values
    width = column.type.byte_width
    begin = whole.offset * width
    data = memoryview(whole.buffers()[1])[begin : begin + len(whole) * width] if len(whole) else b""
    return np.frombuffer(data, dtype).reshape(len(whole), width // dtype.itemsize)


def card_of(schema: Any, name: object) -> Mapping[str, Any]:
    """Return the description of a file's samples; raises `BadFile` for a file that holds no samples."""
    try:
        card = json.loads((schema.metadata or {})[CARD])
        np.dtype(card["dtype"])
    except (KeyError, TypeError, ValueError, RecursionError):
        raise BadFile(f"{name} holds no samples of puzzlelab") from None
    return card  # type: ignore[no-any-return]
