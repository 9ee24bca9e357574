"""The user's folder for files that puzzlelab can delete and make again: compiled kernels, tables, networks of others.

A process that may not use a folder has a private one instead. It ends with that process, and is shared with its
children: a folder with a fixed name under the system's folder for temporary files could belong to another user.
"""

import atexit
import os
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from puzzlelab.engine import report
from puzzlelab.storage.files import try_lock

VARIABLE = "PUZZLELAB_PRIVATE_CACHE"
"""The environment variable that tells child processes the private folder of their parent."""
PREFIX = "puzzlelab-private-"
IN_USE = "in-use.lock"
"""The file in a private folder whose lock the process holds; the lock of a killed process is free."""
YOUNG_SECONDS = 60
"""A file of this age or less may be one that its process is about to lock."""
HOMELESS = "There is no home folder, so that compiled kernels and tables are kept until this process ends."

write_failures: dict[Path, str] = {}
"""Files of the cache that this process could not write, each with the reason."""


def user_cache() -> Path:
    """Return the folder; it need not exist."""
    if explicit := os.environ.get("PUZZLELAB_CACHE"):
        return Path(explicit)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "puzzlelab"
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "puzzlelab" / "Cache"
    try:
        home = Path.home()
    except RuntimeError:  # no HOME, and a user without an entry in the system's list
        return private_cache(HOMELESS)
    return home / "Library" / "Caches" / "puzzlelab" if sys.platform == "darwin" else home / ".cache" / "puzzlelab"


def private_cache(reason: str) -> Path:
    """Return the private folder of this process or of its parent; `reason` is said to the user when it is made."""
    folder = os.environ.get(VARIABLE)
    if not folder or not os.path.isdir(folder):  # noqa: PTH112
        report.note(reason)
        _remove_abandoned()
        folder = tempfile.mkdtemp(prefix=PREFIX)
        descriptor = os.open(os.path.join(folder, IN_USE), os.O_CREAT | os.O_RDWR, 0o600)  # noqa: PTH118
        try_lock(descriptor)
        atexit.register(_remove_own, folder, descriptor, os.getpid())
        os.environ[VARIABLE] = folder
    return Path(folder)


def _remove_own(folder: str, descriptor: int, process: int) -> None:
    if os.getpid() == process:  # it is not a fork
        os.close(descriptor)
        shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned() -> None:
    """Remove this user's private folders whose processes were killed."""
    if os.name == "nt":  # no locks there
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.lstat().st_uid == os.geteuid() and _is_abandoned(folder / IN_USE):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(lock_file: Path) -> bool:
    """Tell whether no process holds the lock, or is about to take it. Raises `OSError` if there is no such file."""
    with lock_file.open("rb") as file:
        age = time.time() - os.fstat(file.fileno()).st_mtime
        return age > YOUNG_SECONDS and bool(try_lock(file.fileno()))
