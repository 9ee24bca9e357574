"""Compiles kernels that were loaded from a pack for this processor, in a background process after a command.

`python -m puzzlelab.engine.compiler.background` reads from its standard input which kernels, compiles them with low
priority, and ends. Only one such process runs at a time; it alone may outlive the command that started it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import Any, BinaryIO

from puzzlelab.engine import user_cache
from puzzlelab.engine.compiler.cache_folder import kernel_folder
from puzzlelab.engine.user_cache import write_failures
from puzzlelab.storage.files import try_lock

LOCK = "background.lock"
"""The file that the process locks. It ends when another process writes into it: unlike a signal to a process of some
number, that reaches no other process."""
PATIENCE = 10.0
"""Seconds in which a process that is asked to end does so."""
POLL_SECONDS = 0.1
"""Seconds between two looks at the file."""

used_of_packs: dict[str, tuple[str, str, Any]] = {}
"""Kernels that this process loaded from a pack: module, name and signature, by the name of the entry."""


def compile_in_background() -> None:
    """Start the process for the kernels that came from a pack, unless `PUZZLELAB_BACKGROUND` is 0.

    Nothing is started where it could not keep them.
    """
    if not used_of_packs:
        return
    folder = kernel_folder()
    if os.environ.get("PUZZLELAB_BACKGROUND") == "0" or write_failures or user_cache.VARIABLE in os.environ:
        return
    if folder is None or not os.access(folder, os.W_OK):
        return
    with suppress(OSError):  # no process can be started: the next answer comes from the pack too
        process = subprocess.Popen(
            [sys.executable, "-m", "puzzlelab.engine.compiler.background"],
            env={**os.environ, "PUZZLELAB_KERNELS": "", "PUZZLELAB_BACKGROUND": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert process.stdin is not None
        with process.stdin as stream:
            stream.write(pickle.dumps(list(used_of_packs.values())))
        process.returncode = 0  # this process does not wait for it


@contextmanager
def none_running() -> Iterator[None]:
    """Let the background process end and keep others from starting, so that they do not disturb timings."""
    folder = kernel_folder()
    with ExitStack() as stack:
        if folder is not None:
            with suppress(OSError):  # the lock file cannot be written: then no process can hold it either
                _take_lock(stack.enter_context((folder / LOCK).open("ab")))
        yield


def _take_lock(file: BinaryIO) -> None:
    """Lock the file; its holder is asked to end."""
    until = time.monotonic() + PATIENCE
    while try_lock(file.fileno()) is False and time.monotonic() < until:
        file.write(b"end\n")
        file.flush()
        time.sleep(POLL_SECONDS)


def _end_when_asked(descriptor: int) -> None:
    while os.fstat(descriptor).st_size == 0:
        time.sleep(POLL_SECONDS)
    os._exit(0)


def main() -> None:
    """Compile what standard input names."""
    wanted = pickle.loads(sys.stdin.buffer.read())
    folder = kernel_folder()
    if folder is None:
        return
    with (folder / LOCK).open("ab") as file:
        if try_lock(file.fileno()) is False:
            return
        file.truncate(0)
        threading.Thread(target=_end_when_asked, args=(file.fileno(),), daemon=True).start()
        with suppress(AttributeError, OSError):
            os.nice(19)
        for module, name, signature in wanted:
            getattr(import_module(module), name).compile(signature)
            if write_failures:
                return


if __name__ == "__main__":
    main()
