"""Compiles kernels that were loaded from a pack for this processor, in a background process after a command.

`python -m puzzlelab.engine.background` reads from its standard input which kernels, compiles them with low priority,
and ends. Only one such process runs at a time; it alone may outlive the command that started it.
"""

from __future__ import annotations

import os
import pickle
import platform
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import IO, Any

from puzzlelab.engine.kernel_cache import kernel_cache, unkept

LOCK = "background.lock"
MOST_CHARACTERS = 300
"""What is read of the file, which holds the number of a process and the name of its machine."""
PATIENCE = 10.0
"""Seconds in which a process that is told to end does so."""


def start(kernels: list[tuple[str, str, Any]]) -> None:
    """Start the process for these kernels (module, name, signature), unless `PUZZLELAB_BACKGROUND` is 0.

    Nothing is started where it could not keep them.
    """
    folder = kernel_cache()
    if os.environ.get("PUZZLELAB_BACKGROUND") == "0" or folder is None or unkept or not os.access(folder, os.W_OK):
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
    with ExitStack() as stack:
        if folder is not None:
            with suppress(OSError):  # the lock file cannot be written: then no process can hold it either
                file = stack.enter_context((folder / LOCK).open("a+", encoding="utf-8", errors="replace"))
                _end_holder(file)
        yield


def _end_holder(file: IO[str]) -> None:
    """Lock the file, and end the process that holds its lock, if there is one."""
    until = time.monotonic() + PATIENCE
    while not (locked := _locked(file)) and time.monotonic() < until:
        file.seek(0)
        number, _, machine = file.read(MOST_CHARACTERS).partition(" ")
        if re.fullmatch("[1-9][0-9]{0,9}", number) and machine == platform.node():  # the folder may be shared
            with suppress(OSError, OverflowError):
                os.kill(int(number), signal.SIGTERM)
        time.sleep(0.05)
    if locked:
        file.truncate(0)  # the process of this number has ended, and another may get it


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
    with (folder / LOCK).open("a+", encoding="utf-8", errors="replace") as file:
        if not _locked(file):
            return
        file.truncate(0)
        file.write(f"{os.getpid()} {platform.node()}")
        file.flush()
        with suppress(AttributeError, OSError):
            os.nice(19)
        for module, name, signature in wanted:
            getattr(import_module(module), name).compile(signature)
            if unkept:
                return


if __name__ == "__main__":
    main()
