"""Caches expensive tables in the user's cache folder; they are memory-mapped after a check of their checksum.

One table is `<name>.npy` with `<name>.json`, its card, beside it. Both are replaced in one step, the second last, so
that a killed process leaves nothing that could be mistaken for a table. The card has the checksum and the name: a table
under the name of another is not used. What has the right checksum must also have the type and the shape that its reader
expects, because compiled kernels do not check them.
"""

import json
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from puzzlelab.core.errors import CorruptData
from puzzlelab.core.files import replace_file, replacing
from puzzlelab.engine import report
from puzzlelab.engine.kernel_cache import user_cache

CHUNK = 1 << 20
LONGEST_CARD = 1000
"""Characters of a card that are read."""
_in_memory: dict[Path, NDArray[Any]] = {}
"""Tables that could not be written: a process makes each of them once, and says so once."""
unkept_tables: dict[Path, str] = {}
"""The same tables, with the reasons."""


def table_folder() -> Path:
    """Where the tables lie."""
    return user_cache() / "tables"


def stored(
    name: str, make: Callable[[], NDArray[Any]], dtype: DTypeLike, shape: tuple[int | None, ...]
) -> NDArray[Any]:
    """The table of this name, made and kept if it is not there; a damaged one is made again, with a sentence.

    It has this type and shape, where None stands for any length but 0, and it cannot be changed.
    """
    path = table_folder() / f"{name}.npy"
    if path in _in_memory:
        return _in_memory[path]
    if _is_there(path.with_suffix(".json")):
        try:
            return _load(path, np.dtype(dtype), shape)
        except (CorruptData, OSError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or error
            report.note(f"The table {path.name} in the cache folder is damaged ({why}); it is built again.")
    table = make()
    try:
        _save(path, table)
        return _load(path, np.dtype(dtype), shape)
    except (CorruptData, OSError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        report.note(f"The table {path.name} cannot be kept in {path.parent} ({why}); it is used from memory.")
        table.setflags(write=False)
        _in_memory[path], unkept_tables[path] = table, str(why)
        return table


def _is_there(path: Path) -> bool:
    """Whether there is such a file; a folder that may not be looked into holds none for us."""
    try:
        return path.exists()
    except OSError:
        return False


def _load(path: Path, dtype: np.dtype[Any], shape: tuple[int | None, ...]) -> NDArray[Any]:
    """The table, mapped into memory. Raises `CorruptData` and `OSError`."""
    try:
        with path.with_suffix(".json").open(encoding="utf-8") as file:
            card = json.loads(file.read(LONGEST_CARD))
        expected, name = card["crc32"], card.get("name", path.stem)  # older cards have no name
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise CorruptData("its checksum cannot be read") from None
    if name != path.stem:
        raise CorruptData("it is another table")
    if path.exists() and not path.is_file():
        raise CorruptData("it is no file")
    if checksum(path) != expected:
        raise CorruptData("its checksum does not agree")
    try:
        table: NDArray[Any] = np.lib.format.open_memmap(path, mode="r").view(np.ndarray)
    except OSError:
        raise
    except Exception:  # NumPy parses the header by Python's own parser, which has many ways to refuse a text
        raise CorruptData("it is no table of NumPy") from None
    fits = table.ndim == len(shape) and all(
        length == wanted or (wanted is None and length > 0) for length, wanted in zip(table.shape, shape, strict=True)
    )
    if not fits or table.dtype != dtype or not table.flags.c_contiguous:
        order = "" if table.flags.c_contiguous else ", in another order"
        raise CorruptData(f"it has the type {table.dtype.str} and the shape {table.shape}{order}")
    return table


def _save(path: Path, table: NDArray[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    card = path.with_suffix(".json")
    for place in (card, path):
        if place.is_dir() and not place.is_symlink():  # a folder cannot be replaced by a file
            shutil.rmtree(place)
    card.unlink(missing_ok=True)
    with replacing(path, durable=False) as temporary, temporary.open("wb") as file:
        np.save(SimpleNamespace(write=file.write), table, allow_pickle=False)  # by `write`, whose errors have reasons
    replace_file(card, json.dumps({"crc32": checksum(path), "name": path.stem}), durable=False)


def checksum(path: Path) -> int:
    """CRC-32 of the whole file."""
    value = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            value = zlib.crc32(chunk, value)
    return value
