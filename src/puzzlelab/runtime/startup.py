"""The first things that the program does: it handles the signals that end it, and prepares its streams.

Signals come first, before any other module is imported. `prepare` replaces standard streams that are closed, and
characters that a stream cannot encode.

Where the package is used as a library, this changes nothing. Imports here are few, because until they are done, Ctrl-C
prints a traceback, and a process that is the first of a container (PID 1) does not get SIGTERM at all.
"""

import codecs
import io
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
REPLACE = "puzzlelab"
"""The name of the error handler for characters that an encoding lacks."""
ASCII = {"±": "+-", "…": "...", "×": "x", "→": "->", "─": "-", "━": "-", "═": "-", "│": "|", "┃": "|", "║": "|"}
"""Characters -> texts for streams that lack them."""

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


# --- streams ---


def prepare_streams() -> None:
    """Prepare standard input, output and error: open /dev/null in place of a closed one, and let all texts be written.

    A program that was started with a closed stream would give its number, such as 1, to the next file that it opens,
    and what is meant for the stream would get into that file.
    """
    _open_closed()
    codecs.register_error(REPLACE, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=REPLACE)


def _open_closed() -> None:
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest free number, hence this one
            os.set_inheritable(opened, True)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def _replaced(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return the handler of `REPLACE`: bytes of file names that are no text are written unchanged."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    if "\udc80" <= character <= "\udcff":
        return bytes([ord(character) - 0xDC00]), error.start + 1
    return _replacement(character), error.start + 1


def _replacement(character: str) -> str:
    """Return a text in ASCII for a character: the letter without its accent, `+` for corners of tables, or `?`."""
    if character in ASCII:
        return ASCII[character]
    import unicodedata

    if unicodedata.name(character, "").startswith("BOX DRAWINGS"):
        return "+"
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"
