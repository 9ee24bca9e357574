"""The folder of compiled kernels, and the turns in which processes compile them.

Numba's own disk cache does not notice an edit in *another* file and goes on running the old machine code. So the folder
is named after a hash of every kernel source, and an edit of one makes a new folder. Sources are the files named
`*kernels.py`, the compiler, and what they import.
"""

import hashlib
import os
import re
import shutil
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import metadata
from pathlib import Path

from puzzlelab.engine import report
from puzzlelab.engine.compiler.trust import distrust, refused, trusts_all
from puzzlelab.engine.user_cache import private_cache, user_cache, write_failures
from puzzlelab.storage.files import is_at, try_lock
from puzzlelab.version import PACKAGE

IMPORT = re.compile(rb"^(?:from puzzlelab(\S*) import (\([^)]*\)|.*)|import puzzlelab(\S*))", re.MULTILINE)
"""An import from the package at the margin of a file: others, inside functions and under `TYPE_CHECKING`, bring nothing
into a kernel."""
SOURCES = "*kernels.py", "logic/*.py", "engine/compiler/*.py"
"""The files that decide what machine code is; the compiler's face imports most of the compiler late."""
PROCESSOR = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
"""Settings of Numba that name the processor, which is part of the key of each kernel."""
KEPT_FOLDERS = 6
KEPT_SECONDS = 7 * 24 * 3600
MESSAGE_DELAY = 1.0
"""Seconds of delay before a message."""
PATIENCE = 120.0
"""Seconds of waiting for a kernel that another process compiles, which takes up to 35 and some times that on a busy
machine."""
LOCK_INTERVAL = 0.05
"""Seconds between two looks whether a lock is free."""
FOLDER_NAME = re.compile("[0-9a-f]{16}")
"""The names of folders that `kernel_folder` makes."""


# --- what machine code depends on -------------------------------------------------------------------------------------


def imports_of(text: bytes, package: Path) -> Iterator[Path]:
    """Yield the files of the package that a file with this text imports, as modules or for something in them."""
    for origin, names, plain in IMPORT.findall(text):
        folder = package.joinpath(*(origin or plain).decode().split(".")[1:])
        parts = re.sub(rb"#.*|[()]", b"", names).decode().split(",")
        modules = [_module_file(folder / part.split()[0]) for part in parts if part.strip()]
        yield from (module for module in modules if module)
        if plain or None in modules:
            yield _module_file(folder) or package / "__init__.py"


def _module_file(place: Path) -> Path | None:
    """Return the file of the module at this place, which is its path without a suffix; None where there is none."""
    files = place.with_name(f"{place.name}.py"), place / "__init__.py"
    return next((path for path in files if path.is_file()), None)


def kernel_sources(package: Path = PACKAGE) -> dict[str, bytes]:
    """Map every file of the package whose text can change compiled code to that text.

    These are the files of kernels, the compiler and, because a kernel may use constants and formulas of other files,
    all that they import, directly or not. Those of plug-ins are part of the keys of their own kernels
    (`machine_code.entry_name`).
    """
    texts: dict[Path, bytes] = {}
    paths = [path for pattern in SOURCES for path in package.rglob(pattern)]
    while paths:
        path = paths.pop()
        if path not in texts:
            texts[path] = path.read_bytes()
            paths += imports_of(texts[path], package)
    return {path.relative_to(package).as_posix(): texts[path] for path in sorted(texts)}


@cache
def kernel_fingerprint() -> str:
    """Return a hash of everything that the machine code of all kernels depends on, but for the processor."""
    digest = hashlib.sha256()
    for place, text in kernel_sources().items():
        digest.update(place.encode() + b"\0" + text + b"\0")
    flags = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_") and item[0] not in PROCESSOR)
    versions = metadata.version("numba"), metadata.version("numpy"), sys.implementation.cache_tag
    digest.update(repr((versions, sysconfig.get_platform(), flags)).encode())
    return digest.hexdigest()[:16]


# --- the folder -------------------------------------------------------------------------------------------------------


@cache
def kernel_folder() -> Path | None:
    """Return the folder for the machine code of these kernel sources, this Numba and its flags; prune old ones.

    Where other users could put code into it, it is a private one of this process and its children. None where it cannot
    be made: kernels are then compiled anew in each process. A folder that can only be read is used: see `cannot_keep`.
    """
    name = kernel_fingerprint()
    folder = user_cache() / "kernels" / name
    try:
        if why := make_folder(folder):
            write_failures[folder] = why
            folder = private_cache(refused(folder, why)) / "kernels" / name
            if make_folder(folder):  # other users can change the folder for temporary files too
                return None
    except OSError as error:
        cannot_keep(folder, error)
        return None
    with suppress(OSError):  # it belongs to another user, or can only be read
        os.utime(folder)
    with suppress(OSError):  # another process prunes it too
        _prune(folder.parent, keep=folder)
    return folder


def make_folder(folder: Path) -> str | None:
    """Make the folder of `kernel_folder` if it is missing; why it should not be used, if so. Raises `OSError`."""
    why = distrust(folder)
    if why is None and not folder.is_dir():
        for each in (folder.parent.parent, folder.parent, folder):
            each.mkdir(0o777 if trusts_all() else 0o755, parents=True, exist_ok=True)
        why = distrust(folder)
    return why


def cannot_keep(path: Path, error: OSError) -> None:
    """Note down that a kernel is lost when the process ends, because it cannot be written to `path`.

    The first time in a folder, it is said to the user.
    """
    reason = error.strerror or str(error)
    if path.parent not in {failed.parent for failed in write_failures}:
        report.note(f"Compiled kernels cannot be kept in {path} ({reason}): the next start compiles them again.")
    write_failures[path] = reason


def _prune(parent: Path, keep: Path) -> None:
    others = [path for path in parent.iterdir() if path.is_dir() and path != keep and FOLDER_NAME.fullmatch(path.name)]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for age, path in enumerate(others, start=1):
        if age >= KEPT_FOLDERS or time.time() - path.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


# --- turns ------------------------------------------------------------------------------------------------------------


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Let one process at a time make what has this name in the folder of kernels; others wait, and find it there.

    A process that has waited for `PATIENCE` makes it too, because the other may be stopped.
    """
    folder = kernel_folder()
    with ExitStack() as stack:
        if folder is not None:
            with suppress(OSError):  # the lock file cannot be written: work may be done twice
                _take_turn(folder / f"{name}.lock", name.removeprefix("puzzlelab."), stack)
        yield


def _take_turn(path: Path, name: str, stack: ExitStack) -> None:
    """Lock this file until the end of `stack`; one whose holder does not end is replaced. Raises `OSError`."""
    while True:
        descriptor = stack.enter_context(path.open("ab")).fileno()
        if _wait_for_lock(descriptor, name):
            if is_at(path, descriptor):
                return
        else:
            report.note(f"Another process has not compiled {name} in {PATIENCE:.0f} s, and this one compiles it too.")
            if is_at(path, descriptor):
                path.unlink()


def _wait_for_lock(descriptor: int, name: str) -> bool:
    """Lock an open file, if there are locks; False if another process held its lock all the time."""
    if try_lock(descriptor) is not False:
        return True
    until = time.monotonic() + PATIENCE
    with report.after(MESSAGE_DELAY, f"Another process is compiling {name}, and this one waits."):  # or only loads it
        while time.monotonic() < until:
            time.sleep(LOCK_INTERVAL)
            if try_lock(descriptor) is not False:
                return True
    return False
