"""Signals that end a command: Ctrl-C, SIGTERM (containers, Slurm, systemd) and SIGHUP (a terminal that was closed).

All three interrupt a command in the same way: they raise `KeyboardInterrupt`. Only the exit code depends on which one
came. `startup` handles them until the command begins.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from puzzlelab.runtime import startup
from puzzlelab.runtime.startup import ENDING, handle

if TYPE_CHECKING:
    from puzzlelab.runtime.startup import Handler

INTERRUPTED = 128 + signal.SIGINT
"""The exit code of a command that was interrupted; `exit_code` replaces it after another signal than Ctrl-C."""
AGAIN_SECONDS = 0.05
"""The time after which a signal is sent again whose exception was lost, or would not be safe yet."""
IMPORT_SYSTEM = "<frozen importlib"
"""The beginning of the file names of the code that imports modules."""

_received: list[int] = []


@contextmanager
def raising() -> Iterator[None]:
    """Let these signals raise `KeyboardInterrupt` in the main thread, and restore the handlers at the end."""
    _received.clear()
    before, hook = handle(interrupt), sys.unraisablehook
    sys.unraisablehook = lambda unraisable: _unraisable(unraisable, hook)
    try:
        yield
    finally:
        sys.unraisablehook = hook
        _restore(before)


def interrupt(number: int, frame: FrameType | None = None) -> None:
    """Handle these signals: remember which one came, and raise `KeyboardInterrupt`.

    During an import it raises it afterwards: libraries in C may lose an exception there, and go on with half a module.
    """
    if _in_import(frame):
        _send_again(number)
        return
    _received.append(number)
    raise KeyboardInterrupt


def _in_import(frame: FrameType | None) -> bool:
    """Tell whether this frame, or one that called it, imports a module."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(IMPORT_SYSTEM):
            return True
        frame = frame.f_back
    return False


def _send_again(number: int) -> None:
    """Send the signal to the main thread again, in a moment."""
    main = threading.main_thread().ident
    assert main is not None

    def send() -> None:
        time.sleep(AGAIN_SECONDS)
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(main, number)
        else:  # Windows
            signal.raise_signal(number)

    # `threading.Thread` takes a lock that the interrupted code may hold
    _thread.start_new_thread(send, ())


def _restore(handlers: dict[int, Handler]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)


def _unraisable(unraisable: sys.UnraisableHookArgs, hook: Callable[[sys.UnraisableHookArgs], object]) -> None:
    """Send a signal again whose exception was lost, because it was raised in a destructor or a callback."""
    if not (_received and issubclass(unraisable.exc_type, KeyboardInterrupt)):
        hook(unraisable)
        return
    _send_again(_received[-1])


@contextmanager
def delayed() -> Iterator[Callable[[], None]]:
    """Delay the signals that raise an exception until the next call of the given function, which raises it.

    The delays begin with the first call: before it there is nothing to save. A second signal acts at once. In other
    threads than the main one nothing is delayed.
    """
    numbers: list[int] = []
    begun = False

    def note(number: int, frame: FrameType | None) -> None:
        if numbers or not begun:
            interrupt(number, frame)
            return
        numbers.append(number)

    def check() -> None:
        nonlocal begun
        begun = True
        if numbers:
            interrupt(numbers[0])

    before: dict[int, Handler] = {}
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            handler = signal.getsignal(number)
            if callable(handler):
                before[number] = handler
                signal.signal(number, note)
    try:
        yield check
    finally:
        _restore(before)


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Let signals end the program at once and silently: for imports that take long, before there is anything to
    keep.
    """
    before = startup.end_at_signals()
    try:
        yield
    finally:
        _restore(before)


@contextmanager
def blocked(numbers: Iterable[int] = ENDING) -> Iterator[None]:
    """Keep these signals from processes of `multiprocessing` that are started here: this process ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # or else `Process.start` starts it, and lets the signals through afterwards
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def at_termination(callback: Callable[[], None]) -> None:
    """Call this at SIGTERM, in a process from which the signals were `blocked` when it was started."""
    if hasattr(signal, "pthread_sigmask") and signal.SIGTERM in signal.pthread_sigmask(signal.SIG_BLOCK, ()):
        signal.signal(signal.SIGTERM, lambda number, frame: callback())
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGTERM,))


def received() -> bool:
    """Tell whether a signal has interrupted the command."""
    return bool(_received)


def exit_code(code: int) -> int:
    """Return the exit code of the program for that of a command: `INTERRUPTED` becomes that of the signal."""
    return startup.exit_code(_received[0]) if code == INTERRUPTED and _received else code
