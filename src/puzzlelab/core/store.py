"""Tables that are dear to make, kept in the user's cache folder and loaded by memory map after a checksum.

One table is `<name>.npy` with `<name>.json` beside it. Both are written aside and renamed, the second last, so that a
killed process leaves nothing that could be mistaken for a table.
"""

import json
import os
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from puzzlelab.core import report
from puzzlelab.core.cache import user_cache
from puzzlelab.core.errors import Damaged

CHUNK = 1 << 24


def table_folder() -> Path:
    """Where the tables lie."""
    return user_cache() / "tables"


def stored(name: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """The table of this name, made and kept if it is not there; a damaged one is made again, with a sentence."""
    path = table_folder() / f"{name}.npy"
    if path.with_suffix(".json").exists():
        try:
            return _load(path)
        except (Damaged, OSError, ValueError) as error:
            report.note(f"The table {path.name} in the cache folder is damaged ({error}); it is built again.")
    table = make()
    try:
        _save(path, table)
        return _load(path)
    except OSError as error:
        report.note(
            f"The table {path.name} cannot be kept in {path.parent} ({error.strerror or error}); it is used from memory."
        )
        return table


def _load(path: Path) -> NDArray[Any]:
    card = json.loads(path.with_suffix(".json").read_text())
    table: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    if table.nbytes != card["bytes"] or checksum(table) != card["crc32"]:
        raise Damaged("its checksum does not agree")
    return table.view(np.ndarray)


def _save(path: Path, table: NDArray[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    card = json.dumps({"bytes": table.nbytes, "crc32": checksum(table)}).encode()
    path.with_suffix(".json").unlink(missing_ok=True)
    _replace(path, lambda file: np.save(file, table, allow_pickle=False))
    _replace(path.with_suffix(".json"), lambda file: file.write(card))


def _replace(path: Path, write: Callable[[Any], object]) -> None:
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


def checksum(table: NDArray[Any]) -> int:
    """CRC-32 of the table's bytes."""
    raw = table.reshape(-1).view(np.uint8)
    value = 0
    for start in range(0, raw.size, CHUNK):
        value = zlib.crc32(raw[start : start + CHUNK].data, value)
    return value
