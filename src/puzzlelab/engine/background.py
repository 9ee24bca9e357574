"""Compiles kernels that were loaded from a pack for this processor, in a background process after a command.

`python -m puzzlelab.engine.background` reads from its standard input which kernels, compiles them with low priority,
and ends. Only one such process runs at a time; it alone may outlive the command that started it.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import IO, Any

from puzzlelab.engine.kernel_cache import kernel_cache

LOCK = "background.lock"
PATIENCE = 10.0
"""Seconds in which a process that is told to end does so."""


def start(kernels: list[tuple[str, str, Any]]) -> None:
    """Start the process for these kernels (module, name, signature), unless `PUZZLELAB_BACKGROUND` is 0."""
    if os.environ.get("PUZZLELAB_BACKGROUND") == "0" or kernel_cache() is None:
        return
    with suppress(OSError):  # no process can be started: the next answer comes from the pack too
        process = subprocess.Popen(
            [sys.executable, "-m", "puzzlelab.engine.background"],
            env={**os.environ, "PUZZLELAB_KERNELS": "", "PUZZLELAB_BACKGROUND": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert process.stdin is not None
        with process.stdin as stream:
            stream.write(pickle.dumps(kernels))
        process.returncode = 0  # this process does not wait for it


@contextmanager
def none_running() -> Iterator[None]:
    """End the background process and keep others from starting, so that they do not disturb timings."""
    folder = kernel_cache()
    if folder is None:
        yield
        return
    with (folder / LOCK).open("a+", encoding="ascii") as file:
        until = time.monotonic() + PATIENCE
        while not (locked := _locked(file)) and time.monotonic() < until:
            file.seek(0)
            with suppress(ValueError, OSError):
                os.kill(int(file.read()), signal.SIGTERM)
            time.sleep(0.05)
        if locked:
            file.truncate(0)  # the process of this number has ended, and another may get it
        yield


def _locked(file: IO[str]) -> bool:
    """Lock a file, until it is closed, unless another process has."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system: processes may do the same twice
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def main() -> None:
    """Compile what standard input names."""
    wanted = pickle.loads(sys.stdin.buffer.read())
    folder = kernel_cache()
    if folder is None:
        return
    with (folder / LOCK).open("a+", encoding="ascii") as file:
        if not _locked(file):
            return
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        with suppress(AttributeError, OSError):
            os.nice(19)
        for module, name, signature in wanted:
            getattr(import_module(module), name).compile(signature)


if __name__ == "__main__":
    main()
