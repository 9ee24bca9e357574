"""The columns of a sample, the same for all puzzles: in memory, and in a Parquet file.

Shapes: B = samples, S = length of a state, M = number of moves. In a file a state is the S numbers of the plain state
one after the other, and `moves` is a set of bits, the lowest of the first byte for move 0: rows of a fixed length that
are read without a copy, at half the size and fifty times the speed of Parquet's lists.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadFile, BadInput
from puzzlelab.core.puzzle import State

CARD = b"puzzlelab"
"""The key of the metadata under which a file says, in JSON, what its samples are."""
LONGEST = 2**16 - 1
"""The most remaining moves that a sample can tell of."""


@dataclass(frozen=True, eq=False)
class SampleColumns:
    """Positions with what is known of them: those of one game stand together, the first position first.

    A solved board is none of them: there is nothing to do, and whether a board is solved the rules say.
    """

    WIDE: ClassVar[Mapping[str, np.dtype[Any]]] = {}
    """The columns, beside `state`, that have more than one number a row, and of which type they are."""

    game: NDArray[np.int64]
    """[B]: which board the position comes from; a split into training and test goes by this column."""
    state: State
    """[B, S]: the plain state."""

    def __len__(self) -> int:
        return len(self.game)

    def rows(self, first: int, end: int) -> Self:
        """The samples number `first` to `end` - 1."""
        return type(self)(*(column[first:end] for column in self.columns.values()))

    def at(self, places: NDArray[np.int64]) -> Self:
        """The samples in these places, in this order."""
        return type(self)(*(column[places] for column in self.columns.values()))

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, eq=False)
class TrainingSamples(SampleColumns):
    """Positions with what a teacher says of them. After those of a game come those of its detours, if it has any."""

    WIDE: ClassVar = {"moves": np.dtype(np.uint8)}

    moves: NDArray[np.uint8]
    """[B, (M + 7) // 8]: the moves to make, as a set of bits; see `masks`."""
    remaining: NDArray[np.uint16]
    """[B]: the moves that the teacher still needs."""
    proven: NDArray[np.bool_]
    """[B]: whether nobody needs fewer; where all optimal moves are asked for, also that these are all of them."""

    def masks(self, move_count: int) -> NDArray[np.bool_]:
        """`bool[B, M]`: the moves to make."""
        return unpacked(self.moves, move_count)


@dataclass(frozen=True, eq=False)
class Searched(SampleColumns):
    """Positions of games that were played by search, with what it found."""

    WIDE: ClassVar = {"shares": np.dtype(np.float16)}

    shares: NDArray[np.float16]
    """[B, M]: the share of the playouts that began with each move."""
    remaining: NDArray[np.uint16]
    """[B]: the moves after which the game was won, or could have been by what was seen in it."""


Kind = TypeVar("Kind", bound=SampleColumns)


def packed(masks: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Sets of bits `uint8[B, (M + 7) // 8]` from `bool[B, M]`."""
    return np.packbits(masks, axis=1, bitorder="little")


def unpacked(sets: NDArray[np.uint8], move_count: int) -> NDArray[np.bool_]:
    """The inverse of `packed`."""
    return np.unpackbits(sets, axis=1, count=move_count, bitorder="little").astype(bool)


def joined(parts: Iterable[Kind]) -> Kind:
    """The samples of all parts, of which there is at least one."""
    first, *others = parts
    columns = zip(first.columns.values(), *(part.columns.values() for part in others), strict=True)
    return type(first)(*(np.concatenate(column) for column in columns))


def need_arrow() -> None:
    """Raise `BadInput` where pyarrow is missing."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise BadInput(
            "samples are kept in Parquet files, which need pyarrow: pip install 'puzzlelab[learn]'"
        ) from None


def to_table(samples: SampleColumns, card: Mapping[str, Any]) -> Any:
    """An Arrow table with what the samples are in its metadata."""
    import pyarrow as pa

    columns = {name: pa.array(part) if part.ndim == 1 else _fixed(part) for name, part in samples.columns.items()}
    told = {**card, "dtype": samples.state.dtype.str}
    return pa.table(columns).replace_schema_metadata({CARD: json.dumps(told)})


def _fixed(rows: NDArray[Any]) -> Any:
    """Rows `[B, K]` as a column of so many bytes each."""
    import pyarrow as pa

    data = np.ascontiguousarray(rows)
    width = data.shape[1] * data.itemsize
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(data), [None, pa.py_buffer(data)])


def from_table(table: Any, kind: type[Kind]) -> Kind:
    """The inverse of `to_table`; raises `BadFile` for a table of another kind of samples."""
    types = {**kind.WIDE, "state": np.dtype(card_of(table.schema, "this table")["dtype"])}
    names = [field.name for field in fields(kind)]
    if names != table.column_names:
        raise BadFile(f"these samples tell {', '.join(table.column_names)}, not {', '.join(names)}")
    return kind(*(_rows(table[name], types[name]) if name in types else table[name].to_numpy() for name in names))


def _rows(column: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The inverse of `_fixed`."""
    whole, width = column.combine_chunks(), column.type.byte_width
    begin = whole.offset * width
    data = memoryview(whole.buffers()[1])[begin : begin + len(whole) * width] if len(whole) else b""
    return np.frombuffer(data, dtype).reshape(len(whole), width // dtype.itemsize)


def card_of(schema: Any, name: object) -> Mapping[str, Any]:
    """What the samples of a file are; raises `BadFile` for a file of something else."""
    try:
        card = json.loads((schema.metadata or {})[CARD])
        np.dtype(card["dtype"])
    except (KeyError, TypeError, ValueError):
        raise BadFile(f"{name} holds no samples of puzzlelab") from None
    return card  # type: ignore[no-any-return]
