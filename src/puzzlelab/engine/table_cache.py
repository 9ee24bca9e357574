"""Caches expensive tables in the user's cache folder; they are memory-mapped after a check of their checksum.

One table is `<name>.npy` with `<name>.json`, its card, beside it. Both are replaced in one step, the second last, so
that a killed process leaves nothing that could be mistaken for a table; the next one that makes a table removes what
it left. The card has the checksum and the name: a table under the name of another is not used. What has the right
checksum must also have the type and the shape that its reader expects, because compiled kernels do not check them.

Tables that were made for one puzzle of a user, such as another goal, are rare ones: together they have `RARE_BYTES`
at most, and those that were not used for the longest time are removed first.
"""

import errno
import json
import os
import re
import shutil
import zlib
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from puzzlelab.core.errors import CorruptData
from puzzlelab.core.limit import read_memory
from puzzlelab.engine import report
from puzzlelab.engine.report import preparing
from puzzlelab.engine.user_cache import user_cache, write_failures
from puzzlelab.runtime.memory import require_memory
from puzzlelab.storage.files import replace_file, replacing, try_lock

CHUNK = 1 << 20
LONGEST_CARD = 1000
"""Characters of a card that are read."""
RARE_BYTES = 2**30
"""Bytes of all rare tables together."""
TEMPORARY = re.compile(r".+\.npy\.\d+\.\d+")
"""The name of a file that is being written, with the numbers of its thread and its process."""
BOUND = "PUZZLELAB_TABLES"
"""The environment variable with another bound, such as 300M."""
_in_memory: dict[Path, NDArray[Any]] = {}
"""Tables that could not be written: a process makes each of them once, and says so once."""


def table_folder() -> Path:
    """Return where the tables lie."""
    return user_cache() / "tables"


def stored(
    name: str,
    make: Callable[[], NDArray[Any]],
    dtype: DTypeLike,
    shape: tuple[int | None, ...],
    rare: bool = False,
) -> NDArray[Any]:
    """Return the table of this name, made and kept if it is not there; a damaged one is made again, with a sentence.

    Raises `NoRoom` for a table that is larger than what the memory limit of the search leaves; `make` may do so too.
    It has this type and shape, where None stands for any length but 0, and it cannot be changed. A rare one may be
    removed when others are made.
    """
    path = table_folder() / f"{name}.npy"
    if path in _in_memory:
        return _in_memory[path]
    if _is_there(path.with_suffix(".json")):
        try:
            table = _load(path, np.dtype(dtype), shape)
            require_memory(f"the table {path.stem}", table.nbytes, is_mapped=True)
            return table
        except (CorruptData, OSError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or error
            report.note(f"The table {path.name} in the cache folder is damaged ({why}); it is built again.")
    with preparing():  # until it is kept: a server then ends the worker of a client that has left
        return _kept(path, make(), np.dtype(dtype), shape, rare)


def is_stored(name: str) -> bool:
    """Tell whether the table of this name lies in the cache folder; its checksum is not tested."""
    return _is_there(table_folder() / f"{name}.json")


def _kept(
    path: Path, table: NDArray[Any], dtype: np.dtype[Any], shape: tuple[int | None, ...], rare: bool
) -> NDArray[Any]:
    """Return the table from its new file, or as it is, with a sentence, where it cannot be kept."""
    try:
        _save(path, table, rare)
        if rare:
            _remove_rare(keep=path)
        return _load(path, dtype, shape)
    except (CorruptData, OSError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or error
        report.note(f"The table {path.name} cannot be kept in {path.parent} ({why}); it is used from memory.")
        table.setflags(write=False)
        _in_memory[path], write_failures[path] = table, str(why)
        return table


def _is_there(path: Path) -> bool:
    """Tell whether there is such a file; a folder that may not be looked into holds none for us."""
    try:
        return path.exists()
    except OSError:
        return False


def _load(path: Path, dtype: np.dtype[Any], shape: tuple[int | None, ...]) -> NDArray[Any]:
    """Return the table, mapped into memory. Raises `CorruptData` and `OSError`."""
    try:
        with path.with_suffix(".json").open(encoding="utf-8") as file:
            card = json.loads(file.read(LONGEST_CARD))
        expected, name = card["crc32"], card["name"]
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
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise MemoryError from None
        raise
    except Exception:  # NumPy parses the header by Python's own parser, which has many ways to refuse a text
        raise CorruptData("it is no table of NumPy") from None
    with suppress(OSError):  # the folder may belong to others
        os.utime(path.with_suffix(".json"))  # it is used now
    fits = table.ndim == len(shape) and all(
        length == wanted or (wanted is None and length > 0) for length, wanted in zip(table.shape, shape, strict=True)
    )
    if not fits or table.dtype != dtype or not table.flags.c_contiguous:
        order = "" if table.flags.c_contiguous else ", in another order"
        raise CorruptData(f"it has the type {table.dtype.str} and the shape {table.shape}{order}")
    return table


def _save(path: Path, table: NDArray[Any], rare: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    card = path.with_suffix(".json")
    for place in (card, path):
        if place.is_dir() and not place.is_symlink():  # a folder cannot be replaced by a file
            shutil.rmtree(place)
    card.unlink(missing_ok=True)
    _remove_left_behind(path.parent)
    with ExitStack() as locks, replacing(path, durable=False) as temporary:
        with temporary.open("wb") as file:
            if try_lock(file.fileno()):  # until the file has its name: other processes see that its writer lives
                locks.callback(os.close, os.dup(file.fileno()))
            np.save(SimpleNamespace(write=file.write), table, allow_pickle=False)  # `write` has reasons for its errors
        crc32 = checksum(temporary)
    replace_file(card, json.dumps({"crc32": crc32, "name": path.stem, "rare": rare}), durable=False)


def _remove_left_behind(folder: Path) -> None:
    """Remove the temporary files of processes that were killed while they wrote a table: no lock holds these."""
    for path in folder.iterdir():
        if TEMPORARY.fullmatch(path.name) and path.is_file() and not path.is_symlink():
            with suppress(OSError), path.open("rb") as file:
                if try_lock(file.fileno()):
                    path.unlink()


def _remove_rare(keep: Path) -> None:
    """Remove the rare tables that were not used for the longest time, until the others are within the bound.

    A process that has one open goes on with it, where the system allows to remove open files; else it stays.
    """
    bound = read_memory(os.environ[BOUND]) if BOUND in os.environ else RARE_BYTES
    tables = []
    for card in keep.parent.glob("*.json"):
        with suppress(OSError, ValueError, AttributeError):  # removed by another process, or damaged
            if json.loads(card.read_text(encoding="utf-8")).get("rare"):
                path = card.with_suffix(".npy")
                tables.append((card.stat().st_mtime, path.stat().st_size, path))
    total = sum(size for _, size, _ in tables)
    for _, size, path in sorted(tables):
        if total <= bound:
            return
        if path != keep:
            with suppress(OSError):
                path.with_suffix(".json").unlink(missing_ok=True)
                path.unlink(missing_ok=True)
                total -= size


def checksum(path: Path) -> int:
    """Return the CRC-32 of the whole file."""
    value = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            value = zlib.crc32(chunk, value)
    return value
