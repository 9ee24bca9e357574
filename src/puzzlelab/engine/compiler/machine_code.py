"""The machine code of kernels on disk: the name of an entry, and its bytes, which are checked before they are loaded.

An entry is a file of its own, whose name holds a hash of everything that its code depends on. It begins with a checksum
of the sources, of its name and of the rest, which is compared before anything else is read: an entry that is damaged,
or that lies under the name of another, is compiled anew. An entry is a pickle, so that a cache folder or a pack must
come from a trusted source: see `trust`.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import types
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from puzzlelab.core.errors import CorruptData
from puzzlelab.engine.compiler.cache_folder import kernel_fingerprint
from puzzlelab.engine.compiler.trust import fault_of
from puzzlelab.version import PACKAGE

MAGIC = b"puzzlelab kernel 2\n"
SUFFIX = ".kernel"
LARGEST = 1 << 28
"""Bytes of the largest entry that is read; kernels have 20 thousand to two million."""
NO_WAIT = getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags for opening a file: bytes, where the system has text too; and a pipe must not wait for its other end."""


# --- keys -------------------------------------------------------------------------------------------------------------


def described(kind: Any) -> str:
    """Return a type in words that tell it from every other, because records are named with their modules."""
    if isinstance(kind, types.BaseNamedTuple):
        inside = ", ".join(map(described, kind.types))
        return f"{kind.instance_class.__module__}.{kind.instance_class.__qualname__}({inside})"
    if (record := getattr(kind, "record", None)) is not None:
        return f"*{described(record)}"
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(map(described, kind.types))})"
    return str(kind)


def modules_of(kind: Any) -> Iterator[str]:
    """Yield the modules of the records in a type."""
    kind = getattr(kind, "record", kind)
    if isinstance(kind, types.BaseNamedTuple):
        yield kind.instance_class.__module__
    if isinstance(kind, types.BaseTuple):
        for part in kind.types:
            yield from modules_of(part)


@cache
def _foreign_digest(module: str) -> str | None:
    """Hash the sources beside a module that is not puzzlelab's; None where it has none, such as a prompt.

    They are those of its whole package or, where that has no file of its own, those in the module's folder and below.
    """
    top = getattr(sys.modules.get(module.partition(".")[0]), "__file__", None)
    origin = Path(top or getattr(sys.modules.get(module), "__file__", None) or "")
    if not origin.is_file():
        return None
    whole = top is None or origin.name == "__init__.py"
    digest = hashlib.sha256()
    for source in sorted(origin.parent.rglob("*.py")) if whole else [origin]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()


def entry_name(function: Any, signature: tuple[Any, ...], target: tuple[str, ...]) -> str | None:
    """Name the file of a kernel's machine code for these types and this processor; None where it cannot be kept."""
    modules = {function.__module__, *(module for kind in signature for module in modules_of(kind))}
    foreign = sorted({module for module in modules if module.partition(".")[0] != PACKAGE.name})
    digests = [_foreign_digest(module) for module in foreign]
    if None in digests:
        return None
    parts = (function.__module__, function.__qualname__, *map(described, signature), *target, *foreign, *digests)
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:20]
    name = f"{function.__module__.removeprefix(PACKAGE.name + '.')}.{function.__qualname__}"
    return f"{name.replace('<', '').replace('>', '')}-{digest}{SUFFIX}"


# --- entries ----------------------------------------------------------------------------------------------------------


def _checksum(name: str, content: bytes) -> bytes:
    """Return the checksum of an entry of this name, made from the present sources."""
    return hashlib.sha256(f"{kernel_fingerprint()}\0{name}\0".encode() + content).digest()


def packed_entry(name: str, result: CompileResult) -> bytes:
    """Return a compiled kernel as the bytes of the file of this name."""
    content = dumps(result._replace(type_annotation="")._reduce())
    data: bytes = MAGIC + _checksum(name, content) + content
    return data


def read_entry(path: Path) -> bytes | None:
    """Return the bytes of an entry; None if there is no such file.

    Raises `CorruptData` for anything but a file to read, and for what other users can change. The file that is checked
    is the one that is read, because it is open.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_WAIT)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise CorruptData("it is no file")
            if status.st_size > LARGEST:
                raise CorruptData("it is too large")
            if fault := fault_of(status, "it"):
                raise CorruptData(fault)
            with open(descriptor, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise CorruptData(error.strerror or str(error)) from None


def unpacked_entry(name: str, data: bytes, target_context: Any, signature: tuple[Any, ...]) -> CompileResult:
    """Return the inverse of `packed_entry`. Raises `CorruptData` for what is damaged, or is another kernel's."""
    start = len(MAGIC) + hashlib.sha256().digest_size
    if not data.startswith(MAGIC) or data[len(MAGIC) : start] != _checksum(name, data[start:]):
        raise CorruptData("its checksum does not agree")
    try:
        result: CompileResult = CompileResult._rebuild(target_context, *pickle.loads(data[start:]))
    except Exception as error:  # what it names is no longer there, or differs: a pickle can raise anything
        raise CorruptData(f"{type(error).__name__} while it was read") from None
    if tuple(result.signature.args) != signature:
        raise CorruptData("it has other types")
    return result
