"""The first thing that the program does: handle the signals that end it, before any other module is imported.

Where the package is used as a library, this changes nothing. Imports here are few, because until they are done, Ctrl-C
prints a traceback, and a process that is the first of a container (PID 1) does not get SIGTERM at all.
"""

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    Handler = Callable[[int, FrameType | None], object]

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that end a program: Ctrl-C, containers and Slurm and systemd, and a terminal that was closed."""

_begun = False


def begin() -> None:
    """End this process at once and silently at a signal, as long as nothing is done that could be kept.

    Does nothing if the process is not the program `puzzlelab`.
    """
    global _begun
    if not _is_program():
        return
    _begun = True
    end_at_signals()


def end_at_signals() -> "dict[int, Handler]":
    """End this process at once and silently at a signal; the handlers before.

    Does nothing if the process is not the program `puzzlelab`.
    """
    return handle(_end_at_once) if _begun else {}


def end(code: int, wait: bool) -> None:
    """End the program now, after its threads if it should `wait` for them.

    Its memory is not freed piece by piece: with torch that takes a second of processor time, in which Python no longer
    handles signals. Does nothing if the process is not the program `puzzlelab`.
    """
    if not _begun:
        return
    import atexit
    import threading
    from contextlib import suppress

    if wait:
        threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _is_program() -> bool:
    """Tell whether this process runs `puzzlelab` or `python -m puzzlelab`, and is no worker process of such a
    program.
    """
    words = sys.orig_argv
    if "--multiprocessing-fork" in words:
        return False
    if sys.argv[:1] == ["-m"]:  # the name of the module is not there yet
        return "-m" in words and words[words.index("-m") + 1 :][:1] == ["puzzlelab"]
    return bool(sys.argv) and os.path.basename(sys.argv[0]).partition(".")[0] == "puzzlelab"  # noqa: PTH119


def handle(handler: "Handler") -> "dict[int, Handler]":
    """Let `handler` handle the signals that were not ignored at the start, as by `nohup`; the handlers before."""
    before: dict[int, Handler] = {}
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            before[number] = signal.signal(number, handler)  # type: ignore[assignment]
    return before


def exit_code(number: int) -> int:
    """Return the exit code of the program after a signal: 128 + its number, but 0 for a server, which only a signal
    ends.
    """
    return 0 if sys.argv[1:2] == ["web"] else 128 + number


def _end_at_once(number: int, frame: "FrameType | None") -> None:
    os._exit(exit_code(number))
