"""A private cache folder, for a process that has no other: it ends with that process, and is shared with its children.

A folder with a fixed name under the system's folder for temporary files could belong to another user.
"""

import atexit
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from puzzlelab.engine import report
from puzzlelab.storage.files import try_lock

VARIABLE = "PUZZLELAB_PRIVATE_CACHE"
"""The environment variable that tells child processes the folder of their parent."""
PREFIX = "puzzlelab-private-"
IN_USE = "in-use.lock"
"""The file in the folder whose lock the process holds; the lock of a killed process is free."""
YOUNG_SECONDS = 60
"""A file of this age or less may be one that its process is about to lock."""


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
