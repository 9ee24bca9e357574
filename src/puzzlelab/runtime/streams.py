"""Standard streams: replaces those that are closed, and characters that a stream cannot encode."""

import codecs
import io
import os
import sys

REPLACE = "puzzlelab"
"""The name of the error handler for characters that an encoding lacks."""
ASCII = {"±": "+-", "…": "...", "×": "x", "→": "->", "─": "-", "━": "-", "═": "-", "│": "|", "┃": "|", "║": "|"}
"""Characters -> texts for streams that lack them."""


def prepare() -> None:
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
