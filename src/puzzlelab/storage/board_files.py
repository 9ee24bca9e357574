"""Files of boards as text: text itself, text packed by gzip, Parquet files, and arrays of NumPy.

Their first bytes tell them apart. A table or several arrays become CSV, whose first line has the names, so that the
reader of text finds the boards by the same names. A single column or array becomes a line a board.

Shapes: N = boards, C = cells of a board, R = rows of a board.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import BadFile, shorten
from puzzlelab.storage.files import MOST_BYTES, read_regular
from puzzlelab.storage.lines import LONGEST_LINE, blocks_of, text_blocks
from puzzlelab.storage.row_columns import require_pyarrow

ARRAY, ARRAYS, TABLE, PACKED = b"\x93NUMPY", b"PK\x03\x04", b"PAR1", b"\x1f\x8b"
"""The first bytes of `.npy`, `.npz`, Parquet and gzip files."""
BLOCK = 1_000
"""Boards that are converted at once."""
NOT_IN_NAMES = re.compile(r"[\s,;\"]+")


def board_blocks(path: Path) -> Iterator[str]:
    """Yield the text of a file of boards, or of a pipe, in blocks of whole lines; raises `BadFile`."""
    begin = _begin_of(path)
    if begin.startswith(TABLE):
        return _lines_of_table(path)
    if begin.startswith((ARRAY, ARRAYS)):
        return _lines_of_arrays(path)
    if begin.startswith(PACKED):
        return _lines_of_packed(path)
    return blocks_of(path)


def board_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file of boards, as `board_blocks` does."""
    return chain.from_iterable(map(io.StringIO, board_blocks(path)))


def _begin_of(path: Path) -> bytes:
    """Return the first bytes of a regular file; nothing of anything else."""
    with suppress(OSError, ValueError):
        if path.is_file():
            with path.open("rb") as file:
                return file.read(len(ARRAY))
    return b""


def _lines_of_packed(path: Path) -> Iterator[str]:
    """Yield the text in a gzip file; raises `BadFile`."""
    with _reading(path, "gzip file"), gzip.open(path) as file:
        yield from text_blocks(cast("BinaryIO", file), str(path))


@contextmanager
def _reading(path: Path, kind: str) -> Iterator[None]:
    """Turn the errors of libraries about a damaged file into a `BadFile`."""
    try:
        yield
    except BadFile:
        raise
    except MemoryError:
        raise BadFile(f"{path} needs more memory than there is") from None
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or shorten(str(error), 120)}") from None
    except (
        ArithmeticError,
        BadZipFile,
        EOFError,
        KeyError,
        RuntimeError,
        SyntaxError,
        ValueError,
        zlib.error,
    ) as error:
        raise BadFile(f"{path} is no {kind}, or damaged: {shorten(str(error), 120)}") from None


def _text(columns: Mapping[str, Sequence[str]], has_names: bool) -> str:
    """Return rows of these columns: a line each, or CSV."""
    if len(columns) == 1 and not any("\n" in text for text in next(iter(columns.values()))):
        return "".join(f"{text}\n" for text in next(iter(columns.values())))
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    if has_names:
        writer.writerow(NOT_IN_NAMES.sub(" ", name) for name in columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return target.getvalue()


# --- tables ---


def _lines_of_table(path: Path) -> Iterator[str]:
    """Yield the columns of a Parquet file that hold texts or lists of numbers; raises `BadFile`."""
    require_pyarrow()
    import pyarrow.parquet as pq

    with _reading(path, "Parquet file"), path.open("rb") as source, pq.ParquetFile(source) as file:
        names = [field.name for field in file.schema_arrow if _may_be_boards(field.type)]
        if not names:
            raise BadFile(f"{path} holds no boards: no column has texts or lists of whole numbers")
        is_first = True
        for group in range(file.num_row_groups):  # a reader of all would need more memory for each of them
            for batch in file.iter_batches(BLOCK, row_groups=[group], columns=names):
                columns = {name: _texts(batch.column(name).to_pylist(), path) for name in names}
                yield _text(columns, is_first)
                is_first = False


def _may_be_boards(kind: Any) -> bool:
    """Tell whether a column of this type of Arrow has texts, or lists of whole numbers."""
    import pyarrow.types as types

    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_string(kind) or types.is_large_string(kind):
        return True
    is_list = False
    while types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        kind, is_list = kind.value_type, True
    return is_list and bool(types.is_integer(kind))


def _texts(values: Sequence[Any], path: Path) -> list[str]:
    """Return values of a column as texts of boards; raises `BadFile`, and `ValueError` for lists of unequal lengths."""
    texts = [
        value if isinstance(value, str) else "" if value is None else _texts_of_cells(np.array([value]))[0]
        for value in values
    ]
    if any(len(text) > LONGEST_LINE for text in texts):
        raise BadFile(f"{path}: a text is longer than {LONGEST_LINE // 10**6} million characters")
    return texts


# --- arrays ---


def _lines_of_arrays(path: Path) -> Iterator[str]:
    """Yield the boards of an array, or of several arrays by their names; raises `BadFile`."""
    with _reading(path, "file of NumPy"):
        arrays = {name: array for name, array in _arrays_in(path).items() if _has_boards(array)}
        if not arrays:
            raise BadFile(
                f"{path} holds no boards: an array of them has texts [N], or whole numbers [N, C] or [N, R, C]"
            )
        if len(counts := {len(array) for array in arrays.values()}) > 1:
            raise BadFile(f"{path} holds arrays of {' and '.join(map(str, sorted(counts)))} boards: keep one of them")
        for begin in range(0, max(counts), BLOCK):
            columns = {name: _texts_of_array(array[begin : begin + BLOCK]) for name, array in arrays.items()}
            yield _text(columns, begin == 0)


def _arrays_in(path: Path) -> dict[str, Any]:
    """Return the arrays in a file by name, at most `MOST_BYTES` of them; raises `BadFile` and errors of libraries."""
    data = read_regular(path)
    if data.startswith(ARRAYS):
        with ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > MOST_BYTES:
            raise BadFile(f"{path} has more than {MOST_BYTES >> 20} MiB of arrays, so it is not read")
    loaded = np.load(io.BytesIO(data), allow_pickle=False)
    return {path.stem: loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}


def _has_boards(array: Any) -> bool:
    """Tell whether an array has the type and the shape of boards."""
    if not isinstance(array, np.ndarray):  # a file in the archive that is no array
        return False
    return (array.dtype.kind in "US" and array.ndim == 1) or (array.dtype.kind in "iu" and array.ndim in (2, 3))


def _texts_of_array(boards: NDArray[Any]) -> list[str]:
    if boards.dtype.kind == "S":
        return [text.decode(errors="replace") for text in boards.tolist()]
    return boards.tolist() if boards.dtype.kind == "U" else _texts_of_cells(boards)


def _texts_of_cells(boards: NDArray[np.integer[Any]]) -> list[str]:
    """Return the text of each board of cells `[N, C]`, or of rows of cells `[N, R, C]`.

    Raises `ValueError` for cells that are no whole numbers.
    """
    if not _has_boards(boards):
        raise ValueError("a board is a list of whole numbers, or of rows of them")
    if boards.ndim == 3:
        return list(map(json.dumps, boards.tolist()))
    if boards.size and boards.min() >= 0 and boards.max() <= 9:  # a word of digits
        digits, width = (boards + ord("0")).astype(np.uint8).tobytes().decode(), boards.shape[1]
        return [digits[begin : begin + width] for begin in range(0, len(digits), width)]
    return [" ".join(map(str, row)) for row in boards.tolist()]
