"""Caches expensive tables in the user's cache folder; they are memory-mapped after a check of their checksum.

One table is `<name>.npy` with `<name>.json` beside it. Both are replaced in one step, the second last, so that a
killed process leaves nothing that could be mistaken for a table.
"""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core.errors import CorruptData
from puzzlelab.core.files import replace_file, replacing
from puzzlelab.engine import report
from puzzlelab.engine.kernel_cache import user_cache

CHUNK = 1 << 20
_UNKEPT: dict[Path, NDArray[Any]] = {}
"""Tables that could not be written: a process makes each of them once, and says so once."""


def table_folder() -> Path:
    """Where the tables lie."""
    return user_cache() / "tables"


def stored(name: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """The table of this name, made and kept if it is not there; a damaged one is made again, with a sentence."""
    path = table_folder() / f"{name}.npy"
    if path in _UNKEPT:
        return _UNKEPT[path]
    if _is_there(path.with_suffix(".json")):
        try:
            return _load(path)
        except (CorruptData, OSError, ValueError) as error:
            report.note(f"The table {path.name} in the cache folder is damaged ({error}); it is built again.")
    table = make()
    try:
        _save(path, table)
        return _load(path)
    except OSError as error:
        why = error.strerror or error
        report.note(f"The table {path.name} cannot be kept in {path.parent} ({why}); it is used from memory.")
        table.setflags(write=False)
        _UNKEPT[path] = table
        return table


def _is_there(path: Path) -> bool:
    """Whether there is such a file; a folder that may not be looked into holds none for us."""
    try:
        return path.exists()
    except OSError:
        return False


def _load(path: Path) -> NDArray[Any]:
    try:
        expected = json.loads(path.with_suffix(".json").read_text())["crc32"]
    except (ValueError, TypeError, KeyError):
        raise CorruptData("its checksum cannot be read") from None
    if checksum(path) != expected:
        raise CorruptData("its checksum does not agree")
    table: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return table.view(np.ndarray)


def _save(path: Path, table: NDArray[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".json").unlink(missing_ok=True)
    with replacing(path, durable=False) as temporary, temporary.open("wb") as file:
        np.save(file, table, allow_pickle=False)
    replace_file(path.with_suffix(".json"), json.dumps({"crc32": checksum(path)}), durable=False)


def checksum(path: Path) -> int:
    """CRC-32 of the whole file."""
    value = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            value = zlib.crc32(chunk, value)
    return value
