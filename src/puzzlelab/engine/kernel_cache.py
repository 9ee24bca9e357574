"""The cache folders for compiled kernels and for tables of estimates.

Numba's own disk cache does not notice an edit in *another* file and goes on running the old machine code. So the
folder for compiled kernels is named after a hash of every kernel source, and an edit of one makes a new folder. Sources
are the files named `*kernels.py` and what they import.
"""

import atexit
import hashlib
import os
import re
import shutil
import stat
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib import metadata
from pathlib import Path

from puzzlelab.core.version import PACKAGE
from puzzlelab.engine import report

IMPORT = re.compile(rb"^(?:from puzzlelab(\S*) import (\([^)]*\)|.*)|import puzzlelab(\S*))", re.MULTILINE)
"""An import from the package at the margin of a file: others, inside functions and under `TYPE_CHECKING`, bring nothing
into a kernel."""
PROCESSOR = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
"""Settings of Numba that name the processor, which is part of the key of each kernel."""
TRUST = "PUZZLELAB_TRUST_CACHE"
"""The environment variable that, set to 1, lets kernels be used from folders that other users can change."""
KEPT_FOLDERS = 6
KEPT_SECONDS = 7 * 24 * 3600
SHORT = 1.0
"""Seconds of delay before a message."""

unkept: dict[Path, str] = {}
"""Files of compiled kernels that this process could not write, each with the reason."""


def user_cache() -> Path:
    """The folder for files that puzzlelab can delete and make again."""
    if explicit := os.environ.get("PUZZLELAB_CACHE"):
        return Path(explicit)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "puzzlelab"
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "puzzlelab" / "Cache"
    try:
        home = Path.home()
    except RuntimeError:  # no HOME, and a user without an entry in the system's list
        return _temporary_cache()
    return home / "Library" / "Caches" / "puzzlelab" if sys.platform == "darwin" else home / ".cache" / "puzzlelab"


@cache
def _temporary_cache() -> Path:
    """A folder for this process alone: a folder with a fixed name could belong to another user."""
    folder = tempfile.TemporaryDirectory(prefix="puzzlelab-", ignore_cleanup_errors=True)
    atexit.register(folder.cleanup)
    report.note("There is no home folder, so that compiled kernels and tables are kept until this process ends.")
    return Path(folder.name)


def imports_of(text: bytes, package: Path) -> Iterator[Path]:
    """The files of the package that a file with this text imports, as modules or for something in them."""
    for origin, names, plain in IMPORT.findall(text):
        folder = package.joinpath(*(origin or plain).decode().split(".")[1:])
        parts = re.sub(rb"#.*|[()]", b"", names).decode().split(",")
        modules = [_module_file(folder / part.split()[0]) for part in parts if part.strip()]
        yield from (module for module in modules if module)
        if plain or None in modules:
            yield _module_file(folder) or package / "__init__.py"


def _module_file(place: Path) -> Path | None:
    """The file of the module at this place, which is its path without a suffix; None where there is none."""
    files = place.with_name(f"{place.name}.py"), place / "__init__.py"
    return next((path for path in files if path.is_file()), None)


def kernel_sources(package: Path = PACKAGE) -> dict[str, bytes]:
    """Every file of the package whose text can change compiled code: its place in the package, and its text.

    These are the files of kernels and, because a kernel may use constants and formulas of other files, all that they
    import, directly or not. Those of plug-ins are part of the keys of their own kernels (`engine.machine_code`).
    """
    texts: dict[Path, bytes] = {}
    paths = [*package.rglob("*kernels.py")]
    while paths:
        path = paths.pop()
        if path not in texts:
            texts[path] = path.read_bytes()
            paths += imports_of(texts[path], package)
    return {path.relative_to(package).as_posix(): texts[path] for path in sorted(texts)}


@cache
def kernel_fingerprint() -> str:
    """A hash of everything that the machine code of all kernels depends on, but for the processor."""
    digest = hashlib.sha256()
    for place, text in kernel_sources().items():
        digest.update(place.encode() + b"\0" + text + b"\0")
    flags = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_") and item[0] not in PROCESSOR)
    versions = metadata.version("numba"), metadata.version("numpy"), sys.implementation.cache_tag
    digest.update(repr((versions, sysconfig.get_platform(), flags)).encode())
    return digest.hexdigest()[:16]


@cache
def kernel_cache() -> Path | None:
    """The folder for the machine code of just these kernel sources, this Numba and its flags; old ones are pruned.

    None where it cannot be made, or where other users could put code into it: kernels are then compiled anew in each
    process. A folder that can only be read is used: see `cannot_keep`.
    """
    parent = user_cache() / "kernels"
    folder = parent / kernel_fingerprint()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        why = distrust(folder)
    except OSError as error:
        cannot_keep(folder, error)
        return None
    if why:
        unkept[folder] = why
        report.note(refused(folder, why))
        return None
    with suppress(OSError):  # it belongs to another user, or can only be read
        os.utime(folder)
    with suppress(OSError):  # another process prunes it too
        _prune(parent, keep=folder)
    return folder


def cannot_keep(path: Path, error: OSError) -> None:
    """Note down that a kernel is lost when the process ends, because it cannot be written to `path`.

    The first time in a process, it is said to the user.
    """
    reason = error.strerror or str(error)
    if not unkept:
        report.note(f"Compiled kernels cannot be kept in {path} ({reason}): the next start compiles them again.")
    unkept[path] = reason


def distrust(folder: Path) -> str | None:
    """Why the machine code in this folder should not be run; None if only trusted users can change it.

    They are root, this user, the owner of the package's own files, and the groups of the folders. The code of others
    could do anything in the name of this user. A folder above may be open to all users if its sticky bit keeps them
    from replacing what belongs to others, as in /tmp. Raises `OSError` if there is no such folder.
    """
    if os.name == "nt" or os.environ.get(TRUST) == "1":
        return None
    folder, cache_folder = folder.resolve(), user_cache().resolve()
    owners = 0, os.geteuid(), PACKAGE.stat().st_uid
    for place in (folder, *folder.parents):
        status = place.stat()
        if status.st_uid not in owners and (place == folder or place.is_relative_to(cache_folder)):
            return f"{place} belongs to another user"
        if status.st_mode & stat.S_IWOTH and (place == folder or not status.st_mode & stat.S_ISVTX):
            return f"every user can write to {place}"
    return None


def refused(folder: Path, why: str) -> str:
    """The sentence about a folder that is not used because of `distrust`."""
    return (
        f"Compiled kernels in {folder} are not used, because {why}, and they could run any code. "
        f"{TRUST}=1 uses them all the same."
    )


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Only one process at a time makes what has this name in the folder of kernels; others wait, and find it there."""
    folder = kernel_cache()
    if folder is None:
        yield
        return
    with ExitStack() as stack:
        with suppress(ImportError, OSError):  # no such lock on this system or file system: work may be done twice
            import fcntl

            file = stack.enter_context((folder / f"{name}.lock").open("w", encoding="utf-8"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                what = f"Another process is compiling {name.removeprefix('puzzlelab.')}, and this one waits."
                with report.after(SHORT, what):  # or it only loads the machine code
                    fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _prune(parent: Path, keep: Path) -> None:
    others = [path for path in parent.iterdir() if path.is_dir() and path != keep]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for age, path in enumerate(others, start=1):
        if age >= KEPT_FOLDERS or time.time() - path.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(path, ignore_errors=True)
